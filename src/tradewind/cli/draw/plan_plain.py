"""A plan as plain lines, for screen readers: no picture, no columns, no wrapping."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tradewind.cli.draw import plan_reasons
from tradewind.cli.draw.choices import Choice, choices, tip, unbeaten
from tradewind.cli.draw.figures import count, exactly, hours, mass
from tradewind.cli.draw.offers import gpus, place, purchase
from tradewind.cli.draw.pen import Pen
from tradewind.cli.draw.plan_told import facts_of, machines, sum_told, takes, tip_told

Plan = dict[str, Any]


def plan(pen: Pen, plan: Plan, everything: bool = False) -> str:
    """The plan line by line, each beginning with what it is about."""
    return "\n".join(_lines(pen, plan, everything))


def _lines(pen: Pen, plan: Plan, everything: bool) -> Iterator[str]:
    title = pen.say("plan-of", objective=pen.say(f"objective-{plan['objective']}"), plan=plan["plan_id"],
                    date=plan["catalog_date"])  # fmt: skip
    yield f"{pen.say('head-plan')}: {title}"
    if plan["chosen"]:
        yield from _facts(pen, plan["chosen"])
    else:
        yield pen.say("nothing-chosen")
        heading, lines = plan_reasons.changes(pen, plan)
        yield heading
        yield from (f"{line} ({meaning})" for line, meaning in lines)
    for each in plan["compliance"]:
        yield f"{pen.say('fact-compliance')}: {pen.say('control-' + each['result'], control=each['control'])}"
    yield from _choices(pen, plan, everything)
    for rank, placed in enumerate(plan["fallbacks"], 1):
        apart = f"{pen.say('col-apart')} {plan_reasons.fails_apart(pen, plan['chosen'], placed)}"
        way = _way(pen, placed["offer"], placed["nodes"], takes(pen, placed))
        yield f"{pen.say('plain-fallback', rank=rank)}: {way} · {apart}"
    yield from _rejected(pen, plan, everything)
    for about, sentences in plan_reasons.assumptions(pen, plan):
        yield f"{pen.say('head-assumed')}, {about}: {pen.say('between-sentences').join(sentences)}"


def _facts(pen: Pen, placed: dict[str, Any]) -> Iterator[str]:
    for fact in facts_of(pen, placed):
        yield f"{pen.say(fact.code).rstrip('?')}: {fact.whole()}"


def _choices(pen: Pen, plan: Plan, everything: bool) -> Iterator[str]:
    shown, left = choices(plan, everything)
    if len(shown) > 1:
        yield f"{pen.say('page-choices')}: {pen.say(unbeaten(plan))}"
        yield from (_choice(pen, each) for each in shown)
    found = tip(plan, shown)
    if found:
        yield tip_told(pen, found)
    if left:
        yield pen.say("choices-left-out", count=left)
    for each in shown if everything else ():
        if each.placed and not each.chosen:
            yield pen.say("plain-letter", letter=each.letter)
            yield from _facts(pen, each.placed)


def _choice(pen: Pen, choice: Choice) -> str:
    way, placed = choice.way, choice.placed
    measures = takes(pen, placed) if placed else f"{hours(exactly(way['hours']))} · {sum_told(pen, way['cost'])}"
    told = _way(pen, way, way["nodes"], measures)
    chosen = f", {pen.say('choice-chosen')}" if choice.chosen else ""
    carbon = "" if way["carbon_g"] is None else f" · {mass(way['carbon_g'])}"
    return f"{pen.say('plain-letter', letter=choice.letter)}{chosen}: {told}{carbon}"


def _way(pen: Pen, offer: dict[str, Any], nodes: int, measures: str) -> str:
    return " · ".join([machines(pen, offer, nodes), gpus(offer), purchase(pen, offer), place(offer), measures])


def _rejected(pen: Pen, plan: Plan, everything: bool) -> Iterator[str]:
    told = plan_reasons.reasons(pen, plan)
    if told:
        yield f"{pen.say('head-rejected')}: {pen.say('rejected-count', count=plan_reasons.rejected_in_all(plan))}"
    for each in told if everything else told[: plan_reasons.MOST_REASONS]:
        nearest = pen.say("nearest-miss", nearest=each.nearest) if each.nearest else ""
        yield f"{count(each.offers)}: {each.told}{nearest}"
