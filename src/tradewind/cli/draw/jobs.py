"""Jobs: the table of ``ps`` and the page of ``show``."""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType
from rich.text import Text

from tradewind.cli.draw.deciding import decisions, next_step
from tradewind.cli.draw.ending import comparison
from tradewind.cli.draw.figures import UNKNOWN, count, instant, moment, money, number, scaled, span
from tradewind.cli.draw.offers import gpus, named
from tradewind.cli.draw.pen import Column, Pen
from tradewind.cli.draw.replayed import replayed
from tradewind.cli.draw.strokes import BAD, DIM, GOOD, WARN, bullets, facts, gap, head, stack, table

Job = dict[str, Any]
STATE_STYLES = {"SUCCEEDED": GOOD, "RUNNING": GOOD, "FAILED": BAD, "EXPIRED": BAD, "INTERRUPTED": WARN, "WAITING": WARN}
_PS = (
    Column("col-job"), Column("col-name"), Column("col-state"), Column("col-progress", right=True),
    Column("col-loss", right=True, drop=5), Column("col-eta", drop=2), Column("col-cost-so-far", right=True, drop=1),
    Column("col-offer", drop=4), Column("col-submitted", drop=3),
)  # fmt: skip
_ATTEMPTS = (
    Column("col-attempt", right=True), Column("col-outcome"), Column("col-took", right=True, drop=3),
    Column("col-resumed-at", right=True), Column("col-checkpoint", right=True, drop=2),
    Column("col-repeated", right=True), Column("col-lost", right=True), Column("col-leases", drop=4),
)  # fmt: skip
_CHECKPOINTS = (
    Column("col-step", right=True), Column("col-at"), Column("col-size", right=True), Column("col-checkpoint-state"),
    Column("col-path", drop=1),
)  # fmt: skip
HELD_UP = ("no-contact", "secrets-missing", "machine-busy", "checkpoint-coming")
LAST_CHECKPOINTS, LAST_EVENTS = 5, 12


def ps(pen: Pen, jobs: list[Job], everything: bool) -> RenderableType:
    """One line a job, or what to do when there is none."""
    if not jobs:
        return Text(pen.say("no-jobs" if everything else "no-live-jobs"))
    return table(pen, _PS, [_row(pen, job) for job in jobs], indent=0)


def _row(pen: Pen, job: Job) -> list[str | Text]:
    progress = job["progress"] or {}
    return [
        job["job"], job["name"], state(pen, job), steps(job), number(progress.get("loss")),
        instant(job["ended_at"] or job["eta"], pen.zone), money(job["cost"]), offer_text(job["offer"]),
        instant(job["submitted_at"], pen.zone),
    ]  # fmt: skip


def state(pen: Pen, job: Job) -> Text:
    """The job's state in a word, what is amiss with it in two, and whether it is a rehearsal."""
    told = Text().append(pen.say(f"state-{job['state']}"), STATE_STYLES.get(job["state"], ""))
    amiss = briefly(pen, job)
    if amiss:
        told.append(f", {amiss}", WARN)
    return told.append(" " + pen.say("is-rehearsal"), DIM) if job["rehearsal"] else told


def briefly(pen: Pen, job: Job) -> str:
    """What holds a live job up just now, in a word or two; empty for what its state tells."""
    code = (job["why"] or "").partition(" ")[0]
    return pen.say(f"briefly-{code}") if code in HELD_UP and not job["ended_at"] else ""


def steps(job: Job) -> str:
    """``1,200/2,880``."""
    progress = job["progress"]
    if not progress:
        return UNKNOWN
    total = progress["total_steps"]
    return count(progress["step"]) + (f"/{count(total)}" if total else "")


def offer_text(offer: Any) -> str:
    """An offer named, given as an object or as text."""
    if isinstance(offer, dict):
        return named(offer)
    return UNKNOWN if offer is None else str(offer)


def show(pen: Pen, job: Job) -> RenderableType:
    """Everything known of one job, the important first."""
    title = Text.assemble((job["name"], "bold"), ("  " + job["job"], DIM), "  ").append_text(state(pen, job))
    return stack(
        title,
        facts(pen, _facts(pen, job)),
        *_section(pen, "head-attempts", _ATTEMPTS, [_attempt(pen, each) for each in job["attempts"]]),
        *_section(pen, "head-checkpoints", _CHECKPOINTS, _checkpoints(pen, job)),
        *next_step(pen, job),
        *decisions(pen, job),
        *_events(pen, job),
        *comparison(pen, job),
        *replayed(pen, job),
        *log_tail(pen, job),
    )


def _facts(pen: Pen, job: Job) -> list[tuple[str, str | Text]]:
    progress = job["progress"] or {}
    rows: list[tuple[str, str | Text]] = []
    if job["why"]:
        rows.append(("fact-why", pen.reason(job["why"], "why-")))
    if job["offer"]:
        offer = job["offer"]
        counted = isinstance(offer, dict) and offer["gpus"]
        rows.append(("fact-offer", offer_text(offer) + (f" · {gpus(offer)}" if counted else "")))
    rows.append(("fact-progress", pen.say(
        "progress-line", steps=steps(job), loss=_or_none(progress.get("loss")),
        accuracy=_or_none(progress.get("accuracy"), 3), rate=_or_none(progress.get("samples_per_second")),
    )))  # fmt: skip
    if job["ended_at"]:
        rows.append(("fact-ended", instant(job["ended_at"], pen.zone)))
    elif job["eta"]:
        rows.append(("fact-eta", instant(job["eta"], pen.zone)))
    rows.append(("fact-money", money(job["cost"])))
    if job["exit_code"] is not None:
        rows.append(("fact-exit", str(job["exit_code"])))
    rows += [(f"metric {name}", number(value, 4)) for name, value in sorted(job["metrics"].items())]
    return rows


def _or_none(value: float | None, places: int | None = None) -> str:
    return "" if value is None else number(value, places)


def _section(
    pen: Pen, code: str, columns: tuple[Column, ...], rows: list[list[str | Text]]
) -> tuple[RenderableType, ...]:
    return (gap(), head(pen, code), table(pen, columns, rows)) if rows else ()


def _attempt(pen: Pen, attempt: dict[str, Any]) -> list[str | Text]:
    took = (moment(attempt["to"]) - moment(attempt["from"])).total_seconds() if attempt["to"] else None
    outcome = attempt["outcome"] or "going-on"
    return [
        count(attempt["attempt"]), pen.say(f"outcome-{outcome}"), span(took), count(attempt["resumed_step"]),
        count(attempt["last_checkpoint_step"]), count(attempt["repeated_steps"]), span(attempt["lost_seconds"]),
        ", ".join(attempt["leases"]),
    ]  # fmt: skip


def _checkpoints(pen: Pen, job: Job) -> list[list[str | Text]]:
    return [
        [count(each["step"]), instant(each["at"], pen.zone), scaled(each["bytes"], "B"),
         checkpoint_state(pen, each), each["path"]]
        for each in job["checkpoints"][-LAST_CHECKPOINTS:]
    ]  # fmt: skip


def checkpoint_state(pen: Pen, checkpoint: dict[str, Any]) -> Text:
    """Complete, torn, or whole as far as could be seen: the folder of a script that does not say so itself."""
    if checkpoint["state"] != "complete":
        return Text(pen.say("checkpoint-torn"), BAD)
    if not checkpoint.get("verified", True):
        return Text(pen.say("checkpoint-unverified"), WARN)
    return Text(pen.say("checkpoint-complete"), GOOD)


def _events(pen: Pen, job: Job) -> tuple[RenderableType, ...]:
    """The last events; checkpoints and decisions are told by themselves."""
    events = [event for event in job["events"] if event["kind"] not in ("checkpoint-stored", "job-decided")]
    lines = [_event(pen, each) for each in events[-LAST_EVENTS:]]
    note = pen.say("last-of", shown=len(lines), count=len(events)) if len(events) > len(lines) else ""
    return (gap(), head(pen, "head-events", note), bullets(lines)) if lines else ()


def _event(pen: Pen, event: dict[str, Any]) -> str:
    change = f" {event['from'] or ''}→{event['to']}" if event["to"] else ""
    why = f" ({pen.reason(event['why'], 'why-')})" if event["why"] else ""
    at = f"{moment(event['at']).astimezone(pen.zone):%H:%M:%S}"
    return f"{at}  {pen.reason(event['kind'], 'event-')} {event['what']}{change}{why}"


def log_tail(pen: Pen, job: Job) -> tuple[RenderableType, ...]:
    """The last lines that a failed attempt wrote; nothing for other ends."""
    if job["state"] != "FAILED" or not job["attempts"] or not job["attempts"][-1]["log_tail"]:
        return ()
    tail = job["attempts"][-1]["log_tail"]
    lines = tail if isinstance(tail, list) else str(tail).splitlines()
    text = "\n".join(f"  {line}" for line in lines)
    return gap(), head(pen, "head-log-tail"), Text(text, DIM, no_wrap=True, overflow="ignore")
