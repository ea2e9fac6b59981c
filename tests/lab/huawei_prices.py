"""IAM, ECS and BSS of Huawei Cloud, as far as machines and prices go; checked by the SDK packages' own models."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from importlib import import_module
from typing import Any

from lab.signatures import sdk_hmac
from lab.stub import Heard, Objection, Reply

PROJECTS = {"cn-north-4": "0a1b2c3d4e5f60718293a4b5c6d7e8f9", "ap-southeast-3": "1a1b2c3d4e5f60718293a4b5c6d7e8f9"}
DOMAIN = "d78cbac186b744899480f25bd022f468"
# What the models do not know: which fields of a product must be there (the operations' pages), and numbers for units.
REQUIRED = {"id", "cloud_service_type", "resource_type", "resource_spec", "region", "subscription_num"}
BY_USE = REQUIRED | {"usage_factor", "usage_value", "usage_measure_id"}
BY_PERIOD = REQUIRED | {"period_type", "period_num"}
PERIODS = {0: "day", 2: "month", 3: "year", 4: "hour"}
_PLAIN: dict[str, type | tuple[type, ...]] = {
    "str": str,
    "int": int,
    "float": (int, float),
    "bool": bool,
    "decimal.Decimal": (int, float),
}


@dataclass
class Huawei:
    """An account's view. ``prices``: (region, flavour) → list price of an hour; what is not in it BSS does not rate.

    ``periods``: (region, flavour, ``month`` or ``year``) → list price of one.
    """

    flavors: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    prices: dict[tuple[str, str], float] = field(default_factory=dict)
    periods: dict[tuple[str, str, str], float] = field(default_factory=dict)
    currency: str = "CNY"
    page_size: int = 1000
    ahead: timedelta = timedelta(0)

    def answer(self, heard: Heard) -> Reply:
        signed_at = datetime.strptime(heard.headers["x-sdk-date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
        if abs(datetime.now(UTC) + self.ahead - signed_at) > timedelta(minutes=15):
            return refusal(401, "APIGW.0301", "verify aksk signature fail, signature expired")
        if not sdk_hmac(heard):
            return refusal(401, "APIGW.0301", "verify aksk signature fail")
        flavors = re.fullmatch(r"/v1/(\w+)/cloudservers/flavors", heard.path)
        match heard.method, heard.path:
            case "GET", "/v3/auth/projects":
                return _json(self._projects())
            case "GET", _ if flavors:
                return _json(self._flavors(flavors[1], heard))
            case "POST", "/v2/bills/ratings/on-demand-resources":
                return self._by_use(_asked(heard, "RateOnDemandReq", BY_USE))
            case "POST", "/v2/bills/ratings/period-resources/subscribe-rate":
                return self._by_period(_asked(heard, "RateOnPeriodReq", BY_PERIOD))
        raise Objection("no such resource")

    def _projects(self) -> dict[str, Any]:
        names = {**{name: PROJECTS[name] for name in self.flavors}, "MOS": "ffff", "cn-north-4_team": "eeee"}
        rows = [{"id": id_, "name": name, "domain_id": DOMAIN, "enabled": True} for name, id_ in names.items()]
        return {"projects": rows}

    def _flavors(self, project: str, heard: Heard) -> dict[str, Any]:
        query = {name: int(value) if name == "limit" else value for name, value in heard.query.items()}
        check("huaweicloudsdkecs.v2", "ListFlavorsRequest", query)
        region = next((name for name, id_ in PROJECTS.items() if id_ == project), None)
        if region is None or heard.headers.get("x-project-id") != project:
            raise Objection("the path and the header name different projects")
        rows = self.flavors[region]
        start = next((n + 1 for n, row in enumerate(rows) if row["id"] == query.get("marker")), 0)
        told = {"flavors": rows[start : start + min(self.page_size, int(query["limit"]))]}
        check("huaweicloudsdkecs.v2", "ListFlavorsResponse", told)
        return told

    def _by_use(self, products: list[dict[str, Any]]) -> Reply:
        prices = {each["id"]: self.prices.get((each["region"], _flavor(each))) for each in products}
        if None in prices.values():
            return refusal(400, "CBC.6006", "Can not find product.")
        told = {
            "amount": 1.0, "discount_amount": 0.5, "official_website_amount": 1.5, "measure_id": 1,
            "currency": self.currency, "product_rating_results": [
                {"id": id_, "product_id": "00301-1", "amount": price / 2, "discount_amount": price / 2,
                 "official_website_amount": price, "measure_id": 1}
                for id_, price in prices.items() if price is not None
            ],
        }  # fmt: skip
        check("huaweicloudsdkbss.v2", "ListOnDemandResourceRatingsResponse", told)
        return _json(told)

    def _by_period(self, products: list[dict[str, Any]]) -> Reply:
        """The list price, and a discount of the account's that halves it."""
        prices = {
            each["id"]: self.periods.get((each["region"], _flavor(each), PERIODS[each["period_type"]]))
            for each in products
        }
        if None in prices.values():
            return refusal(400, "CBC.6006", "Can not find product.")
        found = {id_: price for id_, price in prices.items() if price is not None}
        told = {
            "currency": self.currency,
            "official_website_rating_result": {
                "official_website_amount": sum(found.values()), "measure_id": 1, "product_rating_results": [
                    {"id": id_, "product_id": "00301-1", "official_website_amount": price, "measure_id": 1}
                    for id_, price in found.items()
                ],
            },
            "optional_discount_rating_results": [{
                "discount_id": "d1", "amount": sum(found.values()) / 2, "discount_type": 605, "best_offer": 1,
                "measure_id": 1, "product_rating_results": [
                    {"id": id_, "product_id": "00301-1", "amount": price / 2, "official_website_amount": price,
                     "discount_amount": price / 2, "measure_id": 1}
                    for id_, price in found.items()
                ],
            }],
        }  # fmt: skip
        check("huaweicloudsdkbss.v2", "ListRateOnPeriodDetailResponse", told)
        return _json(told)


def _asked(heard: Heard, model: str, required: set[str]) -> list[dict[str, Any]]:
    """The products of a question that is as published."""
    if heard.headers.get("x-domain-id") != DOMAIN:
        raise Objection("no account is named")
    asked = json.loads(heard.body)
    check("huaweicloudsdkbss.v2", model, asked)
    products: list[dict[str, Any]] = asked["product_infos"]
    for product in products:
        if missing := required - set(product):
            raise Objection(f"missing {missing}")
        if PROJECTS[product["region"]] != asked["project_id"]:
            raise Objection("the project is not of the region")
        if product.get("period_type", 2) not in PERIODS:
            raise Objection(f"no period {product['period_type']}")
    if len({product["id"] for product in products}) < len(products):
        raise Objection("an id twice")
    return products


def _flavor(product: dict[str, Any]) -> str:
    flavor, _, system = str(product["resource_spec"]).rpartition(".")
    if system not in ("linux", "win"):
        raise Objection(f"{product['resource_spec']} names no system")
    return flavor


def refusal(status: int, code: str, words: str) -> Reply:
    """An error as the gateway words it."""
    return Reply(status, json.dumps({"error_code": code, "error_msg": words, "request_id": "ab"}).encode())


def check(package: str, name: str, told: dict[str, Any]) -> None:
    """Object to what the model ``name`` does not know, and to values of another type."""
    model = getattr(import_module(package), name)  # late: this SDK writes into the home folder when it is imported
    kinds = {model.attribute_map[attribute]: kind for attribute, kind in model.openapi_types.items()}
    for key, value in told.items():
        if key not in kinds:
            raise Objection(f"{name} has no {key}")
        _check_value(package, f"{name}.{key}", kinds[key], value)


def _check_value(package: str, where: str, kind: str, value: Any) -> None:
    of = re.fullmatch(r"list\[(.+)\]", kind)
    if of:
        if not isinstance(value, list):
            raise Objection(f"{where} is no list")
        for each in value:
            _check_value(package, where, of[1], each)
    elif kind in _PLAIN:
        if not isinstance(value, _PLAIN[kind]):
            raise Objection(f"{where} is {type(value).__name__}, not {kind}")
    else:
        check(package, kind, value)


def _json(told: dict[str, Any]) -> Reply:
    return Reply(body=json.dumps(told).encode())


def flavor(name: str, vcpus: int, gib: int, **extra: Any) -> dict[str, Any]:
    """An element of ListFlavors; ``extra`` are its extra specs, with ``__`` for a colon."""
    specs = {key.replace("__", ":"): value for key, value in extra.items()}
    return {
        "id": name, "name": name, "vcpus": str(vcpus), "ram": gib * 1024, "disk": "0",
        "os_extra_specs": {"ecs:performancetype": "gpu", "cond:operation:status": "normal", **specs},
    }  # fmt: skip
