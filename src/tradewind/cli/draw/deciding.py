"""Decisions about a job's machines: those made, what comes next, and what a change of limits led to."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from tradewind.cli.draw.figures import instant, moment, money, number
from tradewind.cli.draw.pen import Column, Pen
from tradewind.cli.draw.strokes import BAD, DIM, GOOD, HEAD, WARN, bullets, facts, gap, head, stack, table
from tradewind.cli.draw.times import when

Decision = dict[str, Any]
_OPTIONS = (Column("col-option"), Column("col-expected-cost", right=True))
LAST_DECISIONS = 12


def decisions(pen: Pen, job: dict[str, Any]) -> tuple[RenderableType, ...]:
    """The decisions of a job; keeping on and on is one line."""
    lines = list(_lines(pen, job["decisions"]))
    shown = lines[-LAST_DECISIONS:]
    note = pen.say("last-of", shown=len(shown), count=len(lines)) if len(lines) > len(shown) else ""
    return (gap(), head(pen, "head-decisions", note), bullets(shown)) if lines else ()


def _lines(pen: Pen, made: list[Decision]) -> Iterator[str]:
    times = 0
    for decision, after in zip(made, [*made[1:], None], strict=True):
        times += 1
        if after is not None and decision["action"] == "keep" and _same(decision, after):
            continue
        often = f" (×{times})" if times > 1 else ""
        yield f"{instant(decision['at'], pen.zone)}  {line(pen, decision)}{often}"
        times = 0


def _same(one: Decision, other: Decision) -> bool:
    return all(one.get(name) == other.get(name) for name in ("action", "pool", "code"))


def line(pen: Pen, decision: Decision) -> str:
    """``rent aws us-east-2a p3.2xlarge spot: it is the cheapest …``."""
    pool, why = decision.get("pool"), f": {pen.reason(decision['why'], 'why-')}" if decision["why"] else ""
    if pool:
        return pen.say(f"{decision['action']}-pool", pool=pool) + why
    return pen.reason(decision["action"], "action-") + why


def next_step(pen: Pen, job: dict[str, Any], now: datetime | None = None) -> tuple[RenderableType, ...]:
    """What the policy would do now, after a loss, and until when on-demand has time."""
    told = job.get("next")
    if not told:
        return ()
    rows = [Text(line(pen, told))]
    if told["if_lost"]:
        rows.append(Text(pen.say("next-if-lost", what=line(pen, told["if_lost"]))))
    if told["on_demand_by"]:
        rows.append(Text(pen.say("next-on-demand-by", at=_at(pen, told["on_demand_by"], now))))
    if told["decided_at"]:
        rows.append(Text(pen.say("next-decided", at=_at(pen, told["decided_at"], now)), DIM))
    if told["at_risk"]:
        rows.append(Text(pen.say("next-at-risk"), BAD))
    return gap(), head(pen, "head-next"), *(Padding(row, (0, 0, 0, 2)) for row in rows)


def _at(pen: Pen, text: str, now: datetime | None) -> str:
    return instant(text, pen.zone) if now is None else when(pen, text, now)


def replayed(pen: Pen, told: dict[str, Any]) -> tuple[RenderableType, ...]:
    """Each decision made again, with what else there was and what that was expected to cost."""
    made = told.get("decisions") or []
    if not made:
        return ()
    count = told["decisions_in_all"]
    note = pen.say("last-of", shown=len(made), count=count) if count > len(made) else ""
    return gap(), head(pen, "head-replayed", note), *(part for each in made for part in _replayed(pen, each))


def _replayed(pen: Pen, decision: Decision) -> Iterator[RenderableType]:
    mark = ("✓ ", GOOD) if decision["same"] else ("✗ ", WARN)
    said = (
        pen.say("replayed-same") if decision["same"] else pen.say("replayed-other", what=line(pen, decision["again"]))
    )
    yield Padding(Text.assemble(mark, f"{instant(decision['at'], pen.zone)}  {line(pen, decision)}"), (0, 0, 0, 2))
    yield Padding(Text(said, DIM), (0, 0, 0, 4))
    rows = [[_option(pen, each), _cost(each, decision["currency"])] for each in decision["options"]]
    if len(rows) > 1:
        yield Padding(table(pen, _OPTIONS, rows), (0, 0, 0, 2))


def _option(pen: Pen, option: dict[str, Any]) -> str:
    return option["pool"] or pen.say(f"option-{option['kind']}")


def _cost(option: dict[str, Any], currency: str | None) -> str:
    return f"{number(option['cost'])} {currency or ''}".rstrip()


def extended(pen: Pen, job: dict[str, Any], now: datetime) -> RenderableType:
    """The limits that hold now, what stays as it was granted, and what comes next."""
    limits, rows = job["limits"], list[tuple[str, str | Text]]()
    if limits["deadline"]:
        rows.append(("fact-deadline", when(pen, limits["deadline"], now)))
    if limits["budget"]:
        amounts = {name: money(each) for name, each in limits["budget"].items()}
        rows.append(("fact-budget", pen.say("budget-line", **amounts)))
    if limits["hard_end"]:
        rows.append(("fact-hard-end", pen.say("hard-end-line", lease=limits["lease"],
                                              at=when(pen, limits["hard_end"], now))))  # fmt: skip
    early = limits["hard_end"] and limits["deadline"] and moment(limits["hard_end"]) < moment(limits["deadline"])
    return stack(
        Text(pen.say("extended", name=job["name"]), HEAD), facts(pen, rows),
        Padding(Text(pen.say("hard-end-follows"), DIM), (0, 0, 0, 2)) if early else None,
        *next_step(pen, job, now),
    )  # fmt: skip
