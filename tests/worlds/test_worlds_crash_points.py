"""At every commit and every call on the way of a job: killed, answer lost, done twice, late. The laws hold."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from odd.place import Place, postgresql, sqlite
from odd.points import Mode
from odd.scenarios import PREEMPTED, SCENARIOS, SITED, Scenario, blows, play

PARTS = 2  # of each mode, so that two processes share the work
FLOOR = 80  # points of the main scenario; fewer mean that effects are no longer seen
MODES: tuple[Mode, ...] = ("kill", "lose", "repeat", "delay")
Record = Callable[[str, object], None]


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("mode", MODES)
def test_whatever_happens_at_a_point_the_laws_hold(mode: Mode, part: int, record_property: Record) -> None:
    strike_all(PREEMPTED, sqlite(), mode, part, record_property)


def test_killed_at_every_second_point_on_postgresql_the_laws_hold(record_property: Record) -> None:
    strike_all(PREEMPTED, postgresql(), "kill", 0, record_property, afresh=True)


def test_killed_at_points_of_a_job_that_needs_a_network_the_laws_hold(record_property: Record) -> None:
    points = play(SITED, sqlite()).points
    struck = blows([point for point in points if point.doing != "sweep"], "kill")[::12]
    found = {str(blow): breaches for blow in struck if (breaches := play(SITED, sqlite(), blow).breaches)}
    record_property("worlds: crash points, sited, sqlite, kill", len(struck))
    assert found == {}


@pytest.mark.long
@pytest.mark.parametrize("place", [sqlite, postgresql], ids=["sqlite", "postgresql"])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_whatever_happens_at_any_point_of_any_scenario_the_laws_hold(
    scenario: Scenario, mode: Mode, place: Callable[[], Place], record_property: Record
) -> None:
    strike_all(scenario, place(), mode, None, record_property, afresh=True)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_without_a_blow_a_scenario_ends_as_it_should(scenario: Scenario) -> None:
    played = play(scenario, sqlite())
    assert played.breaches == ()
    assert not scenario.ends or played.state is scenario.ends[0]


def strike_all(
    scenario: Scenario, place: Place, mode: Mode, part: int | None, record_property: Record, *, afresh: bool = False
) -> None:
    """A world for each blow; ``part`` None: all of them, on both sides of each point."""
    points = play(scenario, place).points
    if scenario is PREEMPTED:
        assert len(points) >= FLOOR
    struck = blows(points, mode, whole=part is None)
    mine = struck if part is None else struck[part::PARTS]
    found = {str(blow): breaches for blow in mine if (breaches := play(scenario, place, blow, afresh=afresh).breaches)}
    dialect = "postgresql" if isinstance(place.where, str) else "sqlite"
    record_property(f"worlds: crash points, {scenario.name}, {dialect}, {mode}", len(mine))
    assert found == {}
