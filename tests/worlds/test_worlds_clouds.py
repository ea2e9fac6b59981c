"""Crash points on AWS and Alibaba Cloud: their adapters over the lab, over a network rented with the machine."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Literal

import pytest
from odd.faults import Planned
from odd.keeper import Keeper
from odd.lab_cloud import LabCloud
from odd.lab_world import LabWorld
from odd.place import sqlite
from odd.points import Blow, Mode, Point
from odd.scenarios import ADOPTED, OVER_BUDGET, PREEMPTED, REFUSED, STOPPED, Played, Scenario, blows, live

CLOUDS = ("aws", "alibaba")
MODES: tuple[Mode, ...] = ("kill", "lose", "repeat", "delay")
PRIVATE = replace(STOPPED, name="private", private=True)
SWEPT_ALIKE = 12  # one sweep is like another: every so many of their points are struck
EVERY = 5  # a world takes a second or two over HTTP: each mode strikes a fifth of the points, each its own
NETWORK, MACHINE, END = Point("cloud.launch", 1), Point("cloud.launch", 2), Point("cloud.end", 1)
Record = Callable[[str, object], None]


@contextmanager
def lived(at: str, scenario: Scenario, blow: Blow | None = None) -> Iterator[Played]:
    """A scenario that was lived through at a cloud of the lab, which still answers."""
    network: Literal["default", "private"] = "private" if scenario.private else "default"
    with LabWorld(sqlite(), Planned(list(scenario.faults)), at=at, network=network) as world:
        yield live(world, scenario, blow)


def found(at: str, scenario: Scenario, blow: Blow | None = None) -> list[str]:
    """What was against the laws, and what lay around when all was at rest."""
    with lived(at, scenario, blow) as played:
        cloud = played.world.cloud
        assert isinstance(cloud, LabCloud)
        told = [*played.breaches, *(f"leaked: {each} lies around" for each in cloud.remains())]
        return [f"{at}, {scenario.name}, {blow}: {each}" for each in told]


@pytest.mark.parametrize(
    ("at", "blow"),
    [("aws", Blow(NETWORK, "kill")), ("aws", Blow(MACHINE, "lose")), ("aws", Blow(END, "kill")),
     *(("alibaba", Blow(point, mode)) for point in (NETWORK, MACHINE, END) for mode in ("kill", "lose"))],
    ids=str,
)  # fmt: skip
def test_the_laws_hold_at_what_costs_money(at: str, blow: Blow, record_property: Record) -> None:
    assert found(at, STOPPED, blow) == []
    record_property(f"worlds: crash points, {at}", 1)


@pytest.mark.parametrize("at", CLOUDS)
def test_a_preempted_job_comes_to_its_end(at: str, record_property: Record) -> None:
    assert found(at, PREEMPTED) == []
    record_property(f"worlds: crash points, {at}", 1)


def test_what_the_lab_bills_behind_the_products_back_is_found() -> None:
    with lived("alibaba", STOPPED) as played:
        cloud, keeper = played.world.cloud, Keeper(played.world)
        assert isinstance(cloud, LabCloud)
        stranger, token = next(iter(cloud.machines.values())), str(uuid.uuid4())
        tags = {**stranger.order.tags, "tradewind:owner": "me", "tradewind:token": token}
        cloud.launch(replace(stranger.order, owner="me", token=token, tags=tags))
        cloud.front.account.fleet.end(cloud.front.account.fleet.get(stranger.id, ""))
        keeper.rest()
    (made,) = (each.id for each in cloud.machines.values() if each.order.token == token)
    told = " ".join(keeper.found)
    assert f"leaked: {made}" in told
    assert f"{stranger.id} belongs to somebody else and was ended" in told


@pytest.mark.long
@pytest.mark.parametrize("at", CLOUDS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "scenario", [PREEMPTED, STOPPED, PRIVATE, REFUSED, OVER_BUDGET, ADOPTED], ids=lambda scenario: scenario.name
)
def test_the_laws_hold_wherever_it_is_struck(at: str, scenario: Scenario, mode: Mode, record_property: Record) -> None:
    with lived(at, scenario) as played:
        seen = played.points
    points = striking(seen)[MODES.index(mode) :: EVERY]
    struck = blows(points, mode, whole=scenario is PREEMPTED)
    assert [each for blow in struck for each in found(at, scenario, blow)] == []
    record_property(f"worlds: crash points, {at}", len(struck))


def striking(points: list[Point]) -> list[Point]:
    """All points of jobs and leases, and some of the sweeps'."""
    swept = [each for each in points if each.doing == "sweep"]
    return [each for each in points if each.doing != "sweep"] + swept[::SWEPT_ALIKE]
