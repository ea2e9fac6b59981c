"""The address that this computer is seen with from outside: what is set, else asked once a process."""

from __future__ import annotations

import threading
from http.client import HTTPException
from ipaddress import ip_address
from urllib.error import HTTPError
from urllib.request import urlopen

from tradewind.domain.errors import NotConfigured

ASK_SECONDS = 5.0
_LONGEST = 64  # bytes of an answer that is an address


class CallerAddress:
    """Who this computer is to others."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[str, str] = {}  # by the URL that told it

    def network(self, url: str) -> str:
        """This computer's address as a network of one, ``203.0.113.7/32``, by what ``url`` answers.

        Raises:
            NotConfigured: ``caller-unknown`` (url, cause).
        """
        with self._lock:
            if url not in self._known:
                self._known[url] = _asked(url)
            return self._known[url]

    def forget(self) -> None:
        """Ask anew the next time: it may have moved to another network."""
        with self._lock:
            self._known.clear()


def _asked(url: str) -> str:
    try:
        with urlopen(url, timeout=ASK_SECONDS) as answer:  # noqa: S310  http or https, as the settings were read
            address = ip_address(answer.read(_LONGEST).decode("ascii", "replace").strip())
    except HTTPError as refused:
        with refused:
            raise NotConfigured("caller-unknown", url=url, cause=f"HTTP {refused.code}") from None
    except (OSError, HTTPException, ValueError) as fault:
        raise NotConfigured("caller-unknown", url=url, cause=getattr(fault, "reason", None) or fault) from fault
    return f"{address}/{address.max_prefixlen}"
