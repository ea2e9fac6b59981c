"""A plan as one page of HTML that needs nothing else: no script, no font, no picture from anywhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from tradewind.cli.draw import front_svg, plan_reasons
from tradewind.cli.draw.choices import Choice, choices, tip, unbeaten
from tradewind.cli.draw.figures import count, exactly, hours, mass, money
from tradewind.cli.draw.markup import Markup, element, joined
from tradewind.cli.draw.offers import gpus, purchase
from tradewind.cli.draw.page_style import STYLE
from tradewind.cli.draw.pen import Pen
from tradewind.cli.draw.plan_told import Fact, cost_told, facts_of, machines, probability, sum_told, takes, tip_told
from tradewind.cli.draw.scene import scene

Plan = dict[str, Any]
VERDICT = ("fact-where", "fact-time", "fact-cost", "fact-promise")  # told large, first
# Whatever a name in the job file holds, a browser runs nothing and asks nobody.
POLICY = "default-src 'none'; style-src 'unsafe-inline'"
LANGUAGES = {"en": "en", "zh": "zh-Hans"}


def page(pen: Pen, plan: Plan, name: str) -> str:
    """The page of the job called ``name``."""
    title = pen.say("page-title", name=name)
    head = element(
        "head", element("meta", charset="utf-8"), element("meta", name="viewport", content="width=device-width"),
        element("meta", http_equiv="Content-Security-Policy", content=POLICY), element("title", title),
        element("style", Markup(STYLE)),
    )  # fmt: skip
    note = pen.say("plan-of", objective=pen.say(f"objective-{plan['objective']}"), plan=plan["plan_id"],
                   date=plan["catalog_date"])  # fmt: skip
    header = element("header", element("h1", title), element("p", f"{note} · {_limits(pen, plan)}", class_="note"))
    made = element("footer", pen.say("page-made"))
    body = element("body", element("main", header, *_sections(pen, plan), made))
    return f"<!doctype html>\n{element('html', head, body, lang=LANGUAGES[pen.lang])}\n"


def _limits(pen: Pen, plan: Plan) -> str:
    limits = plan["limits"]
    spans = [pen.say(f"page-{code}", hours=hours(exactly(limits[key])))
             for code, key in (("deadline", "deadline_hours"), ("max-duration", "max_duration_hours"))
             if limits[key] is not None]  # fmt: skip
    sums = [pen.say("page-budget", money=money(limits["budget"]))] if limits["budget"] else []
    return " · ".join([*spans, *sums]) or pen.say("page-no-limits")


def _sections(pen: Pen, plan: Plan) -> Iterator[Markup]:
    told = list(facts_of(pen, plan["chosen"])) if plan["chosen"] else []
    yield _verdict(pen, told) if told else _infeasible(pen, plan)
    rest = [fact for fact in told if fact.code not in VERDICT]
    rest += [Fact("fact-compliance", pen.say(f"control-{each['result']}", control=each["control"]), tone="warn")
             for each in plan["compliance"]]  # fmt: skip
    if rest:
        yield element("section", _facts(pen, rest))
    yield from _front(pen, plan)
    yield from _fallbacks(pen, plan)
    yield from _rejected(pen, plan)
    assumed = plan_reasons.assumptions(pen, plan)
    if assumed:
        pairs = [(about, pen.say("between-sentences").join(sentences)) for about, sentences in assumed]
        yield _section(pen.say("head-assumed"), _pairs(pairs))


def _section(heading: str, *children: Markup | None) -> Markup:
    return element("section", element("h2", heading), *children)


def _verdict(pen: Pen, told: list[Fact]) -> Markup:
    """The four answers that a decision needs."""
    cards = [
        element("div", element("dt", pen.say(fact.code)), element("dd", fact.told), _note(fact.beside),
                _note(fact.more), class_=fact.tone or None)
        for fact in told if fact.code in VERDICT
    ]  # fmt: skip
    return element("dl", *cards, class_="verdict")


def _note(told: str) -> Markup | None:
    return element("dd", told, class_="note") if told else None


def _facts(pen: Pen, told: Iterable[Fact]) -> Markup:
    rows = (
        joined(element("dt", pen.say(fact.code)), element("dd", " · ".join(filter(None, (fact.told, fact.beside)))),
               _note(fact.more))
        for fact in told
    )  # fmt: skip
    return element("dl", *rows)


def _pairs(pairs: Iterable[tuple[str, str]]) -> Markup:
    return element("dl", *(joined(element("dt", label), element("dd", told)) for label, told in pairs))


def _infeasible(pen: Pen, plan: Plan) -> Markup:
    heading, lines = plan_reasons.changes(pen, plan)
    items = [element("li", element("code", line), f" {meaning}") for line, meaning in lines]
    nothing = element("p", pen.say("nothing-chosen"), class_="bad")
    return element("section", nothing, element("p", heading), element("ul", *items) if items else None)


def _front(pen: Pen, plan: Plan) -> Iterator[Markup]:
    shown, left = choices(plan, everything=True)
    seen = scene(plan, shown, front_svg.TICKS)
    if seen:
        told = [pen.say("front-axes"), *([pen.say("front-outside", count=count(seen.outside))] if seen.outside else [])]
        figure = element("figure", front_svg.front_svg(pen, seen), element("figcaption", " · ".join(told)))
        yield _section(pen.say("head-front"), figure)
    if not shown:
        return
    heads = ("col-letter", "col-offer", "col-hours", "col-cost", "col-on-time", "col-grams")
    rows = [_row(pen, each) for each in shown]
    more = pen.say("choices-left-out-page", count=left) if left else None
    whole = [_details(pen, each) for each in shown if each.placed]
    meaning = element("p", pen.say(unbeaten(plan)), class_="note")
    found = tip(plan, shown)
    worth = element("p", tip_told(pen, found)) if found else None
    left_out = element("p", more, class_="note") if more else None
    yield _section(pen.say("page-choices"), meaning, _table(pen, heads, rows, "choices"), worth, left_out, *whole)


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


def _table(pen: Pen, heads: Iterable[str], rows: Iterable[Markup], kind: str | None = None) -> Markup:
    titles = element("tr", *(element("th", pen.say(code), scope="col") for code in heads))
    table = element("table", element("thead", titles), element("tbody", *rows), class_=kind)
    return element("div", table, class_="wide")


def _details(pen: Pen, choice: Choice) -> Markup:
    """Every fact of one choice, folded until it is asked for; in print it is open."""
    assert choice.placed is not None, "only ways that the plan has whole are told whole"
    heading = f"{choice.letter} · {machines(pen, choice.way, choice.way['nodes'])} · {purchase(pen, choice.way)}"
    return element("details", element("summary", heading), _facts(pen, facts_of(pen, choice.placed)))


def _fallbacks(pen: Pen, plan: Plan) -> Iterator[Markup]:
    items = []
    for placed in plan["fallbacks"]:
        offer = placed["offer"]
        told = (machines(pen, offer, placed["nodes"]), gpus(offer), purchase(pen, offer),
                offer["zone"] or offer["region"], takes(pen, placed))  # fmt: skip
        apart = f"{pen.say('col-apart')}: {plan_reasons.fails_apart(pen, plan['chosen'], placed)}"
        items.append(element("li", " · ".join(told), element("br"), element("span", apart, class_="note")))
    if items:
        yield _section(pen.say("head-fallbacks"), element("ol", *items))


def _rejected(pen: Pen, plan: Plan) -> Iterator[Markup]:
    rows = [
        element("tr", element("td", count(each.offers), class_="number"), element("td", each.told),
                element("td", each.nearest))
        for each in plan_reasons.reasons(pen, plan)
    ]  # fmt: skip
    if rows:
        counted = pen.say("rejected-count", count=plan_reasons.rejected_in_all(plan))
        heads = ("col-count", "col-why", "col-nearest")
        yield _section(pen.say("head-rejected"), element("p", counted, class_="note"), _table(pen, heads, rows))
