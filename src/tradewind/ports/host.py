"""The port to one host that is reached over a road of its own: questions to the agent's door there (``wire.door``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol


class HostRefused(Exception):
    """The host answered, and it is no: ``kind`` as in ``wire.door``; ``data`` what a table can say of it."""

    def __init__(self, kind: str, words: str, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(words)
        self.kind = kind
        self.words = words
        self.data = dict(data or {})


class Host(Protocol):
    """One host. Calls are made from worker threads and never wait long for a host that is known to be away."""

    def ask(self, op: str, request: Mapping[str, Any], timeout_s: float = 30.0) -> dict[str, Any]:
        """The answer to one question.

        Raises:
            HostRefused: the host said no.
            transport.Unreachable: no answer came; its ``sent`` says whether the question may have arrived.
        """
        ...

    @property
    def skew_s(self) -> float:
        """The host's clock minus ours, seconds, as measured when the road was last opened; 0.0 before."""
        ...
