"""CVM of Tencent Cloud, as far as machines and prices go; requests and answers are checked by the SDK's own models."""

from __future__ import annotations

import json
import re
import warnings
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from tencentcloud.cvm.v20170312 import models

from lab.signatures import tc3
from lab.stub import Heard, Objection, Reply

VERSION = "2017-03-12"
PERIODS = {*range(1, 13), 24, 36, 48, 60}  # months
IMAGE_FILTERS = {"image-id", "image-type", "image-name", "platform", "tag-key", "tag-value"}
IMAGES = [("img-win", "Windows", "x86_64"), ("img-arm", "Ubuntu", "arm"), ("img-lin", "Ubuntu", "x86_64")]
FILTERS = {
    "zone",
    "instance-family",
    "instance-type",
    "instance-charge-type",
    "sort-keys",
}  # as the operation's page says
CHARGES = {"PREPAID", "POSTPAID_BY_HOUR", "CDHPAID", "SPOTPAID", "CDCPAID"}
_PLAIN: dict[str, type | tuple[type, ...]] = {"str": str, "int": int, "float": (int, float), "bool": bool}


@dataclass
class Cvm:
    """An account's view: region → rows of DescribeZoneInstanceConfigInfos.

    ``launches``: (zone, machine, charge type and months) → what InquiryPriceRunInstances tells of it; ``images`` are
    those of every region: id, platform, architecture. ``denied`` are operations that it has no right to.
    """

    rows: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    launches: dict[tuple[str, str, str], dict[str, Any]] = field(default_factory=dict)
    images: list[tuple[str, str, str]] = field(default_factory=lambda: list(IMAGES))
    denied: set[str] = field(default_factory=set)
    ahead: timedelta = timedelta(0)

    def answer(self, heard: Heard) -> Reply:
        if not tc3(heard, "cvm"):
            return refusal("AuthFailure.SignatureFailure", "The provided credentials could not be validated.")
        signed_at = datetime.fromtimestamp(int(heard.headers["x-tc-timestamp"]), UTC)
        if abs(datetime.now(UTC) + self.ahead - signed_at) > timedelta(minutes=5):
            return refusal("AuthFailure.SignatureExpire", "The signature has expired.")
        action, asked = heard.headers["x-tc-action"], json.loads(heard.body)
        if heard.headers["x-tc-version"] != VERSION:
            raise Objection(f"no version {heard.headers['x-tc-version']}")
        check(f"{action}Request", asked)
        if action in self.denied:
            return refusal("UnauthorizedOperation", f"You are not authorized to perform cvm:{action}.")
        told = self._told(action, heard.headers["x-tc-region"], asked)
        if told is None:
            return refusal("ResourceInsufficient.SpecifiedInstanceType", "The specified instance type is sold out.")
        told["RequestId"] = "8c1a1b3e"
        check(f"{action}Response", told)
        return Reply(body=json.dumps({"Response": told}).encode())

    def _told(self, action: str, region: str, asked: dict[str, Any]) -> dict[str, Any] | None:
        match action:
            case "DescribeRegions":
                return self._regions()
            case "DescribeZoneInstanceConfigInfos":
                return self._infos(region, asked)
            case "DescribeImages":
                return self._images(asked)
            case "InquiryPriceRunInstances":
                return self._inquiry(region, asked)
        raise Objection(f"no operation {action}")

    def _images(self, asked: dict[str, Any]) -> dict[str, Any]:
        wanted = {each["Name"]: each["Values"] for each in asked.get("Filters", [])}
        if not set(wanted) <= IMAGE_FILTERS or not 0 < asked.get("Limit", 20) <= 100:
            raise Objection(f"no filters {set(wanted) - IMAGE_FILTERS}, or a wrong limit")
        rows = [
            {"ImageId": id_, "ImageType": "PUBLIC_IMAGE", "Platform": platform, "Architecture": architecture,
             "ImageState": "NORMAL", "OsName": f"{platform} {architecture}"}
            for id_, platform, architecture in self.images
            if platform in wanted.get("platform", [platform]) and "PUBLIC_IMAGE" in wanted["image-type"]
        ]  # fmt: skip
        return {"TotalCount": len(rows), "ImageSet": rows}

    def _inquiry(self, region: str, asked: dict[str, Any]) -> dict[str, Any] | None:
        """As the operation's page says: without a launch template, zone and image are required; a term for PREPAID."""
        charge, zone = asked.get("InstanceChargeType", "POSTPAID_BY_HOUR"), asked["Placement"]["Zone"]
        if asked["ImageId"] not in {id_ for id_, *_ in self.images} or not zone.startswith(region):
            raise Objection("no such image or zone here")
        if charge == "PREPAID":
            months = asked["InstanceChargePrepaid"]["Period"]
            if months not in PERIODS:
                raise Objection(f"no period of {months} months")
            charge = f"PREPAID {months}"
        elif charge not in CHARGES or "InstanceChargePrepaid" in asked:
            raise Objection(f"a term for {charge}")
        if asked.get("SystemDisk", {}).get("DiskSize", 50) < 20 or asked.get("InstanceCount", 1) != 1:
            raise Objection("a disk that no image fits on, or several machines")
        told = self.launches.get((zone, asked["InstanceType"], charge))
        nothing = {"UnitPrice": 0.0, "UnitPriceDiscount": 0.0, "ChargeUnit": "GB"}
        return None if told is None else {"Price": {"InstancePrice": told, "BandwidthPrice": nothing}}

    def _regions(self) -> dict[str, Any]:
        regions = [{"Region": name, "RegionName": name, "RegionState": "AVAILABLE"} for name in self.rows]
        return {"TotalCount": len(regions), "RegionSet": regions}

    def _infos(self, region: str, asked: dict[str, Any]) -> dict[str, Any]:
        for each in asked.get("Filters", []):
            if each["Name"] not in FILTERS:
                raise Objection(f"no filter {each['Name']}")
        charges = {value for each in asked.get("Filters", []) for value in each["Values"]}
        if not charges <= CHARGES:
            raise Objection(f"no charge type {charges - CHARGES}")
        return {"InstanceTypeQuotaSet": [row for row in self.rows[region] if row["InstanceChargeType"] in charges]}


def refusal(code: str, words: str) -> Reply:
    """An error as CVM words it: under HTTP 200."""
    body = {"Response": {"Error": {"Code": code, "Message": words}, "RequestId": "8c1a1b3e"}}
    return Reply(body=json.dumps(body).encode())


def check(name: str, told: dict[str, Any]) -> None:
    """Object to what the model ``name`` does not know, and to values of another type."""
    model = getattr(models, name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            model()._deserialize(told)
        except (Warning, TypeError, AttributeError) as odd:
            raise Objection(f"{name}: {odd}") from odd
    kinds = dict(re.findall(r":type (\w+): (.+)", model.__init__.__doc__ or ""))
    for key, value in told.items():
        _check_value(f"{name}.{key}", kinds[key], value)


def _check_value(where: str, kind: str, value: Any) -> None:
    if kind.startswith("list of "):
        if not isinstance(value, list):
            raise Objection(f"{where} is no list")
        for each in value:
            _check_value(where, kind.removeprefix("list of "), each)
    elif kind in _PLAIN:
        if value is not None and not isinstance(value, _PLAIN[kind]):
            raise Objection(f"{where} is {type(value).__name__}, not {kind}")
    elif value is not None:
        check(kind.rpartition(".")[2].rstrip("`"), value)


def hourly(machine: str, gpus: float, cpus: int, ram: int, gbps: float, price: float, **other: Any) -> dict[str, Any]:
    """A row on demand; ``Charge`` of ``other`` is another way to pay, ``Price`` another price."""
    charge = other.pop("Charge", "POSTPAID_BY_HOUR")
    told = {"UnitPrice": price, "UnitPriceDiscount": price, "ChargeUnit": "HOUR", "Discount": 100.0}
    return {
        "Zone": "ap-guangzhou-3", "InstanceType": machine, "InstanceChargeType": charge, "NetworkCard": 25, "Cpu": cpus,
        "Memory": ram, "InstanceFamily": machine.partition(".")[0], "TypeName": "GPU", "Status": "SELL", "Price": told,
        "InstanceBandwidth": gbps, "Gpu": int(gpus), "GpuCount": gpus, "StatusCategory": "EnoughStock", **other,
    }  # fmt: skip
