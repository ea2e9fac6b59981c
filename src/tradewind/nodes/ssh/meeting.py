"""Meeting a rented machine: from the one-time host key it was given to its own, then taking all of it.

    pins that were kept ─▶ hand-over ─▶ door `take`: one instance with all the GPUs of the order ─▶ its folder is kept

Each step may be cut off and is repeated from what was kept last; the same token takes the same instance.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from tradewind.nodes.ssh.address import Address
from tradewind.nodes.ssh.handover import hand_over
from tradewind.nodes.ssh.pins import Kept, Pins
from tradewind.nodes.ssh.road import Road
from tradewind.nodes.ssh.roads import Roads
from tradewind.ports.clock import Clock
from tradewind.ports.compute import Instance
from tradewind.ports.host import HostRefused
from tradewind.ports.transport import Unreachable

_USER, _PORT = "root", 22
_TAKE_SECONDS = 60.0
_RESTART_SECONDS = (0.1, 0.4, 1.0)  # a server that reads its new key takes nobody meanwhile
_LIVE = ("pending", "running")
_CODES = {"invalid": "gpus-missing", "capacity": "gpus-busy"}


class Meeting:
    """Meets machines by the keys that are kept of them; ``identity``: our private key, which they let in."""

    def __init__(self, roads: Roads, pins: Pins, identity: Path, clock: Clock) -> None:
        self._roads = roads
        self._pins = pins
        self._identity = identity
        self._clock = clock

    def meet(self, instance: Instance) -> None:
        """Nothing, when the machine is the one that was rented and holds what was taken there.

        Raises:
            Unreachable: as ``RentedTransport.reach``.
        """
        kept = self._handed_over(instance, self.known(instance))
        told = self._taken(instance, kept)
        if kept.folder != told["address"]:
            self._pins.write(instance.token, replace(kept, folder=told["address"]))
        if told["state"] not in _LIVE:
            raise Unreachable(f"what was taken on {instance.address} has ended: {told['why']}", "gone")

    def known(self, instance: Instance) -> Kept:
        """What is kept of a machine that has an address.

        Raises:
            Unreachable: ``no-address``; ``host-key-unknown``: nothing is kept here.
        """
        if not instance.address:
            raise Unreachable(f"{instance.id} has no address yet", "no-address")
        kept = self._pins.read(instance.token)
        if kept is None:
            raise Unreachable(f"nothing is kept here of {instance.id} ({instance.token})", "host-key-unknown")
        return kept

    def address(self, instance: Instance, pins: tuple[str, ...]) -> Address:
        """Where a machine is, and which host keys are taken."""
        return Address(instance.address, _USER, _PORT, pins, identity=self._identity)

    def _handed_over(self, instance: Instance, kept: Kept) -> Kept:
        """The record of a machine that has a host key of its own."""
        pauses = iter(_RESTART_SECONDS)
        while not kept.handed_over:
            try:
                self._hand_over(instance, kept)
            except Unreachable:
                pause_s = next(pauses, None)
                if pause_s is None or len(self.known(instance).pins) == 1:  # its own key was not even made: it boots
                    raise
                self._clock.sleep(pause_s)
            kept = self.known(instance)
        return kept

    def _hand_over(self, instance: Instance, kept: Kept) -> None:
        """One try; a road by keys that hold no more is closed, and one that failed, lest it bars itself for a while."""
        used: list[Address] = []

        def road_of(pins: tuple[str, ...]) -> Road:
            used.append(self.address(instance, pins))
            return self._roads.to(used[-1])

        try:
            hand_over(road_of, kept.pins, lambda pins: self._pins.pin(instance.token, pins))
            used.pop()
        except HostRefused as fault:
            raise Unreachable(f"{instance.address}: {fault.words}") from fault
        finally:
            for each in used:
                self._roads.forget(each)

    def _taken(self, instance: Instance, kept: Kept) -> dict[str, Any]:
        """The instance there, as the door tells it."""
        road = self._roads.to(self.address(instance, kept.pins))
        try:
            if not road.hello:
                road.ask("hello", {})  # only then its clock is known
            told: dict[str, Any] = road.ask("take", kept.asked(road.skew_s), _TAKE_SECONDS)["instance"]
        except HostRefused as fault:
            raise Unreachable(f"{instance.address}: {fault.words}", _CODES.get(fault.kind, "unreachable")) from fault
        return told
