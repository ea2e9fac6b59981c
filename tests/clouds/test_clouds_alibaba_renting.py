"""Renting on Alibaba Cloud: the adapter by the SDK's core, against the lab, which checks what is sent as published."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from alibaba_ground import BEIJING, ELSE, GN6V, GN7I, OWNER, SCRIPT, SMALL, Ground, alibaba, furnished, order
from lab.control import Fault
from lab.stub import Reply, replying

from tradewind.domain.money import Money
from tradewind.ports.cloud import Cloud
from tradewind.ports.compute import CloudFault, Disk, Instance, InstanceState, Leftover, Query


@pytest.fixture
def ground(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Ground]:
    with alibaba(monkeypatch, tmp_path) as made:
        yield made


@pytest.fixture
def cloud(ground: Ground) -> Cloud:
    return ground.provider().cloud(BEIJING)


def ours(cloud: Cloud) -> tuple[Instance, ...]:
    return cloud.find(Query(owner=OWNER)).instances


def named(cloud: Cloud, id_: str) -> Instance:
    (found,) = cloud.find(Query(owner=OWNER, ids=(id_,))).instances
    return found


# --- launch ---


def test_a_machine_is_rented_with_all_that_its_order_says(ground: Ground, cloud: Cloud) -> None:
    ready = ground.ready(purchase="spot", price_cap="9.99")
    accepted = cloud.launch(ready)
    (found,) = cloud.find(Query(owner=OWNER, token=ready.token)).instances
    assert (found.id,) == accepted.ids
    assert (found.state, found.zone, found.purchase) == (InstanceState.RUNNING, ready.zone, "spot")
    assert (found.tags, found.lease) == (ready.tags, ready.lease)
    assert found.address.startswith("127.77.")
    assert abs(accepted.at - ground.clock.now()) < timedelta(minutes=1)
    (kept,) = ground.account.fleet.all(BEIJING)
    assert (kept.guest.user_data, kept.guest.token_required) == (SCRIPT.encode(), True)
    assert kept.hard_end is not None
    assert timedelta(0) <= kept.hard_end - datetime.fromisoformat(ready.hard_end) < timedelta(minutes=1)


def test_the_same_order_twice_is_one_machine_and_another_order_is_a_conflict(ground: Ground, cloud: Cloud) -> None:
    ready = ground.ready()
    assert cloud.launch(ready).ids == cloud.launch(ready).ids
    with pytest.raises(CloudFault) as met:
        cloud.launch(replace(ready, user_data="#!/bin/sh\nexit 1\n"))
    assert met.value.kind == "conflict"
    assert len(ours(cloud)) == 1


def test_a_machine_whose_answer_was_lost_is_found_by_its_token(ground: Ground, cloud: Cloud) -> None:
    ready = ground.ready()
    ground.control.add(Fault("lost-answer", "alibaba", "RunInstances"))
    with pytest.raises(CloudFault) as met:
        cloud.launch(ready)
    assert met.value.sent == "maybe"
    assert [each.token for each in cloud.find(Query(owner=OWNER, token=ready.token)).instances] == [ready.token]


def test_disks_are_encrypted_by_the_key_of_the_settings(ground: Ground) -> None:
    ground.account.kms_keys.add("key-1")
    cloud = ground.provider(kms_key="key-1", disk_gb=300).cloud(BEIJING)
    completed = cloud.complete(order(network=ground.reached()))
    assert completed.disks == (Disk(300, kms_key="key-1"),)
    cloud.launch(completed)
    assert {each.told["KMSKeyId"] for each in ground.account.things.of("d", BEIJING)} == {"key-1"}


def test_a_cap_below_the_market_is_told_as_that(ground: Ground, cloud: Cloud) -> None:
    with pytest.raises(CloudFault) as met:
        cloud.launch(ground.ready(purchase="spot", price_cap="0.010"))
    assert (met.value.kind, met.value.sent) == ("price_cap", "yes")


def test_a_machine_ends_at_its_hard_end_although_nobody_looks_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    off = timedelta()
    with alibaba(monkeypatch, tmp_path, clock=lambda: datetime.now(UTC) + off) as ground:
        ready, id_ = ground.rented(hard_end=(datetime.now(UTC) + timedelta(hours=1)).isoformat())
        cloud = ground.provider().cloud(BEIJING)
        off = timedelta(minutes=59)
        assert named(cloud, id_).state is InstanceState.RUNNING
        off = timedelta(minutes=62)
        assert cloud.find(Query(owner=OWNER, ids=(id_,))).instances == ()
        assert cloud.leftovers(Query(owner=OWNER, lease=ready.lease, ids=(id_,))) == ()


def test_a_hard_end_that_is_too_near_is_the_nearest_that_ecs_takes(ground: Ground, cloud: Cloud) -> None:
    ready, _ = ground.rented(hard_end=(datetime.now(UTC) + timedelta(minutes=5)).isoformat())
    (kept,) = ground.account.fleet.all(BEIJING)
    assert kept.hard_end is not None
    assert ready.hard_end < kept.hard_end.isoformat()
    assert kept.hard_end - datetime.now(UTC) < timedelta(minutes=34)


# --- find ---


def test_all_pages_are_read_and_none_is_told_twice(
    ground: Ground, cloud: Cloud, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tradewind.clouds.alibaba.client.MOST_A_PAGE", 10)
    ready = ground.ready(instance_type=SMALL)
    tokens = [f"00000000-0000-4000-8000-{number:012}" for number in range(25)]
    for token in tokens:
        cloud.launch(replace(ready, token=token, tags={**ready.tags, "tradewind:token": token}))
    before = ground.sent("DescribeInstances")
    assert sorted(each.token for each in ours(cloud)) == tokens
    assert ground.sent("DescribeInstances") - before == 3


def test_others_machines_and_half_tagged_ones_are_not_ours(ground: Ground, cloud: Cloud) -> None:
    mine, id_ = ground.rented()
    ground.rented(owner=ELSE)
    half = {name: value for name, value in mine.tags.items() if name != "tradewind:token"}
    cloud.launch(replace(mine, token=order().token, tags=half))
    assert [each.id for each in ours(cloud)] == [id_]


def test_an_empty_list_proves_nothing_to_whom_may_not_look(ground: Ground, cloud: Cloud) -> None:
    assert cloud.find(Query(owner=OWNER)).complete
    ground.account.denied.add("ecs:DescribeInstances")
    with pytest.raises(CloudFault) as met:
        cloud.find(Query(owner=OWNER))
    assert (met.value.kind, met.value.code) == ("auth", "Forbidden.RAM")


def test_no_id_is_asked_for_with_no_ids(ground: Ground, cloud: Cloud) -> None:
    ground.rented()
    before = len(ground.asked("DescribeInstances"))
    assert cloud.find(Query(owner=OWNER, ids=("", "d-1"))).instances == ()
    assert all("InstanceIds" not in asked for asked in ground.asked("DescribeInstances")[before:])


def test_a_row_that_cannot_be_read_makes_the_list_incomplete(ground: Ground, cloud: Cloud) -> None:
    ground.rented()
    body = b'{"Instances": {"Instance": [{"InstanceId": "i-1", "Status": "Levitating"}]}, "NextToken": ""}'
    ground.lab.engine.stub.meet(1, replying(Reply(body=body)))
    listing = cloud.find(Query(owner=OWNER))
    assert (listing.instances, listing.complete) == ((), False)
    assert "i-1: Status is 'Levitating'" in str(listing.why)


def test_a_spot_machine_that_is_being_taken_is_announced_and_then_gone(ground: Ground, cloud: Cloud) -> None:
    _, id_ = ground.rented(purchase="spot", price_cap="9.99")
    ground.control.reclaim(id_, 300)
    found = named(cloud, id_)
    assert (found.state, found.why) == (InstanceState.RUNNING, "reclaimed")
    assert found.reclaim_at is not None
    assert timedelta(minutes=4) < found.reclaim_at - ground.clock.now() < timedelta(minutes=6)
    ground.control.reclaim(id_, None)
    assert cloud.find(Query(owner=OWNER, ids=(id_,))).instances == ()


def test_times_are_told_by_the_clouds_clock(ground: Ground, cloud: Cloud) -> None:
    ground.control.set("alibaba", clock_skew_s=600)
    assert timedelta(minutes=9) < cloud.find(Query(owner=OWNER)).seen_at - ground.clock.now() < timedelta(minutes=11)


# --- end ---


def test_an_ended_machine_is_gone_with_its_disks_and_ending_is_repeatable(ground: Ground, cloud: Cloud) -> None:
    ready, id_ = ground.rented(disks=(Disk(200), Disk(500)))
    assert len(ground.account.things.of("d", BEIJING)) == 2
    for _ in range(2):
        cloud.end((id_,))
    cloud.end(("i-2zenevermade", ""))
    assert cloud.find(Query(owner=OWNER, ids=(id_,))).instances == ()
    assert cloud.leftovers(Query(owner=OWNER, lease=ready.lease, ids=(id_,))) == ()
    assert ground.account.things.of("d", BEIJING) == ground.account.things.of("eni", BEIJING) == []


def test_one_machine_that_cannot_be_ended_keeps_no_other_from_its_end(ground: Ground, cloud: Cloud) -> None:
    ready = ground.ready()
    ids = [cloud.launch(replace(ready, token=order().token)).ids[0] for _ in range(3)]
    ground.account.fleet.all(BEIJING)[1].told["DeletionProtection"] = "true"
    with pytest.raises(CloudFault) as met:
        cloud.end(("i-2zenevermade", *ids))
    assert (met.value.kind, met.value.code) == ("invalid", "InvalidOperation.DeletionProtection")
    assert [each.id for each in ground.account.fleet.all(BEIJING)] == [ids[1]]


def test_who_may_end_nothing_is_told_so(ground: Ground, cloud: Cloud) -> None:
    _, id_ = ground.rented()
    ground.account.denied.add("ecs:DeleteInstances")
    with pytest.raises(CloudFault) as met:
        cloud.end((id_,))
    assert met.value.kind == "auth"


def test_a_machine_that_is_not_listed_yet_is_ended_all_the_same(ground: Ground, cloud: Cloud) -> None:
    ground.control.set("alibaba", list_lag_s=600)
    _, id_ = ground.rented()
    assert ours(cloud) == ()
    cloud.end((id_,))
    assert ground.account.fleet.all(BEIJING) == []


def test_a_machine_that_is_being_made_is_ended_later(ground: Ground, cloud: Cloud) -> None:
    ground.control.set("alibaba", state_delay_s=600)
    _, id_ = ground.rented()
    with pytest.raises(CloudFault) as met:
        cloud.end((id_,))
    assert (met.value.kind, met.value.sent) == ("busy", "yes")


def test_what_is_anothers_or_only_half_ours_is_never_ended(ground: Ground, cloud: Cloud) -> None:
    _, theirs = ground.rented(owner=ELSE, disks=(Disk(40), Disk(41)))
    ground.rented()
    (kept,) = (each for each in ground.account.fleet.all(BEIJING) if each.tags["tradewind:owner"] == OWNER)
    del kept.tags["tradewind:lease"]
    disk = next(each for each in ground.account.things.of("d", BEIJING) if each.told["Type"] == "data")
    disk.told.update(InstanceId="", Status="Available")
    cloud.end((theirs, kept.id, disk.id))
    assert {each.id for each in ground.account.fleet.all(BEIJING)} == {theirs, kept.id}
    assert disk in ground.account.things.of("d", BEIJING)
    assert ground.sent("DeleteInstances") == ground.sent("DeleteDisk") == 0


def test_no_leftover_proves_nothing_to_whom_may_not_look(ground: Ground, cloud: Cloud) -> None:
    assert cloud.leftovers(Query(owner=OWNER)) == ()
    ground.account.denied.add("ecs:DescribeDisks")
    with pytest.raises(CloudFault) as met:
        cloud.leftovers(Query(owner=OWNER))
    assert met.value.kind == "auth"


def test_more_than_a_batch_are_ended_in_several(ground: Ground, cloud: Cloud) -> None:
    cloud.end([f"i-{number}" for number in range(101)])
    assert ground.sent("DeleteInstances") == 1 + 100 + 1  # a batch as a whole, then each of it: none is there


def test_what_a_machine_left_is_told_and_ended_by_its_own_id(ground: Ground, cloud: Cloud) -> None:
    ready, id_ = ground.rented(disks=(Disk(200), Disk(500)))
    for each in ground.account.things.of("d", BEIJING):
        each.told["DeleteWithInstance"] = each.told["Type"] == "system"
    cloud.end((id_,))
    (left,) = cloud.leftovers(Query(owner=OWNER, lease=ready.lease, ids=(id_,)))
    assert (left.kind, left.lease) == ("disk", ready.lease)
    assert cloud.leftovers(Query(owner=OWNER)) == (left,)
    assert cloud.leftovers(Query(owner=ELSE)) == ()
    assert cloud.find(Query(owner=OWNER, ids=(left.id,))).instances == ()
    cloud.end((left.id,))
    cloud.end((left.id,))
    assert cloud.leftovers(Query(owner=OWNER, lease=ready.lease, ids=(left.id,))) == ()


def test_an_interface_costs_nothing_and_is_told_only_while_its_lease_is_released(ground: Ground, cloud: Cloud) -> None:
    ready, id_ = ground.rented()
    (interface,) = ground.account.things.of("eni", BEIJING)
    interface.told["DeleteOnRelease"] = False
    with pytest.raises(CloudFault) as met:
        cloud.end((interface.id,))
    assert met.value.kind == "busy"
    cloud.end((id_,))
    assert cloud.leftovers(Query(owner=OWNER)) == ()
    assert cloud.leftovers(Query(owner=OWNER, lease=ready.lease)) == (Leftover("interface", interface.id, ready.lease),)
    cloud.end((interface.id,))
    assert cloud.leftovers(Query(owner=OWNER, lease=ready.lease)) == ()


# --- complete and quote ---


def test_an_order_gets_what_it_lacks_and_keeps_what_it_has(ground: Ground, cloud: Cloud) -> None:
    network = ground.reached()
    completed = cloud.complete(order(network=network))
    assert completed.zone in ("cn-beijing-k", "cn-beijing-l")  # those that have the type
    (subnet,) = (each for each in ground.account.things.of("vsw", BEIJING) if each.id == completed.subnet)
    assert subnet.told["ZoneId"] == completed.zone
    assert (completed.groups, completed.public_ip, completed.disks) == ((network,), True, (Disk(90),))
    given = replace(completed, image="m-2zegpu20260901", disks=(Disk(77),), role="r", zone="cn-beijing-k", subnet=None)
    again = cloud.complete(given)
    assert (again.image, again.disks, again.role, again.zone) == ("m-2zegpu20260901", (Disk(77),), "r", "cn-beijing-k")


def test_another_token_meets_another_zone(ground: Ground, cloud: Cloud) -> None:
    network = ground.reached()
    zones = {cloud.complete(order(network=network)).zone for _ in range(30)}
    assert zones == {"cn-beijing-k", "cn-beijing-l"}
    ground.account.market.stock["cn-beijing-l", GN7I] = 0
    assert {cloud.complete(order(network=network)).zone for _ in range(9)} == {"cn-beijing-k"}


def test_what_no_zone_has_is_a_lack_of_capacity(ground: Ground, cloud: Cloud) -> None:
    network = ground.reached()
    for zone in ("cn-beijing-k", "cn-beijing-l"):
        ground.account.market.stock[zone, GN7I] = 0
    with pytest.raises(CloudFault) as met:
        cloud.complete(order(network=network))
    assert (met.value.kind, met.value.sent) == ("capacity", "yes")


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ({"instance_type": "ecs.none.large"}, "there is no machine type ecs.none.large"),
        ({"image": "m-none"}, "there is no image m-none"),
        ({"zone": "cn-beijing-z"}, "no VSwitch in cn-beijing-z"),
        ({"network": None}, "no network of ours"),
        ({"network": "sg-none"}, "no security group sg-none"),
    ],
)
def test_what_is_not_there_is_named(ground: Ground, cloud: Cloud, other: dict[str, str], words: str) -> None:
    with pytest.raises(CloudFault, match=words) as met:
        cloud.complete(order(**{"network": ground.reached(), **other}))
    assert (met.value.kind, met.value.sent) == ("invalid", "yes")


def test_a_gpu_gets_the_newest_official_image_with_its_driver_and_the_rest_gets_ubuntu(
    ground: Ground, cloud: Cloud
) -> None:
    network = ground.reached()
    gpu, cpu = (cloud.complete(order(network=network, instance_type=each)) for each in (GN6V, SMALL))
    assert gpu.image is not None
    assert "gpu" in gpu.image
    assert cpu.image != gpu.image
    assert (gpu.disks[0].gb, cpu.disks[0].gb) == (90, 70)
    before = ground.sent("DescribeImages")
    cloud.complete(order(network=network, instance_type=GN6V))
    assert ground.sent("DescribeImages") == before
    ground.clock.off = timedelta(hours=2)
    cloud.complete(order(network=network, instance_type=GN6V, zone="cn-beijing-h"))
    assert ground.sent("DescribeImages") == before + 1


def test_a_given_network_is_what_the_settings_name(ground: Ground) -> None:
    subnets = tuple(each.id for each in ground.account.things.of("vsw", BEIJING))
    provider = ground.provider(network="given", subnets=subnets[:2], groups=("sg-theirs",), public_address=False)
    completed = provider.cloud(BEIJING).complete(order(instance_type=SMALL))
    assert completed.subnet in subnets[:2]
    assert (completed.groups, completed.public_ip) == (("sg-theirs",), False)


def test_the_price_is_asked_as_it_is_bought_and_without_disks(ground: Ground, cloud: Cloud) -> None:
    ground.account.market.spot["cn-beijing-l", GN7I] = [(datetime(2026, 1, 1, tzinfo=UTC), Decimal("1.234"))]
    assert cloud.quote(furnished()) == Money(Decimal("9.5326"), "CNY")
    assert cloud.quote(furnished(purchase="spot")) == Money(Decimal("1.234"), "CNY")
    abroad = ground.provider().cloud("ap-southeast-1")
    assert abroad.quote(furnished(region="ap-southeast-1", zone=None)) == Money(Decimal("18.065"), "CNY")


# --- while it is rented ---


def test_a_hard_end_is_moved_never_nearer_than_ecs_takes(ground: Ground, cloud: Cloud) -> None:
    _, id_ = ground.rented()
    (kept,) = ground.account.fleet.all(BEIJING)
    later = datetime.now(UTC) + timedelta(hours=9)
    cloud.extend(id_, later)
    assert kept.hard_end is not None
    assert timedelta(0) <= kept.hard_end - later < timedelta(minutes=1)
    cloud.extend(id_, datetime.now(UTC) + timedelta(minutes=3))
    assert timedelta(minutes=30) < kept.hard_end - datetime.now(UTC) < timedelta(minutes=34)


def test_a_stopped_machine_gives_its_compute_back_becomes_another_type_and_starts_again(
    ground: Ground, cloud: Cloud
) -> None:
    ready, id_ = ground.rented()
    for _ in range(2):
        cloud.stop(id_)
    assert named(cloud, id_).state is InstanceState.STOPPED
    (kept,) = ground.account.fleet.all(BEIJING)
    assert kept.frees_compute
    for _ in range(2):
        cloud.resize(id_, "ecs.gn7e-c16g1.4xlarge")
    for _ in range(2):
        cloud.start(id_)
    found = named(cloud, id_)
    assert (found.state, found.instance_type) == (InstanceState.RUNNING, "ecs.gn7e-c16g1.4xlarge")
    assert found.zone == ready.zone


def test_what_was_given_back_may_be_somebody_elses(ground: Ground, cloud: Cloud) -> None:
    ready, id_ = ground.rented()
    cloud.stop(id_)
    ground.account.market.stock[str(ready.zone), GN7I] = 0
    with pytest.raises(CloudFault) as met:
        cloud.start(id_)
    assert met.value.kind == "capacity"


def test_only_a_stopped_machine_that_is_no_spot_one_becomes_another_type(ground: Ground, cloud: Cloud) -> None:
    _, running = ground.rented()
    _, spot = ground.rented(purchase="spot")
    for id_, words in ((running, "must be stopped"), (spot, "spot machine")):
        with pytest.raises(CloudFault, match=words) as met:
            cloud.resize(id_, "ecs.gn7e-c16g1.4xlarge")
        assert met.value.kind == "invalid"
    assert ground.sent("ModifyInstanceSpec") == 0


def test_the_console_is_read_and_nothing_is_none(ground: Ground, cloud: Cloud) -> None:
    _, id_ = ground.rented()
    assert cloud.console(id_) is None
    body = b'{"ConsoleOutput": "Ym9vdGluZyDkuK0K", "InstanceId": "i-1"}'
    ground.lab.engine.stub.meet(1, replying(Reply(body=body)))
    assert cloud.console(id_) == "booting 中\n"
    ground.lab.engine.stub.meet(1, replying(Reply(body=b'{"ConsoleOutput": "plain text"}')))
    with pytest.raises(CloudFault, match="not base64") as met:
        cloud.console(id_)
    assert met.value.kind == "invalid"


def test_a_machine_learns_of_its_end_by_the_clouds_own_metadata(ground: Ground, cloud: Cloud) -> None:
    _, id_ = ground.rented()
    assert cloud.notice_probe(named(cloud, id_)) == {"kind": "alibaba"}
