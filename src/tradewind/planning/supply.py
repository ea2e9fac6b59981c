"""Supply: offers in the shape in which they are searched: by kind of machine, prices as floats. Made once, asked often.

A kind is one machine type bought one way. What depends on the kind alone (fits, most wishes) is judged once for it;
what depends on the place, once for the place; only prices are gone through one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from tradewind.domain.gpus import data_sheet
from tradewind.domain.offer import Offer, PriceStatus, Purchase, spread

PLANNED = frozenset({Purchase.ON_DEMAND, Purchase.SPOT})  # the others are bound to a term or a booked window

# What makes an offer unusable for anyone, in the order in which it is counted.
HARD = ("purchase", "no-gpu", "gpu-unknown", "no-data-sheet", "price-unknown", "price-expired", "rate-unknown")


class Place(NamedTuple):
    """Where offers are, and what holds for all that are there."""

    cloud: str
    region: str
    country: str | None
    carbon_g_per_kwh: float | None


class Row(NamedTuple):
    """An offer with a price: the upper end of what it may be now, an hour, in its currency; its place by number.

    ``name`` tells apart offers that are alike in everything that counts, so that their order never matters. What is
    free has no ``currency``.
    """

    offer: Offer
    name: tuple[str, ...]
    place: int
    upper: float
    currency: str | None


@dataclass(slots=True, eq=False)
class Kind:
    """Offers of one machine type, bought one way; ``sample`` is any of them.

    ``hard``: why none of them can be used; otherwise ``unpriced`` and ``expired`` of them cannot.
    """

    sample: Offer
    hard: str | None
    spot: bool
    power_kw: float | None  # of all its GPUs by design
    rows: list[Row] = field(default_factory=list)
    count: int = 0
    unpriced: int = 0
    expired: int = 0


class Supply:
    """Offers by kind.

    Args:
        left_out: offers that were not even made, counted by why: a code of :data:`HARD`.
    """

    def __init__(self, offers: Iterable[Offer], left_out: Mapping[str, int] | None = None) -> None:
        self.left_out = dict(left_out or {})
        self.currencies: set[str] = set()
        kinds: dict[tuple[object, ...], Kind] = {}
        places: dict[Place, int] = {}
        for offer in offers:
            key = (
                offer.cloud, offer.instance_type, offer.purchase, offer.gpu, offer.form, offer.gpu_known, offer.gpus,
                offer.gpu_memory_gib, offer.cpus, offer.network_gbps, offer.arch,
            )  # fmt: skip
            kind = kinds.get(key)
            if kind is None:
                spot = offer.purchase is Purchase.SPOT
                kind = kinds[key] = Kind(offer, _hard(offer), spot, _power_kw(offer))
            kind.count += 1
            if offer.price_per_hour is not None:
                self.currencies.add(offer.price_per_hour.currency)
            if kind.hard:
                continue
            price = offer.price_per_hour
            if not offer.free and (price is None or offer.price_status is PriceStatus.UNKNOWN):
                kind.unpriced += 1
            elif offer.price_status is PriceStatus.EXPIRED:
                kind.expired += 1
            else:
                place = Place(offer.cloud, offer.region, offer.country, offer.carbon_g_per_kwh)
                number = places.setdefault(place, len(places))
                upper = float(price.amount) * _RISE[offer.price_status, kind.spot] if price else 0.0
                name = (offer.cloud, offer.region, offer.zone or "", offer.instance_type, offer.purchase)
                kind.rows.append(Row(offer, name, number, upper, price.currency if price else None))
        # On demand first: what saves a deadline is known before the spot machines that rely on it are looked at.
        self.kinds = tuple(sorted(kinds.values(), key=lambda kind: kind.spot))
        self.places = tuple(places)

    def offers_of(self, cloud: str, instance_type: str) -> Iterable[Offer]:
        """The offers of one machine type whose price can be planned with."""
        for kind in self.kinds:
            if (kind.sample.cloud, kind.sample.instance_type) == (cloud, instance_type):
                yield from (row.offer for row in kind.rows)


_RISE = {
    (status, purchase is Purchase.SPOT): float(spread(status, purchase)[1])
    for status in PriceStatus for purchase in PLANNED
}  # fmt: skip


def _hard(offer: Offer) -> str | None:
    sheet = data_sheet(offer.gpu) if offer.gpu_known else None
    checks = {
        "purchase": offer.purchase not in PLANNED,
        "no-gpu": offer.gpus <= 0,
        "gpu-unknown": not offer.gpu_known,
        "no-data-sheet": sheet is None,
    }
    return next((code for code, broken in checks.items() if broken), None)


def _power_kw(offer: Offer) -> float | None:
    sheet = data_sheet(offer.gpu, offer.form) or data_sheet(offer.gpu)
    return None if sheet is None or sheet.tdp_w is None else float(offer.gpus) * sheet.tdp_w / 1000
