"""What AWS asks for an hour of a machine now: the spot market's price, or the price list's."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from tradewind.clouds.answers import answered_at, listed, pick, published, read_rows
from tradewind.clouds.aws import tables
from tradewind.clouds.aws.client import Api
from tradewind.domain.money import Money
from tradewind.domain.offer import Purchase
from tradewind.ports.compute import Order


def spot(api: Api, order: Order, zones: Mapping[str, str], now: datetime) -> Money | None:
    """The price in its zone, or without one the region's lowest. ``zones``: zone ids by the account's names for them.

    Asked since now, EC2 tells of each zone the price that holds.
    """
    rows = list(api.rows(
        order.region, "describe_spot_price_history", "SpotPriceHistory", InstanceTypes=[order.instance_type],
        ProductDescriptions=["Linux/UNIX"], StartTime=now,
    ))  # fmt: skip
    with published("DescribeSpotPriceHistory"):
        points, _ = read_rows(
            rows, lambda row: [tables.to_spot(row, order.region, zones)], lambda row: str(row.get("AvailabilityZone"))
        )
    latest = {each.zone: each for each in sorted(points, key=lambda each: each.at)}
    asked = [each for each in latest.values() if order.zone in (None, each.zone)]
    return min((Money(each.price_per_hour, each.currency) for each in asked), default=None)


def on_demand(api: Api, order: Order) -> Money | None:
    """What the price list says of its type in its region."""
    wanted = {
        **tables.PLAIN_LINUX, "regionCode": order.region, "instanceType": order.instance_type,
        "tenancy": "Dedicated" if order.dedicated else "Shared",
    }  # fmt: skip
    answer = api.ask(
        "pricing", tables.PRICE_LIST_AT[api.partition], "get_products", ServiceCode="AmazonEC2",
        Filters=[{"Type": "TERM_MATCH", "Field": field, "Value": value} for field, value in wanted.items()],
        FormatVersion="aws_v1", MaxResults=100,
    )  # fmt: skip
    with published("GetProducts"):
        day = answered_at(pick(answer, "ResponseMetadata", "HTTPHeaders")).date().isoformat()
        prices, _ = read_rows(
            listed(answer, "PriceList"),
            lambda row: tables.to_prices(row, order.region, day, order.instance_type),
            tables.name_of,
        )
    told = (Money(each.price_per_hour, each.currency) for each in prices if each.purchase is Purchase.ON_DEMAND)
    return next(told, None)
