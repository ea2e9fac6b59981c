"""What is told of machines: each as JSON, and a host's silence or its no as an error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tradewind.app.accounts import MACHINES, account_of
from tradewind.app.views.values import instant, money_json
from tradewind.domain.errors import CloudRefused
from tradewind.domain.gpus import resolve
from tradewind.domain.machine import Machine
from tradewind.ports.host import HostRefused
from tradewind.ports.transport import Unreachable

Answer = dict[str, Any]


def refused(fault: Unreachable | HostRefused, target: str) -> CloudRefused:
    """The error: the code says why (``ports.transport.Unreachable``), or ``host-refused`` (kind)."""
    if isinstance(fault, HostRefused):
        return CloudRefused("host-refused", target=target, kind=fault.kind, why=fault.words)
    return CloudRefused(fault.code, target=target, why=str(fault))


def machine_json(machine: Machine, jobs: Sequence[Answer], fingerprints: Sequence[str]) -> Answer:
    """A machine without what only the host knows now: ``state``, ``why`` and ``gpus``."""
    return {
        "name": machine.name, "target": machine.target, "account": account_of(MACHINES, machine.name),
        "price_per_hour": money_json(machine.price), "allowed": None if machine.gpus is None else list(machine.gpus),
        "jobs": list(jobs), "checked_at": machine.facts.get("checked_at"), "added_at": instant(machine.added_at),
        "own_key": machine.own_key, "country": machine.country, "folder": machine.folder,
        "host_keys": list(fingerprints),
    }  # fmt: skip


def gpus_json(machine: Machine, told: Mapping[str, Any], jobs: Mapping[str, Answer] | None) -> list[Answer] | None:
    """The GPUs as the host told of them; None where it could not.

    ``jobs`` are ours by the uuid of the GPU that each has; None: what the host told is of long ago, and so who uses its
    GPUs is not known.
    """
    if told.get("unknown"):
        return None
    return [
        {
            "index": each["index"], "uuid": each["uuid"], "name": each["name"],
            "gpu": known[0] if (known := resolve(each["name"])) else None, "memory_gib": each["memory_gib"],
            "allowed": machine.gpus is None or each["index"] in machine.gpus,
            "used_by": None if jobs is None else each["used_by"], "held_by": None if jobs is None else each["held_by"],
            "job": (jobs or {}).get(each["uuid"]),
        }
        for each in told.get("gpus") or []
    ]  # fmt: skip
