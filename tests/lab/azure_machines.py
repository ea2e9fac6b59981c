"""Azure Resource Manager as far as regions and sizes go: requests by its published operations, answers by their schema.

Source: azure-rest-api-specs, Microsoft.Compute/Skus 2021-07-01 (skus.json, "ResourceSkus_List") and
Microsoft.Resources/subscriptions 2022-12-01 ("Subscriptions_ListLocations"); read 2026-11.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from jsonschema import Draft202012Validator

from lab.stub import Heard, Objection, Reply

SUBSCRIPTION = "0b1f6471-1bf0-4dda-aec3-cb9272f09590"
TOKEN = "a-token-of-the-stub"
LOCATIONS, SKUS = (
    f"/subscriptions/{SUBSCRIPTION}/locations",
    f"/subscriptions/{SUBSCRIPTION}/providers/Microsoft.Compute/skus",
)
_PARAMETERS = {LOCATIONS: {"includeExtendedLocations"}, SKUS: {"$filter", "includeExtendedLocations", "$skiptoken"}}
_VERSIONS = {LOCATIONS: "2022-12-01", SKUS: "2021-07-01"}
_TEXT, _TEXTS = {"type": "string"}, {"type": "array", "items": {"type": "string"}}


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _several(**properties: Any) -> dict[str, Any]:
    return {"type": "array", "items": _object(**properties)}


_CAPABILITIES = _several(name=_TEXT, value=_TEXT)
_SKU = _object(
    resourceType=_TEXT, name=_TEXT, tier=_TEXT, size=_TEXT, family=_TEXT, kind=_TEXT, locations=_TEXTS,
    apiVersions=_TEXTS, capabilities=_CAPABILITIES, costs=_several(meterID=_TEXT, quantity={}, extendedUnit=_TEXT),
    locationInfo=_several(location=_TEXT, zones=_TEXTS, extendedLocations=_TEXTS, type={"enum": ["EdgeZone"]},
                          zoneDetails=_several(name=_TEXTS, capabilities=_CAPABILITIES)),
    restrictions=_several(type={"enum": ["Location", "Zone"]}, values=_TEXTS,
                          restrictionInfo=_object(locations=_TEXTS, zones=_TEXTS),
                          reasonCode={"enum": ["QuotaId", "NotAvailableForSubscription"]}),
)  # fmt: skip
_ANSWER = Draft202012Validator({
    **_object(value={"type": "array", "items": _SKU}, nextLink=_TEXT), "required": ["value"],
})  # fmt: skip


@dataclass
class Arm:
    """What the subscription sees: region → its SKUs. ``groups`` are listed beside the regions and are none."""

    skus: dict[str, list[dict[str, Any]]]
    groups: tuple[str, ...] = ("unitedstates", "eastusstage")
    page_size: int = 1000
    denied: set[str] = field(default_factory=set)

    def answer(self, heard: Heard) -> Reply:
        if heard.method != "GET" or heard.path not in _VERSIONS:
            raise Objection("no such resource")
        if heard.query.get("api-version") != _VERSIONS[heard.path]:
            raise Objection(f"api-version {heard.query.get('api-version')}")
        if unknown := set(heard.query) - _PARAMETERS[heard.path] - {"api-version"}:
            raise Objection(f"unknown parameters {unknown}")
        if heard.headers.get("authorization") != f"Bearer {TOKEN}":
            return error(401, "InvalidAuthenticationToken", "The access token is invalid.")
        if heard.path in self.denied:
            return error(403, "AuthorizationFailed", "The client does not have authorization to perform action.")
        told = self._locations() if heard.path == LOCATIONS else self._skus(heard.query)
        return Reply(body=json.dumps(told).encode())

    def _locations(self) -> dict[str, Any]:
        kinds = {**dict.fromkeys(self.skus, "Physical"), **dict.fromkeys(self.groups, "Logical")}
        return {"value": [
            {"id": f"/subscriptions/{SUBSCRIPTION}/locations/{name}", "type": "Region", "name": name,
             "displayName": name, "metadata": {"regionType": kind, "regionCategory": "Recommended"}}
            for name, kind in kinds.items()
        ]}  # fmt: skip

    def _skus(self, query: dict[str, str]) -> dict[str, Any]:
        wanted = re.fullmatch(r"location eq '(\w+)'", query.get("$filter", ""))
        if not wanted or wanted[1] not in self.skus:
            raise Objection(f"only a location can be filtered by, not {query.get('$filter')!r}")
        rows, start = self.skus[wanted[1]], int(query.get("$skiptoken", "0"))
        end = start + self.page_size
        told: dict[str, Any] = {"value": rows[start:end]}
        if end < len(rows):
            told["nextLink"] = f"https://management.azure.com:443{SKUS}?api-version=2021-07-01&$skiptoken={end}"
        _ANSWER.validate(told)
        return told


def error(status: int, code: str, words: str) -> Reply:
    """An error as Resource Manager words it."""
    return Reply(status, json.dumps({"error": {"code": code, "message": words}}).encode())


def size(name: str, region: str, **capabilities: str) -> dict[str, Any]:
    """A Resource SKU of a virtual machine."""
    return {
        "resourceType": "virtualMachines", "name": name, "tier": "Standard", "size": name.removeprefix("Standard_"),
        "family": "standardFamily", "locations": [region], "restrictions": [],
        "locationInfo": [{"location": region, "zones": ["1", "3"], "zoneDetails": []}],
        "capabilities": [{"name": key, "value": value} for key, value in capabilities.items()],
    }  # fmt: skip
