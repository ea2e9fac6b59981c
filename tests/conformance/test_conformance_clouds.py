"""The conformance suite of `cloud_port.md` on the clouds that there are; the numbers are its own.

A case is played on every cloud that has no reason against it. Here are those that any cloud can play, and those of
`local` and `machines`; what is rented is in `test_conformance_renting`, machines over a real sshd in
`test_conformance_ssh`.
"""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from doubles import OddNodes
from grounds import GROUNDS, Ground, LocalGround, MachinesGround, OddGround
from reasons import CASES, NOT_PLAYED

from tradewind.domain.records import Lease
from tradewind.domain.states import LEASE_CLOSED, EndReason, Lane, LeaseState
from tradewind.leasing.intent import Wish, intend, let_go
from tradewind.leasing.reconcile import reconcile
from tradewind.leasing.room import Account, Room
from tradewind.leasing.sweep import keep
from tradewind.ports.compute import CloudFault, Compute, InstanceState, Query
from tradewind.ports.transport import Unreachable
from tradewind.store import queue, records
from tradewind.store.database import Database

Case = Callable[[Any], None]
PLAYED: list[tuple[str, tuple[int, ...], Case]] = []


def case(*numbers: int, on: tuple[str, ...] = tuple(NOT_PLAYED)) -> Callable[[Case], Case]:
    """This function plays these cases on the clouds that have no reason against it, or on those named."""

    def put(played: Case) -> Case:
        for cloud in on:
            mine = tuple(number for number in numbers if number not in NOT_PLAYED[cloud])
            PLAYED.extend([(cloud, mine, played)] if mine else [])
        return played

    return put


def refused(ask: Callable[[], object]) -> CloudFault:
    with pytest.raises(CloudFault) as told:
        ask()
    return told.value


def whole(cloud: Compute) -> bool:
    """Whether a cloud tells of all that is there."""
    try:
        return cloud.find(Query()).complete
    except CloudFault:
        return False


@case(1)
def it_is_made_as_ordered(ground: Ground) -> None:
    order = ground.order()
    made = ground.running(order)
    assert made.id.startswith(ground.prefix)
    assert (made.token, made.lease, made.owner, made.tags) == (order.token, order.lease, order.owner, order.tags)
    assert (made.instance_type, made.zone, made.purchase) == (order.instance_type, order.zone, order.purchase)


@case(3)
def a_token_makes_one_machine(ground: Ground) -> None:
    first, again = (ground.cloud.launch(ground.order()).ids for _ in range(2))
    assert first == again
    assert ground.ids() == list(first)


@case(4)
def a_token_is_not_used_for_another_order(ground: Ground) -> None:
    ground.cloud.launch(ground.order())
    assert refused(lambda: ground.cloud.launch(ground.order(instance_type="another"))).kind == "conflict"
    assert len(ground.ids()) == 1


@case(5)
def two_at_once_make_one_machine(ground: Ground) -> None:
    made: list[tuple[str, ...]] = []
    order = ground.order()
    threads = [threading.Thread(target=lambda: made.append(ground.cloud.launch(order).ids)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 3
    assert ground.ids() == sorted({id_ for ids in made for id_ in ids}) == list(made[0])


@case(6)
def what_was_made_while_its_answer_was_lost_is_found_by_its_token(ground: Ground) -> None:
    ground.lose(done=True)
    assert refused(lambda: ground.cloud.launch(ground.order())).sent == "maybe"
    listing = ground.cloud.find(Query(token=ground.order().token))
    assert listing.complete
    assert [each.id for each in listing.instances] == ground.ids()


@case(7)
def what_never_left_is_known_not_to_have_been_sent(ground: Ground) -> None:
    ground.refuse()
    assert refused(lambda: ground.cloud.launch(ground.order())).sent == "no"


class Desk:
    """A leasing room over a cloud, in virtual time from now on."""

    def __init__(self, ground: Ground) -> None:
        self.clock = ground.virtual()
        account = {ground.cloud.name: Account(ground.cloud, OddNodes(), ground.furnish)}
        self.room = Room(Database(ground.place / "desk.db"), self.clock, "me", account, lambda: 0.5)
        self.name, self.offer, self.hard_end = ground.cloud.name, ground.offer, ground.cloud.caps.hard_end

    def intend(self, **offer: str) -> str:
        wish = Wish("job-1", 1, self.name, {**self.offer, **offer}, timedelta(hours=1), self.hard_end)
        with self.room.db.write() as db:
            return intend(db, wish, "me", self.clock.now()).id

    def until(self, id_: str, *states: LeaseState) -> Lease:
        for _ in range(600):
            with self.room.db.write() as db:
                lease = records.lease(db, id_)
                held = [each for lane in Lane for each in queue.claim_leases(db, lane, self.clock.now(), "t", 1)]
            assert lease is not None
            if lease.state in states:
                return lease
            for each in held:
                reconcile(self.room, each)
            if not held:
                self.clock.sleep(0.5)
        raise AssertionError(f"{lease} was never {states}")

    def rows(self) -> list[Lease]:
        with self.room.db.read() as db:
            return records.leases(db)


@case(8)
def what_was_made_after_all_is_swept_up(ground: Ground) -> None:
    desk = Desk(ground)
    ground.lose(done=True)
    id_ = desk.intend()
    unknown = desk.until(id_, LeaseState.UNKNOWN)
    with desk.room.db.write() as db:  # given up by a store that knows nothing of what was made
        records.update_lease(db, unknown, replace(unknown, state=LeaseState.REFUSED, wake_at=None))
    (stray,) = keep(desk.room).strays
    assert stray.why == "tombstoned"
    (row,) = [each for each in desk.rows() if each.id != id_]
    assert desk.until(row.id, *LEASE_CLOSED).end_reason is EndReason.ORPHAN
    assert ground.ids() == []


@case(9)
def what_was_not_made_is_proved_absent(ground: Ground) -> None:
    desk = Desk(ground)
    ground.lose(done=False)
    id_ = desk.intend()
    desk.until(id_, LeaseState.UNKNOWN)
    assert desk.until(id_, LeaseState.REFUSED).cloud_id is None
    again = desk.intend()
    running = desk.until(again, LeaseState.RUNNING)
    assert len(ground.ids()) == 1
    with desk.room.db.write() as db:
        let_go(db, running, EndReason.DONE, desk.clock.now())
    desk.until(again, LeaseState.RELEASED)
    assert ground.ids() == []


@case(10, on=("machines",))
def a_launch_is_sent_once(ground: MachinesGround) -> None:
    ground.cloud.launch(ground.order())
    ground.lose(done=False)
    refused(lambda: ground.cloud.launch(ground.order("b")))
    refused(lambda: ground.cloud.launch(ground.gpus_order("c", 3)))
    assert ground.host.asked.count("take") == 3


@case(11, on=("odd",))
def what_fails_late_says_why_and_leaves_nothing(ground: OddGround) -> None:
    ground.schedule.next("machine", "fail", 3.0)
    (id_,) = ground.cloud.launch(ground.order()).ids
    failed = ground.until(id_, lambda each: each.state is InstanceState.FAILED)
    assert failed.why == "capacity"
    ground.cloud.end([id_])
    assert ground.cloud.leftovers(Query(ids=(id_,))) == ()


@case(12, on=("odd",))
def a_list_that_lags_proves_nothing_yet(ground: OddGround) -> None:
    ground.schedule.next("launch", "appears-late", 30.0)
    desk = Desk(ground)
    assert desk.until(desk.intend(), LeaseState.PENDING, LeaseState.REFUSED).state is LeaseState.PENDING


@case(13, on=("machines",))
def a_long_list_is_whole(ground: MachinesGround) -> None:
    ground.many(2500)
    listing = ground.cloud.find(Query())
    assert listing.complete
    assert len({each.id for each in listing.instances}) == len(listing.instances) == 2500
    ground.cloud.end([listing.instances[7].id])
    assert len(ground.cloud.find(Query()).instances) == 2499
    for each in listing.instances:  # they never lived: nothing of theirs has to be ended
        shutil.rmtree(ground.machines / each.id, ignore_errors=True)


@case(14)
def a_place_that_is_away_is_not_empty(ground: Ground) -> None:
    ground.refuse()
    assert not whole(ground.cloud)


@case(15, on=tuple(GROUNDS))
def others_are_neither_told_nor_ended(ground: Ground) -> None:
    other = ground.running(ground.order("b", owner="somebody"))
    half = ground.running(ground.order("c", tags={"tradewind:owner": "me"}))
    assert [each.id for each in ground.cloud.find(Query(owner="me")).instances] == [half.id]
    assert keep(Desk(ground).room).strays == ()
    assert set(ground.ids()) >= {half.id}
    assert ground.cloud.find(Query(ids=(other.id,))).instances[0].state is InstanceState.RUNNING
    ground.cloud.end([other.id, half.id])


@case(16)
def ending_what_is_not_there_succeeds(ground: Ground) -> None:
    ground.cloud.end([ground.nobodys])


@case(17)
def it_is_ended_in_any_state_and_again(ground: Ground) -> None:
    (id_,) = ground.cloud.launch(ground.order()).ids  # it may still be starting
    ground.cloud.end([id_])
    ground.cloud.end([id_])
    assert ground.ids() == []


@case(18)
def one_bad_name_hinders_no_other_end(ground: Ground) -> None:
    made = [ground.running(ground.order(name)).id for name in ("a", "b")]
    ground.cloud.end([made[0], ground.nobodys, made[1]])
    assert ground.ids() == []


@case(19)
def an_end_takes_everything_along(ground: Ground) -> None:
    made = ground.running(ground.order())
    work = ground.work_on(made)
    ground.cloud.end([made.id])
    assert ground.cloud.leftovers(Query(ids=(made.id,))) == ()
    if work is not None:
        work.wait(10)  # it ends as well


@case(21, 22, 24, 25, 26, 27, on=("odd",))
def a_refusal_keeps_its_kind(ground: OddGround) -> None:
    for kind in ("capacity", "quota", "throttle", "invalid", "price_cap", "money"):
        ground.schedule.next("launch", kind)
        told = refused(lambda: ground.cloud.launch(ground.order()))
        assert (told.kind, told.sent) == (kind, "yes")
    assert ground.ids() == []


@case(23, on=("odd",))
def a_key_that_is_refused_is_no_empty_list(ground: OddGround) -> None:
    ground.schedule.next("find", "auth")
    assert refused(lambda: ground.cloud.find(Query())).kind == "auth"


@case(21, on=("machines",))
def gpus_in_use_are_refused_naming_who_uses_them(ground: MachinesGround) -> None:
    mine = ground.running(ground.gpus_order("a", 1))
    ground.box.gpus[1].processes = [(os.getpid(), 3.1)]
    ground.box.tell()
    told = refused(lambda: ground.cloud.launch(ground.gpus_order("b", 1)))
    assert (told.kind, told.sent) == ("busy", "yes")
    assert str(mine.pgid) in told.words and str(os.getpid()) in told.words
    assert "0 of 2 free" in told.words
    ground.box.gpus[1].processes = []
    ground.box.tell()
    ground.cloud.end([mine.id])
    ground.running(ground.gpus_order("c", 1))
    assert len(ground.ids()) == 1


@case(23, on=("machines",))
def who_is_not_let_in_is_told_so(ground: MachinesGround) -> None:
    ground.host.away = Unreachable("me@box: no key of yours is accepted", "login-refused")
    told = refused(lambda: ground.cloud.launch(ground.order()))
    assert (told.kind, told.words) == ("auth", "me@box: no key of yours is accepted")
    assert not ground.cloud.find(Query()).complete


@case(25, on=("machines",))
def more_gpus_than_there_are_is_no_order(ground: MachinesGround) -> None:
    assert refused(lambda: ground.cloud.launch(ground.gpus_order("a", 3))).kind == "invalid"
    ground.running(ground.gpus_order("b", 8, cloud="aws"))  # worn: as many as there are
    assert refused(lambda: ground.cloud.launch(ground.gpus_order("c", 1))).kind == "busy"


@case(30, on=("machines",))
def a_clock_that_is_wrong_is_reckoned_with(ground: MachinesGround) -> None:
    ground.pipe.skew_s = 1200.0  # as if the host's were twenty minutes ahead
    before = ground.clock.now()
    order = ground.order(hard_end=(before - timedelta(minutes=19)).isoformat())  # by the host's clock in a minute
    made = ground.running(order)
    assert abs((made.launched_at - before + timedelta(minutes=20)).total_seconds()) < 60
    ground.pipe.skew_s = 0.0


@case(30, on=("odd",))
def a_past_hard_end_is_the_clocks_fault(ground: OddGround) -> None:
    past = ground.order(hard_end=(ground.clock.now() - timedelta(minutes=20)).isoformat())
    assert refused(lambda: ground.cloud.launch(past)).kind == "clock"


@case(31, 36, on=tuple(GROUNDS))
def what_was_taken_back_says_so(ground: Ground) -> None:
    made = ground.running(ground.order())
    ground.reclaim(made)
    told = ground.until(made.id, lambda each: each.reclaim_at is not None)
    assert told.state is InstanceState.RUNNING
    assert ground.until(made.id, lambda each: each.state is InstanceState.GONE).why == "reclaimed"


@case(37, on=("local", "machines"))
def a_notice_is_where_the_probe_looks(ground: LocalGround | MachinesGround) -> None:
    made = ground.running(ground.order())
    probe = ground.cloud.notice_probe(made)
    assert probe["kind"] == "file" and not Path(probe["path"]).exists()
    ground.reclaim(made)
    ground.until(made.id, lambda each: each.reclaim_at is not None)
    assert "the market" in Path(probe["path"]).read_text()


@case(40, on=tuple(GROUNDS))
def the_hard_end_is_kept_although_nobody_looks(ground: Ground) -> None:
    soon = ground.clock.now() + timedelta(seconds=0.4)
    (id_,) = ground.cloud.launch(ground.order(hard_end=soon.isoformat())).ids
    assert ground.until(id_, lambda each: each.state is InstanceState.GONE).why == "expired"


@pytest.mark.parametrize(
    ("cloud", "played"),
    [pytest.param(cloud, played, id=f"{cloud}-{'+'.join(map(str, numbers))}")
     for cloud, numbers, played in PLAYED if cloud in GROUNDS],
)  # fmt: skip
def test_a_cloud_does_as_the_suite_says(cloud: str, played: Case, tmp_path: Path) -> None:
    ground = GROUNDS[cloud](tmp_path)
    try:
        played(ground)
    finally:
        ground.close()


@pytest.mark.parametrize("cloud", GROUNDS)
def test_every_case_is_played_or_has_a_reason_against_it(cloud: str) -> None:
    played = {number for each, numbers, _ in PLAYED if each == cloud for number in numbers}
    assert played | set(NOT_PLAYED[cloud]) == set(CASES)
