"""How often a checkpoint is worth its cost: by the machine's age, the notice, what a save takes, and the purchase."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tradewind.planning.checkpointing import HOST_FAILURES, UNANNOUNCED, Saving, hours_between_losses
from tradewind.planning.interruption import hazard_at
from tradewind.wire.cadence import interval_seconds

ages = st.floats(0, 100)


def every(age: float, *, spot: bool = True, announced: bool = False, blocking: float = 2.0, **of: float) -> float:
    """Seconds between saves that block for so long."""
    hours = hours_between_losses(age, spot=spot, announced=announced, **of)  # type: ignore[arg-type]
    return interval_seconds(blocking, 0.0, hours * 3600)


def test_saves_are_frequent_in_the_first_hour_and_rare_later() -> None:
    assert every(0.1) < every(0.7) < every(10.0) < every(20.0)


def test_a_loss_that_announces_itself_in_time_repeats_nothing() -> None:
    assert hours_between_losses(0.0, spot=True, announced=False) == 1 / (hazard_at(0.0) + HOST_FAILURES)
    assert hours_between_losses(0.0, spot=True, announced=True) == 1 / (UNANNOUNCED * hazard_at(0.0) + HOST_FAILURES)


def test_on_demand_only_the_host_fails_at_any_age() -> None:
    assert hours_between_losses(0.0, spot=False, announced=True) == 1 / HOST_FAILURES
    assert every(5.0, spot=False) == every(0.0, spot=False) > every(20.0)


@given(ages, ages, st.booleans(), st.floats(0.25, 4), st.integers(1, 64))
def test_older_machines_calmer_pools_and_smaller_gangs_never_save_more_often(
    one: float, other: float, announced: bool, multiplier: float, nodes: int
) -> None:
    younger, older = sorted((one, other))

    def apart(age: float, multiplier: float = multiplier, nodes: int = nodes) -> float:
        return every(age, announced=announced, multiplier=multiplier, nodes=nodes)

    assert apart(younger) <= apart(older)
    assert apart(one) <= apart(one, multiplier=multiplier / 2)
    assert apart(one, nodes=nodes + 1) <= apart(one)


@given(ages, st.floats(0, 100), st.floats(1, 10))
def test_dearer_saves_are_made_less_often(age: float, blocking: float, more: float) -> None:
    assert every(age, blocking=blocking) <= every(age, blocking=blocking * more)


@pytest.mark.parametrize(
    ("saving", "notice", "fits"),
    [(Saving(1.0, 20.0, 30.0), 120.0, True), (Saving(1.0, 20.0, 50.0), 120.0, False), (Saving(1.0), 3.0, True),
     (Saving(0.0), 0.0, False)],
)  # fmt: skip
def test_a_notice_counts_when_a_save_takes_less_than_half_of_it(saving: Saving, notice: float, fits: bool) -> None:
    assert saving.fits(notice) is fits
