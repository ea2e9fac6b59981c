"""A plan: what was chosen, what it takes, what it leaves behind, and why the others lost."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from tradewind.cli.draw.figures import count, hours, instant, mass, money, money_spread, number, share
from tradewind.cli.draw.offers import gpus, listed, named, place, purchase
from tradewind.cli.draw.pen import Column, Pen
from tradewind.cli.draw.strokes import BAD, DIM, GOOD, MARK, WARN, bullets, facts, gap, head, stack, table

Plan = dict[str, Any]
Placed = dict[str, Any]
PARTS = ("compute", "storage", "egress", "setup", "preemption")
_FRONT = (
    Column("col-choice"), Column("col-offer"), Column("col-price-hour", right=True, drop=2),
    Column("col-hours", right=True), Column("col-cost", right=True), Column("col-on-time", right=True, drop=1),
)  # fmt: skip
FEWEST = 3  # alternatives shown where there are as many
HARDLY_FASTER = 0.98  # of the hours of a cheaper one: less of a gain is not worth a line
MOST_REASONS = 14  # nearly all there are: the last may be the nearest miss


def plan(pen: Pen, plan: Plan) -> RenderableType:
    """The whole plan."""
    chosen = plan["chosen"]
    return stack(
        head(pen, "head-plan", pen.say("plan-of", plan=plan["plan_id"], date=plan["catalog_date"])),
        _chosen(pen, chosen) if chosen else _infeasible(pen, plan),
        *_front(pen, plan),
        *_fallbacks(pen, plan),
        *_rejected(pen, plan),
        *_assumptions(pen, plan),
    )


def _chosen(pen: Pen, placed: Placed) -> RenderableType:
    offer = placed["offer"]
    return facts(pen, [
        ("fact-machine", _machine(pen, placed)),
        ("fact-place", _place(pen, offer)),
        ("fact-price", _price(pen, offer)),
        ("fact-time", _time(pen, placed)),
        ("fact-cost", _cost(pen, placed)),
        ("fact-policy", _policy(pen, placed)),
    ])  # fmt: skip


def _machine(pen: Pen, placed: Placed) -> Text:
    offer, nodes = placed["offer"], placed["nodes"]
    told = Text.assemble((f"{offer['cloud']} {offer['instance_type']}", "bold"), f" · {gpus(offer)}")
    sizes = [
        (offer["gpu_memory_gib"], "memory-each"), (offer["cpus"], "cpus-of"), (offer["memory_gib"], "ram-of"),
    ]  # fmt: skip
    for value, code in sizes:
        if value is not None:
            told.append(" · " + pen.say(code, value=number(float(value), 0 if value >= 1 else 1)))
    if nodes > 1:
        told.append(" · " + pen.say("nodes-of", nodes=nodes))
    return told


def _place(pen: Pen, offer: dict[str, Any]) -> str:
    carbon = offer["carbon_g_per_kwh"]
    return place(offer) + ("" if carbon is None else " · " + pen.say("grid-of", grams=number(carbon)))


def _price(pen: Pen, offer: dict[str, Any]) -> Text:
    told = Text(pen.say("price-of", price=money(offer["price_per_hour"]), purchase=purchase(pen, offer)))
    doubtful = offer["price_status"] in {"old", "expired", "unknown"}
    return told.append(" · ").append(listed(pen, offer), WARN if doubtful else DIM)


def _time(pen: Pen, placed: Placed) -> Text:
    told = Text(f"{hours(placed['hours'])}, {source(pen, placed['hours'])}")
    if placed["finish_by"]:
        told.append(" · " + pen.say("done-by", at=instant(placed["finish_by"])))
    if placed["on_time_probability"] is not None:
        chance = placed["on_time_probability"]
        guarantee = pen.say(f"guarantee-{placed['deadline_guarantee']}")
        told.append(
            " · " + pen.say("on-time", share=share(chance), guarantee=guarantee), GOOD if chance > 0.9 else WARN
        )
    return told


def _cost(pen: Pen, placed: Placed) -> Text:
    told = Text.assemble((money_spread(placed["cost"]), "bold"), f", {source(pen, placed['cost'])}")
    parts = [(name, placed["cost_parts"][name]) for name in PARTS]
    shown = [f"{pen.say(f'part-{name}')} {money(part)}" for name, part in parts if Decimal(part["amount"]) > 0]
    return told.append("\n" + " · ".join(shown), DIM) if len(shown) > 1 else told


def _policy(pen: Pen, placed: Placed) -> str:
    quota = pen.say(f"quota-{placed['quota']}")
    emitted = "" if placed["carbon_g"] is None else f" · {mass(placed['carbon_g'])}"
    return f"{pen.reason(placed['policy'], 'policy-')} · {quota}{emitted}"


def source(pen: Pen, estimate: dict[str, Any]) -> str:
    """Where a number comes from: measured, listed with its date, or estimated."""
    return pen.say(f"source-{estimate['source']}", as_of=estimate["as_of"] or "")


def _infeasible(pen: Pen, plan: Plan) -> RenderableType:
    changes = (plan["infeasible"] or {}).get("changes", [])
    told = [pen.say("change-to", key=change["set"], to=change["to"]) for change in changes]
    return stack(
        Text("  " + pen.say("nothing-chosen"), BAD),
        Text("  " + pen.say("any-of-these") if told else "  " + pen.say("no-single-change")),
        bullets(told, "→") if told else None,
    )


def _front(pen: Pen, plan: Plan) -> list[RenderableType]:
    """The chosen offer beside the alternatives."""
    rows: list[list[str | Text]] = []
    if plan["chosen"]:
        rows.append(_front_row(pen, plan["chosen"], pen.say("choice-chosen"), MARK))
    worth = _worth_a_line(plan)
    for placed in worth:
        beaten = placed.get("beaten")
        label = pen.say("choice-beaten" if beaten else "choice-unbeaten")
        rows.append(_front_row(pen, placed, label, DIM if beaten else ""))
    if len(rows) < 2:
        return []
    timed = plan["chosen"] is not None and plan["chosen"]["on_time_probability"] is not None
    columns = _FRONT if timed else _FRONT[:-1]
    left = len(plan["alternatives"]) - len(worth)
    return [
        gap(), head(pen, "head-alternatives", pen.say("unbeaten-means")), table(pen, columns, rows),
        *([Text("  " + pen.say("hardly-faster", count=left), DIM)] if left else []),
    ]  # fmt: skip


def _worth_a_line(plan: Plan) -> list[Placed]:
    """The alternatives without the unbeaten ones that are hardly faster than a cheaper one; three, if there are."""
    fastest = plan["chosen"]["hours"]["value"] if plan["chosen"] else float("inf")
    worth, hardly = list[Placed](), list[Placed]()
    for placed in plan["alternatives"]:
        hours = placed["hours"]["value"]
        if placed.get("beaten") or hours <= HARDLY_FASTER * fastest:
            worth.append(placed)
            fastest = min(fastest, hours)
        else:
            hardly.append(placed)
    wanted = [*worth, *hardly[: max(0, FEWEST - len(worth))]]
    return [placed for placed in plan["alternatives"] if placed in wanted]


def _front_row(pen: Pen, placed: Placed, label: str, style: str) -> list[str | Text]:
    offer = placed["offer"]
    name = Text(f"{offer['cloud']} {offer['instance_type']}", style)
    name.append(f"\n{gpus(offer)} · {purchase(pen, offer)} · {offer['zone'] or offer['region']}", DIM)
    cells = [
        money(offer["price_per_hour"]), hours(placed["hours"]), money_spread(placed["cost"]),
        share(placed["on_time_probability"]),
    ]  # fmt: skip
    return [Text(label, style), name, *(Text(cell, style) for cell in cells)]


def _fallbacks(pen: Pen, plan: Plan) -> list[RenderableType]:
    """Where the job goes when the chosen offer cannot be had or is lost, in order."""
    lines = [
        f"{named(placed['offer'])} · {purchase(pen, placed['offer'])} · {hours(placed['hours'])} ·"
        f" {money_spread(placed['cost'])}"
        for placed in plan["fallbacks"]
    ]
    return [gap(), head(pen, "head-fallbacks"), bullets(lines, "→")] if lines else []


def _rejected(pen: Pen, plan: Plan) -> list[RenderableType]:
    reasons = sorted(plan["rejected"], key=lambda each: -int(each["count"]))
    if not reasons:
        return []
    lines = [_reason(pen, each) for each in reasons[:MOST_REASONS]]
    more = sum(int(each["count"]) for each in reasons[MOST_REASONS:])
    if more:
        lines.append(pen.say("rejected-more", count=count(more)))
    in_all = sum(int(each["count"]) for each in reasons)
    return [gap(), head(pen, "head-rejected", pen.say("rejected-count", count=count(in_all))), bullets(lines)]


def _reason(pen: Pen, each: dict[str, Any]) -> str:
    nearest = pen.say("nearest-miss", nearest=each["nearest"]) if each["nearest"] else ""
    return f"{count(each['count'])}  {pen.reason(each['why'], 'rejected-')}{nearest}"


def _assumptions(pen: Pen, plan: Plan) -> list[RenderableType]:
    told = [pen.reason(each, "assumed-") for each in plan["assumptions"]]
    return [gap(), head(pen, "head-assumptions"), bullets(told)] if told else []
