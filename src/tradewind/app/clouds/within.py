"""Which offers a paid plan may take: those of places where one may rent, at the prices that were asked live.

Offers beside them are counted by why: ``not-configured``, ``price-not-told`` (asked, no answer, and the listed price is
old), ``price-not-asked`` (there was no time left to ask).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date

from tradewind.app.clouds.discovery import Places
from tradewind.app.machines.offers import CLOUD as MACHINES
from tradewind.domain.money import Money
from tradewind.domain.offer import Offer, PriceStatus

Key = tuple[str, str, str | None, str, str]


def key_of(offer: Offer) -> Key:
    """What tells an offer apart from all others."""
    return offer.cloud, offer.region, offer.zone, offer.instance_type, offer.purchase.value


@dataclass(frozen=True, slots=True)
class Within:
    """The bounds of a paid plan.

    Attributes:
        live: what was asked, and an hour's price as it was answered on ``day``; None: it was not told.
        asked_only: offers of clouds that were not asked are left out.
    """

    places: Places
    day: date
    live: tuple[tuple[Key, Money | None], ...] = ()
    asked_only: bool = False

    def narrowed(self, offers: Iterable[Offer]) -> tuple[list[Offer], Counter[str]]:
        """The offers that may be taken, as they are now, and how many others there were by why."""
        live, kept, left_out = dict(self.live), list[Offer](), Counter[str]()
        for offer in offers:
            found = self._now(offer, live)
            if isinstance(found, str):
                left_out[found] += 1
            else:
                kept.append(found)
        return kept, left_out

    def _now(self, offer: Offer, live: dict[Key, Money | None]) -> Offer | str:
        """The offer as it is now, or why it cannot be taken. Machines are rented one a job: ``stock`` says so."""
        if offer.cloud == MACHINES:
            return offer
        if (offer.cloud, offer.region) not in self.places:
            return "not-configured"
        one, key = replace(offer, stock=1), key_of(offer)
        if key not in live:
            return "price-not-asked" if self.asked_only else one
        price = live[key]
        if price is None:
            return "price-not-told" if offer.price_status is PriceStatus.OLD else one
        return replace(
            one, price_per_hour=price, price_status=PriceStatus.FRESH, as_of=self.day.isoformat(), source=offer.cloud
        )
