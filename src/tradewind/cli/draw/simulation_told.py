"""What is told of a simulation as plain text: terminal and list say the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from tradewind.cli.draw.figures import exactly, hours, money, money_spread, number, share
from tradewind.cli.draw.offers import place
from tradewind.cli.draw.pen import Pen

Simulation = dict[str, Any]
Simulated = dict[str, Any]  # one policy

OURS = "tradewind"
NO_DIFFERENCE = 0.02  # of the on-demand cost: less is not told as a gain


class Said(NamedTuple):
    """A sentence, and whether it warns."""

    text: str
    warns: bool = False


def heading(pen: Pen, told: Simulation) -> str:
    """On which markets, and how many; empty where none was needed."""
    market, trace = told["market"], told["market"]["trace"] or {}
    facts = {"runs": _runs(told), "seed": market["seed"], "trace": trace.get("name", "")}
    return pen.say(f"simulated-on-{market['kind']}", **facts) if told["policies"] else ""


def job_facts(pen: Pen, told: Simulation) -> Iterator[tuple[str, list[str]]]:
    """What is simulated, by the code of its label: the work and its deadline, spot pools, on-demand."""
    job, on_trace = told["job"], told["market"]["kind"] == "trace"
    yield "fact-simulated-work", [pen.say(
        "simulated-work", work=hours(exactly(job["work_hours"])), deadline=number(job["deadline_hours"]),
        start=number(job["start_hours"] * 60, 0), most=number(job["start_hours_at_most"] * 60, 0),
    )]  # fmt: skip
    if job["pools"]:
        yield "fact-spot-pools", [_pool(pen, pool, zone=on_trace) for pool in job["pools"]]
    yield "fact-resort", [_pool(pen, job["on_demand"], zone=False)]


def _pool(pen: Pen, pool: dict[str, Any], *, zone: bool) -> str:
    offer = pool["offer"]
    nodes = f"{pool['nodes']} × " if pool["nodes"] > 1 else ""
    told = f"{nodes}{offer['cloud']} {offer['instance_type']}, {place(offer)} · {money(offer['price_per_hour'])}/h"
    return f"{told} · {pen.say('as-zone', zone=pool['zone'])}" if zone else told


def rival(pen: Pen, name: str) -> str:
    """A policy's name, or what stands in its place."""
    return pen.say(f"rival-{name}")


def times(counted: dict[str, Any]) -> str:
    """``2.0 (0–6)``: a mean of whole numbers, and theirs."""
    low, high = round(counted["low"]), round(counted["high"])
    mean = number(counted["value"], 1 if counted["value"] else 0)
    return f"{mean} ({low}–{high})" if low != high else mean


def mean(cost: dict[str, Any]) -> str:
    """The mean of a cost, without its range."""
    return money_spread(cost, ranged=False)


def meaning(pen: Pen, told: Simulation) -> Iterator[Said]:
    """What the figures say."""
    policies: list[Simulated] = told["policies"]
    if not policies:
        on_demand = told["on_demand_only"]
        yield Said(
            pen.say("meaning-no-choice", cost=money(on_demand["cost"]), hours=hours(exactly(on_demand["hours"])))
        )
    for each in policies:
        if each["policy"] == OURS:
            gain = 1 - each["against_on_demand"]
            code = "meaning-saves" if gain > NO_DIFFERENCE else "meaning-saves-nothing"
            yield Said(pen.say(code, cost=mean(each["cost"]), gain=share(gain), runs=_runs(told)))
            if not each["misses"]:
                yield Said(pen.say("meaning-never-late", runs=_runs(told)))
    yield from _cheaper(pen, policies)
    for each in policies:
        if each["misses"]:
            late = share(each["misses"] / told["runs"], 1)
            yield Said(pen.say("meaning-late", policy=rival(pen, each["policy"]), share=late), warns=True)


def _cheaper(pen: Pen, policies: list[Simulated]) -> Iterator[Said]:
    """The cheapest that was never late either, where that is not ours."""
    ours = next((each for each in policies if each["policy"] == OURS), None)
    best = min((each for each in policies if not each["misses"]), key=_mean, default=None)
    if ours and best and _mean(best) < _mean(ours) * (1 - NO_DIFFERENCE):
        less = share(1 - _mean(best) / _mean(ours))
        yield Said(pen.say("meaning-cheaper", policy=rival(pen, best["policy"]), share=less))


def _mean(policy: Simulated) -> float:
    return float(policy["cost"]["value"])


def rests_on(pen: Pen, told: Simulation) -> Iterator[str]:
    """What the figures rest on."""
    yield from (pen.reason(each, "simulated-") for each in told["remarks"])
    if told["policies"]:
        yield pen.say(f"simulated-market-{told['market']['kind']}")
        yield pen.say("simulated-rules", step=number(told["job"]["step_hours"] * 60, 0))
        trace = told["market"]["trace"] or {}
        if trace.get("source"):
            yield pen.say("simulated-source", source=trace["source"], licence=trace["licence"] or "")


def _runs(told: Simulation) -> str:
    return f"{told['runs']:,}"
