"""AlibabaPrices: what ECS sells and at which prices. Machines first, then each region's prices, type after type."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from tradewind.clouds.alibaba.client import HOME_REGION, Api
from tradewind.clouds.alibaba.tables import CLOUD, PERIODS, newest, to_machines, to_points, to_price
from tradewind.clouds.answers import Odd, amount, listed, next_cursor, pick, published, read_rows, text
from tradewind.domain.market import SpotPoint
from tradewind.domain.offer import Purchase
from tradewind.ports.compute import CloudFault
from tradewind.ports.prices import Page

MACHINES = "machines"
PURCHASES = (*PERIODS, Purchase.SPOT)
HISTORY = timedelta(days=30)  # how far back DescribeSpotPriceHistory reaches
# What ECS answers for a type that it lists and does not sell in this place or this way: a row to skip, not a fault.
NOT_SOLD = ("InvalidInstanceType", "InvalidSystemDiskCategory", "InvalidResourceType", "InvalidSpot", "Zone.NotOnSale",
            "OperationDenied", "PriceNotFound", "InstanceType.Offline")  # fmt: skip


def connect(endpoint: str | None = None) -> AlibabaPrices:
    """The interfaces of the account whose credentials the SDK finds. ``endpoint`` replaces every region's own.

    Raises:
        CloudFault: ``auth``: there are no credentials.
    """
    api = Api({"ecs": endpoint} if endpoint else {}, _now)
    _ = api.credential
    return AlibabaPrices(api, _now)


def _now() -> datetime:
    return datetime.now(UTC)


class AlibabaPrices:
    """The port :class:`tradewind.ports.prices.Prices`. Its cursors name what comes next: a page's token, or a type."""

    name = CLOUD
    calls_per_second = 5.0

    def __init__(self, api: Api, now: Callable[[], datetime]) -> None:
        self._api = api
        self._now = now
        self._accelerated: frozenset[str] | None = None
        self._sold: dict[str, tuple[str, ...]] = {}

    def parts(self) -> tuple[str, ...]:
        """The machines, then each region × purchase."""
        answer = self._api.ask("ecs", HOME_REGION, "DescribeRegions")
        with published("DescribeRegions"):
            regions = _visible(listed(answer, "Regions", "Region"), "regions")
            names = sorted(text(region, "RegionId") for region in regions)
        return (MACHINES, *(f"{name}/{purchase}" for name in names for purchase in PURCHASES))

    def page(self, part: str, cursor: str | None) -> Page:
        """One page of machines, or the price of one type; the first page of prices only finds out which types."""
        if part == MACHINES:
            return self._machines(cursor)
        region, _, purchase = part.rpartition("/")
        types = self._sold_in(region)
        if cursor is None:
            return Page((), (), types[0] if types else None)
        following = next((name for name in types if name > cursor), None)
        return self._price(region, cursor, Purchase(purchase), following)

    def spot_history(self, region: str, instance_types: Sequence[str], since: datetime) -> Iterator[SpotPoint]:
        """Points of each type in turn, 30 days back at most."""
        start = max(since, self._now() - HISTORY + timedelta(minutes=1))
        for instance_type in instance_types:
            for point in self._points(region, instance_type, StartTime=start.strftime("%Y-%m-%dT%H:%M:%SZ")):
                if point.at >= since:
                    yield point

    def _machines(self, cursor: str | None) -> Page:
        further = {"NextToken": cursor} if cursor else {}
        answer = self._api.ask("ecs", HOME_REGION, "DescribeInstanceTypes", MaxResults="500", **further)
        with published("DescribeInstanceTypes"):
            rows = listed(answer, "InstanceTypes", "InstanceType")
            if cursor is None:
                _visible(rows, "instance types")
            machines, skipped = read_rows(rows, to_machines, _name)
            token = answer.get("NextToken")
            return Page(machines, (), next_cursor(cursor, str(token) if token else None), skipped)

    def _sold_in(self, region: str) -> tuple[str, ...]:
        """The accelerated types that any zone of a region has, in order."""
        if region not in self._sold:
            answer = self._api.ask(
                "ecs", region, "DescribeAvailableResource", RegionId=region, DestinationResource="InstanceType",
                InstanceChargeType="PostPaid",
            )  # fmt: skip
            with published("DescribeAvailableResource"):
                names = {
                    text(resource, "Value")
                    for zone in _visible(listed(answer, "AvailableZones", "AvailableZone"), f"zones of {region}")
                    for kind in listed(zone, "AvailableResources", "AvailableResource")
                    for resource in listed(kind, "SupportedResources", "SupportedResource")
                }
            self._sold[region] = tuple(sorted(names & self._accelerated_types()))
        return self._sold[region]

    def _accelerated_types(self) -> frozenset[str]:
        if self._accelerated is None:
            page = self._machines(None)
            names = {machine.instance_type for machine in page.machines}
            while page.cursor is not None:
                page = self._machines(page.cursor)
                names |= {machine.instance_type for machine in page.machines}
            self._accelerated = frozenset(names)
        return self._accelerated

    def _price(self, region: str, instance_type: str, purchase: Purchase, following: str | None) -> Page:
        as_of = self._now().date().isoformat()
        try:
            if purchase is Purchase.SPOT:
                return Page((), newest(self._points(region, instance_type), as_of), following)
            answer = self._api.ask(
                "ecs", region, "DescribePrice", RegionId=region, ResourceType="instance", InstanceType=instance_type,
                PriceUnit=PERIODS[purchase][0], Period="1", Amount="1",
                **{"SystemDisk.Category": "cloud_essd", "SystemDisk.Size": "40"},
            )  # fmt: skip
            with published("DescribePrice"):
                pick(answer, "PriceInfo", "Price", "DetailInfos")
            return Page((), (to_price(answer, region, instance_type, purchase, as_of),), following)
        except Odd as odd:
            return Page((), (), following, (f"{instance_type}: {odd}",))
        except CloudFault as fault:
            if not (fault.code or "").startswith(NOT_SOLD):
                raise
            return Page((), (), following, (f"{instance_type}: {fault.words}",))

    def _points(self, region: str, instance_type: str, **since: str) -> Iterator[SpotPoint]:
        """What the history of one type tells, however many answers it takes; without ``StartTime`` the last 3 hours."""
        offset: int | None = 0
        while offset is not None:
            answer = self._api.ask(
                "ecs", region, "DescribeSpotPriceHistory", RegionId=region, InstanceType=instance_type,
                NetworkType="vpc", OSType="linux", IoOptimized="optimized", Offset=str(offset), **since,
            )  # fmt: skip
            with published("DescribeSpotPriceHistory"):
                points = tuple(to_points(answer, region))
                following = int(amount(answer, "NextOffset")) if answer.get("NextOffset") else 0
            yield from points
            offset = following if following > offset else None


def _name(row: Any) -> str:
    return str(row.get("InstanceTypeId")) if isinstance(row, dict) else repr(row)


def _visible(rows: list[Any], what: str) -> list[Any]:
    """``rows``; none at all is what ECS answers to whom it lets see nothing.

    Raises:
        CloudFault: ``auth``: there is none.
    """
    if not rows:
        raise CloudFault("auth", f"ECS lists no {what}: these credentials may not see them", sent="yes")
    return rows
