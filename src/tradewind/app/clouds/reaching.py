"""Reaching rented machines: the roads of this process to them. SSH is imported when the first account is opened."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from tradewind.nodes.parcel import build_agent

if TYPE_CHECKING:
    from tradewind.app.settings import Settings
    from tradewind.nodes.ssh.rented import RentedTransport
    from tradewind.nodes.ssh.roads import Roads
    from tradewind.ports.clock import Clock
    from tradewind.ports.compute import Instance


class RentedReach:
    """The transports to rented machines, one an account, over the same roads."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._lock = threading.Lock()
        self._roads: Roads | None = None
        self._made: dict[str, RentedTransport] = {}

    def transport(self, account: str, on_silence: Callable[[Instance], None]) -> RentedTransport:
        """How the machines of an account are reached; ``on_silence`` hears of one that does not answer."""
        from tradewind.nodes.ssh.login import make_own_key
        from tradewind.nodes.ssh.pins import Pins
        from tradewind.nodes.ssh.rented import PACE, RentedTransport
        from tradewind.nodes.ssh.roads import Roads

        settings, clock = self._settings, self._clock
        with self._lock:
            if self._roads is None:
                owner, agent = settings.installation(), build_agent(settings.cache)
                self._roads = Roads(owner, agent, clock, pace=PACE)
            if account not in self._made:
                self._made[account] = RentedTransport(
                    self._roads, Pins(settings.nodes), make_own_key(settings.home), settings.ssh, clock,
                    on_silence,
                )  # fmt: skip
            return self._made[account]

    def let_go(self, is_open: Callable[[str], bool]) -> None:
        """Close the roads to machines that are rented no more, and forget their host keys."""
        with self._lock:
            made = list(self._made.values())
        for each in made:
            each.let_go(is_open)
        if self._settings.nodes.exists():
            from tradewind.nodes.ssh.pins import Pins

            Pins(self._settings.nodes).let_go(is_open)

    def close(self) -> None:
        """Close what was opened."""
        with self._lock:
            if self._roads is not None:
                self._roads.close()
                self._roads = None
            self._made.clear()
