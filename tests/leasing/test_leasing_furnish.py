"""Orders that are made whole before they are sent, and the networks that machines need."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

import pytest
from doubles import ODD_CAPABILITIES, OddCloud, OddNodes, SimClock

from tradewind.domain.records import Lease
from tradewind.domain.states import LEASE_CLOSED, EndReason, Lane, LeaseState
from tradewind.leasing import networks
from tradewind.leasing.intent import Wish, intend, let_go
from tradewind.leasing.reconcile import reconcile
from tradewind.leasing.room import Account, Room, Site
from tradewind.leasing.sweep import end_orphans, keep
from tradewind.ports.compute import CloudFault, Disk, HardEnd, Order, read_order
from tradewind.store import queue, records
from tradewind.store.database import Database

OFFER = {
    "cloud": "odd", "region": "r", "zone": None, "instance_type": "t", "purchase": "spot",
    "price_per_hour": {"amount": "3.60", "currency": "CNY"}, "billing": {"price_cap": "4.00"},
}  # fmt: skip
SITE = Site("odd:network", "default")
MACHINE, NETWORK = "odd", "odd:network"
NETWORK_CAPABILITIES = replace(
    ODD_CAPABILITIES, hard_end=HardEnd.CONTROL_PLANE, beat_s=300.0, boot_beat_s=5.0
)  # fmt: skip


@dataclass
class Furnisher:
    """Fills in an image, another one each time it is asked; ``faults`` are met first."""

    faults: list[CloudFault] = field(default_factory=list)
    asked: list[Order] = field(default_factory=list)

    def __call__(self, order: Order) -> Order:
        self.asked.append(order)
        if self.faults:
            raise self.faults.pop(0)
        return replace(order, image=f"image-{len(self.asked)}", user_data=str(uuid.uuid4()))


@dataclass
class Desk:
    """A leasing room over a cloud whose machines need a network."""

    room: Room
    clock: SimClock
    machines: OddCloud
    networks: OddCloud
    furnisher: Furnisher

    def intend(self, hours: float = 12.0) -> str:
        wish = Wish("job-1", 1, MACHINE, OFFER, timedelta(hours=hours), HardEnd.SERVER_SIDE, site=SITE)
        with self.room.db.write() as db:
            return intend(db, wish, self.room.owner, self.clock.now()).id

    def rows(self, account: str) -> list[Lease]:
        with self.room.db.read() as db:
            return records.leases_of_account(db, account)

    def row(self, id_: str) -> Lease:
        with self.room.db.read() as db:
            found = records.lease(db, id_)
        assert found is not None
        return found

    def step(self) -> bool:
        with self.room.db.write() as db:
            held = [row for lane in Lane for row in queue.claim_leases(db, lane, self.clock.now(), "test", 1)]
        for each in held:
            reconcile(self.room, each)
        return bool(held)

    def live(self, seconds: float) -> None:
        until = self.clock.now() + timedelta(seconds=seconds)
        while self.clock.now() < until:
            if not self.step():
                self.clock.sleep(10)

    def until(self, id_: str, *states: LeaseState) -> Lease:
        for _ in range(400):
            if self.row(id_).state in states:
                return self.row(id_)
            if not self.step():
                self.clock.sleep(0.5)
        raise AssertionError(self.row(id_))

    def release(self, id_: str) -> None:
        with self.room.db.write() as db:
            let_go(db, self.row(id_), EndReason.DONE, self.clock.now())
        self.until(id_, *LEASE_CLOSED)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    clock, furnisher = SimClock(), Furnisher()
    machines = OddCloud(clock, caps=replace(ODD_CAPABILITIES, beat_s=60.0))
    over = OddCloud(clock, caps=NETWORK_CAPABILITIES, prefix="n")
    accounts = {
        MACHINE: Account(machines, OddNodes(), furnisher, SITE), NETWORK: Account(over, OddNodes())
    }  # fmt: skip
    room = Room(Database(tmp_path / "t.db"), clock, "me", accounts, lambda: 0.5)
    return Desk(room, clock, machines, over, furnisher)


def test_a_machine_is_ordered_once_its_network_is_there_and_with_everything_filled_in(desk: Desk) -> None:
    lease = desk.until(desk.intend(), LeaseState.RUNNING)
    (network,) = desk.rows(NETWORK)
    assert (network.kind, network.state, network.job) == ("network", LeaseState.RUNNING, "")
    (sent,) = desk.machines.orders
    order = read_order(sent)
    assert (order.network, order.image, order.furnished) == (network.cloud_id, "image-1", True)
    assert (order.price, order.currency, order.price_cap) == ("3.60", "CNY", "4.00")
    assert lease.order == sent


def test_what_is_sent_again_is_byte_for_byte_what_was_furnished_first(desk: Desk) -> None:
    desk.machines.faults = ["unsent", "throttle"]
    desk.until(desk.intend(), LeaseState.RUNNING)
    assert len(desk.machines.orders) == 3
    assert len(set(desk.machines.orders)) == 1
    assert len(desk.furnisher.asked) == 1


def test_a_lost_answer_to_a_furnished_order_is_looked_for_and_not_furnished_again(desk: Desk) -> None:
    desk.machines.faults = ["lose"]
    desk.until(desk.intend(), LeaseState.RUNNING)
    assert (len(desk.machines.orders), len(desk.furnisher.asked)) == (1, 1)


def test_a_worker_that_dies_while_it_furnishes_has_sent_nothing_and_another_goes_on(desk: Desk) -> None:
    id_ = desk.intend()
    desk.until(desk.rows(NETWORK)[0].id, LeaseState.RUNNING)

    class Died(BaseException):
        pass

    desk.furnisher.faults = [Died()]  # type: ignore[list-item]
    with pytest.raises(Died):
        desk.live(60)
    assert (desk.row(id_).state, desk.row(id_).sent, desk.machines.orders) == (LeaseState.REQUESTED, "no", [])
    desk.clock.sleep(60)  # its claim runs out
    desk.until(id_, LeaseState.RUNNING)
    assert len(desk.machines.orders) == 1


@pytest.mark.parametrize("kind", ["price_cap", "auth", "invalid", "quota", "capacity"])
def test_an_order_that_cannot_be_sent_as_planned_is_refused_and_nothing_is_sent(desk: Desk, kind: str) -> None:
    desk.furnisher.faults = [CloudFault(kind, "no", sent="yes")]  # type: ignore[arg-type]
    refused = desk.until(desk.intend(), LeaseState.REFUSED)
    assert (refused.fault_kind, refused.last_error, desk.machines.orders) == (kind, f"{kind}: no", [])


@pytest.mark.parametrize("sent", ["no", "yes", "maybe"])
def test_a_cloud_that_does_not_answer_while_an_order_is_furnished_is_asked_again(desk: Desk, sent: str) -> None:
    desk.furnisher.faults = [CloudFault("unavailable", "away", sent=sent)] * 3  # type: ignore[arg-type]
    desk.until(desk.intend(), LeaseState.RUNNING)
    assert (len(desk.furnisher.asked), len(desk.machines.orders)) == (4, 1)


def test_after_half_an_hour_of_that_it_is_refused(desk: Desk) -> None:
    desk.furnisher.faults = [CloudFault("unavailable", "away", sent="maybe")] * 400
    id_ = desk.intend()
    desk.live(2000)
    assert (desk.row(id_).state, desk.machines.orders) == (LeaseState.REFUSED, [])


def test_an_order_that_is_not_wanted_any_more_while_its_network_is_made_is_never_sent(desk: Desk) -> None:
    desk.networks.faults = ["unsent"] * 50
    id_ = desk.intend()
    desk.live(5)
    desk.release(id_)
    assert desk.machines.orders == []


def test_several_machines_share_one_network_and_it_goes_an_hour_after_the_last(desk: Desk) -> None:
    first, second = desk.intend(), desk.intend()
    for id_ in (first, second):
        desk.until(id_, LeaseState.RUNNING)
    assert len(desk.rows(NETWORK)) == 1
    desk.release(first)
    desk.live(2 * 3600)
    assert desk.rows(NETWORK)[0].state is LeaseState.RUNNING  # the other one uses it
    desk.release(second)
    desk.live(3000)
    assert desk.rows(NETWORK)[0].state is LeaseState.RUNNING
    desk.live(1500)
    (network,) = desk.rows(NETWORK)
    assert (network.state, network.end_reason, desk.networks.machines) == (LeaseState.RELEASED, EndReason.DONE, {})


def test_a_machine_after_that_gets_a_new_network(desk: Desk) -> None:
    desk.release(desk.until(desk.intend(), LeaseState.RUNNING).id)
    desk.live(3 * 3600)
    again = desk.until(desk.intend(), LeaseState.RUNNING)
    old, new = desk.rows(NETWORK)
    assert (old.state, new.state) == (LeaseState.RELEASED, LeaseState.RUNNING)
    assert old.token != new.token
    assert read_order(again.order).network == new.cloud_id


def test_a_network_that_was_let_go_while_an_order_waited_is_made_again(desk: Desk) -> None:
    id_ = desk.intend()
    (network,) = desk.rows(NETWORK)
    with desk.room.db.write() as db:
        let_go(db, network, EndReason.DONE, desk.clock.now())
    desk.until(id_, LeaseState.RUNNING)
    assert [each.state for each in desk.rows(NETWORK)] == [LeaseState.RELEASED, LeaseState.RUNNING]


def test_the_machines_of_a_network_that_is_refused_are_refused_with_its_words(desk: Desk) -> None:
    desk.networks.faults = ["refuse:quota"]
    refused = desk.until(desk.intend(), LeaseState.REFUSED)
    assert (refused.fault_kind, refused.last_error) == ("quota", "quota: network: quota: none left")
    assert desk.machines.orders == []
    desk.until(desk.intend(), LeaseState.RUNNING)  # and the next one asks for it again


def test_a_network_that_machines_use_is_no_orphan_although_no_job_is_named_by_it(desk: Desk) -> None:
    id_ = desk.intend()
    desk.until(id_, LeaseState.RUNNING)
    with desk.room.db.read() as db:
        assert networks.used(db, desk.rows(NETWORK)[0])
    end_orphans(desk.room)  # the machine is one: there is no job behind it
    assert [each.wanted for each in (*desk.rows(MACHINE), *desk.rows(NETWORK))] == [False, True]
    desk.until(id_, *LEASE_CLOSED)
    end_orphans(desk.room)
    assert not desk.rows(NETWORK)[0].wanted


def test_a_network_without_a_row_is_adopted_as_one_and_goes_when_nobody_uses_it(desk: Desk, tmp_path: Path) -> None:
    desk.until(desk.intend(), LeaseState.RUNNING)
    fresh = replace(desk.room, db=Database(tmp_path / "fresh.db"))
    desk.room = fresh
    keep(fresh)
    (network,), (machine,) = desk.rows(NETWORK), desk.rows(MACHINE)
    assert (network.kind, machine.kind, network.cloud_id) == ("network", "instance", next(iter(desk.networks.machines)))
    desk.release(machine.id)
    desk.live(2 * 3600)
    assert desk.rows(NETWORK)[0].state is LeaseState.RELEASED


def test_a_machine_that_is_let_go_before_the_list_shows_it_is_not_taken_for_gone(desk: Desk) -> None:
    """A cloud answers an end of what it does not list yet with «not found», and shows the machine a moment later."""
    desk.machines.caps = replace(desk.machines.caps, list_lag_s=60.0)
    desk.machines.late_s = 40.0
    id_ = desk.intend()
    desk.until(id_, LeaseState.PENDING)
    desk.release(id_)
    desk.live(120)
    assert desk.machines.machines == {}
    assert desk.row(id_).state is LeaseState.RELEASED


def test_a_job_gets_the_disk_that_it_asks_for(desk: Desk) -> None:
    wish = Wish("job-1", 1, MACHINE, OFFER, timedelta(hours=1), HardEnd.SERVER_SIDE, site=SITE, disk_gb=300)
    with desk.room.db.write() as db:
        id_ = intend(db, wish, desk.room.owner, desk.clock.now()).id
    assert read_order(desk.until(id_, LeaseState.RUNNING).order).disks == (Disk(300),)


def test_of_a_machine_that_never_answers_its_last_words_are_kept(desk: Desk) -> None:
    nodes = OddNodes(silent=True)
    account = Account(desk.machines, nodes, desk.furnisher, SITE, lambda id_: f"{id_} boots\nKernel panic\n")
    desk.room = replace(desk.room, accounts={**desk.room.accounts, MACHINE: account})
    id_ = desk.intend()
    ended = desk.until(id_, *LEASE_CLOSED)
    assert ended.end_reason is EndReason.BOOT_TIMEOUT
    with desk.room.db.read() as db:
        (told,) = (event for event in records.events(db, what=id_) if event.kind == "boot-console")
    assert told.cause == "m-0 boots / Kernel panic"


def test_a_network_of_which_only_a_part_was_made_is_made_whole(desk: Desk) -> None:
    """Whoever made it died in the middle: what is there is found by its token, and its launch goes on from there."""
    desk.networks.faults = ["lose"]
    desk.networks.parts = 3  # it is whole after so many launches
    desk.until(desk.intend(), LeaseState.RUNNING)
    assert len(desk.networks.machines) == 1
    assert len(set(desk.networks.orders)) == 1
    assert len(desk.machines.orders) == 1
