"""Needs: what the model asks of a GPU, in a few lines above a plan."""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType
from rich.text import Text

from tradewind.cli.draw.figures import UNKNOWN, count, number, scaled, spread
from tradewind.cli.draw.pen import Pen
from tradewind.cli.draw.strokes import BAD, GOOD, facts, head, stack

Sizing = dict[str, Any]
MOST_NAMES = 6
EXACT_BELOW = 10_000_000  # parameters: up to here every digit can be read


def needs(pen: Pen, sizing: Sizing, gpu: str | None = None) -> RenderableType:
    """Parameters, work, peak memory on ``gpu`` (None: the first that holds it), and the GPUs that hold it."""
    fits = sorted(sizing["fits"], key=lambda fit: fit["gpu"] != gpu)
    rows: list[tuple[str, str | Text]] = [("fact-model", model(pen, sizing)), ("fact-work", work(pen, sizing))]
    best = next((fit for fit in fits if fit["fits"]), fits[0] if fits else None)
    if best:
        peak = spread(best["peak_memory_gib"]["device"], "GiB")
        rows.append(("fact-peak", pen.say("peak-on", peak=peak, gpu=best["gpu"], micro=best["micro_batch"])))
        rows.append(("fact-fits", _held_by(pen, fits)))
    return stack(head(pen, "head-needs"), facts(pen, rows))


def model(pen: Pen, sizing: Sizing) -> str:
    """``resnet50 · 25.6 M parameters, amp-fp16``."""
    parameters = sizing.get("parameters")
    if parameters is None:
        return pen.say("model-unknown-size")
    name = sizing.get("model")
    told = count(parameters) if parameters < EXACT_BELOW else scaled(parameters).replace("G", "B")  # 7 B, as said
    said = pen.say("model-size", parameters=told, precision=_precision(sizing))
    return f"{name} · {said}" if name else said


def _precision(sizing: Sizing) -> str:
    fits = sizing["fits"]
    return fits[0]["precision"] if fits else ""


def work(pen: Pen, sizing: Sizing) -> str:
    """FLOPs of a step, and of all."""
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


def gpu_count(fit: dict[str, Any]) -> str:
    """``8 × A100-80GB``."""
    return f"{count(fit['gpus'])} × {fit['gpu']}"


def _gpu(fit: dict[str, Any]) -> str:
    number_of = "" if fit["gpus"] == 1 else f"{count(fit['gpus'])} × "
    return f"{number_of}{fit['gpu']} ({number(fit['gpu_memory_gib']['nominal'])} GiB)"
