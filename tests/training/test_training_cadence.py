import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tradewind.training.cadence import (
    LONGEST_SECONDS,
    SHORTEST_SECONDS,
    Cadence,
    Every,
    best_interval_seconds,
    parse_every,
)

seconds = st.floats(min_value=0, max_value=1e5)


@pytest.mark.parametrize(
    ("text", "every"),
    [
        ("auto", Every()),
        ("5s", Every(seconds=5)),
        (" 1.5 m ", Every(seconds=90)),
        ("2h", Every(seconds=7200)),
        ("200 steps", Every(steps=200)),
        ("1 step", Every(steps=1)),
    ],
)
def test_a_distance_is_read(text: str, every: Every) -> None:
    assert parse_every(text) == every


@pytest.mark.parametrize("text", ["", "5", "0s", "0 steps", "-5s", "1.5 steps", "often"])
def test_what_is_no_distance_is_refused_with_the_value_seen(text: str) -> None:
    with pytest.raises(ValueError, match=r"auto.*5s.*200 steps"):
        parse_every(text)


def test_auto_follows_young() -> None:
    assert best_interval_seconds(0.2, 1.0, 4 * 3600) == pytest.approx(math.sqrt(2 * 0.2 * 4 * 3600))


@given(seconds, seconds, seconds)
def test_auto_stays_within_its_limits_and_never_below_the_time_to_disk(d: float, persist: float, mean: float) -> None:
    tau = best_interval_seconds(d, persist, mean)
    assert SHORTEST_SECONDS <= tau <= LONGEST_SECONDS
    assert tau >= min(persist, LONGEST_SECONDS)


def test_seconds_count_from_the_first_question_and_then_from_each_save() -> None:
    cadence = Cadence(Every(seconds=5))
    assert [cadence.due(1, now) for now in (100.0, 104.9, 105.0)] == [False, False, True]
    cadence.saved(2, 105.0, 0.1)
    assert [cadence.due(3, now) for now in (109.9, 110.0)] == [False, True]


def test_steps_are_due_at_multiples_also_after_a_resume_and_when_one_was_late() -> None:
    cadence = Cadence(Every(steps=10))
    cadence.resumed(17)
    assert [cadence.due(step, 0.0) for step in (18, 19, 20, 21)] == [False, False, True, True]
    cadence.saved(21, 0.0, 0.1)
    assert [cadence.due(step, 0.0) for step in (22, 29, 30)] == [False, False, True]


def test_auto_learns_from_what_saves_cost() -> None:
    cadence = Cadence(Every())
    assert cadence.interval_seconds() == SHORTEST_SECONDS
    cadence.saved(1, 0.0, 1.0)
    first = cadence.interval_seconds()
    assert first == pytest.approx(math.sqrt(2 * 4 * 3600))
    cadence.saved(2, 200.0, 3.0)
    assert first < cadence.interval_seconds() < first * math.sqrt(3)
    cadence.persisted(1000.0)
    assert cadence.interval_seconds() == 1000.0
