"""What a rehearsal on a trace came to: the window, and this run beside the simulator's and on-demand only."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from tradewind.cli.draw.figures import UNKNOWN, count, money, number, span
from tradewind.cli.draw.offers import named
from tradewind.cli.draw.pen import Column, Pen
from tradewind.cli.draw.strokes import BAD, DIM, GOOD, gap, head, table

Job = dict[str, Any]
_COLUMNS = (
    Column("col-nothing"), Column("col-cost", right=True), Column("col-planned-hours", right=True),
    Column("col-preemptions", right=True), Column("col-in-time", drop=1),
)  # fmt: skip


def replayed(pen: Pen, job: Job) -> tuple[RenderableType, ...]:
    """The section of a job that replays a trace; nothing for any other."""
    trace = job.get("trace")
    if not trace:
        return ()
    window = pen.say("trace-window", name=trace["name"], begins=number(trace["begins_hours"]),
                     of=number(trace["of_hours"]), seed=str(trace["seed"]))  # fmt: skip
    told = [window, pen.say("trace-speed", speed=_speed(pen, trace))]
    told += [pen.say("trace-refused", count=count(trace["refused"]))] if trace["refused"] else []
    zones = [pen.say("trace-zone", zone=each["zone"], offer=named(each["offer"])) for each in trace["zones"]]
    return (
        gap(), head(pen, "head-trace"), *(Text("  " + line) for line in told),
        *(Text("  " + line, DIM) for line in zones), *_beside(pen, job, trace),
    )  # fmt: skip


def _beside(pen: Pen, job: Job, trace: dict[str, Any]) -> Iterator[RenderableType]:
    """This run beside the simulated ones, once they are there."""
    instead = trace["on_demand_only"]
    if trace["predicted"] and instead:
        yield table(pen, _COLUMNS, list(_rows(pen, job, trace)))
        for line in (pen.say("trace-alike"), pen.say("trace-instead", offer=named(instead["offer"]))):
            yield Text("  " + line, DIM)


def _speed(pen: Pen, trace: dict[str, Any]) -> str:
    return number(trace["tempo"]) + (f" ({pen.say('trace-speed-auto')})" if trace["speed"] == "auto" else "")


def _rows(pen: Pen, job: Job, trace: dict[str, Any]) -> Iterator[list[str | Text]]:
    here = {**trace, "cost": (job["actual"] or {}).get("cost"), "missed": _late(trace)}
    for name, told in (("here", here), *((name, trace[name]) for name in ("predicted", "on_demand_only"))):
        yield _row(pen, pen.say(f"trace-{name}"), told, trace["deadline_hours"])


def _late(trace: dict[str, Any]) -> bool:
    return trace["deadline_hours"] is not None and trace["hours"] > trace["deadline_hours"]


def _row(pen: Pen, name: str, told: dict[str, Any], deadline: float | None) -> list[str | Text]:
    late = told["missed"]
    verdict = Text(pen.say("was-late" if late else "was-in-time"), BAD if late else GOOD)
    return [
        name, money(told["cost"]), span(told["hours"] * 3600), count(told["preemptions"]),
        UNKNOWN if deadline is None else verdict,
    ]  # fmt: skip
