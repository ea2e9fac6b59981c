"""What fills a GPU at the peak, as a bar: a sign of its own for each part, so that it reads without colour too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from tradewind.cli.draw.figures import number, spread
from tradewind.cli.draw.needs import gpu_count
from tradewind.cli.draw.pen import Pen, width_of
from tradewind.cli.draw.strokes import BAD, DIM, stack

WIDEST = 100  # columns of the bar
SIGNS = {
    "parameters": ("█", "blue"), "gradients": ("▓", "cyan"), "optimizer": ("▒", "magenta"),
    "activations": ("▚", "green"), "workspace": ("░", "yellow"), "runtime": ("■", "white"),
}  # fmt: skip


def memory(pen: Pen, fit: dict[str, Any]) -> RenderableType:
    """The peak on the first GPU: its title, the bar over the card's usable memory, and what each sign means."""
    peak, usable = fit["peak_memory_gib"]["device"], fit["gpu_memory_gib"]["usable"]
    title = pen.say("memory-on", gpu=gpu_count(fit), micro=fit["micro_batch"], peak=spread(peak, "GiB"),
                    usable=number(usable, 1))  # fmt: skip
    picture = [] if pen.plain else [bar(fit, pen.width - 4)]
    return stack(Text(title, "bold"), *picture, *_legend(pen, fit))


def bar(fit: dict[str, Any], width: int) -> Text:
    """Parts side by side, ``width`` columns for what is usable; what is beyond it, where it does not fit, in red."""
    parts, usable = fit["memory_gib"], fit["gpu_memory_gib"]["usable"]
    columns = min(width, WIDEST)
    scale = columns / max(usable, sum(parts.values()))
    edges, told, at = round(usable * scale), Text("  "), 0
    for name, until in _cumulated(parts):
        sign, colour = SIGNS[name]
        end = max(round(until * scale), at)
        for place in range(at, end):
            told.append(sign, colour if place < edges else BAD)
        at = end
    return told.append("·" * (edges - at), DIM)


def _cumulated(parts: dict[str, float]) -> Iterator[tuple[str, float]]:
    total = 0.0
    for name in SIGNS:
        total += parts[name]
        yield name, total


def _legend(pen: Pen, fit: dict[str, Any]) -> Iterator[Text]:
    """``█ parameters 2.1 GiB``, as many on a line as there is room for; without what takes none."""
    line, parts = Text("  "), {name: value for name, value in fit["memory_gib"].items() if value}
    generates = fit.get("first_token_seconds") is not None  # then the cache is most of its activations
    for name, (sign, colour) in SIGNS.items():
        if name not in parts:
            continue
        code = "memory-cache" if generates and name == "activations" else f"memory-{name}"
        told = f" {pen.say(code)} {number(parts[name])}"
        if line.cell_len + width_of(told) + 3 > pen.width:
            yield line
            line = Text("  ")
        line.append(sign, colour).append(told + "  ")
    line.rstrip()
    yield line
