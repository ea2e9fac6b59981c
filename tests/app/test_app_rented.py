"""What is rented, with real processes on this computer: listed with its reasons, and ended when nothing explains it."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import contracts
import psutil
import pytest

from tradewind.app import control
from tradewind.app.clock import SystemClock
from tradewind.app.interface import open_count
from tradewind.app.lock import holder
from tradewind.app.settings import Settings
from tradewind.app.views.leases import remnant_json
from tradewind.clouds.local import processes
from tradewind.clouds.local.compute import LocalCompute
from tradewind.leasing import tags
from tradewind.leasing.sweep import Remnant
from tradewind.ports.compute import InstanceState, Leftover, Order, Query


class Home:
    """A home with a control plane, and machines that were made behind its back."""

    def __init__(self, folder: Path) -> None:
        self.settings = Settings(folder)
        self.cloud = LocalCompute(self.settings.instances, SystemClock())
        self.plane = control.connect(self.settings)

    def behind(self, owner: str | None = None) -> str:
        """A machine without a row; its id."""
        token, lease = str(uuid.uuid4()), f"lease-{uuid.uuid4().hex[:8]}"
        hard_end = SystemClock().now() + timedelta(minutes=10)
        owner = owner or self.settings.installation()
        price = {"amount": "3.60", "currency": "CNY"}
        told = tags.Tags(owner, lease, token, hard_end, "job-gone", 1, "local", price)
        order = Order(token=token, lease=lease, owner=owner, cloud="local", region="here", zone=None,
                      instance_type="t", purchase="on_demand", hard_end=hard_end.isoformat(),
                      tags=tags.write(told))  # fmt: skip
        (id_,) = self.cloud.launch(order).ids
        while self.cloud.find(Query(ids=(id_,))).instances[0].state is not InstanceState.RUNNING:
            time.sleep(0.02)
        return id_

    def close(self) -> None:
        """End what was made, and the supervisor that this home started."""
        held = holder(self.settings.lock)
        if held and held["pid"]:
            psutil.Process(held["pid"]).kill()
        self.cloud.end([each.id for each in self.cloud.find(Query()).instances])


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    made = Home(tmp_path / "home")
    yield made
    made.close()


def test_nothing_rented_is_an_empty_list_beside_the_places_that_were_listed(home: Home) -> None:
    listed = home.plane.leases(False)
    assert listed["leases"] == []
    assert {each["account"] for each in listed["checked"]} == {"local", "rehearsal"}
    assert all(each["complete"] for each in listed["checked"])
    assert open_count(listed) == 0


def test_a_place_that_was_not_listed_makes_the_count_unknown(home: Home) -> None:
    listed = home.plane.leases(False)
    listed["checked"][0]["complete"] = False
    assert open_count(listed) is None


def test_what_has_no_row_is_listed_and_a_sweep_ends_it_and_waits_until_it_is_gone(home: Home) -> None:
    id_, others = home.behind(), home.behind(owner="somebody-else")
    (row,) = home.plane.leases(False)["leases"]
    contracts.check([row], contracts.LEASES)
    assert (row["cloud_id"], row["why_open"], row["state"]) == (id_, "stray-no-row", "UNKNOWN")
    assert row["price_per_hour"] == {"amount": "3.60", "currency": "CNY"}

    seen = home.plane.sweep(False)
    contracts.check(json.loads(json.dumps(seen)), contracts.SWEEP)
    assert [each["cloud_id"] for each in seen["found"]] == [id_]
    assert (seen["ended"], seen["ending"]) == ([], [])
    assert processes.of_instance(id_), "a look ends nothing"

    swept = home.plane.sweep(True)
    assert (swept["ended"], swept["ending"]) == ([row["lease"]], [])
    assert processes.of_instance(id_) == []
    assert home.plane.leases(False)["leases"] == []
    (ended,) = home.plane.leases(True)["leases"]
    assert (ended["state"], ended["end_reason"], ended["cost_so_far"]["currency"]) == ("RELEASED", "orphan", "CNY")
    told = home.plane.explain(row["lease"], True)
    assert told["code"] == "lease-RELEASED" and told["next_wake"] is None
    assert "lease-adopted" in [event["kind"] for event in told["events"]]
    assert processes.of_instance(others), "what belongs to others is never touched"


def test_processes_that_an_ended_machine_left_are_told_with_their_machine(home: Home) -> None:
    id_ = home.behind()
    folder = home.settings.instances / id_
    (folder / "ended.json").write_text(json.dumps({"at": time.time(), "why": "unknown"}))  # its processes live on
    (row,) = home.plane.sweep(False)["found"]
    assert (row["cloud_id"], row["why_open"]) == (id_, "stray-no-row")
    home.plane.sweep(True)
    assert processes.of_instance(id_) == []


def test_a_leftover_is_told_as_a_lease_of_which_little_is_known() -> None:
    told = remnant_json(Remnant("odd", Leftover("disk", "d-7", "lease-x"), None, 0))
    contracts.check([told], contracts.LEASES)
    assert (told["kind"], told["lease"], told["cloud_id"], told["price_per_hour"]) == ("disk", "lease-x", "d-7", None)
