"""What Google Cloud sells and at which prices: machine types by the Compute API, rates by the Billing Catalog.

Credentials are the SDK's application default ones; the project is theirs, or GOOGLE_CLOUD_PROJECT.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from importlib import import_module
from typing import Any
from urllib.parse import urlencode

from tradewind.clouds import web
from tradewind.clouds.answers import (
    Odd,
    answered_at,
    filled,
    listed,
    named,
    next_cursor,
    published,
    read_rows,
    text,
    wait_s,
)
from tradewind.clouds.gcp import machines, rates
from tradewind.domain.market import SpotPoint
from tradewind.ports.compute import CloudFault
from tradewind.ports.prices import Page, Prices

COMPUTE = "https://compute.googleapis.com"
BILLING = "https://cloudbilling.googleapis.com"
_COMPUTE_ENGINE = "6F81-5844-456A"  # the service's id in the Billing Catalog
_SCOPES = (
    "https://www.googleapis.com/auth/compute.readonly",
    "https://www.googleapis.com/auth/cloud-billing.readonly",
)
_TOO_FAST = {"rateLimitExceeded", "userRateLimitExceeded", "quotaExceeded", "RATE_LIMIT_EXCEEDED"}
_BAD_KEY = {"API_KEY_INVALID", "keyInvalid", "keyExpired"}


def connect() -> Prices:
    """The project that the application default credentials name.

    Raises:
        ModuleNotFoundError: google-auth is not installed, or requests, by which it fetches tokens.
        CloudFault: ``auth``: there are no credentials, or no project.
    """
    import_module("requests")  # google-auth does without, until the first token
    import google.auth
    from google.auth.exceptions import DefaultCredentialsError

    try:
        credentials, project = google.auth.default(scopes=_SCOPES)
    except DefaultCredentialsError as error:
        raise CloudFault("auth", str(error), sent="no") from error
    if not project:
        raise CloudFault("auth", "the credentials name no project; set GOOGLE_CLOUD_PROJECT", sent="no")
    return GcpPrices(credentials, project)


class GcpPrices:
    """The Prices port by one GET a page."""

    name = "gcp"
    calls_per_second = 5.0  # the Billing Catalog allows 300 requests a minute

    def __init__(self, credentials: Any, project: str, *, compute: str = COMPUTE, billing: str = BILLING) -> None:
        self._credentials = credentials
        self._project = project
        self._compute = compute
        self._billing = billing

    def parts(self) -> tuple[str, ...]:
        """Two, each over all regions."""
        return ("machines", "prices")

    def page(self, part: str, cursor: str | None) -> Page:
        """One page. Prices come with the last one: a machine's parts lie on several, and the cursor carries them."""
        pages: dict[str, Callable[[str | None], Page]] = {"machines": self._machines, "prices": self._prices}
        return pages[part](cursor)

    def spot_history(self, region: str, instance_types: Sequence[str], since: datetime) -> Iterator[SpotPoint]:
        """Nothing: the catalog tells what holds today, a month long at the least."""
        yield from ()

    def _machines(self, cursor: str | None) -> Page:
        address = f"{self._compute}/compute/v1/projects/{self._project}/aggregated/machineTypes"
        answer = self._get(address, filter=machines.FILTER, maxResults="500", pageToken=cursor)
        with published("machineTypes.aggregatedList"):
            types = machines.types_of(answer.body)
            if unreachable := answer.body.get("unreachables"):
                raise CloudFault("unavailable", f"not all zones answered: {unreachable}", sent="yes")
            told, odd = read_rows(types, machines.to_machines, lambda each: text(each, "name"))
            return Page(told, (), next_cursor(cursor, answer.body.get("nextPageToken")), odd)

    def _prices(self, cursor: str | None) -> Page:
        token, known = rates.unpacked(cursor)
        address = f"{self._billing}/v1/services/{_COMPUTE_ENGINE}/skus"
        answer = self._get(address, currencyCode="USD", pageSize="5000", pageToken=token)
        with published("services.skus.list"):
            told, odd = read_rows(filled(listed(answer.body, "skus"), token), rates.to_rates, rates.name_of)
            for each in told:
                known.add(each)
            if following := next_cursor(token, answer.body.get("nextPageToken")):
                return Page((), (), known.packed(following), odd)
            prices, missing = rates.to_prices(known, answered_at(answer.headers).date().isoformat())
            return Page((), prices, None, odd + missing)

    def _get(self, address: str, **parameters: str | None) -> web.Answer:
        question = urlencode({name: value for name, value in parameters.items() if value is not None})
        answer = web.get(f"{address}?{question}", self._authorization(address))
        if answer.status != 200:
            raise refusal(answer)
        return answer

    def _authorization(self, address: str) -> dict[str, str]:
        """The headers that say who asks; a token is fetched when there is none, or it is about to end."""
        from google.auth.exceptions import GoogleAuthError, TransportError
        from google.auth.transport.requests import Request

        headers: dict[str, str] = {"Accept": "application/json"}
        try:
            self._credentials.before_request(Request(), "GET", address, headers)
        except TransportError as error:
            raise CloudFault("unavailable", str(error), sent="no") from error
        except GoogleAuthError as error:
            wrong_clock = "Token must be a short-lived token" in str(error)  # what Google says of our iat and exp
            raise CloudFault("clock" if wrong_clock else "auth", str(error), sent="no") from error
        return headers


def refusal(answer: web.Answer) -> CloudFault:
    """The fault that an error of Google's APIs means: by its reasons, else by its status."""
    try:
        error = named(answer.body, "error")
        words = text(error, "message")
        told = [*error.get("errors", ()), *error.get("details", ())]
        reasons = {str(named(each).get("reason")) for each in told}
    except Odd:
        return web.refusal(answer, f"status {answer.status} without a reason")
    if reasons & _TOO_FAST:
        return CloudFault("throttle", words, sent="yes", retry_after_s=wait_s(answer.headers))
    return CloudFault("auth", words, sent="yes") if reasons & _BAD_KEY else web.refusal(answer, words)
