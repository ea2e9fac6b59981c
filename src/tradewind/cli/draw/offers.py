"""Offers: one line each, and the pieces of an offer that other drawings name. Plain text, quick to start."""

from __future__ import annotations

from typing import Any

from tradewind.cli.draw.figures import UNKNOWN, count, money, number
from tradewind.cli.draw.pen import Column, Pen, aligned

Offer = dict[str, Any]
SHOWN = 30  # a screen; nobody reads a thousand lines
_COLUMNS = (
    Column("col-offer"), Column("col-place"), Column("col-gpu"), Column("col-memory", right=True, drop=4),
    Column("col-cpus", right=True, drop=5), Column("col-purchase", drop=1), Column("col-price-hour", right=True),
    Column("col-price-gpu-hour", right=True, drop=3), Column("col-listed", drop=2),
)  # fmt: skip


def offers(pen: Pen, found: list[Offer], most: int | None = None) -> str:
    """The table of the first ``most`` offers and how many more there are, or what to do when there is none."""
    if not found:
        return pen.say("no-offers")
    shown = found[: SHOWN if most is None else most]
    more = len(found) - len(shown)
    told = aligned(pen, _COLUMNS, [_row(pen, offer) for offer in shown])
    return told + ("\n\n" + pen.say("more-offers", count=count(more)) if more else "")


def _row(pen: Pen, offer: Offer) -> list[str]:
    return [
        f"{offer['cloud']} {offer['instance_type']}", offer["zone"] or offer["region"], gpus(offer),
        f"{number(offer['gpu_memory_gib'])} GiB", count(offer["cpus"]), purchase(pen, offer),
        money(offer["price_per_hour"]), money(offer["price_per_gpu_hour"]), listed(pen, offer),
    ]  # fmt: skip


def gpus(offer: Offer) -> str:
    """``8 × A100-80GB SXM``."""
    form = offer.get("form")
    return f"{count(offer['gpus'])} × {offer['gpu']}" + (f" {form}" if form else "")


def purchase(pen: Pen, offer: Offer) -> str:
    """How the offer is bought."""
    return pen.say(f"purchase-{offer['purchase']}")


def listed(pen: Pen, offer: Offer) -> str:
    """The price's date and how far it can be believed."""
    return pen.say(f"status-{offer['price_status']}", as_of=offer["as_of"] or UNKNOWN)


def place(offer: Offer) -> str:
    """``cn-beijing-h (Beijing, CN)``."""
    where = ", ".join(part for part in (offer.get("city"), offer.get("country")) if part)
    return f"{offer['zone'] or offer['region']}" + (f" ({where})" if where else "")


def named(offer: Offer) -> str:
    """``alibaba ecs.gn7i-c8g1.2xlarge cn-beijing-h``: enough to tell offers apart."""
    return f"{offer['cloud']} {offer['instance_type']} {offer['zone'] or offer['region']}"
