"""A simulation as plain lines, for screen readers: no picture, no columns."""

from __future__ import annotations

from collections.abc import Iterator

from tradewind.cli.draw import simulation_told as saying
from tradewind.cli.draw.figures import count, hours, money, money_spread, share
from tradewind.cli.draw.pen import Pen
from tradewind.cli.draw.simulation_told import Simulated, Simulation


def simulation(pen: Pen, told: Simulation) -> str:
    """The simulation line by line, each beginning with what it is about."""
    return "\n".join(_lines(pen, told))


def _lines(pen: Pen, told: Simulation) -> Iterator[str]:
    yield f"{pen.say('head-simulation')}: {saying.heading(pen, told)}".rstrip(": ")
    for code, lines in saying.job_facts(pen, told):
        yield from (f"{pen.say(code)}: {line}" for line in lines)
    yield from (_policy(pen, told, each) for each in told["policies"])
    if bound := told["bound"]:
        yield f"{saying.rival(pen, 'bound')}: {money_spread(bound['cost'])}"
    yield from (each.text for each in saying.meaning(pen, told))
    yield from (f"{pen.say('head-rests-on')}: {line}" for line in saying.rests_on(pen, told))


def _policy(pen: Pen, told: Simulation, each: Simulated) -> str:
    median = money({"amount": each["cost"]["median"], "currency": each["cost"]["currency"]})
    return f"{saying.rival(pen, each['policy'])}: " + pen.say(
        "plain-simulated", cost=money_spread(each["cost"]), median=median, share=share(each["against_on_demand"]),
        finish=hours(each["finish_hours"]), lost=saying.times(each["preemptions"]), late=count(each["misses"]),
        runs=count(told["runs"]),
    )  # fmt: skip
