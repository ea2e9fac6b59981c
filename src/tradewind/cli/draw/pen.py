"""Pen: what every drawing needs to know of its reader; columns that fit a width. Imports no drawing library."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from unicodedata import combining, east_asian_width

from tradewind import words

GAP = 2  # blanks between columns
NARROWEST = 12  # to which a folded column may shrink


@dataclass(frozen=True, slots=True)
class Pen:
    """Language and width of the reader's terminal."""

    lang: str
    width: int

    def say(self, code: str, **facts: object) -> str:
        """The sentence of ``code``."""
        return words.say(code, self.lang, **facts)

    def reason(self, text: str, prefix: str = "") -> str:
        """A coded reason as a sentence."""
        return words.reason(text, self.lang, prefix)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its heading's code, side, and how willingly it goes when the terminal is narrow.

    ``drop``: 0 stays; of the others the highest goes first.
    """

    code: str
    right: bool = False
    drop: int = 0


def width_of(text: str) -> int:
    """Columns that the widest line of ``text`` takes on a terminal; letters of Chinese take two."""
    return max((sum(map(_width_of_letter, line)) for line in text.split("\n")), default=0)


def _width_of_letter(letter: str) -> int:
    if letter < "\u0300":
        return 1
    return 0 if combining(letter) else 2 if east_asian_width(letter) in "WF" else 1


def fitting(pen: Pen, columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int) -> dict[int, int]:
    """Which columns are kept, with the width that each needs: columns go until the rest fits, or none may go."""
    needed = {
        index: max([width_of(pen.say(column.code)), *(width_of(row[index]) for row in rows)])
        for index, column in enumerate(columns)
    }
    while sum(needed.values()) + GAP * (len(needed) - 1) > width:
        loose = [index for index in needed if columns[index].drop]
        if not loose:
            break
        del needed[max(loose, key=lambda index: columns[index].drop)]
    return needed


def aligned(pen: Pen, columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> str:
    """Rows of plain text under their headings, the first column folded where it must; the quick way for long tables."""
    needed = fitting(pen, columns, rows, pen.width)
    first = next(iter(needed))
    needed[first] = max(NARROWEST, needed[first] - max(0, sum(needed.values()) + GAP * (len(needed) - 1) - pen.width))
    heads = [pen.say(column.code) for column in columns]
    return "\n".join(line for row in (heads, *rows) for line in _lines(columns, row, needed))


def _lines(columns: Sequence[Column], row: Sequence[str], needed: dict[int, int]) -> Iterator[str]:
    """The lines of one row: one, or more where a cell is folded."""
    folded = {index: _folded(row[index], width) for index, width in needed.items()}
    for number in range(max(map(len, folded.values()))):
        cells = []
        for index, parts in folded.items():
            part = parts[number] if number < len(parts) else ""
            blanks = " " * (needed[index] - width_of(part))
            cells.append(blanks + part if columns[index].right else part + blanks)
        yield (" " * GAP).join(cells).rstrip()


def _folded(text: str, width: int) -> list[str]:
    if width_of(text) <= width:
        return [text]
    lines = [""]
    for letter in text:
        if width_of(lines[-1] + letter) > width:
            lines.append("")
        lines[-1] += letter
    return lines


def wrapped(text: str, width: int) -> str:
    """``text`` in lines of at most ``width`` columns, broken between words; a longer word is broken inside."""
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if width_of(longer) <= width:
            lines[-1] = longer
        else:
            lines = [*filter(None, lines), *_folded(word, width)]
    return "\n".join(lines)
