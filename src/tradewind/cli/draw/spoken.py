"""Lines as a screen reader reads them well: ranges in words, and in English no sign beyond ASCII."""

from __future__ import annotations

import re
from typing import TextIO

from tradewind import words
from tradewind.cli.draw.figures import UNKNOWN
from tradewind.cli.terminal import without_accent

_RANGE = re.compile(r"([^\s(]+) \(([\d.,]+)–([\d.,]+)\)( [A-Za-z]+)?")
_NOTHING = re.compile(rf"(?<![^\s·]){UNKNOWN}(?![^\s·,])")
_PICTURED = re.compile(r"\s*[█▓▒▚░■]")  # a part of a picture, beside what it stands for
_MARK = re.compile(r"^[·→✓✗] ")
_APART = re.compile(r"(?<![:,;.]) {2,}")  # what stands apart in a line
_SPELLED = str.maketrans({
    "·": ",", "×": "x", "–": "-", "→": "->", "₂": "2", "¥": "CNY ", "€": "EUR ", "÷": "/", "≤": "<=", "≥": ">=",
    "≈": "about ", "−": "minus", "§": "section", "“": '"', "”": '"', "’": "'",
})  # fmt: skip


def spoken(lang: str, line: str) -> str:
    """The line without signs that are not read well, and without what only sets it apart from others."""

    def ranged(found: re.Match[str]) -> str:
        return words.say("plain-range", lang, value=found[1] + (found[4] or ""), low=found[2], high=found[3])

    bare = _MARK.sub("", _PICTURED.sub("·", line.strip()))
    told = _RANGE.sub(ranged, " ".join(_APART.sub(", ", bare).split()))
    told = _NOTHING.sub(words.say("plain-unknown", lang), told.replace(" ·", "·")).translate(_SPELLED)
    return told if lang != "en" or told.isascii() else "".join(map(_bare, told))


def _bare(letter: str) -> str:
    """ASCII for a letter that has it; letters of other scripts stay, since they are parts of names; signs go."""
    told = without_accent(letter)
    return told if told.isascii() or told.isalpha() else ""


class Spoken:
    """A stream whose lines reach ``stream`` spoken; empty ones do not."""

    def __init__(self, lang: str, stream: TextIO) -> None:
        self._lang, self._stream = lang, stream

    def write(self, text: str) -> int:
        """Whole lines, spoken."""
        told = (spoken(self._lang, line) for line in text.splitlines())
        return self._stream.write("".join(line + "\n" for line in told if line))

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)
