"""Prices of disks and of traffic out of a cloud, where a source was read; what is from memory answers nothing."""

from __future__ import annotations

from decimal import Decimal

from tradewind.catalog.snapshot import Snapshot
from tradewind.domain.money import Money
from tradewind.domain.plan import Tariff

# One cloud names its SSD disks apart by region in the source: the balanced disk, or the dearer pd-ssd.
_SSD = ("block_ssd", "block_ssd_pd_ssd")


def storage_tariff(snapshot: Snapshot, cloud: str, region: str) -> Tariff | None:
    """The price of one GB of SSD block storage for a month in exactly this region; None when it is not sourced."""
    for kind in _SSD:
        if found := _tariff(snapshot, cloud, region, kind):
            return found
    return None


def egress_tariff(snapshot: Snapshot, cloud: str, region: str) -> Tariff | None:
    """The price of one GB sent to the internet in the first tier that costs anything; None when it is not sourced.

    Tiers that are free up to some amount a month are not counted on: other work of the account may have used them.
    """
    return _tariff(snapshot, cloud, region, "egress_internet_per_gb")


def _tariff(snapshot: Snapshot, cloud: str, region: str, kind: str) -> Tariff | None:
    rows = snapshot.rows(
        "SELECT kind, unit, price, currency, as_of, source FROM tariff WHERE cloud = ? AND kind = ? AND region = ? "
        "AND trust = 'listed' AND CAST(price AS REAL) > 0 ORDER BY tier LIMIT 1",
        (cloud, kind, region),
    )
    for name, unit, price, currency, as_of, source in rows:
        return Tariff(name, unit, Money(Decimal(price), currency), as_of, source)
    return None
