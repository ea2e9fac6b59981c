"""The roads of this process: one a host, few being opened at once."""

from __future__ import annotations

import asyncio
import hashlib
import threading
from pathlib import Path

from tradewind.nodes.ssh.address import Address
from tradewind.nodes.ssh.connect import Dialer, Prompt
from tradewind.nodes.ssh.faults import Attempt, telling
from tradewind.nodes.ssh.greeting import Welcome
from tradewind.nodes.ssh.link import Link
from tradewind.nodes.ssh.loop import loop_thread
from tradewind.nodes.ssh.pace import Pace
from tradewind.nodes.ssh.road import Road
from tradewind.ports.clock import Clock

_FOLDER = "~/.tradewind-node"
_USUAL = Pace()


class Roads:
    """Gives the road to an address.

    Args:
        owner: the installation's id, which its folder on every host is named after.
        agent: the agent's zipapp, put on each host that has another or none.
        at_once: how many hosts that answered so far are connected to at once; as many again of those that did not.
        prompt: who is asked for passphrases; None: nobody is.
    """

    def __init__(
        self, owner: str, agent: Path, clock: Clock, at_once: int = 10, prompt: Prompt | None = None,
        pace: Pace = _USUAL,
    ) -> None:  # fmt: skip
        self._owner = owner
        self._agent = agent
        self._clock = clock
        self._pace = pace
        self._thread = loop_thread()
        self._dialer = Dialer(pace, prompt)
        self._roads: dict[Address, Road] = {}
        self._lock = threading.Lock()
        # Hosts that are away take long to fail: they may not hold up those that are there.
        self._gates = {failed: asyncio.Semaphore(at_once) for failed in (False, True)}

    def to(self, address: Address) -> Road:
        """The road to an address, the same one for the same address; nothing is opened yet."""
        with self._lock:
            if address not in self._roads:
                self._roads[address] = Road(address, self._open, self._thread, self._clock, self._pace)
            return self._roads[address]

    def forget(self, address: Address) -> None:
        """Close the road to an address, if there is one; a later :meth:`to` makes another."""
        with self._lock:
            road = self._roads.pop(address, None)
        if road is not None:
            road.close()

    def close(self) -> None:
        """Close all roads; those who wait for an answer are told that none will come."""
        with self._lock:
            roads = list(self._roads.values())
            self._roads.clear()
        self._thread.run(_all_closed(roads))

    async def _open(self, address: Address, failed: bool) -> Link:
        attempt = Attempt(address.target)
        with telling(attempt):
            welcome = self._welcome(address)
        async with self._gates[failed]:
            connection = await self._dialer.connect(address)
            return await Link.over(connection, welcome, attempt, self._pace.greet_s)

    def _welcome(self, address: Address) -> Welcome:
        agent = self._agent.read_bytes()
        name = f"agent-{hashlib.sha256(agent).hexdigest()[:12]}.pyz"
        return Welcome(f"{address.folder or _FOLDER}/{self._owner}", agent, name)


async def _all_closed(roads: list[Road]) -> None:
    await asyncio.gather(*(road.closing() for road in roads))
