"""Other limits for a job that lives: what is refused, what the policy makes of them, and a hard end that stays."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from doubles import START
from job_world import World, check_end, make_world
from steered_world import Steered, make_steered

from tradewind.app.extending import Limits, extend, limits_of
from tradewind.catalog import rates
from tradewind.domain.errors import BadInput
from tradewind.domain.money import Money, parse_money
from tradewind.domain.states import JOB_ENDED, JobState
from tradewind.store import budgets


@pytest.fixture
def world(tmp_path: Path) -> World:
    return make_world(tmp_path)


@pytest.fixture
def steered(tmp_path: Path) -> Steered:
    return make_steered(tmp_path)


def change(world: World, budget: str | None = None, deadline: float | datetime | None = None) -> None:
    money = parse_money(budget) if budget else None
    with world.room.db.write() as db:
        extend(db, "job-1", Limits(money, deadline), rates.given(), "user", world.clock.now())


def refusal(world: World, **given: Any) -> str:
    with pytest.raises(BadInput) as caught:
        change(world, **given)
    return caught.value.code


def live(world: World, beats: int = 3000, seconds: float = 12.0) -> None:
    for _ in range(beats):
        if world.job().state in JOB_ENDED:
            return
        world.step()
        world.clock.sleep(seconds)
    raise AssertionError(world.job())


def test_what_makes_no_sense_is_refused_and_changes_nothing(world: World) -> None:
    world.nodes.endless = True
    world.submit(cap=2_000_000)
    world.until(JobState.RUNNING)
    world.clock.sleep(300)
    before = (world.job().settings, world.budget())
    assert refusal(world) == "extend-nothing"
    assert refusal(world, deadline=200.0) == "deadline-over"
    assert refusal(world, deadline=START) == "deadline-over"
    assert refusal(world, budget="1.99 CNY") == "budget-too-small"
    assert refusal(world, budget="5 THB") == "limit-not-convertible"
    assert refusal(world, budget="9 CNY", deadline=10.0) == "deadline-over"  # both or neither
    assert (world.job().settings, world.budget()) == before


def test_an_ended_job_is_not_revived(world: World) -> None:
    world.nodes.endless = True
    world.submit(cap=500_000)
    live(world)
    check_end(world, JobState.EXPIRED)
    assert refusal(world, budget="100 CNY") == "extend-ended"
    assert world.job().wake_at is None


def test_what_has_no_price_has_no_budget_and_what_may_pass_it_is_told_so(world: World) -> None:
    world.submit(offer={"cloud": "local", "price_per_hour": None, "gpus": 0})
    assert refusal(world, budget="1 CNY") == "extend-no-price"


def test_a_budget_that_may_be_passed_is_not_set(world: World) -> None:
    world.submit(until_deadline=True, deadline=(START + timedelta(hours=1)).isoformat())
    assert refusal(world, budget="1 CNY") == "budget-not-limiting"


def test_a_raised_budget_is_followed_by_another_machine_at_the_hard_end_of_the_first(world: World) -> None:
    world.nodes.endless = True
    world.submit(cap=500_000)
    world.until(JobState.RUNNING)
    change(world, budget="0.9 CNY")
    told = limits_of(world.job(), world.told()[1], world.budget())
    assert told["budget"] == {"limit": Money.from_json({"amount": "0.9", "currency": "CNY"}).to_json(),
                              "spent": told["budget"]["spent"], "held": told["budget"]["held"]}  # fmt: skip
    live(world)
    attempts, leases, events = world.told()
    assert len(attempts) == 2
    assert attempts[0].last_checkpoint_step == 8  # asked to go, it saved what it had
    assert leases[0].hard_end < leases[1].created_at + timedelta(seconds=60)
    assert "job-leaving" in [event.kind for event in events]
    assert world.budget().spent <= 900_000
    assert world.budget().held == 0
    assert world.cloud.machines == {}


def test_a_budget_in_another_currency_is_converted_and_one_may_be_set_later(world: World) -> None:
    world.nodes.endless = True
    world.submit()
    world.until(JobState.RUNNING)
    world.clock.sleep(120)
    change(world, budget="2 USD")
    name = world.job().settings["budget"]
    with world.room.db.read() as db:
        opened = budgets.budget(db, name)
    assert opened is not None and opened.cap is not None
    assert opened.currency == "CNY"
    assert opened.cap > 10_000_000
    assert opened.held == 3_600_000  # an hour until the hard end
    live(world)
    with world.room.db.read() as db:
        settled = budgets.budget(db, name)
    assert settled is not None
    assert settled.held == 0
    assert settled.spent > 100_000


def test_a_later_deadline_is_read_at_the_next_decision(steered: Steered) -> None:
    steered.cloud.down = {"a": "capacity", "b": "capacity"}
    steered.nodes.total = 300
    steered.go(deadline_hours=3.4)
    steered.come_to(JobState.RUNNING)
    before = steered.decisions()[-1][0]
    change(steered, deadline=12 * 3600.0)
    steered.live(0.4)
    after = steered.decisions()[-1][0]
    assert before.hours_left is not None and after.hours_left is not None
    assert after.hours_left - before.hours_left > 8
    event = steered.event("job-extended")
    assert event.data["deadline"]["to"].startswith("2026-11-21T20:00")
    steered.cloud.down = {}
    steered.finish()
    check_end(steered, JobState.SUCCEEDED)


def test_a_later_deadline_lets_the_next_machine_live_longer(world: World) -> None:
    world.nodes.endless = True
    world.submit(max_lifetime_s=600, deadline=(START + timedelta(seconds=600)).isoformat())
    world.until(JobState.RUNNING)
    change(world, deadline=1800.0)
    live(world)
    attempts, leases, _ = world.told()
    assert len(attempts) == 2
    assert attempts[0].last_checkpoint_step == 8
    assert leases[1].hard_end - leases[1].created_at == timedelta(seconds=1800)
