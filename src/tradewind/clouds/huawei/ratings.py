"""What is asked of BSS and what it answers, by the way of buying. Pure.

Prices are the list prices of Huawei's site, before the discounts of the account, which BSS tells apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tradewind.clouds.answers import Odd, amount, listed, price, text
from tradewind.clouds.huawei.tables import CLOUD
from tradewind.domain.market import ListedPrice
from tradewind.domain.offer import Purchase

HOUR, MONTH, YEAR = 4, 2, 3  # BSS numbers for units of time
YUAN = 1  # and of money: of the site's currency, whichever it is
_FIELD = "official_website_amount"


@dataclass(frozen=True, slots=True)
class Rating:
    """How one way of buying is rated.

    Attributes:
        way: the word for it in a flavour's ``cond:operation:charge``.
        within: where in the answer the rated products lie.
        hours: those that the price is spread over.
    """

    operation: str
    path: str
    way: str
    terms: dict[str, Any]
    within: tuple[str, ...]
    hours: int


_BY_USE = "/v2/bills/ratings/on-demand-resources"
_BY_PERIOD = "/v2/bills/ratings/period-resources/subscribe-rate"
_USED = {"usage_factor": "Duration", "usage_value": 1, "usage_measure_id": HOUR}
_RATED = ("product_rating_results",)
_LISTED = ("official_website_rating_result", *_RATED)

RATINGS = {
    Purchase.ON_DEMAND: Rating("ListOnDemandResourceRatings", _BY_USE, "demand", _USED, _RATED, 1),
    Purchase.SUBSCRIPTION_MONTH: Rating(
        "ListRateOnPeriodDetail", _BY_PERIOD, "period", {"period_type": MONTH, "period_num": 1}, _LISTED, 730),
    Purchase.SUBSCRIPTION_YEAR: Rating(
        "ListRateOnPeriodDetail", _BY_PERIOD, "period", {"period_type": YEAR, "period_num": 1}, _LISTED, 8760),
}  # fmt: skip


def to_question(purchase: Purchase, project: str, region: str, flavors: tuple[str, ...]) -> dict[str, Any]:
    """The body that asks for an hour, a month or a year of each flavour under Linux."""
    rating = RATINGS[purchase]
    products = [
        {"id": flavor, "cloud_service_type": "hws.service.type.ec2", "resource_type": "hws.resource.type.vm",
         "resource_spec": f"{flavor}.linux", "region": region, "subscription_num": 1, **rating.terms}
        for flavor in flavors
    ]  # fmt: skip
    exact = {"inquiry_precision": 1} if rating.path == _BY_USE else {}
    return {"project_id": project, "product_infos": products, **exact}


def rated(answer: Any, purchase: Purchase) -> list[Any]:
    """The products that an answer rates.

    Raises:
        Odd: they are not where they are published to be.
    """
    return listed(answer, *RATINGS[purchase].within)


def to_price(result: Any, region: str, purchase: Purchase, currency: str, as_of: str) -> ListedPrice:
    """One rated product as the price of a flavour for an hour.

    Raises:
        Odd: it has none, or in a unit that is not published.
    """
    rating = RATINGS[purchase]
    if amount(result, "measure_id") != YUAN:
        raise Odd(f"measure_id is {result['measure_id']}")
    return ListedPrice(
        cloud=CLOUD, region=region, zone=None, instance_type=text(result, "id"), purchase=purchase,
        payment="all upfront" if rating.hours > 1 else None, currency=currency,
        price_per_hour=price(amount(result, _FIELD) / rating.hours), as_of=as_of,
        source=f"BSS v2 {rating.operation}, {_FIELD}",
    )  # fmt: skip
