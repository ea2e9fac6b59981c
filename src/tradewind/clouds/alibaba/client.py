"""Asking Alibaba Cloud by the core of its SDK: it finds the credentials, signs, and sends once.

Credentials are the SDK's own affair: they are neither read nor kept here.
"""

from __future__ import annotations

import contextlib
import json
import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from tradewind.clouds.alibaba.faults import DRY_RUN, classify, unanswered
from tradewind.clouds.answers import Odd, amount, answered_at, listed, next_cursor, published
from tradewind.clouds.web import get
from tradewind.ports.compute import CloudFault

# Service → its version, and the host of a region.
SERVICES = {
    "ecs": ("2014-05-26", "ecs.{region}.aliyuncs.com"),
    "vpc": ("2016-04-28", "vpc.{region}.aliyuncs.com"),
    "sts": ("2015-04-01", "sts.aliyuncs.com"),
}
HOME_REGION = "cn-hangzhou"  # asked for what is the same everywhere
CONNECT_MS, READ_MS = 5_000, 60_000
MOST_A_PAGE = 100  # of lists by token; lists by number allow 50
NUMBERED_A_PAGE = 50
_SDK_LOGGER = "credentials"  # of alibabacloud_credentials 1.0
Answer = dict[str, Any]


class Api:
    """One account. ``endpoints`` are URLs by service in place of the cloud's own; ``here`` tells this computer's time.

    Methods raise CloudFault: refused, throttled, not answered, or not answered in JSON (``invalid``). Safe for threads.
    """

    def __init__(self, endpoints: Mapping[str, str], here: Callable[[], datetime]) -> None:
        self._endpoints = endpoints
        self._here = here
        self.ahead = timedelta(0)  # how far the cloud's clock is ahead of this computer's, as it was last heard
        self._credential: Any = None
        self._clients: dict[tuple[str, str], Any] = {}
        self._making = threading.RLock()

    @property
    def credential(self) -> Any:
        """What the SDK's own chain finds: environment, OIDC, configuration files, the machine's role.

        Raises:
            CloudFault: ``auth``: it finds none.
        """
        with self._making:
            if self._credential is None:
                self._credential = _found()
            return self._credential

    def ask(self, service: str, region: str, action: str, **query: str) -> Answer:
        """One answer; numbers in it are exact."""
        from alibabacloud_tea_openapi.utils_models import OpenApiRequest, Params
        from darabonba.exceptions import ResponseException, UnretryableException
        from darabonba.runtime import RuntimeOptions

        params = Params(
            action=action, version=SERVICES[service][0], pathname="/", method="POST", auth_type="AK", style="RPC",
            req_body_type="formData", body_type="string",
        )  # fmt: skip
        client = self._client(service, region)
        try:
            answer = client.call_api(params, OpenApiRequest(query=query), RuntimeOptions())
        except ResponseException as error:
            raise self._refusal(error, service, region) from None
        except UnretryableException as error:
            raise unanswered(action, error) from None
        self._hear(answer["headers"])
        return read(action, answer["body"])

    def allowed(self, service: str, region: str, action: str, **query: str) -> None:
        """Nothing, when this would be done if it were meant: a dry run, which does nothing.

        Raises:
            CloudFault: it is refused.
        """
        try:
            self.ask(service, region, action, DryRun="true", **query)
        except CloudFault as fault:
            if fault.code != DRY_RUN:
                raise

    def rows(self, service: str, region: str, action: str, *path: str, **query: str) -> Iterator[Any]:
        """All rows of a list that is paged by a token; ``path`` leads to them in an answer."""
        cursor: str | None = None
        while True:
            further = {"NextToken": cursor} if cursor else {}
            answer = self.ask(service, region, action, RegionId=region, MaxResults=str(MOST_A_PAGE), **further, **query)
            with published(action):
                page = listed(answer, *path)
                cursor = next_cursor(cursor, answer.get("NextToken"))
            yield from page
            if cursor is None:
                return

    def numbered(self, service: str, region: str, action: str, *path: str, **query: str) -> Iterator[Any]:
        """All rows of a list whose pages are numbered."""
        number, more = 1, True
        while more:
            page_of = {"PageNumber": str(number), "PageSize": str(NUMBERED_A_PAGE)}
            answer = self.ask(service, region, action, RegionId=region, **page_of, **query)
            with published(action):
                page = listed(answer, *path)
                more = bool(page) and number * NUMBERED_A_PAGE < amount(answer, "TotalCount")
            yield from page
            number += 1

    def now(self) -> datetime:
        """The time by the cloud's clock, as it was last heard."""
        return self._here() + self.ahead

    def url(self, service: str, region: str) -> str:
        """Where a service of a region is asked."""
        return self._endpoints.get(service) or f"https://{SERVICES[service][1].format(region=region)}"

    def _refusal(self, error: Any, service: str, region: str) -> CloudFault:
        words = str((error.data or {}).get("Message") or error.message)
        fault = classify(error.code, error.status_code, words, error.retry_after, error.request_id)
        if fault.kind != "clock":
            return fault
        with contextlib.suppress(CloudFault):
            self._hear(get(self.url(service, region), {}).headers)  # the SDK keeps the date of a refusal to itself
        off = -self.ahead.total_seconds()
        said = f"{fault.words} This computer's clock is {abs(off):.0f} s {'ahead' if off > 0 else 'behind'}."
        return CloudFault("clock", said, sent="yes", code=fault.code, request_id=fault.request_id)

    def _hear(self, headers: Mapping[str, str]) -> None:
        with contextlib.suppress(Odd):  # a proxy may take the date away
            self.ahead = answered_at(headers) - self._here()

    def _client(self, service: str, region: str) -> Any:
        from alibabacloud_tea_openapi.client import Client
        from alibabacloud_tea_openapi.utils_models import Config

        with self._making:
            if (service, region) not in self._clients:
                scheme, _, host = self.url(service, region).partition("://")
                self._clients[service, region] = Client(Config(
                    credential=self.credential, endpoint=host, protocol=scheme, region_id=region,
                    connect_timeout=CONNECT_MS, read_timeout=READ_MS,
                ))  # fmt: skip
            return self._clients[service, region]


class Unreadable(CloudFault):
    """An answer that says the request was taken, and nothing else that can be read."""

    def __init__(self, words: str) -> None:
        super().__init__("invalid", words, sent="yes")


def read(action: str, body: str) -> Answer:
    """The JSON object in ``body``.

    Raises:
        Unreadable: it is none.
    """
    try:
        answer = json.loads(body, parse_float=Decimal)
    except ValueError:
        raise Unreadable(f"{action}: the answer is not JSON") from None
    if not isinstance(answer, dict):
        raise Unreadable(f"{action}: the answer is not an object")
    return answer


def _found() -> Any:
    from alibabacloud_credentials.client import Client
    from alibabacloud_credentials.exceptions import CredentialException

    logging.getLogger(_SDK_LOGGER).disabled = True  # it writes tracebacks to stderr; faults are told by us, once
    client = Client()
    try:
        client.get_credential()
    except CredentialException as error:
        raise CloudFault("auth", f"no credentials: {error}", sent="no") from None
    return client
