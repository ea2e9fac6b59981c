"""Limits: a budget held before it is spent, durations, deadlines; each stops a run by a checkpoint first."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from doubles import START
from hypothesis import given
from hypothesis import strategies as st
from job_world import OFFER, World, check_end, make_world

from tradewind.domain.records import Budget, Job, Lease
from tradewind.domain.states import JOB_ENDED, EndReason, JobState, LeaseState
from tradewind.jobs.limits import allowance, reached
from tradewind.leasing.budget import affordable, cost_of
from tradewind.ports.compute import InstanceState
from tradewind.store import budgets
from tradewind.store.database import Database


def job(**settings: Any) -> Job:
    return Job(id="job-1", name="j", state=JobState.RUNNING, wanted=True, rehearsal=False, account="odd",
               workload={"run": "x"}, plan=None, submitted_at=START, state_since=START, wake_at=START,
               settings={"offer": OFFER, "max_lifetime_s": 3600, "time_scale": 1, **settings})  # fmt: skip


def lease(**values: Any) -> Lease:
    plain = Lease(id="lease-1", token="t", kind="instance", state=LeaseState.RUNNING, job="job-1", epoch=1,
                  account="odd", offer=OFFER, order="", wanted=True, created_at=START, state_since=START,
                  hard_end=START + timedelta(hours=1), hard_end_by="server_side", wake_at=START,
                  paid_from=START)  # fmt: skip
    return replace(plain, **values)


def budget(cap: int, held: int = 0, spent: int = 0) -> Budget:
    return Budget("job-1", "CNY", cap, held, spent)


@pytest.mark.parametrize(
    ("settings", "cap", "limit", "seconds"),
    [
        ({}, None, "max-lifetime", 3600),
        ({}, 10_000_000, "max-lifetime", 3600),
        ({}, 1_000_000, "budget", 1000),
        ({"time_scale": 10}, 1_000_000, "budget", 100),  # a rehearsal in which ten seconds are paid for each
        ({"until_deadline": True, "deadline": (START + timedelta(seconds=60)).isoformat()}, None, "deadline", 60),
        ({"deadline": (START + timedelta(seconds=60)).isoformat()}, None, "max-lifetime", 3600),  # may be late
        ({"deadline": (START - timedelta(seconds=60)).isoformat()}, None, "deadline", 0),  # no new machine after it
        ({}, 5_000, "budget", 0),  # five seconds are not worth a machine
    ],
)
def test_the_nearest_limit_is_the_hard_end(settings: dict[str, Any], cap: int | None, limit: str, seconds: int) -> None:
    allowed = allowance(job(**settings), (), budget(cap) if cap else None, START)
    assert (allowed.limit, allowed.lifetime) == (limit, timedelta(seconds=seconds))
    assert cap is None or allowed.hold <= cap


def test_a_job_is_asked_to_stop_before_its_limit_not_at_it() -> None:
    now = START + timedelta(minutes=59)
    assert reached(job(), lease(), None, now) is None
    assert reached(job(), lease(limit="max-duration"), None, now + timedelta(seconds=25)) == "max-duration"
    assert reached(job(), lease(), budget(2_000_000), START + timedelta(seconds=1900)) is None
    assert reached(job(), lease(), budget(2_000_000), START + timedelta(seconds=1961)) == "budget"
    assert reached(job(), lease(), budget(2_000_000, spent=1_000_000), START + timedelta(seconds=961)) == "budget"


@given(
    amount=st.integers(0, 10**9),
    scale=st.floats(0.01, 100),
    minimum=st.integers(0, 600),
    granularity=st.integers(1, 3600),
)
def test_what_is_affordable_never_costs_more_than_the_amount(
    amount: int, scale: float, minimum: int, granularity: int
) -> None:
    offer = {**OFFER, "billing": {"granularity_s": granularity, "minimum_s": minimum}}
    span = affordable(offer, amount, scale)
    assert span is not None
    assert not span or cost_of(offer, span, scale) <= amount


def test_a_hold_that_does_not_fit_is_refused_whole(tmp_path: Path) -> None:
    with Database(tmp_path / "t.db").write() as db:
        budgets.open_budget(db, budget(100))
        assert budgets.hold(db, "job-1", 60)
        assert not budgets.hold(db, "job-1", 41)
        assert budgets.hold(db, "job-1", 40)
        budgets.settle(db, "job-1", 60, 75)  # what was spent is booked as it was, also beyond the hold
        found = budgets.budget(db, "job-1")
        assert found is not None
        assert (found.held, found.spent, found.left) == (40, 75, -15)
        assert not budgets.hold(db, "job-1", 1)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return make_world(tmp_path)


def test_what_a_lease_may_cost_is_held_until_it_is_closed_and_then_spent(world: World) -> None:
    world.submit(cap=2_000_000)
    world.until(JobState.RUNNING)
    assert (world.budget().held, world.budget().spent) == (2_000_000, 0)
    assert world.told()[1][0].limit == "budget"
    world.clock.sleep(3)
    world.until(*JOB_ENDED)
    check_end(world, JobState.SUCCEEDED)
    held, spent = world.budget().held, world.budget().spent
    assert held == 0
    assert 3_000 <= spent < 100_000  # 3.60 an hour is a thousand millionths a second


def test_a_refused_lease_gives_its_hold_back(world: World) -> None:
    world.cloud.faults = ["refuse"] * 3
    world.submit(cap=2_000_000)
    world.until(*JOB_ENDED)
    check_end(world, JobState.FAILED)
    assert (world.budget().held, world.budget().spent) == (0, 0)


def run_on(world: World) -> Job:
    for _ in range(20_000):
        if world.job().state in JOB_ENDED:
            return world.job()
        world.step()
        world.clock.sleep(2)
    raise AssertionError(world.job())


def test_a_budget_stops_a_run_by_a_checkpoint_and_is_not_passed(world: World) -> None:
    world.nodes.endless = True
    world.submit(cap=500_000)
    ended = run_on(world)
    check_end(world, JobState.EXPIRED)
    attempts, leases, events = world.told()
    assert (ended.why, ended.exit_code) == ("budget", 143)
    assert attempts[0].last_checkpoint_step == 8  # asked to stop, it saved what it had
    assert [each.end_reason for each in leases] == [EndReason.BUDGET]
    assert "limit-reached" in [event.kind for event in events]
    assert world.nodes.commands == ["stop", "collected"]
    assert 400_000 < world.budget().spent <= 500_000


def test_a_duration_stops_a_run_by_a_checkpoint(world: World) -> None:
    world.nodes.endless = True
    world.submit(max_lifetime_s=600)
    assert run_on(world).why == "max-lifetime"
    check_end(world, JobState.EXPIRED)
    assert world.told()[0][0].last_checkpoint_step == 8


def test_a_job_that_does_not_obey_its_limit_loses_its_machine(world: World) -> None:
    world.nodes.endless = True
    world.nodes.command = lambda instance, text, name: None  # type: ignore[method-assign]
    world.submit(cap=500_000)
    run_on(world)
    check_end(world, JobState.EXPIRED)
    assert world.budget().spent <= 510_000  # the hard end is the cloud's; here only our own look takes it


def test_what_is_left_of_a_budget_pays_the_next_attempt_and_no_more(world: World) -> None:
    world.nodes.endless = True
    world.submit(cap=500_000)
    world.until(JobState.RUNNING)
    world.clock.sleep(300)
    world.cloud.set("m-0", state=InstanceState.GONE, why="reclaimed", ended_at=world.clock.now())
    for _ in range(400):
        world.step()
        if len(world.told()[0]) == 2:
            break
    second = world.told()[1][-1]
    assert second.limit == "budget"
    assert 100_000 < second.hold <= 200_000
    ended = run_on(world)
    assert ended.why == "budget"
    assert world.budget().spent <= 500_000


@pytest.mark.parametrize("kind", ["auth", "quota", "price_cap", "money", "invalid"])
def test_what_waiting_does_not_cure_is_not_waited_for(world: World, kind: str) -> None:
    world.cloud.faults = [f"refuse:{kind}"]
    world.submit()
    failed = world.until(*JOB_ENDED)
    check_end(world, JobState.FAILED)
    assert kind in (failed.why or "")
    assert len(world.cloud.orders) == 1


def test_the_next_attempt_waits_for_the_money_that_a_lost_machine_still_holds(world: World) -> None:
    world.nodes.exits, world.cloud.slow_ends = [137], 3
    world.submit(cap=500_000)  # all of it is held by the first lease, until its end is seen
    world.until(*JOB_ENDED)
    check_end(world, JobState.SUCCEEDED)
    assert len(world.told()[0]) == 2
    assert world.budget().spent <= 500_000
