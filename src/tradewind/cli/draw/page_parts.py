"""The parts that pages are made of: the document around them, sections, facts beside labels, tables."""

from __future__ import annotations

from collections.abc import Iterable

from tradewind.cli.draw.markup import Markup, element, joined
from tradewind.cli.draw.pen import Pen
from tradewind.cli.draw.plan_told import Fact

# Whatever a name in the job file holds, a browser runs nothing and asks nobody.
POLICY = "default-src 'none'; style-src 'unsafe-inline'"
LANGUAGES = {"en": "en", "zh": "zh-Hans"}


def document(pen: Pen, title: str, style: str, *parts: Markup) -> str:
    """A whole page that needs nothing else: no script, no font, no picture from anywhere."""
    head = element(
        "head", element("meta", charset="utf-8"), element("meta", name="viewport", content="width=device-width"),
        element("meta", http_equiv="Content-Security-Policy", content=POLICY), element("title", title),
        element("style", Markup(style)),
    )  # fmt: skip
    body = element("body", element("main", *parts))
    return f"<!doctype html>\n{element('html', head, body, lang=LANGUAGES[pen.lang])}\n"


def section(heading: str, *children: Markup | None) -> Markup:
    """Parts under a heading."""
    return element("section", element("h2", heading), *children)


def cards(pen: Pen, told: Iterable[Fact]) -> Markup:
    """Answers told large, side by side."""
    return element("dl", *(
        element("div", element("dt", pen.say(fact.code)), element("dd", fact.told), note(fact.beside), note(fact.more),
                class_=fact.tone or None)
        for fact in told
    ), class_="verdict")  # fmt: skip


def facts(pen: Pen, told: Iterable[Fact]) -> Markup:
    """Facts beside their labels."""
    rows = (
        joined(element("dt", pen.say(fact.code)), element("dd", " · ".join(filter(None, (fact.told, fact.beside)))),
               note(fact.more))
        for fact in told
    )  # fmt: skip
    return element("dl", *rows)


def note(told: str) -> Markup | None:
    """A small line below a fact; none where there is nothing to tell."""
    return element("dd", told, class_="note") if told else None


def pairs(told: Iterable[tuple[str, str]]) -> Markup:
    """Labels, each beside what there is to tell."""
    return element("dl", *(joined(element("dt", label), element("dd", fact)) for label, fact in told))


def table(pen: Pen, heads: Iterable[str], rows: Iterable[Markup], kind: str | None = None) -> Markup:
    """Rows under the headings of these codes."""
    titles = element("tr", *(element("th", pen.say(code), scope="col") for code in heads))
    whole = element("table", element("thead", titles), element("tbody", *rows), class_=kind)
    return element("div", whole, class_="wide")
