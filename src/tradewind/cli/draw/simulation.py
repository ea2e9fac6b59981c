"""A simulation: what each policy cost, when it was done and how often it was late, as a table and a picture."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from tradewind.cli.draw import simulation_told as saying
from tradewind.cli.draw.figures import count, hours, money, money_spread, number, share, short_money
from tradewind.cli.draw.histograms import Scale, rows
from tradewind.cli.draw.pen import Column, Pen
from tradewind.cli.draw.simulation_plain import simulation as listed
from tradewind.cli.draw.simulation_told import OURS, Simulated, Simulation
from tradewind.cli.draw.strokes import BAD, DIM, MARK, WARN, bullets, facts, gap, head, stack, table

INDENT = 2
_COLUMNS = (
    Column("col-simulated"), Column("col-mean-cost", right=True), Column("col-of-on-demand", right=True),
    Column("col-finish", right=True, drop=1), Column("col-machines-lost", right=True, drop=2),
    Column("col-missed", right=True),
)  # fmt: skip


def simulation(pen: Pen, told: Simulation) -> RenderableType:
    """The whole simulation."""
    if pen.plain:
        return Text(listed(pen, told))
    job = [(code, "\n".join(lines)) for code, lines in saying.job_facts(pen, told)]
    parts: list[RenderableType] = [head(pen, "head-simulation", saying.heading(pen, told)), facts(pen, job)]
    if told["policies"]:
        parts += [gap(), _table(pen, told), *_pictures(pen, told)]
    parts += [gap(), *(Text(each.text, WARN if each.warns else "") for each in saying.meaning(pen, told))]
    reasons = list(saying.rests_on(pen, told))
    return stack(*parts, *([gap(), head(pen, "head-rests-on"), bullets(reasons)] if reasons else []))


def _table(pen: Pen, told: Simulation) -> RenderableType:
    lines = [_row(pen, each) for each in told["policies"]]
    if bound := told["bound"]:
        cells = (saying.rival(pen, "bound"), money_spread(bound["cost"]), share(bound["against_on_demand"]), "", "", "")
        lines.append([Text(cell, DIM) for cell in cells])
    return table(pen, _COLUMNS, lines)


def _row(pen: Pen, each: Simulated) -> list[str | Text]:
    style = MARK if each["policy"] == OURS else ""
    cells = (
        saying.rival(pen, each["policy"]), money_spread(each["cost"]), share(each["against_on_demand"]),
        hours(each["finish_hours"]), saying.times(each["preemptions"]),
    )  # fmt: skip
    return [*(Text(cell, style) for cell in cells), Text(count(each["misses"]), BAD if each["misses"] else style)]


def _pictures(pen: Pen, told: Simulation) -> Iterator[RenderableType]:
    """How often which cost and which finish came."""
    on_demand, deadline, bound = told["on_demand_only"]["cost"], told["job"]["deadline_hours"], told["bound"]
    costs = [(float(bound["cost"]["value"]), pen.say("mark-bound", cost=saying.mean(bound["cost"])))] if bound else []
    costs.append((float(on_demand["amount"]), pen.say("mark-on-demand", cost=money(on_demand))))
    ends = [(deadline, pen.say("mark-deadline", hours=number(deadline)))]

    def money_at(value: float) -> str:
        return short_money(round(value) if value >= 100 else float(f"{value:.3g}"), on_demand["currency"])

    yield from _picture(pen, told, "cost", "head-costs", money_at, costs)
    yield from _picture(pen, told, "finish_hours", "head-finishes", lambda value: f"{number(value)} h", ends)


def _picture(
    pen: Pen, told: Simulation, key: str, code: str, label: Callable[[float], str], marks: list[tuple[float, str]]
) -> Iterator[RenderableType]:
    names = {each["policy"]: saying.rival(pen, each["policy"]) for each in told["policies"]}
    histogram = told["histograms"][key]
    scale = Scale(histogram["from"], histogram["to"], label, marks)
    yield gap()
    yield head(pen, code)
    yield Padding(stack(*rows(histogram["counts"], names, scale, pen.width - INDENT)), (0, 0, 0, INDENT))
