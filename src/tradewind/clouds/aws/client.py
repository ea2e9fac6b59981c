"""Asking AWS: one session by the SDK's default chain, one client a service and region, each request sent once.

Credentials are the SDK's own affair: they are neither read nor kept here.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from tradewind.clouds.answers import listed, next_cursor, published
from tradewind.ports.clock import Clock
from tradewind.ports.compute import CloudFault, FaultKind

_HOME = "us-east-1"  # where is asked when nothing names a region
_CONNECT_S, _READ_S = 5, 60


class Api:
    """One account.

    ``endpoints`` are URLs by service in place of AWS's own; ``clock`` tells how far a clock is off; ``region`` is where
    is asked when the SDK's settings name none.

    Methods raise CloudFault for whatever goes wrong. Safe for threads: making a client is guarded, using one is safe.
    """

    def __init__(
        self, endpoints: Mapping[str, str] | None = None, clock: Clock | None = None, region: str = _HOME
    ) -> None:
        self._endpoints = endpoints or {}
        self._clock = clock
        self._fallback = region
        self._session: Any = None
        self._clients: dict[tuple[str, str], Any] = {}
        self._making = threading.RLock()

    @property
    def session(self) -> Any:
        """The SDK's session, made when it is first used.

        Raises:
            CloudFault: ``auth``: the profile that its settings name is not there.
        """
        from boto3.session import Session  # late: a third of a second

        with self._making, _classified():  # sessions are not safe for threads, clients are
            if self._session is None:
                self._session = Session()
            return self._session

    @property
    def home(self) -> str:
        """The region that the SDK's settings name, else ours."""
        region: str | None = self.session.region_name
        return region or self._fallback

    @property
    def partition(self) -> str:
        """``aws``, ``aws-cn`` or ``aws-us-gov``, by the home region."""
        with _classified():
            name: str = self.session.get_partition_for_region(self.home)
            return name

    def ask(self, service: str, region: str, operation: str, **parameters: Any) -> Any:
        """The answer to one request; parameters that are None are left out."""
        with _classified(self._clock):
            send = getattr(self._client(service, region), operation)
            return send(**{name: value for name, value in parameters.items() if value is not None})

    def rows(self, region: str, operation: str, rows: str, **parameters: Any) -> Iterator[Any]:
        """All rows of an EC2 list, page after page; ``rows`` is the name of the list in an answer."""
        cursor: str | None = None
        while True:
            answer = self.ask("ec2", region, operation, NextToken=cursor, **parameters)
            with published(operation):
                page = listed(answer, rows)
                cursor = next_cursor(cursor, answer.get("NextToken"))
            yield from page
            if cursor is None:
                return

    def _client(self, service: str, region: str) -> Any:
        with self._making:
            if (service, region) not in self._clients:
                self._clients[service, region] = self._new_client(service, region)
            return self._clients[service, region]

    def _new_client(self, service: str, region: str) -> Any:
        from botocore.config import Config

        once = Config(retries={"total_max_attempts": 1}, connect_timeout=_CONNECT_S, read_timeout=_READ_S)
        url = self._endpoints.get(service)
        made = self.session.client(service, region_name=region, config=once, endpoint_url=url)
        made.meta.events.register("before-parse", _require_whole)
        return made


def retold(fault: CloudFault, kind: FaultKind, **other: Any) -> CloudFault:
    """The same answer, which here means a fault of another kind; ``other`` is what else differs."""
    told: dict[str, Any] = {"sent": fault.sent, "code": fault.code, "request_id": fault.request_id}
    return CloudFault(kind, fault.words, **(told | other))


@contextmanager
def _classified(clock: Clock | None = None) -> Iterator[None]:
    """Within this block an error of the SDK is a CloudFault."""
    from botocore.exceptions import BotoCoreError, ClientError
    from botocore.parsers import ResponseParserError

    from tradewind.clouds.aws.faults import classify

    try:
        yield
    except (ClientError, BotoCoreError, ResponseParserError) as error:
        raise classify(error, clock.now() if clock else None) from error


def _require_whole(response_dict: Any, **_: Any) -> None:
    """The SDK reads the half of a JSON answer that arrived as one without a list; a length that is short tells it."""
    from botocore.exceptions import IncompleteReadError

    announced, came = response_dict["headers"].get("content-length", ""), len(response_dict["body"])
    if announced.isdigit() and came != int(announced):
        raise IncompleteReadError(actual_bytes=came, expected_bytes=int(announced))
