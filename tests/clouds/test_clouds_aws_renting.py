"""Renting on AWS: the adapter by boto3, against the AWS of the lab, which checks each request by botocore's model."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from aws_ground import ELSE, HOME, OWNER, Ground, WallClock, furnished
from lab.control import Fault, Kind

from tradewind.clouds.aws.client import Api
from tradewind.clouds.aws.compute import AwsCloud
from tradewind.ports.cloud import Cloud, CloudSettings
from tradewind.ports.compute import CloudFault, Instance, InstanceState, Order, Query


@pytest.fixture
def cloud(ground: Ground) -> Cloud:
    return ground.provider().cloud(HOME)


def ours(cloud: Cloud) -> tuple[Instance, ...]:
    return cloud.find(Query(owner=OWNER)).instances


def named(cloud: Cloud, id_: str) -> Instance:
    (found,) = cloud.find(Query(owner=OWNER, ids=(id_,))).instances
    return found


def refused(cloud: Cloud, order: Order) -> CloudFault:
    with pytest.raises(CloudFault) as met:
        cloud.launch(order)
    return met.value


# --- launch ---


def test_a_machine_is_rented_with_all_that_its_order_says(ground: Ground, cloud: Cloud) -> None:
    text = "#!/bin/sh\necho 中文\n"
    ready = replace(ground.ready(purchase="spot", price_cap="9.99"), user_data=text)
    accepted = cloud.launch(ready)
    (found,) = cloud.find(Query(owner=OWNER, token=ready.token)).instances
    assert (found.id,) == accepted.ids
    assert (found.state, found.zone, found.purchase) == (InstanceState.RUNNING, ready.zone, "spot")
    assert (found.tags, found.lease) == (ready.tags, ready.lease)
    assert found.address.startswith("127.77.")
    assert abs(accepted.at - ground.clock.now()) < timedelta(minutes=1)
    (kept,) = (each.guest for each in ground.account.fleet.all(HOME))
    assert (kept.user_data, kept.shutdown, kept.token_required) == (text.encode(), "terminate", True)


def test_the_same_order_makes_one_machine_and_another_with_its_token_is_a_conflict(
    ground: Ground, cloud: Cloud
) -> None:
    ready, accepted = ground.rented()
    assert cloud.launch(ready).ids == accepted.ids
    assert refused(cloud, replace(ready, user_data="#!/bin/sh\nexit 1\n")).kind == "conflict"
    assert len(ours(cloud)) == 1


def test_two_who_send_the_same_order_at_once_make_one_machine(ground: Ground, cloud: Cloud) -> None:
    ready = ground.ready()
    made: list[str] = []
    threads = [threading.Thread(target=lambda: made.extend(cloud.launch(ready).ids)) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert (len(made), len(set(made)), len(ours(cloud))) == (4, 1, 1)


@pytest.mark.parametrize(
    ("fault", "kind", "sent"),
    [
        ("capacity", "capacity", "yes"),
        ("quota", "quota", "yes"),
        ("auth", "auth", "yes"),
        ("price-cap", "price_cap", "yes"),
        ("throttle", "throttle", "yes"),
        ("error-before", "unavailable", "yes"),
        ("gateway-page", "unavailable", "maybe"),
        ("dropped", "unavailable", "maybe"),
        ("lost-answer", "unavailable", "maybe"),
    ],
)
def test_whatever_a_launch_meets_it_is_sent_once(
    ground: Ground, cloud: Cloud, fault: Kind, kind: str, sent: str
) -> None:
    ready = ground.ready()
    ground.control.add(Fault(fault, "aws", "RunInstances", seconds=7))
    before = len(ground.control.recorded)
    met = refused(cloud, ready)
    assert (met.kind, met.sent) == (kind, sent)
    assert met.retry_after_s == (7 if fault == "throttle" else None)
    assert ground.operations(before) == ["RunInstances"]
    assert bool(ours(cloud)) is (fault == "lost-answer")


def test_a_machine_whose_answer_was_lost_is_found_by_its_token(ground: Ground, cloud: Cloud) -> None:
    ready = ground.ready()
    ground.control.add(Fault("error-after", "aws", "RunInstances"))
    assert refused(cloud, ready).sent == "yes"
    (found,) = cloud.find(Query(owner=OWNER, token=ready.token)).instances
    cloud.end([found.id])
    assert named(cloud, found.id).state is InstanceState.GONE


def test_a_server_that_is_not_there_was_not_asked(ground: Ground) -> None:
    gone = ground.provider(endpoints={**ground.front.endpoints, "ec2": "http://127.0.0.1:1"}).cloud(HOME)
    assert refused(gone, furnished()).sent == "no"


def test_an_image_that_is_not_there_is_a_refusal_and_nothing_to_look_for(ground: Ground, cloud: Cloud) -> None:
    met = refused(cloud, replace(ground.ready(), image="ami-0ffffffffffffffff"))
    assert (met.kind, met.sent, met.code) == ("invalid", "yes", "InvalidAMIID.NotFound")


def test_more_user_data_than_ec2_takes_never_leaves(ground: Ground, cloud: Cloud) -> None:
    ready = replace(ground.ready(), user_data="x" * 16385)
    before = len(ground.control.recorded)
    assert refused(cloud, ready).sent == "no"
    assert ground.operations(before) == []


def test_a_machine_that_is_accepted_and_then_not_had_says_so(ground: Ground, cloud: Cloud) -> None:
    ground.control.add(Fault("async-failure", "aws", "RunInstances"))
    ready, (id_,) = (made := ground.rented())[0], made[1].ids
    found = named(cloud, id_)
    assert (found.state, found.why) == (InstanceState.GONE, "capacity")
    assert cloud.leftovers(Query(owner=OWNER, lease=ready.lease, ids=(id_,))) == ()


class Strange(Api):
    """An AWS whose answers are of another shape."""

    def __init__(self, answer: dict[str, Any]) -> None:
        super().__init__()
        self.answer = answer

    def ask(self, service: str, region: str, operation: str, **parameters: Any) -> Any:
        return self.answer


@pytest.mark.parametrize("answer", [{}, {"Instances": []}, {"Instances": [{"State": {}}]}])
def test_an_acceptance_that_cannot_be_read_is_looked_for_by_its_token(answer: dict[str, Any]) -> None:
    strange = AwsCloud(Strange(answer), HOME, OWNER, CloudSettings(), WallClock())
    met = refused(strange, furnished())
    assert (met.kind, met.sent) == ("unavailable", "maybe")


@pytest.mark.parametrize(
    "answer",
    [{}, {"Reservations": []}, {"ResponseMetadata": {"HTTPHeaders": {"date": "Sat, 21 Nov 2026 08:00:00 GMT"}}}],
)
def test_a_list_of_another_shape_is_never_an_empty_one(answer: dict[str, Any]) -> None:
    strange = AwsCloud(Strange(answer), HOME, OWNER, CloudSettings(), WallClock())
    for query in (Query(owner=OWNER), Query(owner=OWNER, ids=("i-0abc",))):
        with pytest.raises(CloudFault, match="DescribeInstances"):
            strange.find(query)
    with pytest.raises(CloudFault, match="describe_volumes"):
        strange.leftovers(Query(owner=OWNER))


# --- find ---


def test_all_pages_are_read_and_a_machine_that_lags_is_only_missing(ground: Ground, cloud: Cloud) -> None:
    ground.account.page_size = 2
    ready = ground.ready()
    ids = {cloud.launch(replace(ready, token=f"{n}", tags=ready.tags | {"tradewind:token": f"{n}"})).ids[0]
           for n in range(5)}  # fmt: skip
    listing = cloud.find(Query(owner=OWNER))
    assert (listing.complete, len(listing.instances)) == (True, 5)
    assert {each.id for each in listing.instances} == ids
    ground.control.set("aws", list_lag_s=60)
    assert ours(cloud) == ()


def test_the_time_of_a_look_is_the_cloud_s(ground: Ground, cloud: Cloud) -> None:
    ground.control.set("aws", clock_skew_s=600)
    seen = cloud.find(Query(owner=OWNER)).seen_at
    assert timedelta(minutes=9) < seen - ground.clock.now() < timedelta(minutes=11)


def test_what_is_not_allowed_or_not_answered_is_never_an_empty_list(ground: Ground, cloud: Cloud) -> None:
    ground.account.denied.add("ec2:DescribeInstances")
    with pytest.raises(CloudFault, match="auth"):
        cloud.find(Query(owner=OWNER))
    ground.account.denied.clear()
    ground.control.add(Fault("gateway-page", "aws", "DescribeInstances"))
    with pytest.raises(CloudFault, match="unavailable"):
        cloud.find(Query(owner=OWNER))


def test_others_and_half_tagged_machines_are_neither_found_nor_ended(ground: Ground, cloud: Cloud) -> None:
    _, theirs = ground.rented(owner=ELSE)
    ready = ground.ready()
    half = cloud.launch(replace(ready, tags={k: v for k, v in ready.tags.items() if k != "tradewind:lease"}))
    assert ours(cloud) == ()
    cloud.end([*theirs.ids, *half.ids])
    assert {each.state for each in cloud.find(Query(ids=(*theirs.ids, *half.ids))).instances} == {
        InstanceState.RUNNING,
    }  # fmt: skip


def test_a_reclaimed_machine_says_so(ground: Ground, cloud: Cloud) -> None:
    _, accepted = ground.rented(purchase="spot")
    ground.control.reclaim(accepted.ids[0])
    found = named(cloud, accepted.ids[0])
    assert (found.state, found.why) == (InstanceState.GONE, "reclaimed")
    assert found.ended_at is not None


# --- end ---


def test_a_machine_ends_with_all_that_is_its_own_and_ending_it_again_is_nothing(ground: Ground, cloud: Cloud) -> None:
    ready, accepted = ground.rented()
    for _ in range(2):
        cloud.end(accepted.ids)
    gone = named(cloud, accepted.ids[0])
    assert (gone.state, gone.why) == (InstanceState.GONE, "ours")
    assert cloud.leftovers(Query(owner=OWNER, lease=ready.lease, ids=accepted.ids)) == ()
    assert not disks(ground, "tag:tradewind:lease", ready.lease)


def test_an_end_holds_while_it_boots_and_while_it_goes(ground: Ground, cloud: Cloud) -> None:
    ground.control.set("aws", state_delay_s=60)
    _, accepted = ground.rented()
    assert named(cloud, accepted.ids[0]).state is InstanceState.PENDING
    cloud.end(accepted.ids)
    assert named(cloud, accepted.ids[0]).state is InstanceState.TERMINATING
    cloud.end(accepted.ids)


def test_what_is_not_known_is_ended_and_holds_up_no_other(ground: Ground, cloud: Cloud) -> None:
    _, accepted = ground.rented()
    cloud.end(["i-00000000000000bad", *accepted.ids, "i-00000000000000bae"])
    assert named(cloud, accepted.ids[0]).state is InstanceState.GONE
    cloud.end(["i-00000000000000bad", "vol-00000000000000bad"])


def test_protection_is_a_fault_that_says_so_and_the_others_end(ground: Ground, cloud: Cloud) -> None:
    _, held = ground.rented()
    _, free = ground.rented()
    ground.account.protected.add(held.ids[0])
    with pytest.raises(CloudFault, match="may not be terminated") as met:
        cloud.end([*held.ids, *free.ids])
    assert (met.value.kind, met.value.code) == ("conflict", "OperationNotPermitted")
    assert named(cloud, free.ids[0]).state is InstanceState.GONE
    assert named(cloud, held.ids[0]).state is InstanceState.RUNNING


def test_what_was_left_over_is_told_and_ended_by_its_own_id(ground: Ground, cloud: Cloud) -> None:
    ready = ground.ready()
    tags = [{"Key": key, "Value": value} for key, value in ready.tags.items()]
    made = {"disk": lose_disk(ground, tags), "address": lose_address(ground, tags),
            "interface": lose_interface(ground, tags, str(ready.subnet))}  # fmt: skip
    stranger = lose_disk(ground, [{"Key": "Name", "Value": "somebody's"}])
    assert {each.kind for each in cloud.leftovers(Query(owner=OWNER))} == {"disk", "address"}  # what costs
    left = cloud.leftovers(Query(owner=OWNER, lease=ready.lease, ids=("i-0abc",)))
    assert {each.kind: each.id for each in left} == made
    assert {each.lease for each in left} == {ready.lease}
    assert [each.id for each in cloud.leftovers(Query(owner=OWNER, ids=(made["disk"],)))] == [made["disk"]]
    cloud.end([*made.values(), stranger])
    assert cloud.leftovers(Query(owner=OWNER, lease=ready.lease)) == ()
    assert disks(ground, "volume-id", stranger) == [stranger]


def disks(ground: Ground, name: str, value: str) -> list[str]:
    """The disks that there really are."""
    told = ground.account.moto.ask(HOME, "DescribeVolumes", Filters=[{"Name": name, "Values": [value]}])
    return [each["VolumeId"] for each in told["Volumes"]]


def lose_disk(ground: Ground, tags: list[dict[str, str]]) -> str:
    """A disk that no machine has."""
    specified = [{"ResourceType": "volume", "Tags": tags}]
    made = ground.account.moto.ask(
        HOME, "CreateVolume", AvailabilityZone=f"{HOME}a", Size=8, TagSpecifications=specified
    )
    return str(made["VolumeId"])


def lose_address(ground: Ground, tags: list[dict[str, str]]) -> str:
    """An address that nothing has."""
    specified = [{"ResourceType": "elastic-ip", "Tags": tags}]
    return str(
        ground.account.moto.ask(HOME, "AllocateAddress", Domain="vpc", TagSpecifications=specified)["AllocationId"]
    )


def lose_interface(ground: Ground, tags: list[dict[str, str]], subnet: str) -> str:
    """An interface that no machine has."""
    specified = [{"ResourceType": "network-interface", "Tags": tags}]
    made = ground.account.moto.ask(HOME, "CreateNetworkInterface", SubnetId=subnet, TagSpecifications=specified)
    return str(made["NetworkInterface"]["NetworkInterfaceId"])


# --- changes ---


def test_a_machine_is_stopped_resized_and_started(ground: Ground, cloud: Cloud) -> None:
    _, (id_,) = (made := ground.rented())[0], made[1].ids
    with pytest.raises(CloudFault, match="only a stopped machine"):
        cloud.resize(id_, "g4dn.2xlarge")
    for _ in range(2):
        cloud.stop(id_)
    assert named(cloud, id_).state is InstanceState.STOPPED
    for _ in range(2):
        cloud.resize(id_, "g4dn.2xlarge")
    for _ in range(2):
        cloud.start(id_)
    found = named(cloud, id_)
    assert (found.state, found.instance_type) == (InstanceState.RUNNING, "g4dn.2xlarge")


def test_a_spot_machine_is_neither_stopped_nor_resized(ground: Ground, cloud: Cloud) -> None:
    _, accepted = ground.rented(purchase="spot")
    with pytest.raises(CloudFault, match="cannot be stopped") as stopped:
        cloud.stop(accepted.ids[0])
    with pytest.raises(CloudFault, match="cannot be resized") as resized:
        cloud.resize(accepted.ids[0], "g4dn.2xlarge")
    assert (stopped.value.kind, resized.value.kind) == ("invalid", "invalid")


def test_nobody_else_s_machine_is_changed(ground: Ground, cloud: Cloud) -> None:
    _, theirs = ground.rented(owner=ELSE)
    with pytest.raises(CloudFault) as met:
        cloud.stop(theirs.ids[0])
    assert met.value.kind == "not_found"


def test_the_console_is_told_once_there_is_something_on_it(
    ground: Ground, cloud: Cloud, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, accepted = ground.rented()
    assert cloud.console(accepted.ids[0]) is None
    monkeypatch.setattr(ground.account.fleet, "console", lambda _: "Booted ✓\n".encode())
    assert cloud.console(accepted.ids[0]) == "Booted ✓\n"
    ground.control.add(Fault("auth", "aws", "GetConsoleOutput", code="UnsupportedOperation"))  # older than Nitro
    assert cloud.console(accepted.ids[0]) == "Booted ✓\n"


def test_a_machine_learns_of_its_reclaim_from_its_own_metadata(ground: Ground, cloud: Cloud) -> None:
    _, accepted = ground.rented()
    assert cloud.notice_probe(named(cloud, accepted.ids[0])) == {"kind": "aws"}
