"""Networks of ours at AWS: made part by part, from wherever that was cut off; open to one address; ended whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta

import pytest
from aws_ground import CALLER, ELSE, HOME, OWNER, Ground, order
from lab.control import Fault

from tradewind.ports.cloud import Network
from tradewind.ports.compute import CloudFault, Instance, InstanceState, Order, Query

SMALL = "us-east-2"  # three zones
LONELY = "us-west-2"  # a region in which the account of this test has no network of its own
MAKING = {
    "CreateVpc", "CreateInternetGateway", "AttachInternetGateway", "CreateSubnet", "CreateRouteTable", "CreateRoute",
    "AssociateRouteTable", "AllocateAddress", "CreateNatGateway", "CreateSecurityGroup",
    "AuthorizeSecurityGroupIngress",
}  # fmt: skip
ENDING = {
    "DeleteNatGateway", "ReleaseAddress", "DeleteSecurityGroup", "DeleteSubnet", "DeleteRouteTable",
    "DisassociateRouteTable", "DetachInternetGateway", "DeleteInternetGateway", "DeleteVpc",
}  # fmt: skip

_MADE: list[tuple[Network, str, str]] = []  # what a test has not taken down itself


@pytest.fixture
def ground(aws_account: Ground) -> Iterator[Ground]:
    yield aws_account
    aws_account.clean()
    while _MADE:
        taken_down(*_MADE[-1])


@pytest.fixture
def network(ground: Ground) -> Network:
    return ground.provider().network(HOME)


@pytest.fixture
def small(ground: Ground) -> Network:
    return ground.provider().network(SMALL)


def made(network: Network, wanted: Order) -> Instance:
    """Launched as leasing does it: again with the same order, until it is accepted."""
    for _ in range(40):
        try:
            accepted = network.launch(wanted)
        except CloudFault as fault:
            assert fault.kind == "unavailable", fault
            continue
        (found,) = network.find(Query(owner=OWNER, token=wanted.token)).instances
        assert accepted.ids == (found.id,)
        if (network, found.id, found.lease) not in _MADE:
            _MADE.append((network, found.id, found.lease))
        return found
    raise AssertionError("it is never accepted")


def taken_down(network: Network, id_: str, lease: str) -> None:
    """Ended as leasing does it: again and again until nothing is left."""
    for _ in range(40):
        try:
            network.end([id_])
        except CloudFault as fault:
            assert fault.kind == "unavailable", fault
        there = network.find(Query(owner=OWNER, ids=(id_,))).instances
        if not there and not network.leftovers(Query(owner=OWNER, lease=lease, ids=(id_,))):
            return _MADE.remove((network, id_, lease))
    raise AssertionError("it never ends")


def sources(ground: Ground, group: str, region: str = HOME) -> list[str]:
    """Whence a security group lets in, and nothing but SSH."""
    told = ground.account.moto.ask(region, "DescribeSecurityGroups", GroupIds=[group])["SecurityGroups"][0]
    assert {(each["FromPort"], each["ToPort"]) for each in told["IpPermissions"]} <= {(22, 22)}
    assert not any(each.get("Ipv6Ranges") or each.get("UserIdGroupPairs") for each in told["IpPermissions"])
    return sorted(each["CidrIp"] for rule in told["IpPermissions"] for each in rule["IpRanges"])


def lonely(ground: Ground) -> Network:
    """A network in a region where the account has none of its own any more."""
    moto = ground.account.moto
    for vpc in moto.ask(LONELY, "DescribeVpcs", Filters=[{"Name": "is-default", "Values": ["true"]}])["Vpcs"]:
        inside = [{"Name": "vpc-id", "Values": [vpc["VpcId"]]}]
        for subnet in moto.ask(LONELY, "DescribeSubnets", Filters=inside)["Subnets"]:
            moto.ask(LONELY, "DeleteSubnet", SubnetId=subnet["SubnetId"])
        moto.ask(LONELY, "DeleteVpc", VpcId=vpc["VpcId"])
    return ground.provider().network(LONELY)


def test_in_the_account_s_own_network_one_group_is_made_and_open_to_the_caller_alone(
    ground: Ground, network: Network
) -> None:
    wanted = order(instance_type="default")
    before = len(ground.control.recorded)
    found = made(network, wanted)
    assert set(ground.operations(before)) & (MAKING | ENDING) == {
        "CreateSecurityGroup",
        "AuthorizeSecurityGroupIngress",
    }
    assert (found.state, found.instance_type, found.lease) == (InstanceState.RUNNING, "default", wanted.lease)
    assert sources(ground, found.id) == [CALLER]
    assert abs(found.launched_at - ground.clock.now()) < timedelta(minutes=1)
    assert network.leftovers(Query(owner=OWNER)) == ()
    taken_down(network, found.id, found.lease)


def test_where_the_account_has_no_network_a_public_one_is_made_for_every_zone(ground: Ground) -> None:
    network = lonely(ground)
    found = made(network, order(instance_type="default", region=LONELY))
    assert found.id.startswith("vpc-")
    completed = ground.provider().cloud(LONELY).complete(order(region=LONELY, network=found.id, zone="usw2-az2"))
    (subnet,) = ground.account.moto.ask(LONELY, "DescribeSubnets", SubnetIds=[completed.subnet])["Subnets"]
    assert (subnet["VpcId"], subnet["AvailabilityZoneId"]) == (found.id, "usw2-az2")
    (group,) = completed.groups
    assert sources(ground, group, LONELY) == [CALLER]
    taken_down(network, found.id, found.lease)


def test_a_private_network_reaches_out_and_is_not_reached(ground: Ground, small: Network) -> None:
    wanted = order(instance_type="private", region=SMALL)
    with pytest.raises(CloudFault, match="NAT gateway is being made") as met:
        small.launch(wanted)
    assert (met.value.sent, met.value.retry_after_s) == ("no", 15)  # it is to be called again, and goes on
    (begun,) = small.find(Query(owner=OWNER, token=wanted.token)).instances
    found = made(small, wanted)
    assert (begun.state, found.state, found.id) == (InstanceState.PENDING, InstanceState.RUNNING, begun.id)
    cloud = ground.provider(network="private").cloud(SMALL)
    completed = cloud.complete(order(region=SMALL, network=found.id, zone="use2-az2"))
    assert completed.public_ip is False
    (table,) = ground.account.moto.ask(
        SMALL, "DescribeRouteTables", Filters=[{"Name": "association.subnet-id", "Values": [completed.subnet]}]
    )["RouteTables"]
    assert [each["NatGatewayId"] for each in table["Routes"] if each["DestinationCidrBlock"] == "0.0.0.0/0"]
    assert sources(ground, completed.groups[0], SMALL) == [CALLER]
    machine = cloud.launch(completed)
    assert cloud.find(Query(owner=OWNER, ids=machine.ids)).instances[0].address
    assert {each.kind for each in small.leftovers(Query(owner=OWNER))} == {"nat-gateway", "address"}


def test_cut_off_at_any_of_its_parts_it_is_made_once_and_ended_whole(ground: Ground, small: Network) -> None:
    for operation in MAKING:
        ground.control.add(Fault("error-after", "aws", operation))
    for operation in ENDING:
        ground.control.add(Fault("error-before", "aws", operation))
    wanted = order(instance_type="private", region=SMALL)
    before = len(ground.control.recorded)
    found = made(small, wanted)
    zones = 3
    assert Counter(each for each in ground.operations(before) if each in MAKING) == dict.fromkeys(MAKING, 1) | {
        "CreateSubnet": zones + 1,
        "AssociateRouteTable": zones + 1,
        "CreateRouteTable": 2,
        "CreateRoute": 2,
    }
    assert made(small, wanted) == found
    before = len(ground.control.recorded)
    taken_down(small, found.id, found.lease)
    assert set(ground.operations(before)) >= ENDING
    small.end([found.id])
    assert ground.account.moto.ask(SMALL, "DescribeAddresses")["Addresses"] == []


def test_a_group_that_machines_still_have_waits_for_them(ground: Ground, network: Network) -> None:
    found = made(network, order(instance_type="default"))
    ground.control.add(Fault("capacity", "aws", "DeleteSecurityGroup", code="DependencyViolation"))
    network.end([found.id])
    assert network.find(Query(owner=OWNER, ids=(found.id,))).instances
    taken_down(network, found.id, found.lease)


def test_another_address_takes_the_place_of_the_one_before(ground: Ground, network: Network) -> None:
    found = made(network, order(instance_type="default"))
    before = len(ground.control.recorded)
    for _ in range(2):
        network.admit(found.id, "198.51.100.4/32")
    assert sources(ground, found.id) == ["198.51.100.4/32"]
    changes = [each for each in ground.operations(before) if not each.startswith("Describe")]
    assert changes == ["AuthorizeSecurityGroupIngress", "RevokeSecurityGroupIngress"]  # never shut out in between


def test_nothing_is_opened_to_the_world_or_to_what_is_no_network(ground: Ground, network: Network) -> None:
    found = made(network, order(instance_type="default"))
    for source, words in (("0.0.0.0/0", "everybody"), ("::/0", "no network of IPv4"), ("here", "no network of IPv4")):
        with pytest.raises(CloudFault, match=words) as met:
            network.admit(found.id, source)
        assert (met.value.kind, met.value.sent) == ("invalid", "no")
    assert sources(ground, found.id) == [CALLER]


def test_nobody_else_s_network_is_found_changed_or_ended(ground: Ground, network: Network) -> None:
    theirs = ground.reached(ELSE)
    assert network.find(Query(owner=OWNER)).instances == ()
    network.admit(theirs, "198.51.100.4/32")
    network.end([theirs])
    assert sources(ground, theirs) == [CALLER]


def test_a_caller_whose_address_is_not_known_makes_nothing(ground: Ground) -> None:
    def nobody() -> str:
        raise CloudFault("unavailable", "nobody tells", sent="no")

    network = ground.provider().network(HOME)
    network._caller = nobody  # type: ignore[attr-defined]
    before = len(ground.control.recorded)
    with pytest.raises(CloudFault, match="nobody tells"):
        network.launch(order(instance_type="default"))
    assert not set(ground.operations(before)) & MAKING


def test_a_given_network_is_not_ours_to_make(ground: Ground, network: Network) -> None:
    with pytest.raises(CloudFault) as met:
        network.launch(order(instance_type="given"))
    assert (met.value.kind, met.value.sent) == ("invalid", "no")


def test_what_was_left_of_a_network_is_ended_by_its_own_id(ground: Ground, network: Network) -> None:
    wanted = order(instance_type="private")
    tags = [{"Key": key, "Value": value} for key, value in wanted.tags.items()]
    specified = [{"ResourceType": "elastic-ip", "Tags": tags}]
    lost = ground.account.moto.ask(HOME, "AllocateAddress", Domain="vpc", TagSpecifications=specified)["AllocationId"]
    (left,) = network.leftovers(Query(owner=OWNER))
    assert (left.id, left.kind, left.lease) == (lost, "address", wanted.lease)
    network.end([left.id])
    assert network.leftovers(Query(owner=OWNER, ids=(left.id,))) == ()
