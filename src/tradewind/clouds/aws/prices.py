"""What AWS sells and at which prices: the Price List, instance types and spot prices of each region of the account.

Credentials, profile and endpoints are the SDK's own: its default chain, its environment and its configuration files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import cache
from typing import Any

from tradewind.clouds.answers import answered_at, filled, listed, next_cursor, pick, published, read_rows, text
from tradewind.clouds.aws import tables
from tradewind.clouds.aws.client import Api
from tradewind.domain.market import SpotPoint
from tradewind.ports.prices import Page, Prices

_LINUX = ["Linux/UNIX"]
_TYPES = [{"Name": "instance-type", "Values": list(tables.GPU_FAMILIES)}]
_HEADERS = ("ResponseMetadata", "HTTPHeaders")


def connect() -> Prices:
    """The account that the SDK's default chain finds.

    Raises:
        ModuleNotFoundError: boto3 is not installed.
    """
    import boto3  # noqa: F401 that it is there; the SDK is used late

    return AwsPrices(Api())


class AwsPrices:
    """The Prices port by boto3. Each region has three parts: machines, prices, spot."""

    name = "aws"
    calls_per_second = 5.0  # a describe bucket refills by 20 a second (EC2 API throttling); GetProducts publishes none

    def __init__(self, api: Api) -> None:
        self._api = api
        self._ask = api.ask
        self._zones = cache(self._ask_zones)

    def parts(self) -> tuple[str, ...]:
        """Three for each region that the account has turned on."""
        answer = self._ask("ec2", self._api.home, "describe_regions")
        with published("DescribeRegions"):
            regions = sorted(text(each, "RegionName") for each in listed(answer, "Regions"))
        return tuple(f"{region}/{kind}" for region in regions for kind in ("machines", "prices", "spot"))

    def page(self, part: str, cursor: str | None) -> Page:
        """One page. Before the first spot page of a region its zones are asked, once."""
        region, _, kind = part.partition("/")
        pages: dict[str, Callable[[str, str | None], Page]] = {
            "machines": self._machines, "prices": self._prices, "spot": self._spot,
        }  # fmt: skip
        return pages[kind](region, cursor)

    def spot_history(self, region: str, instance_types: Sequence[str], since: datetime) -> Iterator[SpotPoint]:
        """Spot prices of 90 days at most; points that cannot be read are left out."""
        cursor: str | None = None
        while True:
            points, _, cursor = self._spot_page(region, cursor, StartTime=since, InstanceTypes=list(instance_types))
            yield from points
            if cursor is None:
                return

    def _machines(self, region: str, cursor: str | None) -> Page:
        answer = self._ask("ec2", region, "describe_instance_types", Filters=_TYPES, MaxResults=100, NextToken=cursor)
        with published("DescribeInstanceTypes"):
            rows = listed(answer, "InstanceTypes")
            machines, odd = read_rows(rows, tables.to_machine, lambda row: str(row.get("InstanceType")))
            return Page(machines, (), next_cursor(cursor, answer.get("NextToken")), odd)

    def _prices(self, region: str, cursor: str | None) -> Page:
        wanted = {"regionCode": region, "tenancy": "Shared", **tables.PLAIN_LINUX}
        answer = self._ask(
            "pricing", tables.PRICE_LIST_AT[self._api.partition], "get_products", ServiceCode="AmazonEC2",
            Filters=[{"Type": "TERM_MATCH", "Field": field, "Value": value} for field, value in wanted.items()],
            FormatVersion="aws_v1", MaxResults=100, NextToken=cursor,
        )  # fmt: skip
        with published("GetProducts"):
            day = answered_at(pick(answer, *_HEADERS)).date().isoformat()
            rows = filled(listed(answer, "PriceList"), cursor)
            prices, odd = read_rows(rows, lambda row: tables.to_prices(row, region, day), tables.name_of)
            return Page((), prices, next_cursor(cursor, answer.get("NextToken")), odd)

    def _spot(self, region: str, cursor: str | None) -> Page:
        """The prices that hold now; the cursor carries since when was asked, as a token goes with its question."""
        began, _, token = (cursor or self._zones(region)[1]).partition(" ")
        at = datetime.fromisoformat(began)
        points, odd, following = self._spot_page(region, token or None, StartTime=at, Filters=_TYPES)
        latest = {(each.instance_type, each.zone): each for each in sorted(points, key=lambda each: each.at)}
        prices = tuple(tables.to_spot_price(each, at.date().isoformat()) for each in latest.values())
        return Page((), prices, f"{began} {following}" if following else None, odd)

    def _spot_page(
        self, region: str, token: str | None, **question: Any
    ) -> tuple[tuple[SpotPoint, ...], tuple[str, ...], str | None]:
        zones, _ = self._zones(region)
        answer = self._ask(
            "ec2", region, "describe_spot_price_history", ProductDescriptions=_LINUX, MaxResults=1000, NextToken=token,
            **question,
        )  # fmt: skip
        with published("DescribeSpotPriceHistory"):
            points, odd = read_rows(
                listed(answer, "SpotPriceHistory"),
                lambda row: [tables.to_spot(row, region, zones)],
                lambda row: f"{row.get('InstanceType')} in {row.get('AvailabilityZone')}",
            )
            return points, odd, next_cursor(token, answer.get("NextToken"))

    def _ask_zones(self, region: str) -> tuple[dict[str, str], str]:
        """Zone ids by the account's names for them, and the instant of the answer by the cloud's clock."""
        answer = self._ask("ec2", region, "describe_availability_zones")
        with published("DescribeAvailabilityZones"):
            zones = {text(each, "ZoneName"): text(each, "ZoneId") for each in listed(answer, "AvailabilityZones")}
            return zones, answered_at(pick(answer, *_HEADERS)).isoformat()
