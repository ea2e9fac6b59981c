"""Refusals seen lately: a pool that was full an hour ago is likely full still, one without quota surely is."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from tradewind.domain.offer import Offer
from tradewind.planning.ask import Refusal

REMEMBERED = timedelta(hours=24)
FULL_WAIT_HOURS = 2.0  # expected until a pool that has just refused can be had: outages last 2.4 h on average in traces


class Refusals:
    """What was refused within the last 24 hours."""

    def __init__(self, refusals: Sequence[Refusal], now: datetime) -> None:
        self._found: dict[tuple[str, str, str, str], list[tuple[str | None, bool, float]]] = {}
        for each in refusals:
            age = max(now - each.at, timedelta())
            if age < REMEMBERED:
                key = (each.cloud, each.region, each.instance_type, each.purchase)
                wait = FULL_WAIT_HOURS * (1 - age / REMEMBERED)
                self._found.setdefault(key, []).append((each.zone, each.kind == "quota", round(wait, 6)))

    def __bool__(self) -> bool:
        return bool(self._found)

    def quota(self, offer: Offer) -> bool:
        """Whether the account has no quota for it; that is the same in every zone."""
        return any(quota for _, quota, _ in self._of(offer))

    def wait_hours(self, offer: Offer) -> float:
        """Hours that the offer is taken to be out for; 0 when it was not refused. They count as if they were paid.

        Falls evenly to nothing in 24 hours; of several refusals the latest counts.
        """
        zones = (None, offer.zone)
        waits = (wait for zone, quota, wait in self._of(offer) if not quota and (zone in zones or offer.zone is None))
        return max(waits, default=0.0)

    def _of(self, offer: Offer) -> list[tuple[str | None, bool, float]]:
        return self._found.get((offer.cloud, offer.region, offer.instance_type, offer.purchase.value), [])
