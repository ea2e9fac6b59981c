"""Guides' set-ups with what became of them, and work that is sized by what its makers state."""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType
from rich.text import Text

from tradewind.cli.draw.figures import count, hours, measured, money, money_spread, number
from tradewind.cli.draw.offers import gpus, named, place
from tradewind.cli.draw.pen import Column, Pen
from tradewind.cli.draw.strokes import DIM, GOOD, WARN, bullets, facts, gap, head, stack, table

Answer = dict[str, Any]
STYLES = {"sensible": GOOD, "unknown": DIM}
_MACHINES = (
    Column("col-machine"), Column("col-gpu"), Column("col-cpus", right=True, drop=1),
    Column("col-ram", right=True, drop=2), Column("col-price-hour", right=True), Column("col-region", drop=3),
)  # fmt: skip


def setup(pen: Pen, told: Answer) -> list[RenderableType]:
    """A guide's set-up: what it is for, whether its machine still makes sense, and the plan that would be made now."""
    machine = told["machine"]
    guided = f"{machine['gpus']} × {machine['gpu']}"
    verdict = pen.say(f"setup-{told['verdict']}", machine=guided, ratio=number(told["ratio"], 1))
    rows: list[tuple[str, str | Text]] = [
        ("fact-about", _own(pen, told, "about")),
        ("fact-guided", guided + _way(told["guided"])),
        ("fact-verdict", Text(verdict, STYLES.get(told["verdict"], WARN))),
    ]
    if _own(pen, told, "note"):
        rows.append(("fact-note", _own(pen, told, "note")))
    if told["plan"]:
        offer = told["plan"]["offer"]
        rows.append(("fact-now", f"{named(offer)} · {gpus(offer)}{_way(told['plan'])}"))
    rows.append(("fact-source", f"{told['source']} ({told['as_of']})"))
    return [gap(), head(pen, "head-setup", told["name"]), facts(pen, rows)]


def _way(placed: Answer | None) -> str:
    return f" · {hours(placed['hours'])} · {money_spread(placed['cost'])}" if placed else ""


def _own(pen: Pen, told: Answer, key: str) -> str:
    """A text of the data in the reader's language."""
    return str(told.get(f"{key}_zh" if pen.lang == "zh" else key) or "")


def stated(pen: Pen, sizing: Answer) -> RenderableType:
    """Needs without a model, each with its source, and the cheapest machines that have all of it."""
    needs = sizing["needs"]
    rows = [("fact-about", _own(pen, needs, "about"))] if needs.get("about") else []
    rows += [(f"need-{line['what']}", _line(pen, needs, line)) for line in needs["lines"]]
    machines = [_machine(pen, offer) for offer in sizing["machines"]]
    return stack(
        head(pen, "head-needs", needs["name"] or ""),
        facts(pen, rows),
        *((gap(), head(pen, "head-cheapest"), table(pen, _MACHINES, machines)) if machines else ()),
        gap(),
        bullets([pen.say("needs-only")]),
    )


def _line(pen: Pen, needs: Answer, line: Answer) -> str:
    value = needs[line["what"]]
    told = f"{needs['gpu'] or 'GPU'} × {value}" if line["what"] == "gpus" else count(value)
    source = pen.say("need-own") if line["source"] == "job-file" else f"{line['source']} ({line['as_of']})"
    return f"{told}  {source}"


def _machine(pen: Pen, offer: Answer) -> list[str | Text]:
    return [f"{offer['cloud']} {offer['instance_type']}", gpus(offer), count(offer["cpus"]),
            measured(offer["memory_gib"], "GiB"), money(offer["price_per_hour"]), place(offer)]  # fmt: skip
