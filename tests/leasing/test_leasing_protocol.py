"""The protocol of a lease against a cloud that loses, repeats, refuses and ends late."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import pytest
from doubles import OddCloud, OddNodes, SimClock
from hypothesis import given, settings
from hypothesis import strategies as st

from tradewind.domain.records import Event, Lease
from tradewind.domain.states import LEASE_CLOSED, LEASE_TRANSITIONS, EndReason, Lane, LeaseState
from tradewind.leasing.intent import Wish, intend, let_go
from tradewind.leasing.reconcile import reconcile
from tradewind.leasing.room import Account, Room
from tradewind.leasing.sweep import end_orphans, keep, look, watched
from tradewind.leasing.timers import jumped
from tradewind.ports.compute import CloudFault, HardEnd, InstanceState, Leftover, Order, read_order
from tradewind.store import queue, records
from tradewind.store.database import Database
from tradewind.store.queue import Claim

OFFER = {
    "cloud": "odd", "region": "r", "zone": None, "instance_type": "t", "purchase": "spot",
    "price_per_hour": {"amount": "3.60", "currency": "CNY"},
}  # fmt: skip


@dataclass
class Desk:
    """A leasing room over doubles, moved step by step."""

    room: Room
    cloud: OddCloud
    nodes: OddNodes
    clock: SimClock

    def intend(self, hours: float = 12.0) -> str:
        wish = Wish("job-1", 1, "odd", OFFER, timedelta(hours=hours), HardEnd.SERVER_SIDE)
        with self.room.db.write() as db:
            return intend(db, wish, self.room.owner, self.clock.now()).id

    def lease(self, id_: str) -> Lease:
        with self.room.db.read() as db:
            found = records.lease(db, id_)
        assert found is not None
        return found

    def step(self) -> Lease | None:
        held = claim(self.room, "test")
        return reconcile(self.room, held) if held else None

    def step_or_sleep(self, seconds: float) -> None:
        if self.step() is None:
            self.clock.sleep(seconds)

    def until(self, id_: str, *states: LeaseState, steps: int = 900) -> Lease:
        for _ in range(steps):
            if self.lease(id_).state in states:
                return self.lease(id_)
            self.step_or_sleep(0.5)
        raise AssertionError(f"{self.lease(id_).state} and not {states}: {self.events(id_)}")

    def release(self, id_: str, reason: EndReason = EndReason.DONE) -> Lease:
        with self.room.db.write() as db:
            let_go(db, self.lease(id_), reason, self.clock.now())
        return self.until(id_, *LEASE_CLOSED)

    def events(self, id_: str) -> list[Event]:
        with self.room.db.read() as db:
            return records.events(db, what=id_)


def claim(room: Room, owner: str) -> Claim[Lease] | None:
    with room.db.write() as db:
        for lane in Lane:
            held = queue.claim_leases(db, lane, room.clock.now(), owner, 1)
            if held:
                return held[0]
    return None


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return make_desk(tmp_path)


def make_desk(folder: Path) -> Desk:
    clock = SimClock()
    cloud, nodes = OddCloud(clock), OddNodes()
    room = Room(Database(folder / "t.db"), clock, "me", {"odd": Account(cloud, nodes)}, lambda: 0.5)
    return Desk(room, cloud, nodes, clock)


def test_a_lease_runs_and_is_released(desk: Desk) -> None:
    id_ = desk.intend()
    running = desk.until(id_, LeaseState.RUNNING)
    assert running.cloud_id == "m-0"
    assert running.paid_from is not None
    released = desk.release(id_)
    assert (released.state, released.end_reason, released.wake_at) == (LeaseState.RELEASED, EndReason.DONE, None)
    assert desk.cloud.machines == {}
    kinds = [event.kind for event in desk.events(id_)]
    assert kinds == ["lease-intended", "lease-requested", "lease-accepted", "lease-running", "lease-unwanted",
                     "lease-releasing", "lease-released"]  # fmt: skip


def test_a_lost_answer_is_found_by_its_token_and_never_sent_again(desk: Desk) -> None:
    desk.cloud.faults = ["lose"]
    id_ = desk.intend()
    desk.until(id_, LeaseState.RUNNING)
    assert len(desk.cloud.orders) == 1
    assert len(desk.cloud.machines) == 1


def test_twins_of_one_token_are_surplus_and_ended(desk: Desk) -> None:
    desk.cloud.faults = ["twins"]
    id_ = desk.intend()
    desk.until(id_, LeaseState.RUNNING)
    for _ in range(50):
        desk.step_or_sleep(0.5)
    assert list(desk.cloud.machines) == ["m-0"]  # the older one is kept
    with desk.room.db.read() as db:
        twin = next(lease for lease in records.leases(db) if lease.id != id_)
    assert (twin.state, twin.end_reason) == (LeaseState.RELEASED, EndReason.SURPLUS)


def test_absence_is_proved_by_three_complete_looks_over_long_enough(desk: Desk) -> None:
    desk.cloud.faults = ["nothing-made"]
    id_ = desk.intend()
    desk.until(id_, LeaseState.UNKNOWN)
    began = desk.clock.now()
    desk.cloud.complete = False
    for _ in range(30):
        desk.step_or_sleep(5)
    assert desk.lease(id_).state is LeaseState.UNKNOWN  # incomplete lists prove nothing
    assert desk.lease(id_).looks == 0
    desk.cloud.complete = True
    refused = desk.until(id_, LeaseState.REFUSED)
    assert refused.looks >= 3
    assert desk.clock.now() - began >= timedelta(seconds=desk.cloud.caps.absence_s)
    assert len(desk.cloud.orders) == 1


def test_what_appears_after_a_proved_absence_is_ended_by_the_sweep(desk: Desk) -> None:
    desk.cloud.faults = ["nothing-made"]
    id_ = desk.intend()
    desk.until(id_, LeaseState.REFUSED)
    late = desk.cloud.make(_order(desk.lease(id_)))
    assert [stray.why for stray in look(desk.room).strays] == ["tombstoned"]
    keep(desk.room)
    assert late.id in desk.cloud.machines  # it is written down first, and paid for
    _settle(desk)
    assert late.id not in desk.cloud.machines
    with desk.room.db.read() as db:
        orphan = records.leases_of_instance(db, late.id)
    assert [(each.state, each.end_reason) for each in orphan] == [(LeaseState.RELEASED, EndReason.ORPHAN)]
    assert orphan[0].paid_from is not None


def test_a_throttled_order_is_sent_again_byte_for_byte(desk: Desk) -> None:
    desk.cloud.faults = ["throttle", "unsent"]
    id_ = desk.intend()
    desk.until(id_, LeaseState.RUNNING)
    assert len(desk.cloud.orders) == 3
    assert len(set(desk.cloud.orders)) == 1
    assert len(desk.cloud.machines) == 1


def test_a_refusal_costs_nothing(desk: Desk) -> None:
    desk.cloud.faults = ["refuse"]
    id_ = desk.intend()
    refused = desk.until(id_, LeaseState.REFUSED)
    assert refused.paid_from is None
    assert "capacity" in (refused.last_error or "")


def test_a_worker_that_dies_in_the_launch_leaves_unknown_not_a_second_machine(desk: Desk) -> None:
    id_ = desk.intend()
    launch = desk.cloud.launch

    def die(order: Order) -> None:
        launch(order)
        raise KeyboardInterrupt  # as if killed after the cloud acted

    desk.cloud.launch = die  # type: ignore[method-assign, assignment]
    with pytest.raises(KeyboardInterrupt):
        desk.step()
    desk.cloud.launch = launch  # type: ignore[method-assign]
    assert desk.lease(id_).state is LeaseState.REQUESTED
    with desk.room.db.write() as db:
        queue.release(db, "test")
    desk.until(id_, LeaseState.UNKNOWN)
    desk.until(id_, LeaseState.RUNNING)
    assert len(desk.cloud.orders) == 1


def test_an_end_is_believed_only_when_the_list_and_the_leftovers_are_empty(desk: Desk) -> None:
    id_ = desk.intend()
    desk.until(id_, LeaseState.RUNNING)
    desk.cloud.slow_ends, desk.cloud.left = 4, 2
    released = desk.release(id_)
    assert released.state is LeaseState.RELEASED
    assert (desk.cloud.slow_ends, desk.cloud.left) == (0, 0)  # looked until nothing was left
    assert "lease-not-ending" in [event.kind for event in desk.events(id_)]


def test_a_worker_that_wakes_after_its_claim_ran_out_changes_nothing(desk: Desk) -> None:
    id_ = desk.intend()
    stale = claim(desk.room, "sleeper")
    assert stale is not None
    desk.clock.sleep(queue.CLAIM_SECONDS)
    desk.until(id_, LeaseState.RUNNING)
    with pytest.raises(records.Stale):
        reconcile(desk.room, stale)
    assert desk.lease(id_).state is LeaseState.RUNNING
    assert len(desk.cloud.orders) == 1  # it committed nothing, so it sent nothing


def test_a_late_look_at_a_running_lease_is_dropped(desk: Desk) -> None:
    id_ = desk.intend()
    desk.until(id_, LeaseState.RUNNING)
    desk.clock.sleep(2)
    stale = claim(desk.room, "sleeper")
    assert stale is not None
    desk.clock.sleep(queue.CLAIM_SECONDS)
    assert desk.step() is not None
    with pytest.raises(records.Stale):
        reconcile(desk.room, stale)


def test_silence_is_suspect_and_still_paid(desk: Desk) -> None:
    id_ = desk.intend()
    desk.until(id_, LeaseState.RUNNING)
    desk.nodes.silent = True
    assert desk.until(id_, LeaseState.SUSPECT).paid_to is None
    desk.nodes.silent = False
    desk.until(id_, LeaseState.RUNNING)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"state": InstanceState.GONE, "why": "reclaimed"}, EndReason.RECLAIMED),
        ({"state": InstanceState.GONE, "why": "unknown"}, EndReason.VANISHED),
        ({"state": InstanceState.GONE, "why": "expired"}, EndReason.EXPIRED),
    ],
)
def test_the_reason_of_an_end_follows_what_the_cloud_says(
    desk: Desk, change: dict[str, object], reason: EndReason
) -> None:
    id_ = desk.intend()
    desk.until(id_, LeaseState.RUNNING)
    desk.cloud.set("m-0", **change)
    assert desk.until(id_, LeaseState.RELEASED).end_reason is reason


def test_missing_from_the_list_once_is_not_gone(desk: Desk) -> None:
    id_ = desk.intend()
    desk.until(id_, LeaseState.RUNNING)
    kept = desk.cloud.machines.pop("m-0")
    desk.clock.sleep(1)
    desk.step()
    assert desk.lease(id_).state is LeaseState.RUNNING
    desk.cloud.machines["m-0"] = kept
    desk.clock.sleep(1)
    desk.step()
    assert desk.lease(id_).looks == 0
    del desk.cloud.machines["m-0"]
    assert desk.until(id_, LeaseState.RELEASED).end_reason is EndReason.VANISHED


def test_the_hard_end_ends_a_lease_that_nobody_stops(desk: Desk) -> None:
    id_ = desk.intend(hours=0.01)
    desk.until(id_, LeaseState.RUNNING)
    desk.clock.sleep(40)
    assert desk.until(id_, LeaseState.RELEASED).end_reason is EndReason.EXPIRED


def test_what_was_never_sent_is_released_without_a_call(desk: Desk) -> None:
    id_ = desk.intend()
    assert desk.release(id_).state is LeaseState.RELEASED
    assert desk.cloud.orders == []


def test_what_has_no_row_is_adopted_and_ended_only_when_asked_and_others_are_left_alone(desk: Desk) -> None:
    id_ = desk.intend()
    desk.until(id_, LeaseState.RUNNING)
    mine = desk.cloud.make(_tagged(desk.lease(id_), lease="lease-lost", owner="me"))
    other = desk.cloud.make(_tagged(desk.lease(id_), lease="lease-other", owner="somebody"))
    half = desk.cloud.make(replace(_tagged(desk.lease(id_), lease="lease-half", owner="me"), tags={}))
    shown = look(desk.room)
    assert [(stray.instance.id, stray.why) for stray in shown.strays] == [(mine.id, "no-row")]
    keep(desk.room)
    adopted = desk.until("lease-lost", LeaseState.RUNNING)
    assert (adopted.cloud_id, adopted.hard_end, adopted.wanted) == (mine.id, desk.lease(id_).hard_end, True)
    assert adopted.offer["price_per_hour"] == OFFER["price_per_hour"]
    assert look(desk.room).strays == ()
    assert "lease-lost" in [each.id for each in end_orphans(desk.room)]  # no job here stands behind it
    _settle(desk)
    assert set(desk.cloud.machines) == {other.id, half.id}


def test_what_outlived_its_hard_end_without_a_row_is_ended(desk: Desk) -> None:
    id_ = desk.intend(hours=0.1)
    desk.until(id_, LeaseState.RUNNING)
    late = desk.cloud.make(_tagged(desk.lease(id_), lease="lease-lost", owner="me"))
    desk.clock.sleep(400)
    assert [stray.why for stray in keep(desk.room).strays if stray.instance.id == late.id] == ["expired"]
    _settle(desk)
    assert desk.cloud.machines == {}


def test_a_twin_that_is_listed_late_is_surplus(desk: Desk) -> None:
    id_ = desk.intend()
    desk.until(id_, LeaseState.RUNNING)
    twin = desk.cloud.make(_order(desk.lease(id_)))
    keep(desk.room)
    keep(desk.room)  # seen twice, written down once
    with desk.room.db.read() as db:
        rows = records.leases_of_instance(db, twin.id)
    assert [each.end_reason for each in rows] == [EndReason.SURPLUS]
    for _ in range(50):
        desk.step_or_sleep(1)
    assert list(desk.cloud.machines) == ["m-0"]


def test_a_machine_that_ended_by_itself_waits_for_its_last_words_to_be_read(desk: Desk) -> None:
    id_ = desk.intend()
    desk.until(id_, LeaseState.RUNNING)
    desk.cloud.set("m-0", state=InstanceState.GONE, why="ours", ended_at=desk.clock.now())
    desk.until(id_, LeaseState.RELEASING)
    for _ in range(20):
        desk.step_or_sleep(1)
    assert desk.lease(id_).state is LeaseState.RELEASING
    released = desk.release(id_)  # its job has read them
    assert released.end_reason is EndReason.DONE


def test_an_account_that_rows_name_and_nobody_configured_is_unknown(desk: Desk) -> None:
    desk.intend()
    other = replace(desk.room, accounts={})
    assert [(each.account, each.complete) for each in look(other).checked] == [("odd", False)]


def test_without_rights_a_look_is_taken_seldom_and_said(desk: Desk) -> None:
    id_ = desk.intend()
    desk.until(id_, LeaseState.RUNNING)
    find = desk.cloud.find

    def refuse(query: object) -> None:
        raise CloudFault("auth", "key revoked", sent="yes")

    desk.cloud.find = refuse  # type: ignore[method-assign, assignment]
    for _ in range(200):
        desk.step_or_sleep(1)
    row = desk.lease(id_)
    assert (row.state, row.fault_kind) == (LeaseState.SUSPECT, "auth")  # nobody knows how its machine does
    assert [event.kind for event in desk.events(id_)].count("lease-auth") == 1
    desk.cloud.find = find  # type: ignore[method-assign]
    for _ in range(1000):
        desk.step_or_sleep(1)
    assert (desk.lease(id_).state, desk.lease(id_).faults) == (LeaseState.RUNNING, 0)
    assert desk.lease(id_).fault_kind is None


def test_a_place_that_cannot_be_listed_is_unknown_not_empty(desk: Desk) -> None:
    def refuse(query: object) -> None:
        raise CloudFault("auth", "no", sent="yes")

    desk.cloud.find = refuse  # type: ignore[method-assign, assignment]
    assert [each.complete for each in look(desk.room).checked] == [False]


FAULTS = st.lists(
    st.sampled_from(["none", "lose", "twins", "refuse", "throttle", "unsent", "nothing-made"]), max_size=4
)


@settings(max_examples=40, deadline=None)
@given(faults=FAULTS, stop_after=st.integers(0, 12), slow=st.integers(0, 5))
def test_whatever_is_lost_nothing_stays_and_events_fold_to_the_rows(
    tmp_path_factory: pytest.TempPathFactory, faults: list[str], stop_after: int, slow: int
) -> None:
    desk = make_desk(tmp_path_factory.mktemp("world"))
    desk.cloud.faults, desk.cloud.slow_ends = list(faults), slow
    id_ = desk.intend()
    for _ in range(stop_after):
        desk.step_or_sleep(1)
    if desk.lease(id_).state not in LEASE_CLOSED:
        desk.release(id_)
    _settle(desk)
    assert desk.cloud.machines == {}
    with desk.room.db.read() as db:
        for lease in records.leases(db):
            assert lease.state in LEASE_CLOSED
            _check_history(lease, records.events(db, what=lease.id))


def _settle(desk: Desk) -> None:
    def all_closed() -> bool:
        with desk.room.db.read() as db:
            return not records.leases(db, open_only=True)

    for _ in range(400):
        if all_closed():
            return
        desk.step_or_sleep(1)
    raise AssertionError("a lease never closed")


def _check_history(lease: Lease, events: list[Event]) -> None:
    state: LeaseState | None = None
    for event in events:
        if event.new is None:
            continue
        new = LeaseState(event.new)
        assert state is None or new in LEASE_TRANSITIONS[state]
        state = new
    assert state is lease.state


def _order(row: Lease) -> Order:
    return read_order(row.order)


def _tagged(row: Lease, lease: str, owner: str) -> Order:
    """An order as this one, by another installation or for a lease that is not known."""
    order = _order(row)
    token = str(uuid.uuid5(uuid.UUID(row.token), lease + owner))
    tags = {**order.tags, "tradewind:lease": lease, "tradewind:owner": owner, "tradewind:token": token}
    return replace(order, lease=lease, owner=owner, token=token, tags=tags)


def test_a_refused_order_is_watched_for_as_long_as_it_may_turn_up(desk: Desk) -> None:
    desk.cloud.faults = ["refuse"]
    desk.until(desk.intend(), LeaseState.REFUSED)
    every = timedelta(seconds=60)
    desk.clock.sleep(desk.cloud.caps.absence_s + 2 * 60 - 1)
    assert watched(desk.room, every)
    desk.clock.sleep(1)
    assert not watched(desk.room, every)
    desk.release(desk.intend())  # never sent: nothing can turn up
    assert not watched(desk.room, every)


@pytest.mark.parametrize("kind", ["unavailable", "clock", "conflict", "not_found"])
def test_an_error_that_is_no_refusal_may_have_made_the_machine_all_the_same(desk: Desk, kind: str) -> None:
    launch = desk.cloud.launch

    def fail(order: Order) -> None:
        launch(order)
        raise CloudFault(kind, "500", sent="yes")  # type: ignore[arg-type]

    desk.cloud.launch = fail  # type: ignore[method-assign, assignment]
    id_ = desk.intend()
    desk.until(id_, LeaseState.UNKNOWN)
    assert desk.until(id_, LeaseState.RUNNING).cloud_id == "m-0"


def test_paid_time_is_by_the_clouds_clock_and_never_negative(desk: Desk) -> None:
    id_ = desk.intend()
    desk.until(id_, LeaseState.RUNNING)
    began = desk.lease(id_).paid_from
    assert began is not None
    desk.cloud.machines.clear()
    desk.clock.jump(timedelta(hours=-1))
    with desk.room.db.write() as db:
        jumped(db, timedelta(hours=-1), desk.clock.now())
    released = desk.until(id_, LeaseState.RELEASED)
    assert released.paid_to == began  # this cloud's clock was set as well: it cannot have ended before it began


def leaves(desk: Desk, *left: Leftover) -> None:
    """The cloud tells of leftovers until they are asked to end, by their own id or their machine's."""
    there, end = list(left), desk.cloud.end
    desk.cloud.leftovers = lambda query: tuple(  # type: ignore[method-assign]
        each for each in there if query.ids is None or each.id in query.ids or "m-0" in query.ids
    )

    def ended(ids: Sequence[str]) -> None:
        there[:] = [each for each in there if each.id not in ids and "m-0" not in ids]
        end(ids)

    desk.cloud.end = ended  # type: ignore[method-assign]


def test_a_leftover_that_no_row_explains_is_written_down_and_ended(desk: Desk) -> None:
    leaves(desk, Leftover("disk", "d-7", "lease-lost"))
    keep(desk.room)
    keep(desk.room)
    with desk.room.db.read() as db:
        rows = records.leases(db)
    assert [(each.kind, each.cloud_id, each.end_reason) for each in rows] == [("disk", "d-7", EndReason.ORPHAN)]
    _settle(desk)
    assert look(desk.room).remnants == ()


def test_a_machine_that_ended_before_it_was_known_is_adopted_for_what_it_left(desk: Desk) -> None:
    id_ = desk.intend()
    desk.until(id_, LeaseState.RUNNING)
    lost = desk.cloud.make(_tagged(desk.lease(id_), lease="lease-lost", owner="me"))
    desk.cloud.set(lost.id, state=InstanceState.GONE, ended_at=desk.clock.now())
    assert look(desk.room).strays == ()  # it is gone and left nothing
    leaves(desk, Leftover("disk", "d-7", "lease-lost"))
    assert [stray.why for stray in look(desk.room).strays] == ["no-row"]
    keep(desk.room)
    assert desk.until("lease-lost", LeaseState.RELEASING).paid_to is not None


def test_what_comes_back_after_it_was_ended_is_written_down_again(desk: Desk) -> None:
    desk.cloud.faults = ["nothing-made"]
    id_ = desk.intend()
    desk.until(id_, LeaseState.REFUSED)
    late = desk.cloud.make(_order(desk.lease(id_)))
    for times in (1, 2):
        keep(desk.room)
        _settle(desk)
        with desk.room.db.read() as db:
            assert len(records.leases_of_instance(db, late.id)) == times
        desk.cloud.machines[late.id] = late


def test_leftovers_that_are_not_told_hide_no_machine(desk: Desk) -> None:
    id_ = desk.intend()
    desk.until(id_, LeaseState.RUNNING)
    lost = desk.cloud.make(_tagged(desk.lease(id_), lease="lease-lost", owner="me"))

    def refuse(query: object) -> None:
        raise CloudFault("unavailable", "no", sent="no")

    desk.cloud.leftovers = refuse  # type: ignore[method-assign, assignment]
    swept = keep(desk.room)
    assert [stray.instance.id for stray in swept.strays] == [lost.id]
    assert not swept.whole  # so it is soon looked at again
    assert desk.lease("lease-lost").cloud_id == lost.id
