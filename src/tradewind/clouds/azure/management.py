"""Azure Resource Manager read by plain GETs, for one subscription. azure-identity finds the credentials when asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import quote, urlencode

from tradewind.clouds import web
from tradewind.clouds.answers import Odd, text
from tradewind.ports.compute import CloudFault

ENDPOINT = "https://management.azure.com"
_SCOPE = f"{ENDPOINT}/.default"


def default_credential() -> Any:
    """What azure-identity's chain finds: environment, workload, the machine's identity, the developer's tools.

    Raises:
        CloudFault: ``auth``: azure-identity is not installed.
    """
    try:
        from azure.identity import DefaultAzureCredential
    except ModuleNotFoundError as error:
        raise CloudFault("auth", f'no module {error.name}: pip install "tradewind[azure]"', sent="no") from error
    return DefaultAzureCredential()


class Management:
    """One subscription. ``credential`` is called once, when something is first asked."""

    def __init__(
        self, subscription: str, credential: Callable[[], Any] = default_credential, endpoint: str = ENDPOINT
    ) -> None:
        self._subscription = subscription
        self._credential = credential
        self._endpoint = endpoint
        self._made: Any = None

    def get(self, path: str, **query: str) -> Any:
        """The answer to a GET below the subscription; ``filter`` and ``skiptoken`` are sent with their ``$``.

        Raises:
            CloudFault: not allowed, throttled, not answered, or refused for another reason.
        """
        told = {f"${name}" if name in ("filter", "skiptoken") else name: value for name, value in query.items()}
        told["api-version"] = told.pop("version")
        question = urlencode(told, quote_via=quote, safe="$")
        answer = web.get(f"{self._endpoint}/subscriptions/{quote(self._subscription)}{path}?{question}", {
            "Accept": "application/json", "Authorization": f"Bearer {self._token()}",
        })  # fmt: skip
        if answer.status != 200:
            raise web.refusal(answer, _words(answer))
        return answer.body

    def _token(self) -> str:
        if self._made is None:
            self._made = self._credential()
        from azure.core.exceptions import AzureError, ClientAuthenticationError

        try:
            return str(self._made.get_token(_SCOPE).token)
        except ClientAuthenticationError as error:  # also: no credentials at all
            raise CloudFault("auth", str(error)[:300], sent="no") from error
        except AzureError as error:
            raise CloudFault("unavailable", f"no token: {str(error)[:300]}", sent="no") from error


def _words(answer: web.Answer) -> str:
    try:
        return f"{text(answer.body, 'error', 'code')}: {text(answer.body, 'error', 'message')}"
    except Odd:
        return f"status {answer.status} without a reason"
