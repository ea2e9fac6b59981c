"""ECS of Alibaba Cloud, as far as machines and prices go; requests and answers are checked by what it publishes."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from lab.alibaba_spec import check_answer, check_request
from lab.signatures import acs3
from lab.stub import Heard, Objection, Reply

# The words that some parameters allow, which the description leaves out (API pages).
WORDS = {
    "PriceUnit": {"Hour", "Day", "Week", "Month", "Year"},
    "ResourceType": {"instance", "disk", "bandwidth", "ddh"},
    "DestinationResource": {"Zone", "IoOptimized", "InstanceType", "Network", "SystemDisk", "DataDisk"},
    "InstanceChargeType": {"PostPaid", "PrePaid"}, "NetworkType": {"vpc", "classic"}, "OSType": {"linux", "windows"},
    "IoOptimized": {"optimized", "none"}, "Category": {"cloud_essd", "cloud_ssd", "cloud_efficiency", "cloud_auto"},
}  # fmt: skip


@dataclass
class Ecs:
    """An account's view. ``prices``: (region, type, unit) → (list price, price paid) of the machine, in CNY."""

    machines: list[dict[str, Any]]
    zones: dict[str, dict[str, list[str]]]
    prices: dict[tuple[str, str, str], tuple[float, float]] = field(default_factory=dict)
    spot: list[dict[str, Any]] = field(default_factory=list)
    page_size: int = 500
    ahead: timedelta = timedelta(0)

    def answer(self, heard: Heard) -> Reply:
        if not acs3(heard):
            return refusal(400, "SignatureDoesNotMatch", "Specified signature is not matched with our calculation.")
        signed_at = datetime.fromisoformat(heard.headers["x-acs-date"])
        if abs(datetime.now(UTC) + self.ahead - signed_at) > timedelta(minutes=15):
            return refusal(400, "InvalidTimeStamp.Expired", "Specified time stamp or date value is expired.")
        action = heard.headers["x-acs-action"]
        check_request(heard.headers["x-acs-version"], action, heard.query, {})
        _check_words(heard.query)
        answering: dict[str, Callable[[dict[str, str]], dict[str, Any] | Reply]] = {
            "DescribeRegions": self._regions, "DescribeInstanceTypes": self._types,
            "DescribeAvailableResource": self._available, "DescribePrice": self._price,
            "DescribeSpotPriceHistory": self._history,
        }  # fmt: skip
        told = answering[action](heard.query)
        return told if isinstance(told, Reply) else Reply(body=json.dumps(check_answer("ecs", action, told)).encode())

    def _regions(self, _: dict[str, str]) -> dict[str, Any]:
        rows = [
            {"RegionId": name, "RegionEndpoint": f"ecs.{name}.aliyuncs.com", "LocalName": name} for name in self.zones
        ]
        return {"Regions": {"Region": rows}}

    def _types(self, query: dict[str, str]) -> dict[str, Any]:
        start, size = int(query.get("NextToken", 0)), min(self.page_size, int(query["MaxResults"]))
        more = start + size < len(self.machines)
        token = {"NextToken": str(start + size)} if more else {"NextToken": ""}
        return {"InstanceTypes": {"InstanceType": self.machines[start : start + size]}, **token}

    def _available(self, query: dict[str, str]) -> dict[str, Any]:
        zones = [
            {"RegionId": query["RegionId"], "ZoneId": zone, "Status": "Available", "AvailableResources": {
                "AvailableResource": [{"Type": "InstanceType", "SupportedResources": {"SupportedResource": [
                    {"Value": name, "Status": "Available", "StatusCategory": "WithStock"} for name in types
                ]}}],
            }}
            for zone, types in self.zones[query["RegionId"]].items()
        ]  # fmt: skip
        return {"AvailableZones": {"AvailableZone": zones}}

    def _price(self, query: dict[str, str]) -> dict[str, Any] | Reply:
        asked = query["RegionId"], query["InstanceType"], query["PriceUnit"]
        if asked not in self.prices:
            return refusal(403, "InvalidInstanceType.ValueNotSupported", "The type is not supported here.")
        listed, paid = self.prices[asked]
        saved = listed - paid
        disk = 0.05  # an hour of the system disk, which the sums hold too
        details = [
            {"Resource": "systemDisk", "OriginalPrice": disk, "TradePrice": disk, "DiscountPrice": 0.0},
            {"Resource": "instanceType", "OriginalPrice": listed, "TradePrice": paid, "DiscountPrice": saved},
        ]
        return {"PriceInfo": {"Price": {
            "Currency": "CNY", "OriginalPrice": listed + disk, "TradePrice": paid + disk, "DiscountPrice": saved,
            "DetailInfos": {"DetailInfo": details},
        }}}  # fmt: skip

    def _history(self, query: dict[str, str]) -> dict[str, Any]:
        start = query.get("StartTime", "")
        rows = [row for row in self.spot if row["InstanceType"] == query["InstanceType"] and row["Timestamp"] >= start]
        offset = int(query.get("Offset", 0))
        more = {"NextOffset": offset + 2} if offset + 2 < len(rows) else {"NextOffset": 0}
        return {"Currency": "CNY", "SpotPrices": {"SpotPriceType": rows[offset : offset + 2]}, **more}


def refusal(status: int, code: str, words: str, **headers: str) -> Reply:
    """An error as ECS words it."""
    body = {"Code": code, "Message": words, "RequestId": "473469C7", "HostId": "ecs.aliyuncs.com"}
    return Reply(status, json.dumps(body).encode(), headers)


def _check_words(query: dict[str, str]) -> None:
    """Object to words that a parameter does not know."""
    for name, value in query.items():
        if value not in WORDS.get(name.rpartition(".")[2], {value}):
            raise Objection(f"{name}={value} is no word that it knows")


def machine(
    name: str, gpu: str, gpus: int, memory: float, cpus: int, ram: float, kbps: int, **other: Any
) -> dict[str, Any]:
    """An element of DescribeInstanceTypes."""
    family = name.partition("-")[0]
    return {
        "InstanceTypeId": name, "InstanceTypeFamily": family, "GPUSpec": gpu,
        "GPUAmount": gpus, "GPUMemorySize": memory, "CpuCoreCount": cpus, "MemorySize": ram, "CpuArchitecture": "X86",
        "InstanceBandwidthRx": kbps, "InstanceBandwidthTx": kbps, "EriQuantity": 0, "LocalStorageCategory": "", **other,
    }  # fmt: skip
