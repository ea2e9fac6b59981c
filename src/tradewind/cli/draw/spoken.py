"""Lines as a screen reader reads them well: ranges in words, and in English no letter beyond ASCII."""

from __future__ import annotations

import re
from unicodedata import normalize

from tradewind.cli.draw.figures import UNKNOWN
from tradewind.cli.draw.pen import Pen

_RANGE = re.compile(r"([^\s(]+) \(([\d.,]+)–([\d.,]+)\)( [A-Za-z]+)?")
_NOTHING = re.compile(rf"(?<![^\s·]){UNKNOWN}(?![^\s·,])")
_SPELLED = str.maketrans({"·": ",", "×": "x", "–": "-", "→": "->", "₂": "2", "¥": "CNY ", "€": "EUR ", "÷": "/"})


def spoken(pen: Pen, line: str) -> str:
    """The line without signs that are not read well."""
    told = _RANGE.sub(lambda found: pen.say("plain-range", value=found[1] + (found[4] or ""), low=found[2],
                                            high=found[3]), line)  # fmt: skip
    told = _NOTHING.sub(pen.say("plain-unknown"), told.replace(" ·", "·")).translate(_SPELLED)
    return told if pen.lang != "en" else normalize("NFKD", told).encode("ascii", "ignore").decode()
