"""Reaching: the one road of this process to each machine. SSH is imported when a machine is first reached."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from tradewind.app.settings import Settings
from tradewind.domain.machine import Machine
from tradewind.nodes.parcel import build_agent
from tradewind.ports.clock import Clock

if TYPE_CHECKING:
    from tradewind.app.interface import Prompt
    from tradewind.nodes.ssh.address import Address
    from tradewind.nodes.ssh.road import Road
    from tradewind.nodes.ssh.roads import Roads
    from tradewind.nodes.ssh.transport import SshTransport


class Reach:
    """The roads and transports to machines, made when they are first asked for."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._lock = threading.Lock()
        self._roads: Roads | None = None
        self._transports: dict[Address, SshTransport] = {}

    def road(self, machine: Machine) -> Road:
        """The road to a machine, by which it can be asked."""
        return self.to(self.address(machine))

    def to(self, address: Address) -> Road:
        """The road to an address, as it is taken when nobody is there to be asked."""
        with self._lock:
            if self._roads is None:
                self._roads = self.roads(None)
            return self._roads.to(address)

    def roads(self, prompt: Prompt | None) -> Roads:
        """Roads of one's own, on which ``prompt`` answers for the user; whoever opens them closes them."""
        from tradewind.nodes.ssh.roads import Roads

        owner, agent = self._settings.installation(), build_agent(self._settings.cache)
        return Roads(owner, agent, self._clock, prompt=prompt)

    def transport(self, machine: Machine) -> SshTransport:
        """How jobs reach their node there; one a machine, since it goes on fetching between two calls."""
        from tradewind.nodes.ssh.transport import SshTransport

        address, road = self.address(machine), self.road(machine)
        with self._lock:
            found = self._transports.get(address)
            if found is None:
                found = self._transports[address] = SshTransport(road, address, self._settings.ssh)
            return found

    def forget(self, machine: Machine) -> None:
        """Close the road to a machine that was removed, or that is to be reached in another way from now on."""
        address = self.address(machine)
        with self._lock:
            self._transports.pop(address, None)
            if self._roads is not None:
                self._roads.forget(address)

    def nowhere(self, name: str) -> SshTransport:
        """The transport to what is not there any more."""
        from tradewind.app.machines.removed import NoRoad
        from tradewind.nodes.ssh.address import Address
        from tradewind.nodes.ssh.transport import SshTransport

        return SshTransport(NoRoad(), Address(name), self._settings.ssh)

    def address(self, machine: Machine) -> Address:
        """Where a machine is and how one gets in."""
        from tradewind.nodes.ssh.address import Address

        identity = self._settings.own_key if machine.own_key else None
        return Address(machine.host, machine.user, machine.port, machine.host_keys, machine.folder, identity)

    def close(self) -> None:
        """Close what was opened."""
        with self._lock:
            if self._roads is not None:
                self._roads.close()
                self._roads = None
