"""TencentPrices: what CVM sells and at which prices. One answer lists all machines of a region, bought one way.

What it lists without a price is asked for, machine after machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, Literal

from tradewind.clouds.answers import Odd, listed, named, published, read_rows, text
from tradewind.clouds.tencent import inquiry
from tradewind.clouds.tencent.cvm import Cvm, default_credential
from tradewind.clouds.tencent.tables import CLOUD, READINGS, accelerated, by_place, to_machine, to_price, unpriced
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
    """The port :class:`tradewind.ports.prices.Prices`. A cursor is the zone and type to ask for by itself."""

    name = CLOUD
    calls_per_second = 5.0

    def __init__(self, cvm: Cvm, currency: str, now: Callable[[], datetime]) -> None:
        self._cvm = cvm
        self._currency = currency
        self._now = now
        self._unpriced: dict[str, tuple[str, ...]] = {}
        self._images: dict[str, str] = {}

    def parts(self) -> tuple[str, ...]:
        """Each region × purchase; machines come with their prices."""
        answer = self._cvm.ask(HOME_REGION, "DescribeRegions", {})
        with published("DescribeRegions"):
            names = sorted(text(region, "Region") for region in listed(answer, "RegionSet"))
        if not names:
            raise CloudFault("auth", "CVM lists no regions: these credentials may not see them", sent="yes")
        return tuple(f"{name}/{purchase}" for name in names for purchase in READINGS)

    def page(self, part: str, cursor: str | None) -> Page:
        """All machines of the region with the prices that the list tells; then those that it leaves out, one each."""
        region, _, bought = part.rpartition("/")
        if cursor is None:
            return self._listed(part, region, Purchase(bought))
        if part not in self._unpriced:  # this process goes on where another one was
            self._listed(part, region, Purchase(bought))
        following = next((each for each in self._unpriced[part] if each > cursor), None)
        return self._asked(region, Purchase(bought), cursor, following)

    def spot_history(self, region: str, instance_types: Sequence[str], since: datetime) -> Iterator[SpotPoint]:
        """Nothing: Tencent Cloud tells spot prices of now only."""
        return iter(())

    def _listed(self, part: str, region: str, purchase: Purchase) -> Page:
        """In each zone or, where the zones agree, in the region."""
        answer = self._cvm.ask(region, "DescribeZoneInstanceConfigInfos", {
            "Filters": [{"Name": "instance-charge-type", "Values": [READINGS[purchase][0]]}],
        })  # fmt: skip
        as_of = self._now().date().isoformat()

        def read(row: Any) -> Iterator[tuple[ListedMachine, ListedPrice | str]]:
            if accelerated(row):
                place = f"{text(row, 'Zone')}/{text(row, 'InstanceType')}"
                costs = place if unpriced(row, purchase) else to_price(row, region, purchase, self._currency, as_of)
                yield to_machine(row), costs

        with published("DescribeZoneInstanceConfigInfos"):
            rows, skipped = read_rows(listed(answer, "InstanceTypeQuotaSet"), read, _name)
        machines = {machine.instance_type: machine for machine, _ in rows}
        without = sorted({costs for _, costs in rows if isinstance(costs, str)})
        prices = (costs for _, costs in rows if isinstance(costs, ListedPrice))
        self._unpriced[part] = tuple(without[: inquiry.MOST])
        return Page(
            tuple(machines.values()), by_place(prices, {place.partition("/")[2] for place in without}),
            next(iter(without), None), (*skipped, *(f"{place}: no price" for place in without[inquiry.MOST :])),
        )  # fmt: skip

    def _asked(self, region: str, purchase: Purchase, place: str, following: str | None) -> Page:
        """The price of one machine in one zone. Who may not ask is told so once, and keeps what the list told."""
        try:
            return Page((), (self._price(region, purchase, *place.split("/", 1)),), following)
        except Odd as odd:
            return Page((), (), following, (f"{place}: {odd}",))
        except CloudFault as fault:
            if fault.words.startswith("UnauthorizedOperation"):
                return Page((), (), None, (f"{place} and what comes after it: {fault.words}",))
            if not fault.words.startswith(inquiry.NOT_SOLD):
                raise
            return Page((), (), following, (f"{place}: {fault.words}",))

    def _price(self, region: str, purchase: Purchase, zone: str, instance_type: str) -> ListedPrice:
        question = inquiry.to_question(zone, instance_type, purchase, self._image(region))
        answer = self._cvm.ask(region, inquiry.OPERATION, question)
        with published(inquiry.OPERATION):
            told = named(answer, "Price", "InstancePrice")
        as_of = self._now().date().isoformat()
        return inquiry.to_price(told, region, zone, instance_type, purchase, self._currency, as_of)

    def _image(self, region: str) -> str:
        if region not in self._images:
            answer = self._cvm.ask(region, "DescribeImages", inquiry.image_question())
            with published("DescribeImages"):
                images = listed(answer, "ImageSet")
            self._images[region] = inquiry.image_of(images)
        return self._images[region]


def _name(row: Any) -> str:
    return f"{row.get('InstanceType')} in {row.get('Zone')}" if isinstance(row, dict) else repr(row)
