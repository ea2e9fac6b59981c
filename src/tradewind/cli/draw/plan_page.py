"""A plan as one page of HTML that needs nothing else: no script, no font, no picture from anywhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tradewind.cli.draw import front_svg, plan_reasons
from tradewind.cli.draw.choices import Choice, choices, tip, unbeaten
from tradewind.cli.draw.figures import count, exactly, hours, mass, money
from tradewind.cli.draw.markup import Markup, element
from tradewind.cli.draw.offers import gpus, purchase
from tradewind.cli.draw.page_parts import cards, document, facts, pairs, section, table
from tradewind.cli.draw.page_style import STYLE
from tradewind.cli.draw.pen import Pen
from tradewind.cli.draw.plan_told import Fact, cost_told, facts_of, machines, probability, sum_told, takes, tip_told
from tradewind.cli.draw.scene import scene

Plan = dict[str, Any]
VERDICT = ("fact-where", "fact-time", "fact-cost", "fact-promise")  # told large, first


def page(pen: Pen, plan: Plan, name: str) -> str:
    """The page of the job called ``name``."""
    title = pen.say("page-title", name=name)
    what = pen.say("plan-of", objective=pen.say(f"objective-{plan['objective']}"), plan=plan["plan_id"],
                   date=plan["catalog_date"])  # fmt: skip
    header = element("header", element("h1", title), element("p", f"{what} · {_limits(pen, plan)}", class_="note"))
    made = element("footer", pen.say("page-made"))
    return document(pen, title, STYLE, header, *_sections(pen, plan), made)


def _limits(pen: Pen, plan: Plan) -> str:
    limits = plan["limits"]
    spans = [pen.say(f"page-{code}", hours=hours(exactly(limits[key])))
             for code, key in (("deadline", "deadline_hours"), ("max-duration", "max_duration_hours"))
             if limits[key] is not None]  # fmt: skip
    sums = [pen.say("page-budget", money=money(limits["budget"]))] if limits["budget"] else []
    return " · ".join([*spans, *sums]) or pen.say("page-no-limits")


def _sections(pen: Pen, plan: Plan) -> Iterator[Markup]:
    told = list(facts_of(pen, plan["chosen"])) if plan["chosen"] else []
    yield cards(pen, [fact for fact in told if fact.code in VERDICT]) if told else _infeasible(pen, plan)
    rest = [fact for fact in told if fact.code not in VERDICT]
    rest += [Fact("fact-compliance", pen.say(f"control-{each['result']}", control=each["control"]), tone="warn")
             for each in plan["compliance"]]  # fmt: skip
    if rest:
        yield element("section", facts(pen, rest))
    yield from _front(pen, plan)
    yield from _fallbacks(pen, plan)
    yield from _rejected(pen, plan)
    yield from assumed(pen, plan)


def assumed(pen: Pen, plan: Plan) -> Iterator[Markup]:
    """What the plan takes for granted, by what it is about."""
    told = plan_reasons.assumptions(pen, plan)
    if told:
        abouts = [(about, pen.say("between-sentences").join(sentences)) for about, sentences in told]
        yield section(pen.say("head-assumed"), pairs(abouts))


def _infeasible(pen: Pen, plan: Plan) -> Markup:
    heading, lines = plan_reasons.changes(pen, plan)
    items = [element("li", element("code", line), f" {meaning}") for line, meaning in lines]
    nothing = element("p", pen.say("nothing-chosen"), class_="bad")
    return element("section", nothing, element("p", heading), element("ul", *items) if items else None)


def _front(pen: Pen, plan: Plan) -> Iterator[Markup]:
    shown, left = choices(plan, everything=True)
    figure = front_figure(pen, plan, shown)
    if figure:
        yield section(pen.say("head-front"), figure)
    if not shown:
        return
    more = pen.say("choices-left-out-page", count=left) if left else None
    whole = [_details(pen, each) for each in shown if each.placed]
    meaning = element("p", pen.say(unbeaten(plan)), class_="note")
    found = tip(plan, shown)
    worth = element("p", tip_told(pen, found)) if found else None
    left_out = element("p", more, class_="note") if more else None
    yield section(pen.say("page-choices"), meaning, choices_table(pen, shown), worth, left_out, *whole)


def front_figure(pen: Pen, plan: Plan, shown: Sequence[Choice]) -> Markup | None:
    """The picture of cost against time with the letters of ``shown``; None where there is nothing to compare."""
    seen = scene(plan, shown, front_svg.TICKS)
    if seen is None:
        return None
    told = [pen.say("front-axes"), *([pen.say("front-outside", count=count(seen.outside))] if seen.outside else [])]
    return element("figure", front_svg.front_svg(pen, seen), element("figcaption", " · ".join(told)))


def choices_table(pen: Pen, shown: Sequence[Choice]) -> Markup:
    """A row for each letter."""
    heads = ("col-letter", "col-offer", "col-hours", "col-cost", "col-on-time", "col-grams")
    return table(pen, heads, [_row(pen, each) for each in shown], "choices")


def _row(pen: Pen, choice: Choice) -> Markup:
    way, placed = choice.way, choice.placed
    time = hours(placed["hours"]) if placed else hours(exactly(way["hours"]))
    cost = cost_told(pen, placed["cost"]) if placed else sum_told(pen, way["cost"])
    letter = f"{choice.letter} ✓" if choice.chosen else choice.letter
    bought = " · ".join([gpus(way), purchase(pen, way), way["zone"] or way["region"]])
    offer = element("td", machines(pen, way, way["nodes"]), element("br"), element("span", bought, class_="note"))
    numbers = (time, cost, probability(placed), mass(way["carbon_g"]))
    return element(
        "tr", element("th", letter, scope="row"), offer,
        *(element("td", told, class_="number") for told in numbers), class_="chosen" if choice.chosen else None,
    )  # fmt: skip


def _details(pen: Pen, choice: Choice) -> Markup:
    """Every fact of one choice, folded until it is asked for; in print it is open."""
    assert choice.placed is not None, "only ways that the plan has whole are told whole"
    heading = f"{choice.letter} · {machines(pen, choice.way, choice.way['nodes'])} · {purchase(pen, choice.way)}"
    return element("details", element("summary", heading), facts(pen, facts_of(pen, choice.placed)))


def _fallbacks(pen: Pen, plan: Plan) -> Iterator[Markup]:
    items = []
    for placed in plan["fallbacks"]:
        offer = placed["offer"]
        told = (machines(pen, offer, placed["nodes"]), gpus(offer), purchase(pen, offer),
                offer["zone"] or offer["region"], takes(pen, placed))  # fmt: skip
        apart = f"{pen.say('col-apart')}: {plan_reasons.fails_apart(pen, plan['chosen'], placed)}"
        items.append(element("li", " · ".join(told), element("br"), element("span", apart, class_="note")))
    if items:
        yield section(pen.say("head-fallbacks"), element("ol", *items))


def _rejected(pen: Pen, plan: Plan) -> Iterator[Markup]:
    rows = [
        element("tr", element("td", count(each.offers), class_="number"), element("td", each.told),
                element("td", each.nearest))
        for each in plan_reasons.reasons(pen, plan)
    ]  # fmt: skip
    if rows:
        counted = pen.say("rejected-count", count=plan_reasons.rejected_in_all(plan))
        heads = ("col-count", "col-why", "col-nearest")
        yield section(pen.say("head-rejected"), element("p", counted, class_="note"), table(pen, heads, rows))
