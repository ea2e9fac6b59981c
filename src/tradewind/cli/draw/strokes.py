"""The strokes that drawings share: headings, facts beside labels, bullets, tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.padding import Padding
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from tradewind.cli.draw.pen import GAP, Column, Pen, fitting, named_cells

NARROW = 76  # below this many columns, facts stand under their labels
FACT_LABEL = 12  # columns of a label beside its fact

HEAD, DIM, GOOD, BAD, WARN, MARK = "bold", "dim", "green", "red", "yellow", "bold cyan"


def head(pen: Pen, code: str, note: str = "") -> Text:
    """A heading, with a dim note behind it."""
    between = ": " if pen.plain else "  "
    return Text.assemble((pen.say(code), HEAD), (between + note if note else "", DIM))


def facts(pen: Pen, rows: Iterable[tuple[str, str | Text]]) -> RenderableType:
    """Label and fact, one a line, indented; under each other on narrow terminals."""
    if pen.plain:
        return Group(*(Text(f"{pen.say(code)}: ").append_text(_text(fact)) for code, fact in rows))
    if pen.width < NARROW:
        lines: list[RenderableType] = []
        for code, fact in rows:
            lines += [Text(pen.say(code), DIM), Padding(_text(fact), (0, 0, 0, 2))]
        return Padding(Group(*lines), (0, 0, 0, 2))
    grid = Table.grid(padding=(0, GAP))
    grid.add_column(min_width=FACT_LABEL)
    grid.add_column(overflow="fold")
    for code, fact in rows:
        grid.add_row(Text(pen.say(code), DIM), _text(fact))
    return Padding(grid, (0, 0, 0, 2))


def bullets(lines: Iterable[str], mark: str = "·") -> RenderableType:
    """One line each behind a mark, wrapped under themselves."""
    return marked((Text(mark, DIM), line) for line in lines)


def marked(lines: Iterable[tuple[Text, str]]) -> RenderableType:
    """One line each behind its own mark, wrapped under themselves."""
    grid = Table.grid(padding=(0, 1))
    grid.add_column()
    grid.add_column(overflow="fold")  # Chinese has no blanks to break at: it would be cut off
    for mark, line in lines:
        grid.add_row(mark, Text(line))
    return Padding(grid, (0, 0, 0, 2))


def counts(rows: Iterable[Sequence[str | Text]]) -> RenderableType:
    """One line each behind a number, the numbers aligned."""
    grid = Table.grid(padding=(0, GAP))
    grid.add_column(justify="right", no_wrap=True)
    grid.add_column(overflow="fold")
    for number, line in rows:
        grid.add_row(_text(number), _text(line))
    return Padding(grid, (0, 0, 0, 2))


def table(pen: Pen, columns: Sequence[Column], rows: Sequence[Sequence[str | Text]], indent: int = 2) -> RenderableType:
    """Rows under dim headings, aligned; columns are left out until the rest fits the width, then cells fold."""
    cells = [[_text(cell) for cell in row] for row in rows]
    if pen.plain:
        return Group(*(_named(pen, columns, row) for row in cells))
    kept = list(fitting(pen, columns, [[cell.plain for cell in row] for row in cells], pen.width - indent))
    drawn = Table(box=None, padding=(0, GAP, 0, 0), pad_edge=False, header_style=DIM)
    for index in kept:
        column = columns[index]
        drawn.add_column(pen.say(column.code), justify="right" if column.right else "left", overflow="fold")
    for row in cells:
        drawn.add_row(*(row[index] for index in kept))
    return Padding(drawn, (0, 0, 0, indent))


def noted(
    pen: Pen, columns: Sequence[Column], rows: Sequence[Sequence[str | Text]], notes: Sequence[Text]
) -> RenderableType:
    """Rows under dim headings, each with a note below it that has the whole width but the first column's.

    Where that is too wide, rows stand without headings and columns, and their notes are indented a little.
    """
    cells = [[_text(cell) for cell in row] for row in rows]
    if pen.plain:
        told = (_named(pen, columns, row) for row in cells)
        return Group(*(part for pair in zip(told, notes, strict=True) for part in pair))
    needed = fitting(pen, columns, [[cell.plain for cell in row] for row in cells], pen.width)
    if sum(needed.values()) + GAP * (len(needed) - 1) > pen.width:
        lines, indent = [Text(" " * GAP).join(filter(None, row)) for row in cells], GAP
    else:
        heads = [Text(pen.say(column.code), DIM) for column in columns]
        lines, indent = [_spaced(row, needed) for row in (heads, *cells)], needed[0] + GAP
    below = [Padding(note, (0, 0, 0, indent)) for note in notes]
    titles = lines[: len(lines) - len(below)]
    return Group(*titles, *(part for pair in zip(lines[len(titles) :], below, strict=True) for part in pair))


def _named(pen: Pen, columns: Sequence[Column], row: Sequence[Text]) -> Text:
    return Text(named_cells(pen, columns, [cell.plain for cell in row]))


def _spaced(row: Sequence[Text], widths: Mapping[int, int]) -> Text:
    return Text(" " * GAP).join(cell + Text(" " * (widths[index] - cell.cell_len)) for index, cell in enumerate(row))


def _text(value: str | Text) -> Text:
    return value if isinstance(value, Text) else Text(value)


@dataclass(frozen=True, slots=True)
class Unbroken:
    """A line that no width breaks: a path that is broken cannot be copied."""

    text: str

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        """For rich: the line as it is."""
        yield Segment(self.text)
        yield Segment.line()


def stack(*parts: RenderableType | None) -> Group:
    """Parts one under the other; None is left out."""
    return Group(*(part for part in parts if part is not None))


def gap() -> Text:
    """An empty line."""
    return Text("")
