"""What a stream can show: colours, lines that are drawn over, signs beyond ASCII: one rule for all commands."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TextIO, cast
from unicodedata import normalize

from tradewind.words import locale_of

ASCII_LOCALES = ("C", "POSIX")
COERCED = ("C.UTF-8", "C.utf8", "UTF-8")  # what Python itself sets as LC_CTYPE under these
_SUMS = re.compile(r"(?:(?<= ) {1,3})?([¥€£])")  # right-aligned sums stay in their column
_CODES = {"¥": "CNY ", "€": "EUR ", "£": "GBP "}
# One letter for one wherever it may be, so that what stands in columns stays there.
_SIGNS = str.maketrans({
    letter: told for told, letters in {
        ".": "·•", "x": "×✗", "-": "–—−─━┄┈▂", "|": "│┃┊┆", "+": "└┌┘┐├┤┬┴┼", ">": "→", "^": "↑", "v": "↓✓", "~": "…≈",
        "/": "÷", "'": "’‘", '"': "“”", "2": "₂²", "u": "µ", "#": "█■▓▇▆▅", "%": "▚", "=": "▒▄", ":": "░▃", "_": "▁",
        "<=": "≤", ">=": "≥", "+-": "±", " deg": "°", "s.": "§",
    }.items() for letter in letters
})  # fmt: skip


def coloured(env: Mapping[str, str], tty: bool) -> bool:
    """Whether colours are wanted. In this order: NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE, CLICOLOR, TERM, a terminal."""
    if env.get("NO_COLOR"):
        return False
    for name in ("FORCE_COLOR", "CLICOLOR_FORCE"):
        if env.get(name):
            return env[name] != "0"
    return tty and env.get("CLICOLOR") != "0" and not dumb(env)


def dumb(env: Mapping[str, str]) -> bool:
    """Whether the terminal has no way back to what it wrote."""
    return env.get("TERM") in ("dumb", "unknown")


def spelled(text: str) -> str:
    """``text`` with ASCII for signs, strokes and accents; letters of other scripts stay."""
    told = _SUMS.sub(lambda found: _CODES[found[1]], text).translate(_SIGNS)
    return told if told.isascii() else "".join(map(without_accent, told))


def without_accent(letter: str) -> str:
    """``o`` for ``ó``; a letter that has none in ASCII stays."""
    return normalize("NFKD", letter).encode("ascii", "ignore").decode() or letter


class Spelled:
    """A stream that gets signs and strokes as ASCII wherever it could not show them."""

    def __init__(self, stream: TextIO, always: bool) -> None:
        self._stream, self._always = stream, always

    def write(self, text: str) -> int:
        """Write ``text``, spelled where that must be."""
        return self._stream.write(text if not self._always and self._writes(text) else spelled(text))

    def _writes(self, text: str) -> bool:
        try:
            text.encode(self._stream.encoding)
        except UnicodeEncodeError:
            return False
        return True

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)


def legible(stream: TextIO, env: Mapping[str, str]) -> TextIO:
    """``stream``, or what spells for it: under the locale C signs are ASCII; elsewhere those that it has no bytes for.

    A letter without a sign in ASCII is then a question mark, never an error.
    """
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure:
        reconfigure(errors="replace")
    ascii_only = _ascii_only(env)
    if not ascii_only and (stream.encoding or "utf-8").lower().replace("-", "").startswith("utf"):
        return stream
    return cast(TextIO, Spelled(stream, ascii_only))


def _ascii_only(env: Mapping[str, str]) -> bool:
    """Whether the user's locale is C or POSIX; none at all is a container's, whose terminal knows UTF-8."""
    named = locale_of(env, "LC_CTYPE")
    if named in COERCED and not env.get("LC_ALL"):
        named = env.get("LANG", "")
    return named in ASCII_LOCALES


def takes_all(stream: TextIO) -> bool:
    """Whether any letter may be written as it is: JSON escapes what is beyond ASCII otherwise."""
    return not isinstance(stream, Spelled)
