"""MachinesCompute: renting on one machine of one's own, by asking the door of the agent there."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from tradewind.clouds.machines.tables import CLOUD, to_fault, to_instance, to_leftover, to_request
from tradewind.domain.machine import Machine
from tradewind.ports.clock import Clock
from tradewind.ports.compute import (
    Accepted,
    Capabilities,
    CloudFault,
    HardEnd,
    Instance,
    Leftover,
    Listing,
    Order,
    Query,
)
from tradewind.ports.host import Host, HostRefused
from tradewind.ports.transport import Unreachable

# The list is the host's own table of instances, so it lags by nothing. A host that is silent will answer again, and
# what ended there leaves its folder, so its last words and its last checkpoint are waited for.
CAPABILITIES = Capabilities(
    hard_end=HardEnd.PROCESSES_ONLY, native_idempotency=True, list_lag_s=0.0, absence_s=2.0, beat_s=5.0, hear_s=1.0,
    boot_s=60.0, notice_s=30.0, silence_s=math.inf, hear_out_s=3600.0,
)  # fmt: skip
_NOTICE = "notice.json"  # in the instance's folder, where the door's ``reclaim`` writes it
_END_SECONDS = 60.0  # processes in the kernel's hands, and containers, take their time


class MachinesCompute:
    """The Compute port on one machine; also reclaims, as spot markets do."""

    name = CLOUD
    caps = CAPABILITIES

    def __init__(self, machine: Machine, host: Host, clock: Clock) -> None:
        self._machine = machine
        self._host = host
        self._clock = clock

    def launch(self, order: Order) -> Accepted:
        """Take GPUs and a folder there; the same token gives the same ones."""
        self._greet()
        request = to_request(order, self._machine, self._host.skew_s)
        taken = self._instance(self._ask("take", request)["instance"])
        return Accepted((taken.id,), taken.launched_at)

    def _greet(self) -> None:
        """Open the road, so that the host's clock is known; whatever comes of it, no order was sent."""
        try:
            self._host.ask("hello", {})
        except Unreachable as fault:
            raise to_fault(Unreachable(str(fault), fault.code, sent="no")) from fault
        except HostRefused as fault:
            raise CloudFault("unavailable", fault.words, sent="no") from fault

    def find(self, query: Query) -> Listing:
        """All instances that match; an ended one as long as its folder is there. A host that is away tells nothing."""
        try:
            told = self._host.ask("instances", {"ids": _named(query)})
        except Unreachable as fault:
            return Listing((), complete=False, seen_at=self._clock.now(), why=str(fault))
        except HostRefused as fault:
            raise to_fault(fault) from fault
        found = [self._instance(each) for each in told["instances"]]
        return Listing(tuple(each for each in found if query.matches(each)), complete=True, seen_at=self._clock.now())

    def end(self, ids: Sequence[str]) -> None:
        """Kill everything of the instances and take their folders away; what is not there is ended."""
        self._ask("end", {"ids": list(ids)}, _END_SECONDS)

    def leftovers(self, query: Query) -> tuple[Leftover, ...]:
        """What is left of instances: processes, and of those named by id their folders, which cost nothing."""
        told = self._ask("leftovers", {"ids": _named(query)})
        return tuple(to_leftover(each) for each in told["leftovers"])

    def notice_probe(self, instance: Instance) -> dict[str, str]:
        """A file in the instance's folder."""
        return {"kind": "file", "path": f"{instance.address}/{_NOTICE}"}

    def reclaim(self, id_: str, deadline: datetime, cause: str) -> None:
        """Announce that the instance is taken at ``deadline``; said once, a second word changes nothing.

        A host that does not hear it is told again: whoever rehearses looks again and finds it not announced.
        """
        with contextlib.suppress(CloudFault):
            at = deadline.timestamp() + self._host.skew_s
            self._ask("reclaim", {"id": id_, "deadline": at, "cause": cause})

    def _instance(self, told: dict[str, Any]) -> Instance:
        try:
            return to_instance(told, self._host.skew_s)
        except (KeyError, TypeError, ValueError) as fault:  # whatever was made there is made: it is looked for
            raise CloudFault("unavailable", f"the door's answer is not understood: {fault!r}", sent="yes") from fault

    def _ask(self, op: str, request: Mapping[str, Any], timeout_s: float = 30.0) -> dict[str, Any]:
        try:
            return self._host.ask(op, request, timeout_s)
        except (HostRefused, Unreachable) as fault:
            raise to_fault(fault) from fault


def _named(query: Query) -> list[str] | None:
    return None if query.ids is None else list(query.ids)
