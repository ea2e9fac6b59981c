"""What crosses between the port and a machine's door: an order, an instance, a no. Pure.

Instants at the door are seconds by the host's clock; ``skew_s`` is that clock minus ours.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Any

from tradewind.domain.machine import Machine
from tradewind.ports.compute import CloudFault, Instance, InstanceState, Leftover, Order
from tradewind.ports.host import HostRefused
from tradewind.ports.transport import Unreachable

CLOUD = "machines"
# Somebody has to mend these; what else keeps a host away passes by itself.
_MENDED_BY_HAND = frozenset({
    "host-key-changed", "host-key-unknown", "jump-key-unknown", "login-refused", "password-only", "passphrase-needed",
    "no-python", "folder-refused", "ssh-config",
})  # fmt: skip


def to_request(order: Order, machine: Machine, skew_s: float) -> dict[str, Any]:
    """What ``take`` is asked with for an order."""
    hard_end = datetime.fromisoformat(order.hard_end).timestamp() + skew_s
    told = {
        "token": order.token, "lease": order.lease, "owner": order.owner, "tags": order.tags, "region": order.region,
        "zone": order.zone, "instance_type": order.instance_type, "purchase": order.purchase, "hard_end": hard_end,
    }  # fmt: skip
    allowed = machine.allowed(order.instance_type)
    return {"order": told, "gpus": gpus_of(order, machine), "allowed": None if allowed is None else list(allowed)}


def gpus_of(order: Order, machine: Machine) -> int:
    """How many GPUs an order takes; one that wears another cloud's offer takes no more than there are."""
    asked = math.ceil(order.gpus)
    return asked if order.cloud == CLOUD else min(asked, len(machine.usable))


def to_instance(told: dict[str, Any], skew_s: float) -> Instance:
    """An instance as the door tells it, its instants by our clock."""
    return Instance(
        id=told["id"], token=told["token"], lease=told["lease"], owner=told["owner"],
        state=InstanceState(told["state"]), why=told["why"], address=told["address"],
        launched_at=instant(told["launched_at"], skew_s), ended_at=_maybe(told["ended_at"], skew_s),
        reclaim_at=_maybe(told["reclaim_at"], skew_s), pgid=told["pgid"], tags=dict(told["tags"]),
        instance_type=told["instance_type"], region=told["region"], zone=told["zone"], purchase=told["purchase"],
    )  # fmt: skip


def to_leftover(told: dict[str, Any]) -> Leftover:
    """Something that an instance left behind."""
    return Leftover(told["kind"], told["id"], told["lease"])


def instant(seconds: float, skew_s: float) -> datetime:
    """An instant at the door, by our clock."""
    return datetime.fromtimestamp(seconds - skew_s, UTC)


def to_fault(fault: HostRefused | Unreachable) -> CloudFault:
    """The fault that a host's no, or its silence, is to those who rent."""
    if isinstance(fault, HostRefused):
        return _refusal(fault)
    if fault.code in _MENDED_BY_HAND:  # the host, or the way to it, says no
        return CloudFault("auth", str(fault), sent="yes")
    if fault.sent == "maybe":
        return CloudFault("unavailable", str(fault), sent="maybe")
    return CloudFault("busy", str(fault), sent="no")


def _refusal(fault: HostRefused) -> CloudFault:
    if fault.kind == "capacity":
        return CloudFault("busy", fault.words, sent="yes")
    if fault.kind == "no-space":  # it was refused before anything was made
        return CloudFault("unavailable", fault.words, sent="no")
    if fault.kind == "invalid":
        return CloudFault("invalid", fault.words, sent="yes")
    if fault.kind == "conflict":
        return CloudFault("conflict", fault.words, sent="yes")
    return CloudFault("unavailable", fault.words, sent="yes")


def _maybe(seconds: float | None, skew_s: float) -> datetime | None:
    return None if seconds is None else instant(seconds, skew_s)
