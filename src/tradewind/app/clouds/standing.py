"""The transport to a network: it is reached as soon as it is there, and nothing runs on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

from tradewind.ports.compute import Instance
from tradewind.ports.transport import Heard, Parcel, Unreachable


class Standing:
    """Implements ``ports.Transport`` for what has no node; whatever asks for one is told ``gone``."""

    def reach(self, instance: Instance) -> None:
        """At once."""

    def store(self, instance: Instance, here: Path) -> str:
        """None."""
        _no_node(instance)

    def start(self, instance: Instance, parcel: Parcel) -> None:
        """None."""
        _no_node(instance)

    def revive(self, instance: Instance, secrets: Mapping[str, str]) -> None:
        """None."""
        _no_node(instance)

    def hear(self, instance: Instance, journal_offset: int, log_offset: int, limit: int) -> Heard:
        """None."""
        _no_node(instance)

    def keep(self, instance: Instance, path: str, store: Path) -> bool:
        """None."""
        _no_node(instance)

    def command(self, instance: Instance, text: str, name: str) -> None:
        """None."""
        _no_node(instance)

    def fetch_outputs(self, instance: Instance, into: Path) -> tuple[str, ...]:
        """None."""
        _no_node(instance)

    def visit(self, instance: Instance, tunnels: Sequence[tuple[int, int]] = ()) -> tuple[str, ...]:
        """None."""
        _no_node(instance)


def _no_node(instance: Instance) -> NoReturn:
    raise Unreachable(f"{instance.id} is a network: nothing runs on it", "gone")
