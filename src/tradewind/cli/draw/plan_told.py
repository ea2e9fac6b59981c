"""What is told of one way of a plan, fact by fact, as plain text: terminal, list and page draw the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tradewind.cli.draw.choices import Tip
from tradewind.cli.draw.figures import UNKNOWN, hours, instant, mass, money, money_spread, number, share
from tradewind.cli.draw.offers import free, gpus, listed, place, purchase
from tradewind.cli.draw.pen import Pen
from tradewind.domain.money import Money

Placed = dict[str, Any]
PARTS = ("compute", "preemption", "setup", "storage", "egress")
LIKELY = 0.9  # in time with this probability is good news
FEWEST_LOSSES = 0.1  # fewer are told as less than this
SEEN = 1_000  # a part of a cost is told from this fraction of the whole on


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing about a way.

    Attributes:
        code: of its label.
        told: the fact, as short as it can be.
        beside, more: what belongs to it, on the same line and below; either may be empty.
        tone: ``good``, ``warn``, or empty.
    """

    code: str
    told: str
    beside: str = ""
    more: str = ""
    tone: str = ""

    def whole(self) -> str:
        """All of it in one line."""
        return " · ".join(filter(None, (self.told, self.beside, self.more)))


def facts_of(pen: Pen, placed: Placed) -> Iterator[Fact]:
    """Where, when, for how much, how sure; then how."""
    offer = placed["offer"]
    name = machines(pen, offer, placed["nodes"])
    yield Fact("fact-where", name, f"{purchase(pen, offer)} · {place(offer)}", _hardware(pen, offer))
    yield _time(pen, placed)
    yield _cost(pen, placed)
    yield _promise(pen, placed)
    yield Fact("fact-how", _how(pen, placed["fit"]))
    if placed["interruption"]:
        yield Fact("fact-spot", *_life(pen, placed["interruption"]), more=_last_resort(pen, placed))
    if placed["transfer"]:
        yield Fact("fact-transfer", _transfer(pen, placed["transfer"]))
    yield _carbon(pen, placed)


def machines(pen: Pen, offer: dict[str, Any], nodes: int) -> str:
    """``aws p4d.24xlarge``, with their number before it when there are several."""
    name = f"{offer['cloud']} {offer['instance_type']}"
    return name if nodes == 1 else pen.say("machines-of", nodes=nodes, offer=name)


def probability(placed: Placed | None) -> str:
    """``98 %``, never a rounded certainty: how probable it is that the way ends in time; empty without a deadline."""
    chance = placed["on_time_probability"] if placed else None
    if chance is None:
        return ""
    sure = round(chance, 2)
    return f"> {share(0.99)}" if sure == 1 else f"< {share(0.01)}" if sure == 0 else share(chance)


def tip_told(pen: Pen, tip: Tip) -> str:
    """``Worth a look: b costs 5 % more and takes 15 % of the time.``"""
    return pen.say(tip.code, letter=tip.letter, more=share(max(0.01, tip.more)), less=share(max(0.01, tip.less)))


def an_hour(pen: Pen, placed: Placed | None) -> str:
    """What all machines of a way cost an hour."""
    if placed and free(placed["offer"]):
        return pen.say("price-free")
    price = placed and placed["offer"]["price_per_hour"]
    if not placed or not price:
        return UNKNOWN
    return str(Money.from_json(price) * placed["nodes"])


def cost_told(pen: Pen, cost: dict[str, Any] | None, *, ranged: bool = True) -> str:
    """``¥38.20 (29.60–56.80)``; free where it is nothing at all."""
    return pen.say("price-free") if cost and not Decimal(cost["high"]) else money_spread(cost, ranged=ranged)


def sum_told(pen: Pen, cost: dict[str, str] | None) -> str:
    """``¥38.20``; free where it is nothing."""
    return pen.say("price-free") if cost and not Decimal(cost["amount"]) else money(cost)


def takes(pen: Pen, placed: Placed) -> str:
    """``10.3 (6.9–20.2) h · $13.30 (8.05–28.71)``, or the price of an hour where nobody knows how many."""
    if placed["hours"] is None:
        told = an_hour(pen, placed)
        return told if free(placed["offer"]) else pen.say("per-hour", money=told)
    return f"{hours(placed['hours'])} · {cost_told(pen, placed['cost'])}"


def _hardware(pen: Pen, offer: dict[str, Any]) -> str:
    sizes = ((offer["gpu_memory_gib"], "memory-each"), (offer["cpus"], "cpus-of"), (offer["memory_gib"], "ram-of"))
    told = [pen.say(code, value=number(float(value), 0 if value >= 1 else 1)) for value, code in sizes if value]
    return " · ".join([gpus(offer), *told])


def _price(pen: Pen, placed: Placed) -> str:
    offer = placed["offer"]
    if free(offer):
        return listed(pen, offer)
    each = pen.say("price-each") if placed["nodes"] > 1 else ""
    return pen.say("price-listed", price=money(offer["price_per_hour"]), each=each, listed=listed(pen, offer))


def _time(pen: Pen, placed: Placed) -> Fact:
    if placed["hours"] is None:
        return Fact("fact-time", pen.say("time-unknown"), pen.say("time-not-told"), tone="warn")
    done = pen.say("done-by", at=instant(placed["finish_by"], pen.zone)) if placed["finish_by"] else ""
    return Fact("fact-time", hours(placed["hours"]), done)


def _cost(pen: Pen, placed: Placed) -> Fact:
    if placed["cost"] is None:
        return Fact("fact-cost", pen.say("cost-by-hour"), _price(pen, placed), tone="warn")
    parts = " · ".join(_parts(pen, placed))
    return Fact("fact-cost", cost_told(pen, placed["cost"]), _price(pen, placed), parts)


def _parts(pen: Pen, placed: Placed) -> list[str]:
    """The parts that are not too small to be seen beside the whole."""
    whole = Decimal(placed["cost"]["value"])
    parts = [(name, placed["cost_parts"][name]) for name in PARTS]
    seen = [(name, part) for name, part in parts if Decimal(part["amount"]) * SEEN >= whole > 0]
    return [f"{pen.say(f'part-{name}')} {money(part, beside=whole)}" for name, part in seen] if len(seen) > 1 else []


def _promise(pen: Pen, placed: Placed) -> Fact:
    """How probable it is to be in time, how firm that is, and why."""
    kind, why = placed["deadline_guarantee"], pen.reason(placed["guarantee_why"], "promise-")
    if kind == "none":
        return Fact("fact-promise", why, pen.say(f"quota-{placed['quota']}"))
    told = pen.say("promise-of", guarantee=pen.say(f"guarantee-{kind}"), why=why)
    chance = placed["on_time_probability"]
    if chance is None:
        return Fact("fact-promise", told, tone="warn")
    tone = "good" if chance >= LIKELY and kind == "firm" else "warn"
    return Fact("fact-promise", pen.say("in-time", share=probability(placed)), told, tone=tone)


def _how(pen: Pen, fit: dict[str, Any] | None) -> str:
    if fit is None:
        return pen.say("how-by-resources")
    return pen.say(
        "plan-how", strategy=fit["strategy"], micro=fit["micro_batch"], accumulation=fit["grad_accumulation"],
        precision=fit["precision"], checkpointing=pen.say(f"checkpointing-{fit['activation_checkpointing']}"),
    )  # fmt: skip


def _life(pen: Pen, interruption: dict[str, Any]) -> tuple[str, str]:
    source = pen.say(f"life-{interruption['source']}", as_of=interruption["as_of"] or UNKNOWN)
    life = pen.say("spot-life", life=number(interruption["mean_life_hours"]), source=source)
    losses = interruption["losses"]
    told = UNKNOWN if losses is None else number(losses, 1) if losses >= FEWEST_LOSSES else f"< {FEWEST_LOSSES}"
    return pen.say("spot-losses", losses=told), life


def _last_resort(pen: Pen, placed: Placed) -> str:
    """The on-demand machine that saves the deadline, and how much of the work it is expected to do."""
    last = placed["last_resort"]
    if last is None:
        return ""
    part = placed["on_demand_share"]
    return pen.say("spot-saved", offer=machines(pen, last, last["nodes"]), place=last["zone"] or last["region"],
                   share=share(part) if part else "")  # fmt: skip


def _transfer(pen: Pen, transfer: dict[str, Any]) -> str:
    took = {"value": transfer["hours"], "low": transfer["hours"], "high": transfer["hours"]}
    return pen.say("data-from", gb=number(transfer["gb"]), source=transfer["from"], hours=hours(took),
                   money=money(transfer["egress"]) if transfer["egress"] else "")  # fmt: skip


def _carbon(pen: Pen, placed: Placed) -> Fact:
    grid = placed["offer"]["carbon_g_per_kwh"]
    told = pen.say("carbon-none") if placed["carbon_g"] is None else mass(placed["carbon_g"])
    return Fact("fact-carbon", told, "" if grid is None else pen.say("grid-of", grams=number(grid)))
