"""The front: ways over time and cost as a picture of letters, legible without colour.

     │  c                         ┊
¥200 ┤                      ·     ┊
     │┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄  budget
 ¥50 ┤  b        ·   ·  ·     ·   ┊
     │              [a]           ┊  ·   [a] chosen, letters unbeaten, dots other ways
     └─────┬─────────┬────────┬─────────
          2 h       5 h     10 h
"""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from tradewind.cli.draw.axes import Axis
from tradewind.cli.draw.pen import Pen, width_of
from tradewind.cli.draw.scene import Mark, Scene
from tradewind.cli.draw.strokes import DIM, HEAD, MARK, WARN

ROWS = 11
INDENT = 2
NARROWEST, WIDEST = 30, 92  # columns of the field
COLUMNS_A_TICK, ROWS_A_TICK = 10, 2
Cell = tuple[str, str]  # a letter and its style
BLANK: Cell = (" ", "")


def ticks(width: int) -> tuple[int, int]:
    """How many ticks the axes of a picture that wide may have."""
    return min(width, WIDEST) // COLUMNS_A_TICK, ROWS // ROWS_A_TICK


def picture(pen: Pen, scene: Scene) -> list[Text]:
    """The picture in lines; none on a terminal that is too narrow for one."""
    margin = max(width_of(label) for _, label in scene.y.ticks) + INDENT if scene.y.ticks else INDENT
    columns = min(WIDEST, pen.width - margin - 3)
    if columns < NARROWEST:
        return []
    field = _field(scene, columns)
    labels = {_row(scene.y, value): label for value, label in scene.y.ticks}
    lines = [_line(labels.get(row, ""), margin, cells) for row, cells in enumerate(field)]
    return [*lines, *_below(scene, columns, margin)]


def _field(scene: Scene, columns: int) -> list[list[Cell]]:
    """Dots, then the limits between them, then the letters over all."""
    field = [[BLANK] * columns for _ in range(ROWS)]
    for x, y in scene.dots:
        field[_row(scene.y, y)][_column(scene.x, x, columns)] = ("·", DIM)
    deadline, budget = (limit for _, limit in scene.limits())
    if deadline is not None:
        at = _column(scene.x, deadline, columns)
        for cells in field:
            cells[at] = ("┊", WARN)
    if budget is not None:
        cells = field[_row(scene.y, budget)]
        cells[:] = [("┄", WARN) if cell == BLANK else cell for cell in cells]
    taken = set[tuple[int, int]]()
    for mark in sorted(scene.marks, key=lambda mark: not mark.chosen):
        _put(field, taken, mark, _row(scene.y, mark.y), _column(scene.x, mark.x, columns))
    return field


def _put(field: list[list[Cell]], taken: set[tuple[int, int]], mark: Mark, row: int, column: int) -> None:
    """The letter at its place, or at the nearest free one beside it."""
    told, style = (f"[{mark.letter}]", MARK) if mark.chosen else (mark.letter, HEAD)
    half, last = len(told) // 2, len(field[0]) - len(told)
    beside = sorted(range(last + 1), key=lambda start: abs(start + half - column))
    start = next((each for each in beside if not taken & _cells(row, each, told)), None)
    if start is not None:  # a row of more letters than columns: the list still has it
        taken |= _cells(row, start, told)
        field[row][start : start + len(told)] = [(letter, style) for letter in told]


def _cells(row: int, start: int, told: str) -> set[tuple[int, int]]:
    return {(row, column) for column in range(start, start + len(told))}


def _line(label: str, margin: int, cells: list[Cell]) -> Text:
    blanks = " " * (margin - width_of(label))
    line = Text(f"{blanks}{label} {'┤' if label else '│'}", DIM)
    for letter, style in cells:
        line.append(letter, style)
    return line


def _below(scene: Scene, columns: int, margin: int) -> Iterator[Text]:
    """The time axis with its labels; the first and the last tell the unit."""
    stroke, labels = ["─"] * columns, [" "] * columns
    free = 0
    for value, label in scene.x.ticks:
        at = _column(scene.x, value, columns)
        stroke[at] = "┬"
        told = f"{label} {scene.unit}"
        start = min(max(0, at - len(label) // 2), columns - len(told))
        if start >= free:
            labels[start : start + len(told)] = told
            free = start + len(told) + 1
    yield Text(" " * (margin + 1) + "└" + "".join(stroke), DIM)
    yield Text(" " * (margin + 2) + "".join(labels).rstrip(), DIM)


def _column(axis: Axis, value: float, columns: int) -> int:
    return round(axis.at(value) * (columns - 1))


def _row(axis: Axis, value: float) -> int:
    return round((1 - axis.at(value)) * (ROWS - 1))
