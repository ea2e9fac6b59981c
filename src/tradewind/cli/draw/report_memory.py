"""Memory of one GPU: predicted parts side by side, the range of the whole, and what was measured, if anything."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from tradewind.cli.draw.axes import Ruler, ruler
from tradewind.cli.draw.figures import measured, number, share
from tradewind.cli.draw.fluid_svg import bar, letters, line, picture
from tradewind.cli.draw.markup import Markup, element, joined
from tradewind.cli.draw.page_parts import section, table
from tradewind.cli.draw.pen import Pen

PARTS = ("parameters", "gradients", "optimizer", "activations", "workspace")
SMALL = 0.2  # of the GPU's memory: less than this and the picture shows what is used, not the whole GPU
HEIGHT, TOP, THICK = 96, 24, 26
TICKS = 5


@dataclass(frozen=True, slots=True)
class Memory:
    """GiB of one GPU: ``peak`` is (low, value, high) as the device shows it, ``measured`` what was allocated at most.

    ``measured`` is None where nothing was told.
    """

    parts: tuple[tuple[str, float], ...]
    peak: tuple[float, float, float]
    usable: float
    nominal: float
    measured: float | None


def memory_of(plan: dict[str, Any] | None, used: dict[str, Any], rehearsal: bool) -> Memory | None:
    """The memory of the planned fit; None where the model is not known. A rehearsal measures another device."""
    fit = ((plan or {}).get("chosen") or {}).get("fit")
    if not fit:
        return None
    peaks, held = fit["peak_memory_gib"], fit["memory_gib"]
    cached = max(peaks["reserved"]["value"] - peaks["allocated"]["value"], 0.0)
    sizes = [*((name, held.get(name)) for name in PARTS), ("cached", cached), ("runtime", held.get("runtime"))]
    parts = tuple((name, float(gib)) for name, gib in sizes if gib)
    device = peaks["device"]
    seen = None if rehearsal or used["gpu_memory_mb"] is None else used["gpu_memory_mb"] * 1e6 / 2**30
    peak = (device["low"], device["value"], device["high"])
    return Memory(parts, peak, fit["gpu_memory_gib"]["usable"], fit["gpu_memory_gib"]["nominal"], seen)


def memory_section(pen: Pen, told: Memory, gpu: str) -> Markup:
    """The picture, and its figures as a table."""
    heads = ("report-col-part", "report-col-gib", "report-col-share")
    rows = [_row(pen, f"part-{index}", pen.say(f"report-memory-{name}"), gib, told.peak[1])
            for index, (name, gib) in enumerate(told.parts)]  # fmt: skip
    low, value, high = told.peak
    peak = f"{number(value)} ({number(low)}–{number(high)})"
    last = element("tr", element("th", pen.say("report-memory-peak"), scope="row"),
                   element("td", peak, class_="number"), element("td", share(value / told.usable), class_="number"),
                   class_="chosen")  # fmt: skip
    said = pen.say("report-memory-means", gpu=gpu, usable=measured(told.usable, "GiB"),
                   nominal=measured(told.nominal, "GiB"))  # fmt: skip
    seen = pen.say("report-memory-measured", gib=measured(told.measured, "GiB")) if told.measured is not None else (
        pen.say("report-memory-unmeasured")
    )  # fmt: skip
    figure = element("figure", memory_svg(pen, told, gpu), element("figcaption", said))
    return section(pen.say("report-memory"), figure, table(pen, heads, [*rows, last], "figures"),
                   element("p", seen, class_="note"))  # fmt: skip


def memory_svg(pen: Pen, told: Memory, gpu: str) -> Markup:
    """The bar over a scale of GiB, the range below it, the limit as a broken line."""
    scale = _scale(told)
    described = pen.say("report-memory-described", peak=measured(told.peak[1], "GiB"), gpu=gpu,
                        usable=measured(told.usable, "GiB"))  # fmt: skip
    return picture(pen.say("report-memory"), described, HEIGHT, *_ticks(scale), *_parts(pen, told, scale),
                   *_range(told, scale), *_limit(pen, told, scale))  # fmt: skip


def _scale(told: Memory) -> Ruler:
    most = max(told.peak[2], told.measured or 0.0)
    return ruler(0.0, max(most, told.nominal) if most >= SMALL * told.nominal else 1.1 * most, TICKS, _gib)


def _gib(value: float) -> str:
    return f"{value:g} GiB"


def _ticks(scale: Ruler) -> Iterator[Markup]:
    for value, label in scale.ticks:
        yield line(scale.at(value), TOP, scale.at(value), HEIGHT - 20, "grid")
        yield letters(scale.at(value), HEIGHT - 5, label)


def _parts(pen: Pen, told: Memory, scale: Ruler) -> Iterator[Markup]:
    ends = list(accumulate(gib for _, gib in told.parts))
    for index, ((name, gib), end) in enumerate(zip(told.parts, ends, strict=True)):
        label = pen.say(f"report-memory-{name}")
        start, stop = scale.at(end - gib), scale.at(end)
        yield bar(start, stop, TOP, THICK, f"part part-{index}", f"{label}: {measured(gib, 'GiB')}")
        if stop - start > 0.012 * len(label) + 0.04:
            yield letters((start + stop) / 2, TOP + 18, label, f"on-part-{index}", "middle")


def _range(told: Memory, scale: Ruler) -> Iterator[Markup]:
    low, value, high = (scale.at(each) for each in told.peak)
    y = TOP + THICK + 12
    yield line(low, y, high, y, "whisker")
    for end in (low, high):
        yield line(end, y - 5, end, y + 5, "whisker")
    yield line(value, y - 8, value, y + 8, "whisker")
    if told.measured is not None:
        x = scale.at(told.measured)
        yield line(x, TOP - 4, x, y + 8, "seen")
        yield letters(x, TOP - 7, "▼", "sign", "middle")


def _limit(pen: Pen, told: Memory, scale: Ruler) -> Iterator[Markup]:
    if told.usable <= scale.high:
        x = scale.at(told.usable)
        yield line(x, TOP - 6, x, HEIGHT - 20, "limit")
        yield letters(x, TOP - 9, pen.say("report-memory-usable"), "limit", "end")


def _row(pen: Pen, kind: str, label: str, gib: float, whole: float) -> Markup:
    swatch = joined(element("span", class_=f"swatch {kind}", aria_hidden="true"), label)
    part = gib / whole if whole else None
    told = f"< {share(0.01)}" if part and part < 0.01 else share(part)
    return element("tr", element("th", swatch, scope="row"), element("td", number(gib), class_="number"),
                   element("td", told, class_="number"))  # fmt: skip
