"""Networks on Alibaba Cloud: made a step at a time, found by tag, shut to the world, ended with all of it."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_network
from pathlib import Path

import pytest
from alibaba_ground import BEIJING, CALLER, ELSE, OWNER, Ground, alibaba, order
from lab.control import Fault, Kind
from lab.estate import Thing

from tradewind.clouds.alibaba.parts import free_blocks
from tradewind.ports.compute import CloudFault, InstanceState, Leftover, Query

KINDS = ("vpc", "vsw", "sg", "ngw", "eip", "snat")
ZONES = {"cn-beijing-h", "cn-beijing-k", "cn-beijing-l"}


@pytest.fixture
def ground(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Ground]:
    with alibaba(monkeypatch, tmp_path) as made:
        yield made


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Ground]:
    """An account without a default network."""
    with alibaba(monkeypatch, tmp_path, default_network=False) as made:
        yield made


def things(ground: Ground) -> list[Thing]:
    return [each for kind in KINDS for each in ground.account.things.of(kind, BEIJING)]


def ours(ground: Ground) -> list[str]:
    """The kinds of what is ours, as ids begin."""
    return sorted({each.id.split("-")[0] for each in things(ground) if each.tags.get("tradewind:owner") == OWNER})


def doors(ground: Ground) -> list[tuple[str, str]]:
    return [
        (rule["PortRange"], rule["SourceCidrIp"])
        for each in ground.account.things.of("sg", BEIJING) for rule in each.told["rules"]
    ]  # fmt: skip


def ended(ground: Ground, id_: str, **settings: str) -> int:
    """How often the end had to be asked for."""
    network = ground.provider(**settings).network(BEIJING)
    for times in range(1, 10):
        network.end((id_,))
        if not network.find(Query(owner=OWNER, ids=(id_,))).instances:
            return times
    raise AssertionError(f"{id_} never ended")


def test_in_the_default_vpc_only_a_group_is_made_which_lets_in_the_caller_alone(ground: Ground) -> None:
    before = len(things(ground))
    network = ground.provider().network(BEIJING)
    ordered = order(instance_type="default")
    accepted = network.launch(ordered)
    (found,) = network.find(Query(owner=OWNER)).instances
    assert (found.id,) == accepted.ids
    assert (found.state, found.instance_type, found.lease) == (InstanceState.RUNNING, "default", ordered.lease)
    assert {**ordered.tags, "tradewind:network": "default"} == found.tags
    assert (len(things(ground)) - before, ours(ground), doors(ground)) == (1, ["sg"], [("22/22", CALLER)])
    assert ended(ground, found.id) == 1
    assert len(things(ground)) == before


def test_a_zone_without_a_vswitch_gets_one_that_goes_with_the_network(ground: Ground) -> None:
    spare = next(each for each in ground.account.things.of("vsw", BEIJING) if each.told["ZoneId"] == "cn-beijing-k")
    ground.account.things.remove(spare)
    id_ = ground.reached()
    assert ours(ground) == ["sg", "vsw"]
    assert {each.told["ZoneId"] for each in ground.account.things.of("vsw", BEIJING)} == ZONES
    ended(ground, id_)
    assert ours(ground) == []


def test_without_a_default_vpc_one_is_made(bare: Ground) -> None:
    id_ = bare.reached()
    assert id_.startswith("vpc-")
    assert ours(bare) == ["sg", "vpc", "vsw"]
    assert {each.told["ZoneId"] for each in bare.account.things.of("vsw", BEIJING)} == ZONES
    ready = bare.ready(network=id_)
    assert ready.public_ip
    bare.provider().cloud(BEIJING).launch(ready)


def test_a_private_network_has_one_way_out_and_none_in_but_ssh(ground: Ground) -> None:
    id_ = ground.reached(kind="private")
    (gateway,) = ground.account.things.of("ngw", BEIJING)
    (address,) = ground.account.things.of("eip", BEIJING)
    (entry,) = ground.account.things.of("snat", BEIJING)
    (vpc,) = (each for each in ground.account.things.of("vpc", BEIJING) if each.id == id_)
    assert address.told["InstanceId"] == gateway.id
    assert (entry.told["SourceCIDR"], entry.told["SnatIp"]) == (vpc.told["CidrBlock"], address.told["IpAddress"])
    assert ours(ground) == ["eip", "ngw", "sg", "vpc", "vsw"]
    assert doors(ground) == [("22/22", CALLER)]
    private = ground.provider(network="private")
    completed = private.cloud(BEIJING).complete(order(network=id_))
    assert (completed.public_ip, len(completed.groups)) == (False, 1)
    machine = private.cloud(BEIJING).launch(completed).ids[0]
    (found,) = private.cloud(BEIJING).find(Query(ids=(machine,))).instances
    assert found.address.startswith("127.77.")  # its own: it has no other


def test_what_comes_up_slowly_is_asked_for_again_and_nothing_is_made_twice(ground: Ground) -> None:
    ordered = order(instance_type="private")
    network = ground.provider(network="private").network(BEIJING)
    waits = []
    for _ in range(9):
        try:
            network.launch(ordered)
        except CloudFault as fault:
            waits.append((fault.kind, fault.sent, fault.retry_after_s is not None))
            (partial,) = network.find(Query(owner=OWNER, token=ordered.token)).instances
            assert partial.state is InstanceState.PENDING
    assert set(waits) == {("unavailable", "no", True)}
    made = [each.id.split("-")[0] for each in things(ground) if each.tags.get("tradewind:token") == ordered.token]
    assert sorted(made) == ["eip", "ngw", "sg", "vpc", "vsw", "vsw", "vsw"]


@pytest.mark.parametrize(
    ("action", "kind"),
    [
        ("CreateVpc", "lost-answer"), ("CreateSecurityGroup", "lost-answer"), ("CreateVSwitch", "lost-answer"),
        ("CreateVSwitch", "error-before"), ("CreateNatGateway", "lost-answer"), ("AllocateEipAddress", "lost-answer"),
        ("AssociateEipAddress", "lost-answer"), ("CreateSnatEntry", "lost-answer"),
        ("AuthorizeSecurityGroup", "lost-answer"), ("AuthorizeSecurityGroup", "error-before"),
    ],
)  # fmt: skip
def test_a_network_that_was_cut_off_anywhere_is_gone_on_with(ground: Ground, action: str, kind: Kind) -> None:
    ordered = order(instance_type="private")
    network = ground.provider(network="private").network(BEIJING)
    ground.control.add(Fault(kind, "alibaba", action))
    for _ in range(9):
        try:
            id_ = network.launch(ordered).ids[0]
            break
        except CloudFault as fault:
            assert fault.kind == "unavailable", fault
    (found,) = network.find(Query(owner=OWNER)).instances
    assert (found.id, found.state) == (id_, InstanceState.RUNNING)
    made = [each.id.split("-")[0] for each in things(ground) if each.tags.get("tradewind:token") == ordered.token]
    assert sorted(made) == ["eip", "ngw", "sg", "vpc", "vsw", "vsw", "vsw"]
    ended(ground, id_, network="private")
    assert ours(ground) == []
    assert ground.account.things.of("snat", BEIJING) == []


def test_a_step_for_which_something_is_not_ready_is_waited_for(ground: Ground) -> None:
    ordered = order(instance_type="private")
    network = ground.provider(network="private").network(BEIJING)
    ground.control.add(Fault("quota", "alibaba", "CreateVSwitch", code="IncorrectVpcStatus"))
    ground.control.add(Fault("quota", "alibaba", "CreateNatGateway", code="IncorrectVSwitchStatus"))
    assert ground.made(network, ordered).ids[0].startswith("vpc-")


def test_a_vpc_without_addresses_left_keeps_to_the_zones_that_have_a_vswitch(ground: Ground) -> None:
    (vpc,) = ground.account.things.of("vpc", BEIJING)
    vpc.told["CidrBlock"] = "172.16.0.0/28"
    first, *others = ground.account.things.of("vsw", BEIJING)
    ground.account.things.remove(first)
    assert ours(ground) == []
    ground.reached()
    assert ours(ground) == ["sg"]
    for each in others:
        ground.account.things.remove(each)
    with pytest.raises(CloudFault, match="no addresses left") as met:
        ground.provider().network(BEIJING).launch(order(instance_type="default"))
    assert (met.value.kind, met.value.sent) == ("quota", "yes")


def test_a_network_ends_in_the_order_of_what_hangs_on_what_and_only_once_no_machine_is_in_it(ground: Ground) -> None:
    ready, machine = ground.rented()
    network = ground.provider().network(BEIJING)
    network.end((str(ready.network),))
    assert [each.id for each in network.find(Query(owner=OWNER)).instances] == [ready.network]
    ground.provider().cloud(BEIJING).end((machine,))
    assert ended(ground, str(ready.network)) == 1
    network.end((str(ready.network), "sg-nevermade"))


def test_what_is_left_of_a_network_is_told_and_ended_by_its_own_id(ground: Ground) -> None:
    ordered = order(instance_type="private")
    network = ground.provider(network="private").network(BEIJING)
    ground.made(network, ordered)
    for each in things(ground):
        if each.tags.get("tradewind:token") == ordered.token and not each.id.startswith("eip-"):
            ground.account.things.remove(each)
    (address,) = ground.account.things.of("eip", BEIJING)
    address.told.update(InstanceId="", Status="Available")
    address.within.clear()
    left = (Leftover("address", address.id, ordered.lease),)
    assert network.leftovers(Query(owner=OWNER)) == left
    assert network.leftovers(Query(owner=OWNER, lease=ordered.lease, ids=("vpc-gone",))) == left
    assert network.find(Query(owner=OWNER)).instances == ()
    assert ground.provider().cloud(BEIJING).leftovers(Query(owner=OWNER)) == ()  # it was no machine's
    network.end((address.id,))
    assert network.leftovers(Query(owner=OWNER)) == ()


def test_who_comes_from_elsewhere_is_let_in_instead(ground: Ground) -> None:
    id_ = ground.reached()
    network = ground.provider().network(BEIJING)
    for _ in range(2):
        network.admit(id_, "198.51.100.1/32")
    assert doors(ground) == [("22/22", "198.51.100.1/32")]
    private = ground.reached(kind="private")
    network.admit(private, "198.51.100.2/32")
    assert sorted(doors(ground)) == [("22/22", "198.51.100.1/32"), ("22/22", "198.51.100.2/32")]


def test_the_settings_say_from_where_instead_of_this_computers_address(ground: Ground) -> None:
    network = ground.provider(ssh_from="198.51.100.0/24").network(BEIJING)
    network.launch(order(instance_type="default"))
    assert doors(ground) == [("22/22", "198.51.100.0/24")]


def test_others_networks_are_neither_told_nor_ended(ground: Ground) -> None:
    theirs = ground.reached(ELSE)
    network = ground.provider().network(BEIJING)
    assert network.find(Query(owner=OWNER)).instances == ()
    network.end((theirs,))
    network.admit(theirs, "198.51.100.1/32")
    assert (len(ground.account.things.of("sg", BEIJING)), doors(ground)) == (1, [("22/22", CALLER)])


@pytest.mark.parametrize("action", ["ecs:DescribeSecurityGroups", "vpc:DescribeVpcs"])
def test_no_network_proves_nothing_to_whom_may_not_look(ground: Ground, action: str) -> None:
    network = ground.provider().network(BEIJING)
    assert network.find(Query(owner=OWNER)).complete
    ground.account.denied.add(action)
    with pytest.raises(CloudFault) as met:
        network.find(Query(owner=OWNER))
    assert met.value.kind == "auth"


def test_a_given_network_is_never_touched(ground: Ground) -> None:
    group = ground.reached(ELSE)
    network = ground.provider(network="given", groups=(group,)).network(BEIJING)
    assert network.launch(order(instance_type="given")).ids == (group,)
    (found,) = network.find(Query(owner=OWNER, ids=(group,))).instances
    assert (found.id, found.state) == (group, InstanceState.RUNNING)
    network.admit(group, "198.51.100.1/32")
    network.end((group,))
    assert doors(ground) == [("22/22", CALLER)]


def test_blocks_are_free_and_begin_at_the_end_of_the_vpc() -> None:
    taken = ["172.31.255.0/24", "172.31.240.0/20", "172.16.0.0/20"]
    first = next(free_blocks("172.16.0.0/12", taken))
    assert first == "172.31.239.0/24"
    assert not any(ip_network(first).overlaps(ip_network(each)) for each in taken)
    assert list(free_blocks("10.0.0.0/23", ["10.0.0.0/24"])) == ["10.0.1.0/24"]
    assert list(free_blocks("10.0.0.0/24", ["10.0.0.128/25"])) == []
