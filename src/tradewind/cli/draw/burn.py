"""What is being spent an hour, by currency. Two currencies are never added, and what is not known is not zero."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from tradewind.cli.draw.figures import moneys
from tradewind.cli.draw.pen import Pen
from tradewind.cli.draw.strokes import DIM, HEAD, gap

Lease = dict[str, Any]
PAID = ("PENDING", "RUNNING", "SUSPECT", "UNKNOWN", "RELEASING")  # these may cost money, as far as anybody knows
UNSURE = ("UNKNOWN", "SUSPECT")
OWN = ("local", "machines")  # without a price nobody is paid


def burn(pen: Pen, leases: list[Lease], complete: bool) -> tuple[RenderableType, ...]:
    """The sum an hour; how much of it is for leases that may not be there; what is in no sum, and why."""
    paid = [each for each in leases if each["state"] in PAID and not each["paid_to"]]
    real = [each for each in paid if not each["rehearsal"]]
    unpriced = [each for each in real if not each["price_per_hour"] and not free(each)]
    rehearsed = len(paid) - len(real)
    sums, unsure = an_hour(real), an_hour([each for each in real if each["state"] in UNSURE])
    code = "burn" if complete else "burn-at-least"
    lines: list[RenderableType] = [gap()]
    if sums:
        lines.append(Text(pen.say(code, money=moneys(sums), unsure=moneys(unsure) if unsure else ""), HEAD))
    elif not unpriced:
        lines.append(Text(pen.say("burn-nothing" if complete else "burn-nothing-known"), HEAD))
    if unpriced:
        lines.append(Text(pen.say("burn-unpriced", count=len(unpriced)), DIM))
    if rehearsed:
        lines.append(Text(pen.say("burn-rehearsed", count=rehearsed), DIM))
    return tuple(lines)


def free(lease: Lease) -> bool:
    """Whether it costs nothing: what is one's own, and a network that is no more than rules about who gets in."""
    return lease["cloud"] in OWN or (lease["kind"], lease["instance_type"]) == ("network", "default")


def an_hour(leases: list[Lease]) -> list[dict[str, str]]:
    """The prices an hour, one Money a currency."""
    sums: dict[str, Decimal] = {}
    for price in (each["price_per_hour"] for each in leases if each["price_per_hour"]):
        sums[price["currency"]] = sums.get(price["currency"], Decimal(0)) + Decimal(price["amount"])
    return [{"amount": str(amount), "currency": currency} for currency, amount in sorted(sums.items())]
