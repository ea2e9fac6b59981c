"""What a calibration measured, and what it is good for."""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType
from rich.text import Text

from tradewind.cli.draw.figures import UNKNOWN, count, measured, number
from tradewind.cli.draw.jobs import log_tail
from tradewind.cli.draw.pen import Column, Pen
from tradewind.cli.draw.strokes import GOOD, WARN, gap, head, stack, table

Answer = dict[str, Any]
_COLUMNS = (
    Column("col-device"), Column("col-micro-batch", right=True), Column("col-step-s", right=True),
    Column("unit-samples", right=True), Column("col-peak-memory", right=True), Column("col-steps", right=True, drop=1),
    Column("col-at", drop=2),
)  # fmt: skip


def calibration(pen: Pen, told: Answer, job: Answer | None = None) -> RenderableType:
    """The steps measured so far of this workload, and whether they say something of GPUs.

    ``job`` is the show object of a job that ended before enough was measured: the end of its log tells why.
    """
    lesson = told["lesson"]
    if lesson is None:
        said = Text(pen.say("calibration-too-short", job=told["job"], state=pen.say(f"state-{told['state']}")), WARN)
    elif lesson["gpu"] is None:
        said = Text(pen.say("calibrated-no-gpu", device=lesson["device"]), WARN)
    else:
        said = Text(pen.say("calibrated", gpu=lesson["gpu"]), GOOD)
    rows = [_row(each) for each in told["lessons"]]
    return stack(head(pen, "head-calibration", told["workload"]), table(pen, _COLUMNS, rows) if rows else None,
                 *(log_tail(pen, job) if job else ()), gap(), said)  # fmt: skip


def _row(lesson: Answer) -> list[str | Text]:
    rate = lesson["micro_batch"] * lesson["gpus"] / lesson["step_seconds"]
    peak = lesson["peak_memory_gib"]
    return [lesson["gpu"] or lesson["device"], count(lesson["micro_batch"]), number(lesson["step_seconds"]),
            number(rate), UNKNOWN if peak is None else measured(peak, "GiB"), count(lesson["steps"]),
            lesson["at"][:10]]  # fmt: skip
