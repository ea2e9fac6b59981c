"""The strokes that drawings share: headings, facts beside labels, bullets, tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tradewind.cli.draw.pen import GAP, Column, Pen, fitting

NARROW = 76  # below this many columns, facts stand under their labels
FACT_LABEL = 12  # columns of a label beside its fact

HEAD, DIM, GOOD, BAD, WARN, MARK = "bold", "dim", "green", "red", "yellow", "bold cyan"


def head(pen: Pen, code: str, note: str = "") -> Text:
    """A heading, with a dim note behind it."""
    return Text.assemble((pen.say(code), HEAD), ("  " + note if note else "", DIM))


def facts(pen: Pen, rows: Iterable[tuple[str, str | Text]]) -> RenderableType:
    """Label and fact, one a line, indented; under each other on narrow terminals."""
    if pen.width < NARROW:
        lines: list[RenderableType] = []
        for code, fact in rows:
            lines += [Text(pen.say(code), DIM), Padding(_text(fact), (0, 0, 0, 2))]
        return Padding(Group(*lines), (0, 0, 0, 2))
    grid = Table.grid(padding=(0, GAP))
    grid.add_column(min_width=FACT_LABEL)
    grid.add_column()
    for code, fact in rows:
        grid.add_row(Text(pen.say(code), DIM), _text(fact))
    return Padding(grid, (0, 0, 0, 2))


def bullets(lines: Iterable[str], mark: str = "·") -> RenderableType:
    """One line each behind a mark, wrapped under themselves."""
    grid = Table.grid(padding=(0, 1))
    for line in lines:
        grid.add_row(Text(mark, DIM), Text(line))
    return Padding(grid, (0, 0, 0, 2))


def table(pen: Pen, columns: Sequence[Column], rows: Sequence[Sequence[str | Text]], indent: int = 2) -> RenderableType:
    """Rows under dim headings, aligned; columns are left out until the rest fits the width, then cells fold."""
    cells = [[_text(cell) for cell in row] for row in rows]
    kept = list(fitting(pen, columns, [[cell.plain for cell in row] for row in cells], pen.width - indent))
    drawn = Table(box=None, padding=(0, GAP, 0, 0), pad_edge=False, header_style=DIM)
    for index in kept:
        column = columns[index]
        drawn.add_column(pen.say(column.code), justify="right" if column.right else "left", overflow="fold")
    for row in cells:
        drawn.add_row(*(row[index] for index in kept))
    return Padding(drawn, (0, 0, 0, indent))


def _text(value: str | Text) -> Text:
    return value if isinstance(value, Text) else Text(value)


def stack(*parts: RenderableType | None) -> Group:
    """Parts one under the other; None is left out."""
    return Group(*(part for part in parts if part is not None))


def gap() -> Text:
    """An empty line."""
    return Text("")
