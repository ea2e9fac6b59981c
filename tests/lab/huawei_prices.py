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
# What the models do not know: which fields of a product must be there (the operation's page).
REQUIRED = {"id", "cloud_service_type", "resource_type", "resource_spec", "region", "usage_factor", "usage_value",
            "usage_measure_id", "subscription_num"}  # fmt: skip
_PLAIN: dict[str, type | tuple[type, ...]] = {
    "str": str,
    "int": int,
    "float": (int, float),
    "bool": bool,
    "decimal.Decimal": (int, float),
}


@dataclass
class Huawei:
    """An account's view. ``prices``: (region, flavour) → list price of an hour; what is not in it BSS does not rate."""

    flavors: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    prices: dict[tuple[str, str], float] = field(default_factory=dict)
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
                if heard.headers.get("x-domain-id") != DOMAIN:
                    raise Objection("no account is named")
                return self._rated(json.loads(heard.body))
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

    def _rated(self, asked: dict[str, Any]) -> Reply:
        check("huaweicloudsdkbss.v2", "RateOnDemandReq", asked)
        products = asked["product_infos"]
        for product in products:
            if missing := REQUIRED - set(product):
                raise Objection(f"missing {missing}")
            if PROJECTS[product["region"]] != asked["project_id"]:
                raise Objection("the project is not of the region")
        if len({product["id"] for product in products}) < len(products):
            raise Objection("an id twice")
        prices = {each["id"]: self._price(each["region"], each["resource_spec"]) for each in products}
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

    def _price(self, region: str, spec: str) -> float | None:
        flavor, _, system = spec.rpartition(".")
        if system not in ("linux", "win"):
            raise Objection(f"{spec} names no system")
        return self.prices.get((region, flavor))


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
