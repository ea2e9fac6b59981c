"""The policies beside ours: their rules one by one, and that the careful ones are never late."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from market_makers import market, worlds

from tradewind.planning.simulation import (
    EagerNextRegion,
    LastMoment,
    Market,
    OnDemand,
    Run,
    SimJob,
    SpotPolicy,
    UniformProgress,
    run,
)

MINUTE = 1 / 60


def letters(policy: SpotPolicy, made: Market, *, work: float, deadline: float, overhead: float) -> str:
    """What runs in each step: ``.`` nothing, ``o`` on-demand, a digit that zone; all times in minutes."""
    told = run(made.job(work * MINUTE, deadline * MINUTE, overhead * MINUTE), made, policy, record=True)
    return "".join({"none": ".", "od": "o"}.get(step.kind, str(step.zone)) for step in told.steps)


def test_on_demand_never_looks_at_the_market() -> None:
    assert letters(OnDemand(), market("####"), work=30, deadline=40, overhead=5) == "oooo"


def test_the_last_moment_comes_when_only_on_demand_can_still_be_in_time() -> None:
    down = market("......")
    assert letters(LastMoment(), down, work=20, deadline=60, overhead=5) == "...ooo", (
        "a wait of 10 would leave 25 for 25"
    )
    assert letters(LastMoment(), market("..####"), work=20, deadline=60, overhead=5) == "..000"
    once = market("###..#...")
    assert letters(LastMoment(), once, work=50, deadline=90, overhead=5) == "000..0ooo", "and it stays on-demand"


def test_two_starts_of_slack_are_needed_to_try_spot() -> None:
    assert letters(LastMoment(), market("######"), work=49, deadline=60, overhead=5) == "000000"
    assert letters(LastMoment(), market("######"), work=51, deadline=60, overhead=5) == "oooooo"
    assert letters(UniformProgress(), market("######"), work=51, deadline=60, overhead=5) == "oooooo"


def test_the_cheapest_zone_is_started_and_kept_until_it_is_lost() -> None:
    made = market("####.###", "..######", "########", prices=(1.0, 0.5, 2.0))
    for policy in (LastMoment(), UniformProgress(), EagerNextRegion()):
        assert letters(policy, made, work=60, deadline=80, overhead=1) == "00001111"[:7]


def test_uniform_progress_waits_while_ahead_of_the_line_and_buys_when_behind() -> None:
    made = market("####...............")
    told = letters(UniformProgress(), made, work=95, deadline=190, overhead=1)
    assert told.startswith("0000....o"), "39 of work are the line's progress after 78"
    assert "o." in told, "and once two starts ahead, on-demand is left again"


def test_uniform_progress_takes_spot_behind_the_line_but_leaves_on_demand_only_ahead_of_it() -> None:
    told = letters(UniformProgress(), market(".#" + "." * 17), work=95, deadline=190, overhead=1)
    assert told.startswith(".0o.o"), "behind after 10 and 20, where spot is up and down; after 30 ahead of the line"
    behind = letters(UniformProgress(), market(".....##" + "." * 12), work=140, deadline=190, overhead=4)
    assert behind.startswith(".ooooooo"), "spot comes up after 50 and 60, when on-demand is still behind the line"


def test_uniform_progress_stays_on_demand_until_two_starts_ahead() -> None:
    made = market("." + "." * 3 + "#" * 15)
    short = letters(UniformProgress(), made, work=95, deadline=190, overhead=1)
    long = letters(UniformProgress(), made, work=95, deadline=190, overhead=12)
    assert long.index("0") > short.index("0"), "the longer a start takes, the later on-demand is left"


def test_the_eager_one_never_waits_and_never_returns_from_on_demand() -> None:
    made = market("##..####", "###.####", prices=(1.0, 2.0))
    assert letters(EagerNextRegion(), made, work=70, deadline=80, overhead=1) == "001ooooo"


def test_the_eager_one_knows_no_deadline_and_its_misses_are_counted() -> None:
    made = market("#.#.#.#.", ".#.#.#.#")
    told = run(made.job(60 * MINUTE, 80 * MINUTE, 8 * MINUTE), made, EagerNextRegion())
    assert told.missed
    assert told.preemptions == 7
    assert told.finish_hours > 80 * MINUTE


@pytest.mark.parametrize("overhead", [1, 3, 8])
def test_uniform_progress_never_leaves_on_demand_for_a_wait_that_would_make_it_late(overhead: int) -> None:
    down = market("." * 19)
    for work in range(60, 190 - overhead):
        job = down.job(work * MINUTE, 190 * MINUTE, overhead * MINUTE)
        assert not run(job, down, UniformProgress()).missed, work


def in_time(job: SimJob, made: Market, policy: SpotPolicy) -> Run:
    told = run(job, made, policy)
    assert not told.missed, (policy, told)
    return told


@settings(deadline=None)
@given(worlds())
def test_careful_policies_are_in_time_whenever_on_demand_would_be(world: tuple[SimJob, Market]) -> None:
    job, made = world
    for policy in (OnDemand(), LastMoment(), UniformProgress()):
        in_time(job, made, policy)
