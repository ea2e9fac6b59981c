"""ECS asked by the core of Alibaba Cloud's SDK: it finds the credentials, signs, and sends once."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Literal

from tradewind.ports.compute import CloudFault

VERSION = "2014-05-26"
_SDK_LOGGER = "credentials"  # of alibabacloud_credentials 1.0
CONNECT_MS, READ_MS = 5_000, 60_000
Answer = dict[str, Any]
Kind = Literal["auth", "clock", "throttle", "unavailable", "not_found", "quota", "money", "invalid"]

# Codes as the API's documentation lists them; what a code begins with decides, the first line that fits.
_KINDS: tuple[tuple[str, Kind], ...] = (
    ("Throttling", "throttle"),
    ("InvalidTimeStamp", "clock"),
    ("IllegalTimestamp", "clock"),
    ("InvalidAccessKeyId", "auth"),
    ("InvalidSecurityToken", "auth"),
    ("InvalidAccountStatus", "money"),
    ("IncompleteSignature", "auth"),
    ("SignatureDoesNotMatch", "auth"),
    ("SignatureNonceUsed", "unavailable"),
    ("Forbidden", "auth"),
    ("NoPermission", "auth"),
    ("UnauthorizedOperation", "auth"),
    ("ServiceUnavailable", "unavailable"),
    ("InternalError", "unavailable"),
    ("QuotaExceed", "quota"),
)


def classify(code: str | None, status: int | None, words: str, retry_after_ms: int | None = None) -> CloudFault:
    """The fault that ECS answered; it throttles under HTTP 400 too, so the code decides before the status."""
    kind = next((kind for begin, kind in _KINDS if code and code.startswith(begin)), None)
    if kind is None:
        kind = "throttle" if status == 429 else "unavailable" if status is None or status >= 500 else "invalid"
    waits = None if retry_after_ms is None else retry_after_ms / 1000
    return CloudFault(kind, f"{code or status}: {words}", sent="yes", retry_after_s=waits)


class Ecs:
    """The ECS of every region. ``endpoint`` names the host of a region, with its scheme."""

    def __init__(self, credential: Any, endpoint: Callable[[str], str]) -> None:
        self._credential = credential
        self._endpoint = endpoint
        self._clients: dict[str, Any] = {}

    def ask(self, region: str, action: str, **query: str) -> Answer:
        """One answer; numbers in it are exact.

        Raises:
            CloudFault: refused, throttled, not answered, or not answered in JSON (``invalid``).
        """
        from alibabacloud_tea_openapi.utils_models import OpenApiRequest, Params
        from darabonba.exceptions import ResponseException, UnretryableException
        from darabonba.runtime import RuntimeOptions

        params = Params(
            action=action, version=VERSION, pathname="/", method="POST", auth_type="AK", style="RPC",
            req_body_type="formData", body_type="string",
        )  # fmt: skip
        try:
            answer = self._client(region).call_api(params, OpenApiRequest(query=query), RuntimeOptions())
        except ResponseException as error:
            raise classify(error.code, error.status_code, error.message, error.retry_after) from None
        except UnretryableException as error:  # no answer, half of one, or a gateway's page instead of an error
            raise CloudFault("unavailable", f"{action}: {_cause(error)}", sent="maybe") from None
        return read(action, answer["body"])

    def _client(self, region: str) -> Any:
        from alibabacloud_tea_openapi.client import Client
        from alibabacloud_tea_openapi.utils_models import Config

        if region not in self._clients:
            scheme, _, host = self._endpoint(region).partition("://")
            self._clients[region] = Client(Config(
                credential=self._credential, endpoint=host, protocol=scheme, region_id=region,
                connect_timeout=CONNECT_MS, read_timeout=READ_MS,
            ))  # fmt: skip
        return self._clients[region]


def read(action: str, body: str) -> Answer:
    """The JSON object in ``body``."""
    try:
        answer = json.loads(body, parse_float=Decimal)
    except ValueError:
        raise CloudFault("invalid", f"{action}: the answer is not JSON", sent="yes") from None
    if not isinstance(answer, dict):
        raise CloudFault("invalid", f"{action}: the answer is not an object", sent="yes")
    return answer


def default_credential() -> Any:
    """What the SDK's own chain finds: environment, OIDC, configuration files, the machine's role.

    Raises:
        CloudFault: ``auth``: it finds none.
    """
    from alibabacloud_credentials.client import Client
    from alibabacloud_credentials.exceptions import CredentialException

    logging.getLogger(_SDK_LOGGER).disabled = True  # it writes tracebacks to stderr; faults are told by us, once
    client = Client()
    try:
        client.get_credential()
    except CredentialException as error:
        raise CloudFault("auth", f"no credentials: {error}", sent="no") from None
    return client


def _cause(error: Any) -> str:
    return str(error.inner_exception)[:300]
