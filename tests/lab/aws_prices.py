"""What AWS tells of machines and prices: EC2's describe calls and the Price List, for accounts of two partitions."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from typing import Any

from lab import aws_model
from lab.stub import Heard, Objection, Reply, Stub

# Attributes of AmazonEC2 that GetProducts is filtered by (DescribeServices lists them).
_ATTRIBUTES = {
    "instanceType", "regionCode", "operatingSystem", "tenancy", "preInstalledSw", "capacitystatus", "marketoption",
}  # fmt: skip


@dataclass
class Aws:
    """The data, in pages of ``page_size``. ``answer`` is what a stub answers by, ``stub`` makes one.

    ``denied`` are operations that the account may not call.
    """

    zones: dict[str, dict[str, str]]
    machines: list[dict[str, Any]] = field(default_factory=list)
    products: list[dict[str, Any]] = field(default_factory=list)
    spot: list[dict[str, Any]] = field(default_factory=list)
    page_size: int = 100
    denied: set[str] = field(default_factory=set)
    clock: Any = None

    def stub(self) -> Stub:
        """A server that checks each request's signature, time and parameters."""
        made = Stub(self.answer, self._objected)
        self.clock = made.now
        return made

    def answer(self, heard: Heard) -> Reply:
        service, operation, asked = aws_model.read(heard)
        if reason := aws_model.check_signature(heard, self.clock()):
            return self._turned_away(service, reason)
        if operation in self.denied:
            code = "AccessDeniedException" if service == "pricing" else "UnauthorizedOperation"
            return aws_model.refused(service, code, "You are not authorized to perform this operation.", 403)
        told: dict[str, Callable[[dict[str, Any], str], dict[str, Any]]] = {
            "DescribeRegions": self._regions,
            "DescribeAvailabilityZones": self._zones,
            "DescribeInstanceTypes": self._types,
            "DescribeSpotPriceHistory": self._spot_prices,
            "GetProducts": lambda asked, _: self.price_list(asked),
        }
        if operation not in told:
            raise Objection(f"{operation} is not played here")
        return aws_model.written(service, operation, told[operation](asked, _region_of(heard)))

    @staticmethod
    def _turned_away(service: str, reason: str) -> Reply:
        if reason == "signature":
            code = "InvalidSignatureException" if service == "pricing" else "AuthFailure"
            return aws_model.refused(service, code, "The request signature we calculated does not match", 403)
        if service == "pricing":
            return aws_model.refused(service, "InvalidSignatureException", "Signature expired: it is too old")
        return aws_model.refused(service, "RequestExpired", "Request has expired.")

    @staticmethod
    def _objected(heard: Heard, words: str) -> Reply:
        service = "pricing" if "x-amz-target" in heard.headers else "ec2"
        return aws_model.refused(service, "InvalidParameterValue", words.replace("<", "(").replace(">", ")"))

    def _regions(self, asked: dict[str, Any], _: str) -> dict[str, Any]:
        return {"Regions": [{"RegionName": each, "OptInStatus": "opt-in-not-required"} for each in self.zones]}

    def _zones(self, asked: dict[str, Any], region: str) -> dict[str, Any]:
        rows = [{"ZoneName": name, "ZoneId": zone, "RegionName": region} for name, zone in self.zones[region].items()]
        return {"AvailabilityZones": rows}

    def _types(self, asked: dict[str, Any], region: str) -> dict[str, Any]:
        return self._page("InstanceTypes", _wanted(self.machines, asked), asked)

    def _spot_prices(self, asked: dict[str, Any], region: str) -> dict[str, Any]:
        """Points since the start, and of each place the one that held then; the newest first."""
        start: datetime = asked.get("StartTime", datetime.min.replace(tzinfo=UTC))
        here = [row for row in self.spot if row["AvailabilityZone"] in self.zones[region]]
        kept = [row for row in _wanted(here, asked) if row["Timestamp"] >= start or _held(row, here, start)]
        return self._page("SpotPriceHistory", sorted(kept, key=lambda row: row["Timestamp"], reverse=True), asked)

    def price_list(self, asked: dict[str, Any]) -> dict[str, Any]:
        """What GetProducts answers."""
        if asked["ServiceCode"] != "AmazonEC2" or asked.get("FormatVersion", "aws_v1") != "aws_v1":
            raise Objection("ServiceCode, FormatVersion")
        wanted = {each["Field"]: each["Value"] for each in asked.get("Filters", [])}
        if unknown := set(wanted) - _ATTRIBUTES:
            raise Objection(f"no such attributes: {unknown}")
        rows = [
            json.dumps(product)
            for product in self.products
            if all(product["product"]["attributes"].get(name) == value for name, value in wanted.items())
        ]
        return {"FormatVersion": "aws_v1", **self._page("PriceList", rows, asked)}

    def _page(self, name: str, rows: list[Any], asked: dict[str, Any]) -> dict[str, Any]:
        start = int(asked.get("NextToken", "token-0").removeprefix("token-"))
        end = start + min(self.page_size, asked.get("MaxResults", 100))
        return {name: rows[start:end], **({"NextToken": f"token-{end}"} if end < len(rows) else {})}


def _region_of(heard: Heard) -> str:
    return heard.headers["authorization"].split("/")[2]


def _wanted(rows: list[dict[str, Any]], asked: dict[str, Any]) -> list[dict[str, Any]]:
    types = asked.get("InstanceTypes")
    patterns = [value for each in asked.get("Filters", []) for value in each["Values"]]
    return [
        row
        for row in rows
        if (types is None or row["InstanceType"] in types)
        and (not patterns or any(fnmatchcase(row["InstanceType"], pattern) for pattern in patterns))
    ]


def _held(row: dict[str, Any], rows: list[dict[str, Any]], start: datetime) -> bool:
    place = (row["InstanceType"], row["AvailabilityZone"])
    before = [
        each["Timestamp"]
        for each in rows
        if (each["InstanceType"], each["AvailabilityZone"]) == place and each["Timestamp"] < start
    ]
    return bool(before) and row["Timestamp"] == max(before)


def product(
    machine: str, region: str, per_hour: str, terms: Mapping[str, tuple[str, str]] | None = None, currency: str = "USD"
) -> dict[str, Any]:
    """A product as the Price List words it, with its on-demand price.

    ``terms`` are reservations: ``{"1yr standard All Upfront": (paid once, paid for an hour)}``.
    """
    sku = f"SKU{machine}{region}".upper()
    attributes = {
        "instanceType": machine, "regionCode": region, "operatingSystem": "Linux", "tenancy": "Shared",
        "preInstalledSw": "NA", "capacitystatus": "Used", "marketoption": "OnDemand",
        "servicecode": "AmazonEC2", "gpu": "8", "instanceFamily": "GPU instance",
    }  # fmt: skip
    reserved = {
        f"{sku}.{n}": _term(f"{sku}.{n}", currency, words, *paid)
        for n, (words, paid) in enumerate((terms or {}).items())
    }
    return {
        "product": {"productFamily": "Compute Instance", "attributes": attributes, "sku": sku},
        "serviceCode": "AmazonEC2",
        "terms": {
            "OnDemand": {f"{sku}.JRTCKXETXF": _term(f"{sku}.JRTCKXETXF", currency, "", "0", per_hour)},
            **({"Reserved": reserved} if reserved else {}),
        },
        "version": "20261119000000",
        "publicationDate": "2026-11-19T00:00:00Z",
    }


def _term(code: str, currency: str, words: str, once: str, per_hour: str) -> dict[str, Any]:
    length, kind, paid = words.split(" ", 2) if words else ("", "", "")
    hourly = {"unit": "Hrs", "pricePerUnit": {currency: per_hour}, "description": f"{per_hour} per hour"}
    upfront = {"unit": "Quantity", "pricePerUnit": {currency: once}, "description": "Upfront Fee"}
    return {
        "offerTermCode": code.partition(".")[2],
        "effectiveDate": "2026-11-01T00:00:00Z",
        "priceDimensions": {f"{code}.6YS6EN2CT7": hourly, **({f"{code}.2TG2D8R56U": upfront} if once != "0" else {})},
        "termAttributes": (
            {"LeaseContractLength": length, "OfferingClass": kind, "PurchaseOption": paid} if words else {}
        ),
    }
