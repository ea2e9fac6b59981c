"""TencentPrices: what CVM sells and at which prices. One answer tells all machines of a region, bought one way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, Literal

from tradewind.clouds.answers import listed, published, read_rows, text
from tradewind.clouds.tencent.cvm import Cvm, default_credential
from tradewind.clouds.tencent.tables import CLOUD, READINGS, accelerated, by_place, to_machine, to_price
from tradewind.domain.market import ListedMachine, ListedPrice, SpotPoint
from tradewind.domain.offer import Purchase
from tradewind.ports.compute import CloudFault
from tradewind.ports.prices import Page

HOME_REGION = "ap-guangzhou"  # asked for what is the same everywhere
Site = Literal["china", "international"]
# CVM tells no currency: the site at which the account was opened has one, and a host.
SITES: dict[Site, tuple[str, str | None]] = {
    "china": ("CNY", None),
    "international": ("USD", "https://cvm.intl.tencentcloudapi.com"),
}


def connect(site: Site = "china", endpoint: str | None = None) -> TencentPrices:
    """The interfaces of the account whose credentials the SDK finds. ``endpoint`` replaces the site's own.

    Raises:
        CloudFault: ``auth``: there are no credentials.
    """
    currency, host = SITES[site]
    return TencentPrices(Cvm(default_credential(), endpoint or host), currency, lambda: datetime.now(UTC))


class TencentPrices:
    """The port :class:`tradewind.ports.prices.Prices`. A part is one answer, so there are no cursors."""

    name = CLOUD
    calls_per_second = 5.0

    def __init__(self, cvm: Cvm, currency: str, now: Callable[[], datetime]) -> None:
        self._cvm = cvm
        self._currency = currency
        self._now = now

    def parts(self) -> tuple[str, ...]:
        """Each region × purchase; machines come with their prices."""
        answer = self._cvm.ask(HOME_REGION, "DescribeRegions", {})
        with published("DescribeRegions"):
            names = sorted(text(region, "Region") for region in listed(answer, "RegionSet"))
        if not names:
            raise CloudFault("auth", "CVM lists no regions: these credentials may not see them", sent="yes")
        return tuple(f"{name}/{purchase}" for name in names for purchase in READINGS)

    def page(self, part: str, cursor: str | None) -> Page:
        """All machines of the region with their prices, in each zone or, where the zones agree, in the region."""
        region, _, bought = part.rpartition("/")
        purchase = Purchase(bought)
        answer = self._cvm.ask(region, "DescribeZoneInstanceConfigInfos", {
            "Filters": [{"Name": "instance-charge-type", "Values": [READINGS[purchase][0]]}],
        })  # fmt: skip
        as_of = self._now().date().isoformat()

        def read(row: Any) -> Iterator[tuple[ListedMachine, ListedPrice]]:
            if accelerated(row):
                yield to_machine(row), to_price(row, region, purchase, self._currency, as_of)

        with published("DescribeZoneInstanceConfigInfos"):
            rows, skipped = read_rows(listed(answer, "InstanceTypeQuotaSet"), read, _name)
        machines = {machine.instance_type: machine for machine, _ in rows}
        return Page(tuple(machines.values()), by_place(each for _, each in rows), None, skipped)

    def spot_history(self, region: str, instance_types: Sequence[str], since: datetime) -> Iterator[SpotPoint]:
        """Nothing: Tencent Cloud tells spot prices of now only."""
        return iter(())


def _name(row: Any) -> str:
    return f"{row.get('InstanceType')} in {row.get('Zone')}" if isinstance(row, dict) else repr(row)
