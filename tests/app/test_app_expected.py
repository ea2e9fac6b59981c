"""What a rehearsal is expected to take here: against courses and bills reckoned by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from doubles import START

from tradewind.app.expected import expected
from tradewind.app.sizes.lessons import Lesson
from tradewind.domain.records import Job
from tradewind.domain.states import JobState

LESSON = Lesson("s", None, "a processor", 1, 64, 0.5, None, 30, "job-1", "2026-11-22T09:00:00Z",
                start_seconds=4.5, end_seconds=2.0)  # fmt: skip


def rehearsal(preempt_at: tuple[str, ...] = (), **settings: Any) -> Job:
    """A hundred steps that are 0.1 s on an offer of 3.60 USD an hour, billed by the second, 5 at least."""
    price, billing = {"amount": "3.60", "currency": "USD"}, {"granularity_s": 1.0, "minimum_s": 5.0}
    offer = {"price_per_hour": price, "billing": billing}
    told = {"pools": [{"offer": offer, "nodes": 1}], "offer": offer, "total_steps": 100, "time_scale": "auto",
            "predicted_step_seconds": 0.1, "preempt_at": list(preempt_at), **settings}  # fmt: skip
    return Job(id="j", name="j", state=JobState.QUEUED, wanted=True, rehearsal=True, account="rehearsal",
               workload={"training": {"batch_size": 64}}, plan=None, settings=told, submitted_at=START,
               state_since=START, wake_at=None)  # fmt: skip


def told(job: Job, *lessons: Lesson) -> tuple[float, int, str]:
    """Seconds, machines, and the amount of the bill."""
    answer = expected(job, lessons)
    assert answer is not None
    return answer["hours"]["value"] * 3600, answer["machines"], answer["cost"]["value"]


def test_a_run_is_its_start_its_steps_and_its_end() -> None:
    """The first step is in the start: 4.5 + 99 × 0.5 + 2 s, of which one is billed as 0.2 s."""
    seconds, machines, money = told(rehearsal(), LESSON)
    assert seconds == pytest.approx(56.0)
    assert (machines, money) == (1, "0.012")  # 12 s of the offer, 11.2 begun


def test_every_preemption_that_is_reached_costs_a_start_and_an_end() -> None:
    seconds, machines, _ = told(rehearsal(("25%", "60%")), LESSON)
    assert seconds == pytest.approx(3 * 6.0 + 50.0)
    assert machines == 3
    assert told(rehearsal(("10s", "49.9s", "70s")), LESSON)[1] == 3  # training is over after 50 s


def test_each_machine_is_billed_by_itself() -> None:
    """Steps of 12.5, 17.5 and 20 s with 6 s each: 3.7, 4.7 and 5.2 s of the offer, of which 5 are the least."""
    assert told(rehearsal(("25%", "60%")), LESSON)[2] == "0.016"


def test_a_time_scale_that_is_given_is_taken() -> None:
    assert told(rehearsal(time_scale=60.0), LESSON)[2] == "3.36"
    assert told(rehearsal(predicted_step_seconds=None), LESSON)[2] == "0.056"  # nothing to scale by: a second is one


def test_the_newest_lesson_from_the_same_place_counts() -> None:
    newer = replace(LESSON, step_seconds=1.0, at="2026-11-22T10:00:00Z")
    elsewhere = replace(newer, on="box", step_seconds=9.0, at="2026-11-22T11:00:00Z")
    seconds, _, _ = told(rehearsal(), newer, elsewhere, LESSON)
    assert seconds == pytest.approx(105.5)
    there = replace(rehearsal(), account="rehearsal:box")
    assert told(there, newer, elsewhere)[0] == pytest.approx(4.5 + 99 * 9 + 2)


def test_the_money_is_told_in_the_currency_of_the_limit() -> None:
    job = replace(rehearsal(), workload={"training": {"batch_size": 64}, "budget": {"limit": "5 CNY"}})
    answer = expected(job, [LESSON])
    assert answer is not None
    assert answer["cost"]["currency"] == "CNY"
    assert float(answer["cost"]["value"]) > 0.012 * 5


@pytest.mark.parametrize(
    "job",
    [rehearsal(total_steps=None), rehearsal(trace={"name": "t"}), replace(rehearsal(), rehearsal=False)],
    ids=["length unknown", "on a trace", "not a rehearsal"],
)
def test_where_nothing_can_be_expected_nothing_is(job: Job) -> None:
    assert expected(job, [LESSON]) is None


@pytest.mark.parametrize("change", [{"micro_batch": 32}, {"start_seconds": None}, {"on": "box"}])
def test_a_lesson_of_something_else_says_nothing(change: dict[str, Any]) -> None:
    assert expected(rehearsal(), [replace(LESSON, **change)]) is None
    assert expected(rehearsal(), []) is None
