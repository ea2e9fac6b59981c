"""Markets from traces and from hazards: how ticks become steps, what a seed stands for, what many runs come to."""

from __future__ import annotations

from dataclasses import astuple, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tradewind.catalog.traces import trace
from tradewind.domain.trace import SpotTrace
from tradewind.planning.simulation import OnDemand, markets, run, start_ticks, window
from tradewind.planning.simulation.chance import Chance
from tradewind.planning.simulation.distribution import distribution, histogram, quantile
from tradewind.planning.simulation.policies import POLICIES, compare
from tradewind.planning.simulation.synthetic import synthetic


def made(*zones: str, tick: float, prices: tuple[tuple[float, ...], ...] = (), nodes: int = 1) -> SpotTrace:
    """One text a zone, ``#`` a tick at which it is up."""
    return SpotTrace(
        "made", tuple(f"z{zone}" for zone in range(len(zones))), tick,
        tuple(bytes(letter == "#" for letter in zone) for zone in zones), prices or ((1.0,),) * len(zones),
        (3.0, 2.5, 4.0)[: len(zones)], nodes,
    )  # fmt: skip


def ups(trace: SpotTrace, start: float, steps: int) -> str:
    rows = window(trace, start, steps / 6).available
    return "".join("#" if row[0] else "." for row in rows)


def test_a_step_is_up_only_if_every_tick_that_it_touches_is() -> None:
    assert ups(made("##.###", tick=300), 0, 3) == "#.#"
    assert ups(made("##.###", tick=600), 0, 6) == "##.###"
    assert ups(made("#.", tick=1800), 0, 6) == "###..."
    assert ups(made("####.########", tick=195), 0, 4) == "#.##", "of 195 s: 0 to 3, 3 to 6, 6 to 9, 9 to 12"
    assert ups(made("###.#########", tick=195), 0, 4) == "..##", "the tick at 585 s lies in two steps"


def test_a_window_may_begin_between_two_steps_and_goes_on_at_the_beginning() -> None:
    assert ups(made("#.####", tick=600), 1, 6) == ".#####"
    assert ups(made("##.###", tick=300), 1, 3) == ".##"


@settings(deadline=None)
@given(st.integers(0, 50), st.integers(1, 12), st.sampled_from((195, 300, 600, 900)))
def test_spans_are_up_as_their_ticks_are(start: int, count: int, tick: int) -> None:
    shipped = replace(trace("v100-2023-02-dev"), tick_seconds=tick)
    told = shipped.up(1, start, 600, count)
    for number in range(count):
        first, last = start * tick + number * 600, start * tick + (number + 1) * 600
        touched = range(first // tick, -(-last // tick))
        assert told[number] == all(shipped.available[1][each % shipped.ticks] for each in touched)


def test_prices_change_with_the_trace_unless_others_are_given() -> None:
    trace = made("####", "####", tick=300, prices=((1.0,), (0.5, 0.6, 0.7, 0.8)), nodes=2)
    assert list(window(trace, 0, 1 / 3).prices) == [(2.0, 1.0), (2.0, 1.4)], "of both nodes"
    assert window(trace, 0, 1 / 3).od_price == 5.0, "the cheaper zone's"
    assert window(trace, 0, 1 / 3, zones=[0]).od_price == 6.0
    given = window(trace, 0, 1 / 3, zones=[1], spot_price=[9.0], od_price=10.0)
    assert (list(given.prices), given.od_price) == ([(9.0,), (9.0,)], 10.0)


def test_windows_are_the_same_for_a_seed_and_lie_within_the_trace() -> None:
    shipped = trace("h100x1-gcp-2025-10-dev")
    ticks = start_ticks(shipped, 48, seed=3, runs=200)
    assert ticks == start_ticks(shipped, 48, seed=3, runs=200)
    assert ticks[:1] == start_ticks(shipped, 48, seed=3), "one run is the first of many"
    assert ticks != start_ticks(shipped, 48, seed=4, runs=200)
    assert min(ticks) >= 0
    assert max(ticks) + 48 * 6 <= shipped.ticks
    assert len(set(ticks)) > 150
    assert start_ticks(made("#" * 12, tick=600), 2, seed=1, runs=5) == [0] * 5, "there is one place for it"
    assert len(set(start_ticks(made("#" * 12, tick=600), 3, seed=1, runs=50))) > 6, "longer than the trace: anywhere"
    assert [list(each.available) for each in markets(shipped, 4, 3, 2)] == [
        list(window(shipped, tick, 4).available) for tick in start_ticks(shipped, 4, 3, 2)
    ]


def test_chance_is_the_same_everywhere_and_for_ever() -> None:
    chance = Chance("window", "made", 7)
    assert [chance.below(1000) for _ in range(5)] == [978, 939, 777, 92, 889]
    chance._state = 1234567
    assert chance.uniform() == (6457827717110365317 >> 11) * 2.0**-53, "SplitMix64's first number from 1234567"
    values = [Chance("even", number).uniform() for number in range(2000)]
    assert 0.48 < sum(values) / len(values) < 0.52
    assert all(0 <= value < 1 for value in values)


def test_made_up_markets_are_the_same_for_a_seed_and_calmer_with_fewer_losses() -> None:
    def share(hazard: float, nodes: int = 1) -> float:
        rows = [row for each in synthetic(1, 48, 40, spot_price=[1.0], od_price=3.0, hazard=[hazard], nodes=nodes)
                for row in each.available]  # fmt: skip
        return sum(row[0] for row in rows) / len(rows)

    first, again, other = (
        [list(each.available) for each in synthetic(seed, 24, 3, spot_price=[1.0, 2.0], od_price=3.0)]
        for seed in (5, 5, 6)
    )
    assert first == again != other
    assert first[0] != first[1]
    assert share(0.3) > share(1.0) + 0.1 > share(3.0) + 0.2
    assert share(1.0) > share(1.0, nodes=16)


def test_losses_of_made_up_markets_come_as_often_as_the_hazards_say() -> None:
    spells = []
    for each in synthetic(2, 200, 30, spot_price=[1.0], od_price=3.0):
        text = "".join("#" if row[0] else "." for row in each.available)
        spells += [len(part) for part in text.split(".")[1:-1] if part]
    young = sum(1 for spell in spells if spell < 6) / len(spells)
    assert 0.4 < young < 0.75, "a machine that came up is lost within the hour more often than not"


def test_many_runs_come_to_mean_median_and_range() -> None:
    shipped = trace("v100-2023-02-dev")
    job = next(markets(shipped, 24, 0, 1)).job(18, 24, 0.1)
    runs = [run(job, each, OnDemand()) for each in markets(shipped, 24, 0, 4)]
    told = distribution(runs)
    assert astuple(told.cost) == pytest.approx([18.1 * 3.06] * 6)
    assert (told.runs, told.misses, told.starts) == (4, 0, 1)
    assert told.od_hours == pytest.approx(18.1)
    assert [quantile([1.0, 2.0, 3.0], share) for share in (0.0, 0.25, 0.5, 1.0)] == [1.0, 1.5, 2.0, 3.0]
    assert quantile([7.0], 0.95) == 7.0
    assert histogram([0.0, 0.1, 0.5, 0.99], 0.0, 1.0, 4) == [2, 0, 1, 1]
    assert histogram([1.0, 1.0], 1.0, 1.0001, 3) == [2, 0, 0]


def test_all_policies_run_on_the_same_markets() -> None:
    shipped, told = trace("v100x16-2023-08-dev"), list[int]()
    windows = list(markets(shipped, 12, 0, 3))
    job = windows[0].job(8, 12, 0.1, shipped.zones)
    compared = compare(job, windows, POLICIES, told.append)
    assert told == [1, 2, 3]
    assert list(compared.runs) == list(POLICIES)
    for name, runs in compared.runs.items():
        assert runs == [run(job, each, POLICIES[name]()) for each in windows], "a policy keeps nothing from run to run"
        assert all(bound <= each.cost for bound, each in zip(compared.bounds, runs, strict=True) if not each.missed)
