"""Asking a cloud's metadata service whether it takes this machine. Over no proxy: the answer is this machine's own."""

from __future__ import annotations

import http.client
from typing import Dict, NamedTuple, Optional, Tuple
from urllib.parse import urlsplit

from tradewind.agent.reclaims import SERVICES, Probe

# One line, a base URL, on machines whose image says where the service is; on others it is where the cloud has it.
ELSEWHERE = "/etc/tradewind/metadata"
_SECONDS = 3.0  # a service on the same host answers in milliseconds
_LIFETIME_SECONDS = 21600
_MOST_BYTES = 1 << 20
_OK, _UNAUTHORIZED, _NONE = 200, 401, (404, 405)


class Silent(Exception):
    """The service does not tell; what it would say is unknown."""


class Told(NamedTuple):
    """What one look found: when the machine is taken, and whether that has become likely."""

    deadline: Optional[float]
    rebalance: bool


class Metadata:
    """One machine's service; asked by one thread at a time. ``base``: None, where this machine has it."""

    def __init__(self, probe: Probe, base: Optional[str] = None) -> None:
        self._probe = probe
        self._service = SERVICES[probe["kind"]]
        self._base = urlsplit(base or _elsewhere() or self._service.base)
        self._token: Optional[str] = None  # "": it knows no tokens

    def look(self, usual: float) -> Told:
        """What it says now; ``usual`` is the deadline where it says that the machine is taken, but not when.

        Raises:
            Silent: no answer, or one that means nothing.
        """
        service, deadline = self._service, None
        text = self._page(service.notice)
        if text is not None:
            try:
                deadline = service.read(text, self._probe, usual)
            except (ValueError, KeyError, TypeError, AttributeError) as fault:
                raise Silent("what {} says is not understood: {!r}".format(service.notice, fault)) from None
        likely = service.rebalance is not None and self._page(service.rebalance) is not None
        return Told(deadline, likely)

    def _page(self, path: str) -> Optional[str]:
        """The text of a page; None when there is none."""
        status, text = self._get(path)
        if status == _UNAUTHORIZED and self._service.token:  # it came to its end
            self._token = None
            status, text = self._get(path)
        if status == _OK:
            return text
        if status in _NONE:
            return None
        raise Silent("{} answers {}".format(path, status))

    def _get(self, path: str) -> Tuple[int, str]:
        token, headers = self._service.token, dict(self._service.headers)
        if token:
            self._token = self._new_token() if self._token is None else self._token
            headers.update({token.header: self._token} if self._token else {})
        return self._ask("GET", path, headers)

    def _new_token(self) -> str:
        """A token; empty where the service has none to give, and wants none."""
        token = self._service.token
        assert token
        status, text = self._ask("PUT", token.path, {token.lifetime_header: str(_LIFETIME_SECONDS)})
        if status in _NONE:
            return ""
        if status != _OK:
            raise Silent("{} answers {}".format(token.path, status))
        return text.strip()

    def _ask(self, method: str, path: str, headers: Dict[str, str]) -> Tuple[int, str]:
        connection = http.client.HTTPConnection(self._base.hostname or "", self._base.port or 80, timeout=_SECONDS)
        try:
            connection.request(method, path, headers=headers)
            answer = connection.getresponse()
            return answer.status, answer.read(_MOST_BYTES).decode("utf-8", "replace")
        except (OSError, http.client.HTTPException) as fault:
            raise Silent("{}: {!r}".format(self._base.netloc, fault)) from None
        finally:
            connection.close()


def _elsewhere() -> Optional[str]:
    try:
        with open(ELSEWHERE, encoding="ascii") as file:
            return file.readline().strip() or None
    except (OSError, ValueError):
        return None
