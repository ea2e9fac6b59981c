"""Prices of disks and of traffic out of a cloud, where a source was read; what is from memory answers nothing."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache

from tradewind.catalog.snapshot import Snapshot
from tradewind.domain.money import Money
from tradewind.domain.plan import Tariff

# One cloud names its SSD disks apart by region in the source: the balanced disk, or the dearer pd-ssd.
_SSD = ("block_ssd", "block_ssd_pd_ssd")


def storage_tariff(snapshot: Snapshot, cloud: str, region: str) -> Tariff | None:
    """The price of one GB of SSD block storage for a month in exactly this region; None when it is not sourced."""
    return next((found for kind in _SSD if (found := _all(snapshot).get((cloud, kind, region)))), None)


def egress_tariff(snapshot: Snapshot, cloud: str, region: str | None) -> Tariff | None:
    """The price of one GB sent to the internet in the first tier that costs anything; None when it is not sourced.

    Tiers that are free up to some amount a month are not counted on: other work of the account may have used them.
    ``region`` None: it is not known; that of a region of which the price is sourced.
    """
    return _of(snapshot, cloud, "egress_internet_per_gb", region)


def between_tariff(snapshot: Snapshot, cloud: str, region: str | None) -> Tariff | None:
    """The price of one GB sent to another region of the cloud; otherwise as :func:`egress_tariff`."""
    return _of(snapshot, cloud, "egress_inter_region_per_gb", region)


def _of(snapshot: Snapshot, cloud: str, kind: str, region: str | None) -> Tariff | None:
    known = _all(snapshot)
    if region is not None:
        return known.get((cloud, kind, region))
    listed = sorted(key for key in known if key[:2] == (cloud, kind))
    return known[listed[0]] if listed else None


@lru_cache(maxsize=2)
def _all(snapshot: Snapshot) -> Mapping[tuple[str, str, str], Tariff]:
    """By cloud, kind and region: the first tier that costs anything. There are few, and a plan asks for nearly all."""
    rows = snapshot.rows(
        "SELECT cloud, region, kind, unit, price, currency, as_of, source FROM tariff "
        "WHERE trust = 'listed' AND CAST(price AS REAL) > 0 ORDER BY tier DESC"
    )
    return {
        (cloud, kind, region): Tariff(kind, unit, Money(Decimal(price), currency), as_of, source)
        for cloud, region, kind, unit, price, currency, as_of, source in rows
    }
