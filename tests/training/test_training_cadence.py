import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tradewind.training.cadence import Cadence, Every, parse_every
from tradewind.wire.cadence import LONGEST_SECONDS, SHORTEST_SECONDS, interval_seconds, read, to_json

seconds = st.floats(min_value=0, max_value=1e5)
mean_seconds = st.floats(min_value=1e-3, max_value=1e9)


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


def test_auto_follows_young_where_a_save_costs_little_beside_the_time_between_losses() -> None:
    assert interval_seconds(0.2, 1.0, 4 * 3600) == pytest.approx(math.sqrt(2 * 0.2 * 4 * 3600), rel=2e-3)


@pytest.mark.parametrize(("cost", "mean"), [(1.0, 3600.0), (60.0, 1800.0), (120.0, 600.0), (300.0, 300.0)])
def test_auto_wastes_within_a_hundredth_of_the_least_also_where_saves_are_dear(cost: float, mean: float) -> None:
    """Losses come at random; a segment of work w with its save takes M (e^((w + δ) / M) - 1) seconds in the mean."""

    def seconds_a_second_of_work(interval: float) -> float:
        return mean * math.expm1(interval / mean) / (interval - cost)

    least = min(seconds_a_second_of_work(cost + 1.0 + each) for each in range(3000))
    assert seconds_a_second_of_work(interval_seconds(cost, 0.0, mean)) <= 1.01 * least


@given(seconds, seconds, mean_seconds)
def test_auto_stays_within_its_limits_and_never_below_the_time_to_disk(d: float, persist: float, mean: float) -> None:
    tau = interval_seconds(d, persist, mean)
    assert SHORTEST_SECONDS <= tau <= LONGEST_SECONDS
    assert tau >= min(persist, LONGEST_SECONDS)


@given(seconds, seconds, mean_seconds, st.floats(1.0, 100.0))
def test_dearer_saves_and_rarer_losses_make_for_longer_intervals(
    d: float, persist: float, mean: float, more: float
) -> None:
    tau = interval_seconds(d, persist, mean)
    assert interval_seconds(d * more, persist, mean) >= tau - 1e-9
    assert interval_seconds(d, persist, mean * more) >= tau - 1e-9


@given(mean_seconds)
def test_what_is_told_is_read_back(mean: float) -> None:
    assert read(to_json(mean)) == mean


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "{}", '{"mean_seconds_between_losses": 0}', '{"mean_seconds_between_losses": "soon"}',
     '{"mean_seconds_between_losses": Infinity}', '{"mean_seconds_between_losses": NaN}'],
)  # fmt: skip
def test_what_is_no_number_of_seconds_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        read(text)


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
    assert first == pytest.approx(math.sqrt(2 * 4 * 3600), rel=5e-3)
    cadence.saved(2, 200.0, 3.0)
    assert first < cadence.interval_seconds() < first * math.sqrt(3)
    cadence.persisted(1000.0)
    assert cadence.interval_seconds() == 1000.0


def test_auto_saves_more_often_when_losses_are_told_to_be_near_and_every_is_obeyed() -> None:
    by_cost, by_hand = Cadence(Every()), Cadence(Every(seconds=5))
    for cadence in (by_cost, by_hand):
        cadence.saved(1, 0.0, 1.0)
        cadence.expect(3600.0)
    assert by_cost.interval_seconds() == interval_seconds(1.0, 0.0, 3600.0)
    assert by_hand.interval_seconds() == 5.0
