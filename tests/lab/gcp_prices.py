"""Google's Compute and Cloud Billing APIs by their discovery documents, and the endpoint that gives out tokens.

Requests are checked for path, parameters and token; answers are checked by the documents' schemas before they go out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import googleapiclient
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from google.auth import jwt
from google.auth.exceptions import MalformedError
from jsonschema import Draft202012Validator

from lab.stub import Heard, Objection, Reply, Stub

TOKEN = "ya29.of-the-stub"
_DOCUMENTS = Path(googleapiclient.__file__).parent / "discovery_cache" / "documents"
_NAME_FILTER = re.compile(r'name eq "([^"]+)"')
_DEFAULT_PAGE = 50  # rows a page of this stub has at most, unless a test says otherwise


@cache
def document(api: str) -> dict[str, Any]:
    told: dict[str, Any] = json.loads((_DOCUMENTS / f"{api}.v1.json").read_text(encoding="utf-8"))
    return told


@cache
def _validator(api: str, name: str) -> Draft202012Validator:
    """One schema of a discovery document as JSON Schema: what it does not name is not allowed."""
    definitions = {each: _strict(schema) for each, schema in document(api)["schemas"].items()}
    return Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": definitions})


def _strict(node: Any) -> Any:
    if isinstance(node, list):
        return [_strict(each) for each in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return {"$ref": f"#/$defs/{node['$ref']}"}
    kept = {"type", "properties", "items", "additionalProperties", "enum"}
    made = {key: _strict(value) for key, value in node.items() if key in kept and key != "properties"}
    if made.get("type") == "any":  # the documents' word for no restriction
        del made["type"]
    if "properties" in node:
        made["properties"] = {name: _strict(value) for name, value in node["properties"].items()}
        made.setdefault("additionalProperties", False)
    return made


def checked(api: str, method: dict[str, Any], heard: Heard) -> dict[str, str]:
    """The query of a request for a method.

    Raises:
        Objection: a parameter is unknown, missing or not of its type.
    """
    known = document(api)["parameters"] | method["parameters"]
    for name, value in heard.query.items():
        if name not in known or known[name].get("location") == "path":
            raise Objection(f"unknown parameter {name}")
        if known[name]["type"] == "integer" and not value.isdigit():
            raise Objection(f"{name} is {value!r}")
    return heard.query


def error(status: int, words: str, reason: str, state: str = "") -> Reply:
    """An error as Google's APIs word it."""
    told = {"code": status, "message": words, "errors": [{"message": words, "domain": "global", "reason": reason}]}
    return Reply(status, json.dumps({"error": told | ({"status": state} if state else {})}).encode())


@dataclass
class Gcp:
    """The data. ``denied`` are APIs that the account may not call; ``unreachable`` zones that do not answer."""

    types: dict[str, list[dict[str, Any]]]
    skus: list[dict[str, Any]]
    project: str = "a-project"
    page_size: int = _DEFAULT_PAGE
    denied: set[str] = field(default_factory=set)
    unreachable: list[str] = field(default_factory=list)
    clock: Callable[[], datetime] | None = None

    def __post_init__(self) -> None:
        self._key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self._methods = {
            self._pattern("compute", self._types_method()): ("compute", self._types_method(), self._machine_types),
            self._pattern("cloudbilling", self._skus_method()): ("cloudbilling", self._skus_method(), self._sku_list),
        }

    def stub(self) -> Stub:
        made = Stub(self.answer, lambda _, words: error(400, words, "invalid"))
        self.clock = made.now
        return made

    def key_file(self, url: str) -> dict[str, str]:
        """A service account's key, whose tokens are given out by the stub at ``url``."""
        pem = self._key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        return {
            "type": "service_account", "project_id": self.project, "private_key_id": "key", "private_key": pem.decode(),
            "client_email": f"prices@{self.project}.iam.gserviceaccount.com", "token_uri": f"{url}/token",
        }  # fmt: skip

    def answer(self, heard: Heard) -> Reply:
        if heard.path == "/token":
            return self._token(heard)
        for pattern, (api, method, tell) in self._methods.items():
            if re.fullmatch(pattern, heard.path) and heard.method == method["httpMethod"]:
                query = checked(api, method, heard)
                if heard.headers.get("authorization") != f"Bearer {TOKEN}":
                    return error(401, "Request had invalid authentication credentials.", "authError", "UNAUTHENTICATED")
                if api in self.denied:
                    return error(403, "Permission denied on the project.", "forbidden", "PERMISSION_DENIED")
                body = tell(query)
                _validator(api, method["response"]["$ref"]).validate(body)
                return Reply(body=json.dumps(body).encode())
        raise Objection(f"no method at {heard.path}")

    def _token(self, heard: Heard) -> Reply:
        """A token for a signed claim that is neither too old nor of the future."""
        form = {name: values[0] for name, values in parse_qs(heard.body.decode()).items()}
        if form.get("grant_type") != "urn:ietf:params:oauth:grant-type:jwt-bearer":
            raise Objection("grant_type")
        public = self._key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        try:  # the time is checked below, by the stub's own clock
            claims = jwt.decode(form["assertion"], certs=public, clock_skew_in_seconds=10**9)  # type: ignore[no-untyped-call]
        except MalformedError:
            return self._no_grant("Invalid JWT Signature.")
        assert self.clock is not None
        off = timedelta(seconds=claims["iat"] - self.clock().timestamp())
        if not -timedelta(hours=1) < off < timedelta(minutes=10):
            return self._no_grant(
                "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. "
                "Check your iat and exp values in the JWT claim."
            )
        allowed = {scope for api in ("compute", "cloudbilling") for scope in document(api)["auth"]["oauth2"]["scopes"]}
        if unknown := set(claims["scope"].split()) - allowed:
            raise Objection(f"unknown scopes {unknown}")
        return Reply(body=json.dumps({"access_token": TOKEN, "expires_in": 3599, "token_type": "Bearer"}).encode())

    @staticmethod
    def _no_grant(words: str) -> Reply:
        return Reply(400, json.dumps({"error": "invalid_grant", "error_description": words}).encode())

    @staticmethod
    def _types_method() -> dict[str, Any]:
        method: dict[str, Any] = document("compute")["resources"]["machineTypes"]["methods"]["aggregatedList"]
        return method

    @staticmethod
    def _skus_method() -> dict[str, Any]:
        services = document("cloudbilling")["resources"]["services"]
        method: dict[str, Any] = services["resources"]["skus"]["methods"]["list"]
        return method

    @staticmethod
    def _pattern(api: str, method: dict[str, Any]) -> str:
        """The path of a method, with what its parameters may be."""
        path = f"/{document(api)['servicePath']}{method['flatPath']}"
        return re.sub(r"\{\w+\}", "[A-Za-z0-9-]+", path)

    def _machine_types(self, query: dict[str, str]) -> dict[str, Any]:
        wanted = _NAME_FILTER.fullmatch(query["filter"]) if "filter" in query else None
        if "filter" in query and wanted is None:
            raise Objection(f"not a filter: {query['filter']}")
        if not 0 < int(query.get("maxResults", "500")) <= 500:
            raise Objection("maxResults")
        rows = [
            (zone, each)
            for zone, types in self.types.items()
            for each in types
            if wanted is None or re.fullmatch(wanted[1], each["name"])
        ]
        page, following = self._page(rows, query.get("pageToken"), int(query.get("maxResults", "500")))
        items: dict[str, Any] = {f"zones/{zone}": {"machineTypes": []} for zone, _ in page}
        for zone, each in page:
            items[f"zones/{zone}"]["machineTypes"].append({"kind": "compute#machineType", "zone": zone, **each})
        items["zones/us-empty1-a"] = {"warning": {"code": "NO_RESULTS_ON_PAGE", "message": "No results."}}
        gone = {"unreachables": self.unreachable} if self.unreachable else {}
        return {"kind": "compute#machineTypeAggregatedList", "id": "x", "items": items, **gone, **following}

    def _sku_list(self, query: dict[str, str]) -> dict[str, Any]:
        if query.get("currencyCode", "USD") != "USD" or not 0 < int(query.get("pageSize", "5000")) <= 5000:
            raise Objection("currencyCode, pageSize")
        page, following = self._page(self.skus, query.get("pageToken"), int(query.get("pageSize", "5000")))
        return {"skus": page, **(following or {"nextPageToken": ""})}

    def _page(self, rows: list[Any], token: str | None, most: int) -> tuple[list[Any], dict[str, str]]:
        start = int((token or "token-0").removeprefix("token-"))
        end = start + min(most, self.page_size)
        return rows[start:end], ({"nextPageToken": f"token-{end}"} if end < len(rows) else {})


def sku(words: str, usd: str, usage: str = "OnDemand", unit: str = "h", *regions: str, **other: Any) -> dict[str, Any]:
    """An SKU as the catalog words it."""
    whole, _, part = usd.partition(".")
    return {
        "name": "services/6F81-5844-456A/skus/0123-4567-89AB", "skuId": "0123-4567-89AB", "description": words,
        "serviceProviderName": "Google", "serviceRegions": list(regions or ("us-central1",)),
        "category": {
            "serviceDisplayName": "Compute Engine", "resourceFamily": "Compute", "resourceGroup": "GPU",
            "usageType": usage,
        },
        "pricingInfo": [{
            "effectiveTime": "2026-11-20T08:00:00Z", "summary": "", "currencyConversionRate": 1,
            "pricingExpression": {
                "usageUnit": unit, "usageUnitDescription": unit, "displayQuantity": 1, "baseUnit": "s",
                "tieredRates": [{
                    "startUsageAmount": 0,
                    "unitPrice": {"currencyCode": "USD", "units": whole, "nanos": int(part.ljust(9, "0")[:9])},
                }],
            },
        }],
        **other,
    }  # fmt: skip
