"""Machines that are out of contact, and places that cannot be listed: suspect, paid, and given up only on proof."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from doubles import ODD_CAPABILITIES, OddCloud, OddNodes, SimClock
from test_leasing_protocol import OFFER, Desk, make_desk

from tradewind.domain.states import EndReason, LeaseState
from tradewind.leasing.room import Account
from tradewind.leasing.sweep import look
from tradewind.ports.compute import (
    Accepted,
    Capabilities,
    CloudFault,
    InstanceState,
    Listing,
    Order,
    Query,
    read_order,
)

RETURNING = replace(ODD_CAPABILITIES, silence_s=math.inf, hear_out_s=3600.0)


def desk_of(place: Path, caps: Capabilities) -> Desk:
    made = make_desk(place)
    made.cloud.caps = caps
    return made


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return desk_of(tmp_path, RETURNING)


def running(desk: Desk, hours: float = 12.0) -> str:
    id_ = desk.intend(hours)
    desk.until(id_, LeaseState.RUNNING)
    return id_


def live(desk: Desk, seconds: float, looks: int = 12) -> None:
    """So much time passes, in which it is looked at now and then."""
    for _ in range(looks):
        desk.clock.sleep(seconds / looks)
        desk.step()


def away(query: Query) -> Listing:
    raise CloudFault("unavailable", "the cloud is away", sent="no")


@pytest.mark.parametrize("how", ["incomplete", "fault"])
def test_a_place_that_cannot_be_listed_makes_its_machines_suspect_and_gives_none_up(desk: Desk, how: str) -> None:
    id_, find = running(desk), desk.cloud.find
    if how == "fault":
        desk.cloud.find = away  # type: ignore[method-assign]
    desk.cloud.complete = how != "incomplete"
    suspect = desk.until(id_, LeaseState.SUSPECT)
    assert "the cloud is away" in (suspect.last_error or "")
    (told,) = [event.cause for event in desk.events(id_) if event.kind == "lease-suspect"]
    assert told and told.startswith("no contact since 2026-11-21T08:00:") and "the cloud is away" in told
    live(desk, 8 * 3600)
    assert desk.lease(id_).state is LeaseState.SUSPECT
    desk.cloud.find, desk.cloud.complete = find, True  # type: ignore[method-assign]
    assert desk.until(id_, LeaseState.RUNNING).last_error is None
    assert next(event.cause for event in desk.events(id_) if event.kind == "lease-contact")
    assert [event.kind for event in desk.events(id_)].count("lease-running") == 1


@pytest.mark.parametrize(("caps", "ends"), [(RETURNING, False), (ODD_CAPABILITIES, True)])
def test_how_long_a_listed_machine_may_be_silent_its_cloud_says(tmp_path: Path, caps: Capabilities, ends: bool) -> None:
    desk = desk_of(tmp_path, caps)
    id_ = running(desk)
    desk.nodes.silent = True
    desk.until(id_, LeaseState.SUSPECT)
    live(desk, 1260 if ends else 4 * 3600)
    assert (desk.lease(id_).end_reason is EndReason.VANISHED) is ends
    assert (desk.lease(id_).state is LeaseState.SUSPECT) is not ends


def test_what_ended_by_itself_is_left_for_its_job_to_hear_it_out(desk: Desk) -> None:
    id_ = running(desk)
    desk.cloud.set("m-0", state=InstanceState.GONE, why="host", ended_at=desk.clock.now())  # after a reboot
    desk.until(id_, LeaseState.RELEASING)
    live(desk, 3500)
    assert (desk.lease(id_).state, desk.lease(id_).end_reason) == (LeaseState.RELEASING, EndReason.VANISHED)
    assert "m-0" in desk.cloud.machines
    live(desk, 200)
    assert desk.lease(id_).state is LeaseState.RELEASED


def test_a_hard_end_is_kept_although_the_place_is_away(desk: Desk) -> None:
    id_ = running(desk, hours=0.1)
    desk.cloud.complete = False
    live(desk, 400)
    assert (desk.lease(id_).state, desk.lease(id_).end_reason) == (LeaseState.RELEASING, EndReason.EXPIRED)
    desk.cloud.complete = True
    live(desk, 600)
    assert "m-0" in desk.cloud.machines  # it may still be heard out
    live(desk, 3600)
    assert (desk.lease(id_).state, desk.cloud.machines) == (LeaseState.RELEASED, {})


def test_what_is_busy_is_refused_at_once_although_it_never_left(desk: Desk) -> None:
    launch = desk.cloud.launch

    def refuse(order: Order) -> Accepted:
        raise CloudFault("busy", "GPU 1 is used by alice", sent="no")

    desk.cloud.launch = refuse  # type: ignore[method-assign]
    id_ = desk.intend()
    refused = desk.until(id_, LeaseState.REFUSED)
    assert (refused.fault_kind, refused.last_error) == ("busy", "busy: GPU 1 is used by alice")
    desk.cloud.launch = launch  # type: ignore[method-assign]
    running(desk)


def test_an_order_says_how_many_gpus_the_offer_has(desk: Desk) -> None:
    id_ = desk.intend()
    assert read_order(desk.lease(id_).order).gpus == OFFER.get("gpus", 0)


@dataclass
class Meeting(OddCloud):
    """A cloud that answers once another one is asked as well."""

    meeting: threading.Barrier | None = None

    def find(self, query: Query) -> Listing:
        assert self.meeting is not None
        self.meeting.wait(30)
        return super().find(query)


def test_accounts_are_listed_side_by_side(desk: Desk) -> None:
    meeting = threading.Barrier(3)
    accounts = {name: Account(Meeting(SimClock(), meeting=meeting), OddNodes()) for name in ("a", "b", "c")}
    swept = look(replace(desk.room, accounts=accounts))  # one after the other none would ever answer
    assert [(each.account, each.complete) for each in swept.checked] == [("a", True), ("b", True), ("c", True)]


def test_an_account_that_was_retired_is_asked_for_no_longer(desk: Desk) -> None:
    desk.release(running(desk))
    gone = replace(desk.room, accounts={})
    assert [each.account for each in look(gone).checked] == ["odd"]
    assert look(replace(gone, retired=lambda: frozenset({"odd"}))).checked == ()
