"""Needs: what the model asks of a GPU, and the table of ``size``."""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType
from rich.text import Text

from tradewind.cli.draw.figures import UNKNOWN, count, number, scaled, share, spread
from tradewind.cli.draw.pen import Column, Pen
from tradewind.cli.draw.strokes import BAD, GOOD, bullets, facts, head, stack, table

Sizing = dict[str, Any]
MOST_NAMES = 6
EXACT_BELOW = 10_000_000  # parameters: up to here every digit can be read
_COLUMNS = (
    Column("col-gpu"), Column("col-fits"), Column("col-strategy", drop=4),
    Column("col-micro-batch", right=True, drop=2), Column("col-peak-gib", right=True),
    Column("col-usable-gib", right=True, drop=3), Column("col-step-s", right=True, drop=1),
    Column("col-throughput", right=True), Column("col-mfu", right=True, drop=6), Column("col-bottleneck", drop=5),
)  # fmt: skip


def needs(pen: Pen, sizing: Sizing, gpu: str | None = None) -> RenderableType:
    """Parameters, work, peak memory on ``gpu`` (None: the first that holds it), and the GPUs that hold it."""
    fits = sorted(sizing["fits"], key=lambda fit: fit["gpu"] != gpu)
    rows: list[tuple[str, str | Text]] = [("fact-model", _model(pen, sizing)), ("fact-work", _work(pen, sizing))]
    best = next((fit for fit in fits if fit["fits"]), fits[0] if fits else None)
    if best:
        peak = spread(best["peak_memory_gib"]["device"], "GiB")
        rows.append(("fact-peak", pen.say("peak-on", peak=peak, gpu=best["gpu"], micro=best["micro_batch"])))
        rows.append(("fact-fits", _held_by(pen, fits)))
    return stack(head(pen, "head-needs"), facts(pen, rows))


def _model(pen: Pen, sizing: Sizing) -> str:
    parameters = sizing.get("parameters")
    if parameters is None:
        return pen.say("model-unknown-size")
    told = count(parameters) if parameters < EXACT_BELOW else scaled(parameters).replace("G", "B")  # 7 B, as said
    return pen.say("model-size", parameters=told, precision=_precision(sizing))


def _precision(sizing: Sizing) -> str:
    fits = sizing["fits"]
    return fits[0]["precision"] if fits else ""


def _work(pen: Pen, sizing: Sizing) -> str:
    fits, total, steps = sizing["fits"], sizing.get("flops_total"), sizing.get("total_steps")
    a_step = scaled(fits[0]["flops_per_step"], "FLOP") if fits else UNKNOWN
    in_all = "" if total is None else scaled(total, "FLOP")
    return pen.say("work-size", a_step=a_step, steps="" if steps is None else count(steps), in_all=in_all)


def _held_by(pen: Pen, fits: list[dict[str, Any]]) -> Text:
    held = _names(pen, [fit for fit in fits if fit["fits"]])
    not_held = _names(pen, [fit for fit in fits if not fit["fits"]])
    told = Text(held or pen.say("fits-none"), GOOD if held else BAD)
    if not_held:
        told.append("\n" + pen.say("fits-not", gpus=not_held), BAD)
    return told


def _names(pen: Pen, fits: list[dict[str, Any]]) -> str:
    names = list(dict.fromkeys(_gpu(fit) for fit in fits))  # forms of one GPU are one name
    more = len(names) - MOST_NAMES
    return ", ".join(names[:MOST_NAMES]) + (", " + pen.say("fits-more", count=more) if more > 0 else "")


def _gpu(fit: dict[str, Any]) -> str:
    number_of = "" if fit["gpus"] == 1 else f"{count(fit['gpus'])} × "
    return f"{number_of}{fit['gpu']} ({number(fit['gpu_memory_gib']['nominal'])} GiB)"


def size(pen: Pen, sizing: Sizing) -> RenderableType:
    """The answer of ``size``: needs, one line a GPU, what could not be evaluated."""
    rows = [_row(pen, fit) for fit in sizing["fits"]]
    rejected = [f"{each['gpu']}: {pen.reason(each['why'], 'rejected-')}" for each in sizing["rejected"]]
    return stack(
        _summary(pen, sizing),
        Text(""),
        table(pen, _COLUMNS, rows) if rows else None,
        Text("\n" + pen.say("head-not-evaluated"), "bold") if rejected else None,
        bullets(rejected) if rejected else None,
        Text("\n" + pen.say("size-legend"), "dim"),
    )


def _summary(pen: Pen, sizing: Sizing) -> RenderableType:
    rows = [("fact-model", _model(pen, sizing)), ("fact-work", _work(pen, sizing))]
    return stack(head(pen, "head-needs"), facts(pen, rows))


def _row(pen: Pen, fit: dict[str, Any]) -> list[str | Text]:
    held = Text(pen.say("yes"), GOOD) if fit["fits"] else Text(pen.say("no"), BAD)
    unit = pen.say(f"unit-{fit['throughput_unit']}")
    return [
        f"{count(fit['gpus'])} × {fit['gpu']}", held, fit["strategy"], count(fit["micro_batch"]),
        spread(fit["peak_memory_gib"]["device"]), number(fit["gpu_memory_gib"]["usable"], 1),
        spread(fit["step_seconds"]), spread(fit["throughput_per_second"], unit), share(fit["mfu"]),
        pen.say(f"bottleneck-{fit['bottleneck']}"),
    ]  # fmt: skip
