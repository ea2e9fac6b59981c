"""The end of a run: outcome, measures, and the prediction beside what came of it."""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType
from rich.text import Text

from tradewind.cli.draw.figures import UNKNOWN, count, hours, moment, money, money_spread, number, span, spread
from tradewind.cli.draw.pen import Column, Pen
from tradewind.cli.draw.plan_told import cost_told
from tradewind.cli.draw.strokes import BAD, DIM, GOOD, WARN, gap, head, stack, table
from tradewind.cli.draw.timeline import left

Job = dict[str, Any]
_STYLES = {"SUCCEEDED": GOOD, "STOPPED": WARN}


def outcome(pen: Pen, job: Job) -> RenderableType:
    """How it ended, why, its exit code, and the last value of each measure."""
    state = job["state"]
    told = Text(pen.say(f"ended-{state}", name=job["name"]), f"bold {_STYLES.get(state, BAD)}")
    exit_code = job["exit_code"]
    if exit_code is not None and state != "SUCCEEDED":
        told.append(" · " + pen.say("with-exit", number=exit_code))
    if job["why"] and state != "SUCCEEDED" and "exit code" not in job["why"]:
        told.append(" · " + pen.reason(job["why"], "why-"))
    measures = [f"{name} {number(value, 4)}" for name, value in sorted(job["metrics"].items())]
    outputs = _outputs(job["outputs"])
    missing = ", ".join(job["outputs"].get("missing") or []) if isinstance(job["outputs"], dict) else ""
    return stack(
        told,
        Text("  " + " · ".join(measures)) if measures else None,
        Text("  " + pen.say("outputs-at", path=outputs)) if outputs else None,
        Text("  " + pen.say("outputs-missing", names=missing), WARN) if missing else None,
    )


def _outputs(outputs: Any) -> str:
    if isinstance(outputs, dict):
        return str(outputs.get("path") or "")
    return ", ".join(map(str, outputs)) if isinstance(outputs, list) else str(outputs or "")


def comparison(pen: Pen, job: Job) -> tuple[RenderableType, ...]:
    """Two columns: what was predicted, and what came of it; for a rehearsal the planned offer and this computer.

    Nothing for a job that ran without a plan.
    """
    predicted, actual = job["predicted"], job["actual"] or {}
    if not predicted:
        return ()
    here = "col-this-machine" if job.get("on") else "col-this-computer"
    left, right = ("col-planned-offer", here) if job["rehearsal"] else ("col-predicted", "col-actual")
    rows: list[list[str | Text]] = [
        [pen.say("fact-step"), *_step(job)],
        [pen.say("fact-throughput"), *_throughput(pen, job)],
        [pen.say("fact-time"), hours(predicted.get("hours")), _elapsed(job)],
        [pen.say("fact-cost"), cost_told(pen, predicted.get("cost")), _money(actual.get("cost"))],
    ]
    columns = (Column("col-nothing"), Column(left, right=True), Column(right, right=True))
    scale = time_scale(job) if job["rehearsal"] else None
    scaled = Text("  " + pen.say("time-scale", scale=number(scale)), DIM) if scale else None
    unlike = Text("  " + pen.say("setup-not-rehearsed"), DIM) if job["rehearsal"] else None
    return gap(), head(pen, "head-comparison"), stack(table(pen, columns, rows), scaled, unlike)


def _fit(job: Job) -> dict[str, Any] | None:
    """The fit that was planned; None where the job's model is not known."""
    chosen = (job["plan"] or {}).get("chosen")
    return chosen["fit"] if chosen else None


def _step(job: Job) -> tuple[str, str]:
    """Seconds a step: of the fit on the planned GPU, and measured here."""
    fit, measured = _fit(job), job.get("measured_step_seconds")
    planned = {key: fit["step_seconds"][key] * 1e3 for key in ("value", "low", "high")} if fit else None
    return spread(planned, "ms"), UNKNOWN if measured is None else f"{number(measured * 1e3)} ms"


def _elapsed(job: Job) -> str:
    """From submit to the end, as it was lived through here."""
    if not job["ended_at"]:
        return UNKNOWN
    return span((moment(job["ended_at"]) - moment(job["submitted_at"])).total_seconds())


def _money(value: Any) -> str:
    return money_spread(value) if isinstance(value, dict) and "low" in value else money(value)


def _throughput(pen: Pen, job: Job) -> tuple[str, str]:
    fit = _fit(job)
    unit = pen.say(f"unit-{fit['throughput_unit']}") if fit else pen.say("unit-samples")
    planned = spread(fit["throughput_per_second"], unit) if fit else UNKNOWN
    measured = (job["progress"] or {}).get("samples_per_second")
    return planned, UNKNOWN if measured is None else f"{number(measured)} {unit}"


def time_scale(job: Job) -> float | None:
    """Planned-offer seconds that one real second stood for, when the job tells it."""
    actual = job["actual"] or {}
    scale = job.get("time_scale", actual.get("time_scale"))
    return None if scale is None else float(scale)


def lost(pen: Pen, job: Job) -> str:
    """How much the interruptions took, in a sentence; empty without any."""
    interrupted = [each for each in job["attempts"] if each["outcome"] == "interrupted"]
    switched = sum(left(job, each) is not None for each in interrupted)
    if not interrupted:
        return ""
    seconds = sum(each["lost_seconds"] or 0 for each in job["attempts"])
    repeated = sum(each["repeated_steps"] or 0 for each in job["attempts"])
    return pen.say("lost-in-all", count=len(interrupted) - switched, switches=count(switched) if switched else "",
                   seconds=number(seconds), repeated=count(repeated))  # fmt: skip
