"""The answer of ``size``: needs, what fills the memory, one line a GPU, what limits, the data, what was assumed."""

from __future__ import annotations

import functools
from collections import Counter
from typing import Any

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from tradewind.cli.draw.explained import explained
from tradewind.cli.draw.figures import UNKNOWN, count, hours, number, share, spread
from tradewind.cli.draw.memory import memory
from tradewind.cli.draw.needs import gpu_count, model, work
from tradewind.cli.draw.pen import Column, Pen
from tradewind.cli.draw.setups import setup, stated
from tradewind.cli.draw.strokes import BAD, DIM, GOOD, WARN, bullets, facts, gap, head, stack, table

Sizing = dict[str, Any]
Fit = dict[str, Any]
MOST_ROWS = 24  # of GPUs: those that hold the work first, the smallest first
STORAGE = {"size_gb": 0, "min_throughput_gb_s": None, "samples_per_second": 0, "decode_workers": 0}  # with places
ENDS = ("value", "low", "high")
FEW = 6  # so many GPUs that do not hold it are shown with their figures


def size(pen: Pen, sizing: Sizing) -> RenderableType:
    """The whole answer; of work without a model what its makers state."""
    if "needs" in sizing:
        return stated(pen, sizing)
    fits = ordered(told_apart(sizing["fits"]))
    held = [fit for fit in fits if fit["fits"]]
    failing = [fit for fit in fits if not fit["fits"]]
    shown = [*held[:MOST_ROWS], *(failing if len(failing) <= FEW or not held else [])][:MOST_ROWS]
    hidden = [fit for fit in fits if fit not in shown]
    return stack(
        head(pen, "head-needs"),
        facts(pen, [("fact-model", model(pen, sizing)), ("fact-work", work(pen, sizing)), *_data(pen, sizing)]),
        *_limits(pen, sizing),
        *((gap(), memory(pen, fits[0])) if fits else ()),
        *((gap(), _gpus(pen, shown, sizing.get("task"))) if shown else ()),
        *_hidden(pen, hidden),
        *_reliefs(pen, fits),
        *_rejected(pen, sizing),
        *_assumed(pen, sizing),
        *(setup(pen, sizing["setup"]) if sizing.get("setup") else ()),
        *(explained(pen, sizing["explain"]) if sizing.get("explain") else ()),
        gap(),
        Text(pen.say("size-legend"), DIM),
    )


def ordered(fits: list[Fit]) -> list[Fit]:
    """Those that hold the work first; of these, and of the others, the least memory rented first."""
    return sorted(fits, key=lambda fit: (not fit["fits"], fit["gpus"] * fit["gpu_memory_gib"]["nominal"], fit["gpus"]))


def told_apart(fits: list[Fit]) -> list[Fit]:
    """Fits whose GPU names its form where another form of it stands beside."""
    forms = Counter(fit["gpu"] for fit in fits)
    return [
        fit | {"gpu": f"{fit['gpu']} {fit['form']}"} if forms[fit["gpu"]] > 1 and fit.get("form") else fit
        for fit in fits
    ]


def _gpus(pen: Pen, fits: list[Fit], task: str | None) -> RenderableType:
    """One line a GPU; the column of activation checkpointing is there when one has it, that of batches when asked for.

    Of inference the time of a step is a latency, and matters more.
    """
    step = Column("col-latency-s", right=True, drop=1) if task == "infer" else Column("col-step-s", right=True, drop=6)
    unit = fits[0]["throughput_unit"]
    columns = [
        Column("col-gpu"), Column("col-fits"), Column("col-strategy", drop=2),
        Column("col-batch", right=True, drop=3), Column("col-checkpointing", drop=4),
        Column("col-peak-gib", right=True), Column("col-usable-gib", right=True, drop=8),
        step, Column(f"unit-{unit}", right=True),
        Column("col-mfu", right=True, drop=7), Column("col-bottleneck", drop=5),
    ]  # fmt: skip
    rows = [_row(pen, fit) for fit in fits]
    if any(fit.get("max_batch") is not None for fit in fits):
        columns.insert(4, Column("col-max-batch", right=True))
        rows = [[*row[:4], _rung(fit), *row[4:]] for row, fit in zip(rows, fits, strict=True)]
    if all(fit["activation_checkpointing"] == "none" for fit in fits):
        place = next(index for index, column in enumerate(columns) if column.code == "col-checkpointing")
        columns.pop(place)
        rows = [[*row[:place], *row[place + 1 :]] for row in rows]
    return table(pen, columns, rows)


def _rung(fit: Fit) -> str:
    return UNKNOWN if fit.get("max_batch") is None else count(fit["max_batch"])


def _row(pen: Pen, fit: Fit) -> list[str | Text]:
    held = Text(pen.say("yes"), GOOD) if fit["fits"] else Text(pen.say("no"), BAD)
    passes = fit["grad_accumulation"]
    batch = count(fit["micro_batch"]) + (f" × {count(passes)}" if passes > 1 else "")
    return [
        gpu_count(fit), held, fit["strategy"], batch, pen.say(f"checkpointing-{fit['activation_checkpointing']}"),
        spread(fit["peak_memory_gib"]["device"]), number(fit["gpu_memory_gib"]["usable"], 1),
        spread(fit["step_seconds"]), spread(fit["throughput_per_second"]), share(fit["mfu"]),
        pen.say(f"bottleneck-{fit['bottleneck']}"),
    ]  # fmt: skip


def _limits(pen: Pen, sizing: Sizing) -> list[RenderableType]:
    """The one line that says what limits."""
    limits = sizing.get("limits")
    if not limits:
        return []
    facts = limits["facts"]
    limit = pen.say(f"limits-{limits['code']}", gpu=facts["gpu"], peak=number(facts["peak_gib"]))
    ways = [_way_around(pen, way) for way in facts["ways"]]
    holds = any(way["way"] != "none" for way in facts["ways"])
    told = functools.reduce(lambda one, other: pen.say("limits-or", one=one, other=other), ways)
    line = Text(pen.say("limits-fits" if holds else "limits-never", limit=limit, ways=told), WARN)
    return [gap(), Padding(line, (0, 0, 0, 2))]


def _way_around(pen: Pen, way: dict[str, Any]) -> str:
    how = way.get("how", "none")
    return pen.say(
        f"way-{way['way']}", gpus=count(way.get("gpus")), strategy=way.get("strategy", ""),
        peak=number(way.get("peak_gib")), slower=share(way.get("slower")), at_least=count(way.get("at_least")),
        how="" if how == "none" else pen.say(f"checkpointing-{how}"),
    )  # fmt: skip


def _hidden(pen: Pen, fits: list[Fit]) -> list[RenderableType]:
    """GPUs without a line of their own, by name."""
    told: list[RenderableType] = []
    for holds, code, style in ((True, "sizes-more", DIM), (False, "fits-not", BAD)):
        names = [_short(fit) for fit in fits if fit["fits"] is holds]
        if names:
            told.append(Padding(Text(pen.say(code, gpus=", ".join(names)), style), (0, 0, 0, 2)))
    return told


def _short(fit: Fit) -> str:
    """``A10``, or ``8×A10`` in one word, so that no line breaks inside."""
    return fit["gpu"] if fit["gpus"] == 1 else f"{count(fit['gpus'])}×{fit['gpu']}"


def _reliefs(pen: Pen, fits: list[Fit]) -> list[RenderableType]:
    """What would make the first GPU's step faster."""
    found = fits[0].get("relief") if fits else None
    if not found:
        return []
    said = [pen.say(f"relief-{each['code']}", **each["facts"]) for each in found]
    return [gap(), Text(pen.say("head-relief", gpu=gpu_count(fits[0])), "bold"), bullets(said)]


def _rejected(pen: Pen, sizing: Sizing) -> list[RenderableType]:
    rejected = [f"{each['gpu']}: {pen.reason(each['why'], 'rejected-')}" for each in sizing["rejected"]]
    return [gap(), Text(pen.say("head-not-evaluated"), "bold"), bullets(rejected)] if rejected else []


def _assumed(pen: Pen, sizing: Sizing) -> list[RenderableType]:
    said = [pen.say(f"sized-{each['code']}", **each["facts"]) for each in sizing.get("assumptions", ())]
    return [gap(), head(pen, "head-assumptions"), bullets(said)] if said else []


def _data(pen: Pen, sizing: Sizing) -> list[tuple[str, str | Text]]:
    """Where the data should lie, how large it is, and how fast it must come."""
    storage = sizing["storage"]
    if storage["size_gb"] is None and storage["min_throughput_gb_s"] is None:
        return []
    copying = storage.get("first_copy_hours")
    parts = [
        pen.say(f"storage-{storage['kind']}") if storage["kind"] else "",
        *(pen.say(f"storage-of-{key}", value=number(storage[key], places))
          for key, places in STORAGE.items() if storage.get(key) is not None),
        pen.say("storage-of-first-copy", value=hours(dict.fromkeys(ENDS, copying))) if copying is not None else "",
    ]  # fmt: skip
    return [("fact-data", " · ".join(filter(None, parts)))]
