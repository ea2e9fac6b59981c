"""The conformance suite on the clouds where machines are rented, each adapter against its cloud of the lab.

The cases that any cloud plays are in `test_conformance_clouds`, those of the wire in `wire_cases`; here are those of
machines that are rented for money.
"""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import test_conformance_clouds as suite
import wire_cases  # noqa: F401 its cases are played here, too
from lab.metadata import MetadataService
from reasons import CASES, NOT_PLAYED
from rented import RENTED
from renting import OWNER, SCRIPT, RentingGround
from renting_alibaba import AlibabaGround
from renting_aws import AwsGround
from test_conformance_clouds import Desk, case, refused

from tradewind.agent.metadata import Metadata, Silent, Told
from tradewind.domain.states import EndReason, LeaseState
from tradewind.leasing.sweep import keep
from tradewind.ports.compute import CloudFault, Disk, InstanceState, Query

ON = tuple(RENTED)
HOUR = timedelta(hours=1)
BOOT_S = 8.0


def script(size: int) -> str:
    """A text of so many bytes, not all of them ASCII."""
    return SCRIPT + "机" * ((size - len(SCRIPT.encode())) // 3) + "#" * ((size - len(SCRIPT.encode())) % 3)


@case(1, on=ON)
def what_it_runs_first_comes_there_byte_for_byte(ground: RentingGround) -> None:
    most = ground.cloud.caps.user_data_bytes
    for size in (most, most - 1):
        order = ground.order(f"of-{size}", user_data=script(size))
        assert ground.user_data(ground.running(order).id) == order.user_data.encode()
        assert len(order.user_data.encode()) == size


@case(2, on=ON)
def a_byte_too_many_is_refused_before_it_is_sent(ground: RentingGround) -> None:
    order = ground.order(user_data=script(ground.cloud.caps.user_data_bytes + 1))
    told = refused(lambda: ground.cloud.launch(order))
    assert (told.kind, told.sent) == ("invalid", "no")
    assert ground.sent(ground.launching) == 0


@case(11, on=ON)
def what_fails_after_it_was_accepted_is_told_so_and_leaves_nothing(ground: RentingGround) -> None:
    desk = Desk(ground)
    ground.fault("async-failure", seconds=3.0)
    released = desk.until(desk.intend(), LeaseState.RELEASED)
    late = {"aws": EndReason.REFUSED_LATE, "alibaba": EndReason.VANISHED}  # ECS tells nothing of what failed
    assert released.end_reason is late[ground.at.cloud]
    assert ground.ids() == []
    assert ground.cloud.leftovers(Query(owner=OWNER)) == ()


@case(12, on=ON)
def a_machine_that_is_listed_late_is_not_taken_for_absent(ground: RentingGround) -> None:
    desk = Desk(ground)
    ground.control.set(ground.at.cloud, list_lag_s=30.0)
    ground.lose(done=True)
    assert desk.until(desk.intend(), LeaseState.PENDING, LeaseState.REFUSED).state is LeaseState.PENDING


@case(13, on=ON)
def a_list_of_pages_is_whole_although_one_ends_between_two(ground: RentingGround) -> None:
    pages(ground, ground.more_than_two_pages())


def pages(ground: RentingGround, count: int) -> None:
    made = ground.many(count)
    before = ground.sent(ground.listing)
    ground.control.before(ground.listing, 2, lambda: ground.front.account.fleet.end(ground.there(made[0])))
    listing = ground.cloud.find(Query(owner=OWNER))
    assert ground.sent(ground.listing) - before > 2
    assert listing.complete
    listed = [each.id for each in listing.instances]
    assert len(listed) == len(set(listed))
    assert set(made[1:]) <= set(listed) <= set(made)


@case(15, on=ON)
def what_is_not_surely_ours_is_neither_told_nor_ended(ground: RentingGround) -> None:
    other = ground.running(ground.order("b", owner="somebody"))
    (half,) = ground.cloud.launch(ground.order("c", tags={"tradewind:owner": OWNER})).ids
    assert ground.cloud.find(Query(owner=OWNER)).instances == ()
    assert keep(Desk(ground).room).strays == ()
    ground.cloud.end([other.id, half])
    assert ground.ids() == sorted([other.id, half])


@case(17, on=ON)
def it_ends_while_it_boots_and_while_it_ends(ground: RentingGround) -> None:
    ground.control.set(ground.at.cloud, state_delay_s=BOOT_S)
    (id_,) = ground.cloud.launch(ground.order()).ids
    for _ in range(40):
        if not ground.ids():
            return
        try:
            ground.cloud.end([id_])
        except CloudFault as fault:
            assert (fault.kind, fault.sent) == ("busy", "yes")  # it is only being made: to be asked again
        ground.pass_time()
    raise AssertionError(f"{id_} never ended")


@case(19, on=ON)
def an_end_takes_all_its_disks_along_and_one_that_stayed_ends_by_its_own_name(ground: RentingGround) -> None:
    order = ground.order(disks=(*ground.order().disks, Disk(100)))
    made = ground.running(order)
    assert len(ground.disks()) == 2
    ground.stays(100)
    ground.cloud.end([made.id])
    (left,) = ground.cloud.leftovers(Query(owner=OWNER, lease=order.lease, ids=(made.id,)))
    assert (left.kind, left.lease, [left.id]) == ("disk", order.lease, ground.disks())
    assert ground.cloud.leftovers(Query(owner=OWNER)) == (left,)
    ground.cloud.end([left.id])
    assert ground.cloud.leftovers(Query(owner=OWNER, lease=order.lease, ids=(made.id,))) == ()
    assert ground.disks() == []


@case(20, on=ON)
def what_is_protected_is_said_to_be_so(ground: RentingGround) -> None:
    made = [ground.running(ground.order(name)).id for name in ("a", "b")]
    ground.protect(made[0])
    told = refused(lambda: ground.cloud.end(made))
    assert told.sent == "yes" and told.kind in ("conflict", "invalid") and told.words
    assert ground.ids() == made[:1]


@case(33, on=ON)
def a_stopped_machine_gives_its_compute_back_and_starts_again(ground: RentingGround) -> None:
    assert ground.cloud.caps.stop_frees_compute
    made = ground.running(ground.order())
    for _ in range(2):
        ground.rented.stop(made.id)
        assert ground.until(made.id, lambda each: each.state is InstanceState.STOPPED).id == made.id
        assert ground.there(made.id).frees_compute
    for _ in range(2):
        ground.rented.start(made.id)
        ground.until(made.id, lambda each: each.state is InstanceState.RUNNING)
    ground.rented.stop(made.id)
    ground.cloud.end([made.id])
    assert ground.ids() == []


@case(34, on=ON)
def only_a_stopped_machine_that_is_no_spot_machine_becomes_another_type(ground: RentingGround) -> None:
    made, spot = ground.running(ground.order("a")), ground.running(ground.order("b", purchase="spot"))
    for id_ in (made.id, spot.id):
        assert refused(partial(ground.rented.resize, id_, ground.at.larger)).kind == "invalid"
    ground.rented.stop(made.id)
    ground.until(made.id, lambda each: each.state is InstanceState.STOPPED)
    for _ in range(2):
        ground.rented.resize(made.id, ground.at.larger)
    ground.rented.start(made.id)
    assert ground.until(made.id, lambda each: each.state is InstanceState.RUNNING).instance_type == ground.at.larger


@case(26, 35, on=ON)
def a_price_cap_is_sent_in_the_clouds_unit_and_holds(ground: RentingGround) -> None:
    assert ground.cloud.caps.price_cap
    spot = ground.order("a", purchase="spot", price_cap="9.8765")
    ground.running(spot)
    ground.running(ground.order("b", purchase="spot"))
    assert [ground.cap(each) for each in ground.calls(ground.launching)] == [ground.as_cap("9.8765"), None]
    low = refused(lambda: ground.cloud.launch(ground.order("c", purchase="spot", price_cap="0.01")))
    assert (low.kind, low.sent) == ("price_cap", "yes")
    assert len(ground.ids()) == 2


@case(36, on=ON)
def what_the_cloud_takes_back_ends_as_reclaimed(ground: RentingGround) -> None:
    desk = Desk(ground)
    running = desk.until(desk.intend(purchase="spot"), LeaseState.RUNNING)
    assert running.cloud_id is not None
    ground.control.reclaim(running.cloud_id, 120.0)
    assert desk.until(running.id, LeaseState.RELEASED).end_reason is EndReason.RECLAIMED


@case(37, on=ON)
def a_machine_hears_of_its_end_by_its_metadata(ground: RentingGround) -> None:
    made = ground.running(ground.order(purchase="spot"))
    facts = {"id": made.id, "instance_type": "t", "region": "r", "zone": "z"}
    cloud: Any = ground.at.cloud
    service = MetadataService(cloud, facts, token_required=True, address="127.78.0.1")
    try:
        heard = Metadata(ground.cloud.notice_probe(made), service.url)
        assert heard.look(0.0) == Told(None, rebalance=False)
        at = ground.clock.now() + timedelta(minutes=2)
        service.notices.tell("terminate", at)
        service.forget_tokens()
        assert heard.look(0.0).deadline == at.timestamp()
    finally:
        service.close()
    with pytest.raises(Silent):  # unknown, which is not none
        heard.look(0.0)


@case(38, on=ON)
def a_price_is_told_exactly_and_in_the_clouds_currency(ground: RentingGround) -> None:
    for purchase in ("on_demand", "spot"):
        order = ground.order(purchase, purchase=purchase)
        told = ground.rented.quote(order)
        assert told is not None
        assert (told.amount, told.currency) == (ground.price(order), ground.at.currency)


@case(39, on=("alibaba",))
def what_is_sold_out_in_one_zone_is_looked_for_in_another(ground: AlibabaGround) -> None:
    market, kind = ground.front.account.market, ground.at.machine_type
    market.stock["cn-beijing-l", kind] = 0
    assert {ground.order(f"order-{number}").zone for number in range(6)} == {"cn-beijing-k"}
    market.stock["cn-beijing-k", kind] = 0
    assert refused(lambda: ground.order("none")).kind == "capacity"


@case(40, on=("aws",))
def a_machine_that_shuts_itself_down_is_gone_for_good(ground: AwsGround) -> None:
    made = ground.running(ground.order())
    asked = ground.calls(ground.launching)[0].asked
    assert asked["InstanceInitiatedShutdownBehavior"] == "terminate"
    before = len(ground.front.engine.calls)
    ground.rented.extend(made.id, ground.clock.now() + HOUR)
    assert len(ground.front.engine.calls) == before  # the timer is the machine's
    ground.machines.power_off(made.id)
    gone = ground.until(made.id, lambda each: each.state is InstanceState.GONE)
    assert gone.why == "ours"
    assert ground.ids() == []


@case(40, on=("alibaba",))
def the_cloud_itself_ends_a_machine_at_its_hard_end(ground: AlibabaGround) -> None:
    made = ground.running(ground.order())
    assert ground.there(made.id).hard_end == ground.begun + HOUR
    ground.rented.extend(made.id, ground.clock.now() + timedelta(minutes=5))  # ECS takes none before half an hour
    assert abs(half_an_hour(ground, made.id)) <= timedelta(minutes=2)
    soon = ground.order("soon", hard_end=(ground.clock.now() + timedelta(minutes=5)).isoformat())
    assert abs(half_an_hour(ground, ground.running(soon).id)) <= timedelta(minutes=2)
    ground.time.sleep(33 * 60)
    assert ground.cloud.find(Query(owner=OWNER)).instances == ()
    assert ground.ids() == []


def half_an_hour(ground: RentingGround, id_: str) -> timedelta:
    """By how much later than in half an hour a machine is ended."""
    at = ground.there(id_).hard_end
    assert at is not None
    return at - ground.clock.now() - timedelta(minutes=30)


@pytest.mark.parametrize(
    ("cloud", "played"),
    [pytest.param(cloud, played, id=f"{cloud}-{'+'.join(map(str, numbers))}-{played.__name__}")
     for cloud, numbers, played in suite.PLAYED if cloud in RENTED],
)  # fmt: skip
def test_a_cloud_does_as_the_suite_says(cloud: str, played: suite.Case, tmp_path: Path) -> None:
    with RENTED[cloud](tmp_path) as ground:
        played(ground)


@pytest.mark.long
@pytest.mark.parametrize("cloud", RENTED)
def test_thousands_of_machines_are_listed_whole_although_one_ends_between_two_pages(cloud: str, tmp_path: Path) -> None:
    with RENTED[cloud](tmp_path) as ground:
        pages(ground, ground.thousands())


@pytest.mark.parametrize("cloud", RENTED)
def test_every_case_is_played_or_has_a_reason_against_it(cloud: str) -> None:
    played = {number for each, numbers, _ in suite.PLAYED if each == cloud for number in numbers}
    assert played | set(NOT_PLAYED[cloud]) == set(CASES)
    assert not played & set(NOT_PLAYED[cloud])
