"""The end of a run: outcome, measures, and the prediction beside what came of it."""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType
from rich.text import Text

from tradewind.cli.draw.figures import UNKNOWN, count, exactly, hours, moment, money, money_spread, number, span, spread
from tradewind.cli.draw.pen import Column, Pen, wrapped
from tradewind.cli.draw.plan_told import cost_told
from tradewind.cli.draw.strokes import BAD, DIM, GOOD, WARN, Unbroken, gap, head, stack, table
from tradewind.cli.draw.timeline import left

Job = dict[str, Any]
_STYLES = {"SUCCEEDED": GOOD, "STOPPED": WARN}
_ANSWERED = (
    "quota",
    "auth",
    "money",
    "price_cap",
    "capacity",
    "invalid",
)  # refusals that there is something to do about


def outcome(pen: Pen, job: Job) -> RenderableType:
    """How it ended, why, its exit code, and the last value of each measure."""
    state = job["state"]
    told = Text(pen.say(f"ended-{state}", name=job["name"]), f"bold {_STYLES.get(state, BAD)}")
    why, exit_code = job["why"] or "", job["exit_code"]
    if exit_code is not None and state != "SUCCEEDED" and not why.startswith("exited "):  # that names the code
        told.append(" · " + pen.say("with-exit", number=exit_code))
    if why and state != "SUCCEEDED":
        told.append(" · " + pen.reason(why, "why-"))
    measures = [f"{name} {number(value, 4)}" for name, value in sorted(job["metrics"].items())]
    outputs = _outputs(job["outputs"])
    refused = _refusals(pen, job) if state == "FAILED" and exit_code is None else []
    missing = ", ".join(job["outputs"].get("missing") or []) if isinstance(job["outputs"], dict) else ""
    return stack(
        told,
        *refused,
        Text("  " + " · ".join(measures)) if measures else None,
        Unbroken("  " + pen.say("outputs-at", path=outputs)) if outputs else None,
        Text("  " + pen.say("outputs-missing", names=missing), WARN) if missing else None,
    )


def _refusals(pen: Pen, job: Job) -> list[Text]:
    """What clouds said when they refused, the last of each kind, and what to do about it."""
    said = {
        kind: words for event in job["events"] if event["kind"] == "lease-refused" and event["why"]
        for kind, found, words in [event["why"].partition(": ")] if found and kind in _ANSWERED
    }  # fmt: skip
    lines = [line for kind, words in said.items() for line in (words, pen.say(f"next-refused-{kind}"))]
    return [_below(pen, line) for line in lines]


def _outputs(outputs: Any) -> str:
    if isinstance(outputs, dict):
        return str(outputs.get("path") or "")
    return ", ".join(map(str, outputs)) if isinstance(outputs, list) else str(outputs or "")


def comparison(pen: Pen, job: Job) -> tuple[RenderableType, ...]:
    """Two columns: what was predicted, and what came of it; for a rehearsal the planned offer and this computer.

    Nothing for a job that ran without a plan.
    """
    if not job["predicted"]:
        return ()
    left, right = sides(job)
    rows: list[list[str | Text]] = [[pen.say(code), *told] for code, *told in compared(pen, job)]
    columns = (Column("col-nothing"), Column(left, right=True), Column(right, right=True))
    scale = time_scale(job) if job["rehearsal"] else None
    scaled = pen.say("time-scale", scale=number(scale)) if scale else ""
    unlike = pen.say("setup-not-rehearsed") if job["rehearsal"] else ""
    told = [_below(pen, text) for text in (scaled, unlike, stand_in(pen, job), foreseen(pen, job)) if text]
    return gap(), head(pen, "head-comparison"), stack(table(pen, columns, rows), *told)


def _below(pen: Pen, text: str) -> Text:
    """A remark below a table, in line with it however often it is broken."""
    return Text("\n".join("  " + line for line in wrapped(text, pen.width - 2).split("\n")), DIM)


def sides(job: Job) -> tuple[str, str]:
    """Codes of the two columns: prediction and outcome, or the planned offer and where it was rehearsed."""
    here = "col-this-machine" if job.get("on") else "col-this-computer"
    return ("col-planned-offer", here) if job["rehearsal"] else ("col-predicted", "col-actual")


def stand_in(pen: Pen, job: Job) -> str:
    """What a rehearsal ran in place of the job's command, and so what its figures are of; empty where nothing was."""
    run = job["workload"].get("rehearse", {}).get("run") if job["rehearsal"] else None
    return pen.say("stand-in", run=run.strip().splitlines()[0]) if run else ""


def foreseen(pen: Pen, job: Job) -> str:
    """What a rehearsal was expected to take of its computer, beside what it took; empty where that says nothing."""
    here = job.get("here")
    if not here or job["state"] != "SUCCEEDED" or job.get("measured_step_seconds") is None or job.get("trace"):
        return ""
    expected, actual = here["predicted"], here["actual"]
    if not expected:
        return pen.say("unforeseen")
    return pen.say(
        "foreseen", date=expected["measured"]["at"][:10], hours=hours(expected["hours"]),
        cost=cost_told(pen, expected["cost"]), took=hours(exactly(actual["hours"])), paid=_money(actual["cost"]),
    )  # fmt: skip


def compared(pen: Pen, job: Job) -> tuple[tuple[str, str, str], ...]:
    """Codes of the figures that were predicted, each with its prediction and what came of it."""
    predicted, actual = job["predicted"] or {}, job["actual"] or {}
    return (
        ("fact-step", *_step(job)),
        ("fact-throughput", *_throughput(pen, job)),
        ("fact-time", hours(predicted.get("hours")), _elapsed(job)),
        ("fact-cost", cost_told(pen, predicted.get("cost")), _money(actual.get("cost"))),
    )


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
    if any(each["step"] is None for each in job["checkpoints"]):
        return pen.say("interrupted-in-all", count=len(interrupted) - switched,
                       switches=count(switched) if switched else "")  # fmt: skip
    repeated = sum(each["repeated_steps"] or 0 for each in job["attempts"])
    return pen.say("lost-in-all", count=len(interrupted) - switched, switches=count(switched) if switched else "",
                   seconds=number(seconds), repeated=count(repeated))  # fmt: skip
