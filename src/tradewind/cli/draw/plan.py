"""A plan on a terminal: where, how long, how much and how sure first; then the choices, and why the others lost."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from tradewind.cli.draw import plan_reasons
from tradewind.cli.draw.choices import choices
from tradewind.cli.draw.figures import count, money_spread
from tradewind.cli.draw.pen import Pen
from tradewind.cli.draw.plan_choices import fallbacks, front_and_list
from tradewind.cli.draw.plan_plain import plan as listed
from tradewind.cli.draw.plan_told import Fact, facts_of
from tradewind.cli.draw.strokes import BAD, DIM, GOOD, HEAD, WARN, bullets, counts, facts, gap, head, stack

Plan = dict[str, Any]
Placed = dict[str, Any]
TONES = {"good": GOOD, "warn": WARN, "": ""}
ANSWERS = frozenset({"fact-where", "fact-time", "fact-cost", "fact-promise"})


def plan(pen: Pen, plan: Plan, everything: bool = False) -> RenderableType:
    """The plan: what a decision needs, or with ``everything`` all that is known."""
    if pen.plain:
        return Text(listed(pen, plan, everything))
    title = pen.say("plan-of", objective=pen.say(f"objective-{plan['objective']}"), plan=plan["plan_id"],
                    date=plan["catalog_date"])  # fmt: skip
    return stack(
        head(pen, "head-plan", title),
        _facts(pen, plan["chosen"]) if plan["chosen"] else _infeasible(pen, plan),
        *_controls(pen, plan),
        *front_and_list(pen, plan, everything),
        *fallbacks(pen, plan),
        *_rejected(pen, plan, everything),
        *_assumptions(pen, plan),
        *(_whole(pen, plan) if everything else []),
    )


def more(pen: Pen) -> RenderableType:
    """How to see more of a plan."""
    return stack(gap(), Text(pen.say("plan-more"), DIM))


def told_in(pen: Pen, cost: dict[str, Any], rate: dict[str, Any]) -> RenderableType:
    """The cost in another currency, and the rate that this took."""
    amounts = {key: str(Decimal(cost[key]) * Decimal(rate["value"])) for key in ("value", "low", "high")}
    converted = money_spread({**amounts, "currency": rate["quote"]})
    return stack(gap(), Text(pen.say("plan-told-in", cost=converted, **rate)))


def _facts(pen: Pen, placed: Placed) -> RenderableType:
    return facts(pen, [(fact.code, _fact(fact)) for fact in facts_of(pen, placed)])


def _fact(fact: Fact) -> Text:
    told = Text(fact.told, f"{HEAD} {TONES[fact.tone]}".strip() if fact.code in ANSWERS else "")
    told.append(f" · {fact.beside}" if fact.beside else "", TONES[fact.tone])
    return told.append("\n" + fact.more, DIM) if fact.more else told


def _controls(pen: Pen, plan: Plan) -> list[RenderableType]:
    """Controls that the job asks for, and what came of them."""
    told = [pen.say(f"control-{each['result']}", control=each["control"]) for each in plan["compliance"]]
    return [facts(pen, [("fact-compliance", Text(" · ".join(told), WARN))])] if told else []


def _infeasible(pen: Pen, plan: Plan) -> RenderableType:
    heading, lines = plan_reasons.changes(pen, plan)
    return stack(
        Text("  " + pen.say("nothing-chosen"), BAD),
        Text("  " + heading),
        bullets([f"{line}   ({meaning})" for line, meaning in lines], "→") if lines else None,
    )


def _whole(pen: Pen, plan: Plan) -> Iterator[RenderableType]:
    """Every fact of the ways beside the chosen one."""
    for each in choices(plan, everything=True)[0]:
        if each.placed and not each.chosen:
            yield from (gap(), Text(pen.say("plain-letter", letter=each.letter), HEAD), _facts(pen, each.placed))


def _rejected(pen: Pen, plan: Plan, everything: bool) -> list[RenderableType]:
    told = plan_reasons.reasons(pen, plan)
    if not told:
        return []
    shown = told if everything else told[: plan_reasons.MOST_REASONS]
    rows: list[list[str | Text]] = [
        [count(each.offers), each.told + (pen.say("nearest-miss", nearest=each.nearest) if each.nearest else "")]
        for each in shown
    ]
    left = told[len(shown) :]
    if left:
        more = pen.say("rejected-more", reasons=len(left), where="plan --all")
        rows.append([count(sum(each.offers for each in left)), Text(more, DIM)])
    counted = pen.say("rejected-count", count=plan_reasons.rejected_in_all(plan))
    return [gap(), head(pen, "head-rejected", counted), counts(rows)]


def _assumptions(pen: Pen, plan: Plan) -> list[RenderableType]:
    between = pen.say("between-sentences")
    told = [(about, Text(between.join(sentences))) for about, sentences in plan_reasons.assumptions(pen, plan)]
    return [gap(), head(pen, "head-assumed"), facts(pen, told)] if told else []
