"""What crosses between the port and a machine's door, as tables; the rest is played in `tests/conformance`."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from doubles import START

from tradewind.clouds.machines.tables import gpus_of, to_fault, to_instance, to_request
from tradewind.domain.machine import Machine
from tradewind.ports.compute import InstanceState, Order
from tradewind.ports.host import HostRefused
from tradewind.ports.transport import Unreachable

NAMES = ("NVIDIA GeForce RTX 4090", "NVIDIA GeForce RTX 4090", "NVIDIA A100-SXM4-80GB", "NVIDIA GeForce RTX 4090")
GPUS = [{"index": index, "name": name} for index, name in enumerate(NAMES)]
BOX = Machine("box", "box", START, (), facts={"gpus": {"gpus": GPUS}})
ORDER = Order(token="t", lease="lease-1", owner="me", cloud="machines", region="box", zone=None,
              instance_type="2x-RTX-4090", purchase="on_demand", hard_end=(START + timedelta(hours=1)).isoformat(),
              tags={"名": "值"}, gpus=2.0)  # fmt: skip


def test_an_order_is_asked_for_whole_and_by_the_hosts_clock() -> None:
    asked = to_request(ORDER, BOX, skew_s=90.0)
    assert asked["order"] == {
        "token": "t", "lease": "lease-1", "owner": "me", "tags": {"名": "值"}, "region": "box", "zone": None,
        "instance_type": "2x-RTX-4090", "purchase": "on_demand", "hard_end": START.timestamp() + 3690.0,
    }  # fmt: skip
    assert (asked["gpus"], asked["allowed"]) == (2, [0, 1, 3])


@pytest.mark.parametrize(
    ("machine", "kind", "allowed"),
    [
        (BOX, "2x-A100-80GB", [2]), (replace(BOX, gpus=(0, 2)), "1x-RTX-4090", [0]),
        (replace(BOX, gpus=(0, 2)), "cpu", [0, 2]), (BOX, "p4d.24xlarge", None),
        (Machine("new", "new", START, ()), "cpu", None),
    ],
)  # fmt: skip
def test_only_gpus_of_the_kind_and_of_those_that_may_be_used_are_taken(
    machine: Machine, kind: str, allowed: list[int] | None
) -> None:
    assert to_request(replace(ORDER, instance_type=kind), machine, 0.0)["allowed"] == allowed


@pytest.mark.parametrize(
    ("cloud", "gpus", "machine", "taken"),
    [
        ("machines", 8.0, BOX, 8),  # more than there are: the host refuses it
        ("machines", 0.0, BOX, 0), ("aws", 8.0, BOX, 4), ("aws", 8.0, replace(BOX, gpus=(1, 2)), 2),
        ("gcp", 0.125, BOX, 1), ("aws", 1.0, Machine("cpu", "cpu", START, ()), 0),
    ],
)  # fmt: skip
def test_a_worn_offer_takes_no_more_gpus_than_there_are(cloud: str, gpus: float, machine: Machine, taken: int) -> None:
    assert gpus_of(replace(ORDER, cloud=cloud, gpus=gpus), machine) == taken


TOLD: dict[str, Any] = {
    "id": "machine-t", "token": "t", "lease": "lease-1", "owner": "me", "tags": {"名": "值"}, "region": "box",
    "zone": None, "instance_type": "cpu", "purchase": "on_demand", "state": "running", "why": None,
    "address": "/disk/me/instances/machine-t", "pgid": 7, "gpus": [],
    "launched_at": START.timestamp() + 90, "ended_at": None, "reclaim_at": None,
}  # fmt: skip


@pytest.mark.parametrize("state", ["pending", "running", "gone", "failed"])
def test_every_state_of_the_door_is_one_of_the_port(state: str) -> None:
    assert to_instance({**TOLD, "state": state}, 0.0).state is InstanceState(state)


def test_an_instance_is_told_by_our_clock() -> None:
    seen = to_instance({**TOLD, "ended_at": START.timestamp() + 100, "reclaim_at": START.timestamp() + 95}, 90.0)
    assert (seen.launched_at, seen.ended_at, seen.reclaim_at) == (
        START, datetime.fromtimestamp(START.timestamp() + 10, UTC), START + timedelta(seconds=5),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("fault", "kind", "sent"),
    [
        (HostRefused("capacity", "GPU 1 is used by alice (pid 4242)", {"busy": []}), "busy", "yes"),
        (HostRefused("invalid", "w"), "invalid", "yes"), (HostRefused("conflict", "w"), "conflict", "yes"),
        (HostRefused("unavailable", "w"), "unavailable", "yes"), (HostRefused("gone", "w"), "unavailable", "yes"),
        (HostRefused("no-space", "w"), "unavailable", "no"),
        *((Unreachable("w", code), "busy", "no") for code in (
            "connection-refused", "timed-out", "host-unknown", "cut", "too-many-connections", "no-space", "unreachable",
        )),
        *((Unreachable("w", code), "auth", "yes") for code in (
            "host-key-changed", "host-key-unknown", "jump-key-unknown", "login-refused", "password-only",
            "passphrase-needed", "no-python", "folder-refused", "ssh-config",
        )),
        (Unreachable("w", "cut", sent="maybe"), "unavailable", "maybe"),
        (Unreachable("w", "timed-out", sent="maybe"), "unavailable", "maybe"),
    ],
)  # fmt: skip
def test_a_no_and_a_silence_are_what_they_mean_to_those_who_rent(
    fault: HostRefused | Unreachable, kind: str, sent: str
) -> None:
    told = to_fault(fault)
    assert (told.kind, told.sent) == (kind, sent)
    assert told.words in ("w", "GPU 1 is used by alice (pid 4242)")
