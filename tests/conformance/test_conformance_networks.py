"""Cases of the suite for the networks of AWS and Alibaba Cloud, of both kinds; the numbers are the suite's.

A network is made of many requests, each of which may be the one that goes wrong: launching it goes on where it was.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from lab_account import CALLER
from reasons import CASES, NOT_PLAYED_ON_NETWORKS
from rented import RENTED
from renting import OWNER, RentingGround
from test_conformance_clouds import refused

from tradewind.ports.cloud import Network
from tradewind.ports.compute import REFUSALS, CloudFault, Instance, InstanceState, Order, Query

KINDS = ("default", "private")
PATIENCE = 200  # looks
EVERY, MOST_REQUESTS = 4, 40  # the answer of every so many-th request is lost, of so many
Case = Callable[[RentingGround, str], None]
PLAYED: list[tuple[tuple[int, ...], Case]] = []


def case(*numbers: int) -> Callable[[Case], Case]:
    """This function plays these cases."""

    def put(played: Case) -> Case:
        PLAYED.append((numbers, played))
        return played

    return put


def network(ground: RentingGround, kind: str, owner: str = OWNER) -> Network:
    return ground.provider(owner, network=kind).network(ground.at.region)


def made(ground: RentingGround, of: Network, order: Order) -> Instance:
    """Launched until it is whole, as leasing does; nothing but time is between."""
    for _ in range(PATIENCE):
        try:
            of.launch(order)
            (found,) = of.find(Query(token=order.token)).instances
            if found.state is InstanceState.RUNNING:
                return found
        except CloudFault as fault:
            assert fault.kind not in REFUSALS, fault
        ground.time.sleep(5.0)
    raise AssertionError("it was never whole")


def ended(ground: RentingGround, of: Network, id_: str, order: Order) -> None:
    """Ended until it is gone, with all of it."""
    for _ in range(PATIENCE):
        try:
            of.end([id_, *(each.id for each in of.leftovers(Query(owner=OWNER, lease=order.lease)))])
        except CloudFault as fault:
            assert fault.kind not in REFUSALS, fault
        if ground.parts() == []:
            ground.control.clear()
            assert of.find(Query(owner=OWNER)).instances == ()
            assert of.leftovers(Query(owner=OWNER, lease=order.lease)) == ()
            return
        ground.time.sleep(10.0)
    raise AssertionError(f"it never ended: {ground.parts()}")


@case(1, 3, 6, 8, 9, 10, 17, 19)
def it_is_made_once_and_ends_with_all_of_it_whatever_answers_are_lost(ground: RentingGround, kind: str) -> None:
    lost(ground, kind, EVERY)


def lost(ground: RentingGround, kind: str, every: int) -> None:
    """The answers of some requests are lost while it is made, and while it is ended; each time it is done again."""
    of, order = network(ground, kind), ground.network_order(kind=kind)
    cut_off(ground, every)
    first = made(ground, of, order)
    ground.control.clear()
    assert made(ground, of, order).id == first.id
    assert (first.token, first.lease, first.owner) == (order.token, order.lease, OWNER)
    assert (first.instance_type, first.region) == (kind, ground.at.region)
    assert order.tags.items() <= first.tags.items()
    assert [each.id for each in of.find(Query(owner=OWNER)).instances] == [first.id]
    parts = sorted(each.partition("-")[0] for each in ground.parts())
    assert parts == sorted(ground.parts_of(kind))
    cut_off(ground, every)
    ended(ground, of, first.id, order)
    ended(ground, of, first.id, order)


def cut_off(ground: RentingGround, every: int) -> None:
    for nth in range(every, MOST_REQUESTS, every):
        ground.fault("lost-answer", "*", nth=nth)


@case(12)
def what_is_not_up_yet_is_waited_for_and_nothing_is_asked_of_it(ground: RentingGround, kind: str) -> None:
    ground.control.set(ground.at.cloud, state_delay_s=8.0)
    of, order = network(ground, kind), ground.network_order(kind=kind)
    for _ in range(PATIENCE):
        try:
            (id_,) = of.launch(order).ids
            break
        except CloudFault as fault:
            assert (fault.kind, fault.sent, fault.code) == ("unavailable", "no", None)  # no refusal of the cloud's
            ground.time.sleep(fault.retry_after_s or 1.0)
    assert [(each.id, each.state) for each in of.find(Query(owner=OWNER)).instances] == [(id_, InstanceState.RUNNING)]


@case(7, 14)
def what_never_left_was_not_sent_and_nothing_is_not_what_is_there(ground: RentingGround, kind: str) -> None:
    ground.refuse()
    of = ground.provider(network=kind, endpoints=ground.away).network(ground.at.region)
    assert refused(lambda: of.launch(ground.network_order(kind=kind))).sent == "no"
    assert refused(lambda: of.find(Query(owner=OWNER))).kind == "unavailable"


@case(15, 16)
def others_are_neither_told_nor_ended(ground: RentingGround, kind: str) -> None:
    theirs, ours = network(ground, kind, "somebody"), network(ground, kind)
    other = made(ground, theirs, ground.network_order(owner="somebody", kind=kind))
    assert ours.find(Query(owner=OWNER)).instances == ()
    ours.end([other.id, ground.nobodys, "sg-0123456789abcdef0", "vpc-0123456789abcdef0"])
    (still,) = theirs.find(Query(owner="somebody")).instances
    assert (still.id, still.state) == (other.id, InstanceState.RUNNING)


@case(23)
def who_may_not_look_is_not_told_that_there_is_nothing(ground: RentingGround, kind: str) -> None:
    of = network(ground, kind)
    ground.front.account.denied.add(ground.right_to("DescribeSecurityGroups"))
    assert refused(lambda: of.find(Query(owner=OWNER))).kind == "auth"


@pytest.mark.parametrize("cloud", RENTED)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "played",
    [pytest.param(played, id=f"{'+'.join(map(str, numbers))}-{played.__name__}") for numbers, played in PLAYED],
)
def test_a_network_does_as_the_suite_says(cloud: str, kind: str, played: Case, tmp_path: Path) -> None:
    with RENTED[cloud](tmp_path) as ground:
        played(ground, kind)


@pytest.mark.parametrize("cloud", RENTED)
@pytest.mark.parametrize("kind", KINDS)
def test_only_the_caller_is_let_in_and_only_by_ssh(cloud: str, kind: str, tmp_path: Path) -> None:
    with RENTED[cloud](tmp_path) as ground:
        of = network(ground, kind)
        id_ = made(ground, of, ground.network_order(kind=kind)).id
        assert ground.let_in() == [("tcp", 22, 22, CALLER)]
        of.admit(id_, "198.51.100.9/32")
        of.admit(id_, "198.51.100.9/32")
        assert ground.let_in() == [("tcp", 22, 22, "198.51.100.9/32")]


@pytest.mark.long
@pytest.mark.parametrize("cloud", RENTED)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("every", [2, 3, 5, 6, 7, 8, 9, 11, 13, 17])
def test_a_network_is_made_once_whichever_answers_are_lost(cloud: str, kind: str, every: int, tmp_path: Path) -> None:
    with RENTED[cloud](tmp_path) as ground:
        lost(ground, kind, every)


def test_every_case_is_played_or_has_a_reason_against_it() -> None:
    played = {number for numbers, _ in PLAYED for number in numbers}
    assert played | set(NOT_PLAYED_ON_NETWORKS) == set(CASES)
    assert not played & set(NOT_PLAYED_ON_NETWORKS)
