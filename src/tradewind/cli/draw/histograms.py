"""Rows of bars over one scale: how often which value came, one row for each of several things."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from rich.text import Text

from tradewind.cli.draw.pen import width_of
from tradewind.cli.draw.strokes import DIM

BARS = "▁▂▃▄▅▆▇█"
EMPTY = " "


@dataclass(frozen=True, slots=True)
class Scale:
    """From ``low`` to ``high``, told by ``told``; ``marks`` are values on it with what they are."""

    low: float
    high: float
    told: Callable[[float], str]
    marks: Sequence[tuple[float, str]] = ()


def rows(counts: Mapping[str, Sequence[int]], names: Mapping[str, str], scale: Scale, width: int) -> list[Text]:
    """One line a thing, the scale below, then a line for each mark; ``width``: columns in all.

    A bar's height is the share of its row's highest; anything above nothing can be seen.
    """
    label = max(map(width_of, names.values())) + 2
    bins = len(next(iter(counts.values())))
    columns = min(bins, width - label)
    lines = [Text(_padded(names[key], label)).append(_bars(_merged(each, columns))) for key, each in counts.items()]
    return [*lines, _ends(scale, label, columns), *_marks(scale, label, columns, width)]


def _bars(counts: Sequence[int]) -> str:
    most = max(*counts, 1)
    return "".join(BARS[(count * len(BARS) - 1) // most] if count else EMPTY for count in counts)


def _merged(counts: Sequence[int], columns: int) -> list[int]:
    """The counts in so many columns, neighbours together where there are fewer than counts."""
    merged = [0] * columns
    for place, count in enumerate(counts):
        merged[place * columns // len(counts)] += count
    return merged


def _ends(scale: Scale, label: int, columns: int) -> Text:
    """The scale's line with its ends."""
    low, high = scale.told(scale.low), scale.told(scale.high)
    stroke = "─" * max(1, columns - width_of(low) - width_of(high) - 2)
    return Text(f"{' ' * label}{low} {stroke} {high}", DIM)


def _marks(scale: Scale, label: int, columns: int, width: int) -> list[Text]:
    """A line for each mark on the scale: an arrow beneath its place, and what it is on the side that has room."""
    lines = []
    for value, name in scale.marks:
        place = label + min(max(int((value - scale.low) / (scale.high - scale.low) * columns), 0), columns - 1)
        if place + 2 + width_of(name) <= width:
            lines.append(Text(f"{' ' * place}↑ {name}", DIM))
        else:
            lines.append(Text(f"{' ' * max(0, place - width_of(name) - 1)}{name} ↑", DIM))
    return lines


def _padded(text: str, width: int) -> str:
    return text + " " * (width - width_of(text))
