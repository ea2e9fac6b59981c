"""One GET of JSON: sent once, no redirect followed, every way to fail told as a CloudFault."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from tradewind.clouds.answers import wait_s
from tradewind.ports.compute import CloudFault

TIMEOUT_S = 60.0  # of each wait for the network, not of the whole answer
_LIMIT = 256 * 2**20  # bytes; the largest page asked for is a tenth of it


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server answered: header names in lower case, numbers with a point as Decimal, None for no JSON."""

    status: int
    headers: dict[str, str]
    body: Any


class _StayHere(HTTPRedirectHandler):
    """A redirect is an answer like any other: credentials go nowhere else."""

    def redirect_request(self, *_: Any) -> None:
        return None


def get(url: str, headers: Mapping[str, str]) -> Answer:
    """The JSON at ``url``, whatever its status.

    Raises:
        CloudFault: ``unavailable``: no answer, half of one, or one that is not JSON.
    """
    if not url.startswith(("https://", "http://127.0.0.1:", "http://localhost:")):
        raise CloudFault("invalid", f"{url.partition('?')[0]} is not an https address", sent="no")
    try:
        with build_opener(_StayHere).open(Request(url, headers=dict(headers)), timeout=TIMEOUT_S) as response:  # noqa: S310 the scheme was checked
            status, told, body = response.status, response.headers, response.read(_LIMIT)
    except HTTPError as refused:
        with refused:
            status, told, body = refused.code, refused.headers, refused.read(_LIMIT)
    except URLError as fault:
        raise CloudFault("unavailable", f"no connection: {fault.reason}", sent="no") from fault
    except (OSError, HTTPException) as fault:
        raise CloudFault("unavailable", f"the answer was cut off: {fault!r}", sent="maybe") from fault
    return Answer(status, {name.lower(): value for name, value in told.items()}, _json(body, status))


def refusal(answer: Answer, words: str) -> CloudFault:
    """The fault that the status of an answer means. ``words`` are the cloud's."""
    wait = wait_s(answer.headers)
    if answer.status == 429:
        return CloudFault("throttle", words, sent="yes", retry_after_s=wait)
    if answer.status in (401, 403):
        return CloudFault("auth", words, sent="yes")
    if answer.status >= 500 or answer.status in (408, 409):
        return CloudFault("unavailable", f"{answer.status}: {words}", sent="yes", retry_after_s=wait)
    return CloudFault("invalid", f"{answer.status}: {words}", sent="yes")


def _json(body: bytes, status: int) -> Any:
    try:
        return json.loads(body, parse_float=Decimal)
    except ValueError as fault:
        if status != 200:
            return None  # the page of a gateway: the status says enough
        raise CloudFault("unavailable", "the answer is not JSON, or not all of it", sent="maybe") from fault
