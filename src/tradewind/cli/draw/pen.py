"""Pen: what every drawing needs to know of its reader; columns that fit a width. Imports no drawing library."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, tzinfo
from unicodedata import combining, east_asian_width

from tradewind import words

GAP = 2  # blanks between columns
NARROWEST = 12  # to which a folded column may shrink


@dataclass(frozen=True, slots=True)
class Pen:
    """Language and width of the reader's terminal, whether plain lines are wanted, and the zone of times.

    Attributes:
        plain: no pictures and no columns; a row of a table is a line that names each cell.
        zone: None: the computer's own.
    """

    lang: str
    width: int
    plain: bool = False
    zone: tzinfo | None = UTC

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
    if pen.plain:
        return "\n".join(named_cells(pen, columns, row) for row in rows)
    needed = fitting(pen, columns, rows, pen.width)
    first = next(iter(needed))
    needed[first] = max(NARROWEST, needed[first] - max(0, sum(needed.values()) + GAP * (len(needed) - 1) - pen.width))
    heads = [pen.say(column.code) for column in columns]
    return "\n".join(line for row in (heads, *rows) for line in _lines(columns, row, needed))


def named_cells(pen: Pen, columns: Sequence[Column], row: Sequence[str]) -> str:
    """A row as one plain line: ``name: digits, state: running``; empty cells are left out, as is an empty heading."""
    told = ((pen.say(column.code), cell) for column, cell in zip(columns, row, strict=True) if cell)
    return ", ".join(f"{heading}: {cell}" if heading else cell for heading, cell in told)


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
    """``text`` in lines of at most ``width`` columns, broken between words or letters of Chinese.

    A longer word is broken inside. No line begins with a sign that ends a part of a sentence.
    """
    lines, blanks = [""], ""
    for part in _PARTS.findall(text):
        if part.isspace():
            blanks = " "
        elif width_of(lines[-1] + blanks + part) <= width:
            lines[-1] += (blanks if lines[-1] else "") + part
            blanks = ""
        else:
            lines, blanks = [*filter(None, lines), *_folded(part, width)], ""
    return "\n".join(lines)


_WIDE, _OPENS, _CLOSES = r"\u2e80-\uffef", "（《「“", "，。、；：！？）》」”"
_PARTS = re.compile(rf" +|[{_OPENS}]*(?:[^ {_WIDE}{_OPENS}{_CLOSES}]+|[{_WIDE}])[{_CLOSES}]*|[{_OPENS}{_CLOSES}]+")
