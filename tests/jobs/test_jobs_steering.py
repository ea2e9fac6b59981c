"""Jobs in several pools: what is refused, waited for, left and said, over a market in virtual time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from job_world import check_end
from killing import Killed, counted
from steered_world import POOLS, Steered, make_steered, replays

from tradewind.app.views.decisions import decisions, next_step, replayed
from tradewind.domain.states import JobState, LeaseState, Outcome
from tradewind.jobs.deciding import due
from tradewind.ports.compute import read_order
from tradewind.store import records, schema


@pytest.fixture
def world(tmp_path: Path) -> Steered:
    return make_steered(tmp_path)


def in_time(world: Steered) -> bool:
    job = world.job()
    assert job.ended_at is not None
    return job.ended_at <= datetime.fromisoformat(job.settings["deadline"])


def machines(world: Steered) -> list[str]:
    """The zones of the machines that were had, in order."""
    return [lease.offer["zone"] for lease in world.told()[1] if lease.paid_from is not None]


def test_the_cheapest_pool_is_rented_and_its_lease_has_that_offer(world: Steered) -> None:
    world.go(deadline_hours=6)
    world.finish()
    check_end(world, JobState.SUCCEEDED)
    assert world.cloud.asked() == ["a"]
    assert world.told()[1][0].offer["zone"] == "a"
    assert in_time(world)
    replays(world)


def test_every_rent_has_its_decision_in_the_same_commit(world: Steered) -> None:
    world.cloud.down = {"a": "capacity"}
    world.go(deadline_hours=6)
    world.finish()
    kinds = world.kinds()
    rents = [place for place, kind in enumerate(kinds) if kind == "lease-intended"]
    assert len(rents) >= 2
    for place in rents:
        assert "job-decided" in kinds[place : place + 2]  # what a step writes first, then what it notes


def test_a_refused_spot_pool_gives_way_to_the_next_at_once_and_on_demand_saves_the_deadline(world: Steered) -> None:
    world.cloud.down = {"a": "capacity", "b": "capacity"}
    world.go(deadline_hours=2.4)
    world.finish()
    check_end(world, JobState.SUCCEEDED)
    assert world.cloud.asked()[:2] == ["a", "b"]
    assert "c" in world.cloud.asked()
    assert in_time(world)
    replays(world)


def test_with_much_slack_it_waits_says_why_and_until_when_and_takes_what_comes_back(world: Steered) -> None:
    world.cloud.down = {"a": "capacity", "b": "capacity"}
    world.go(deadline_hours=24)
    world.come_to(JobState.WAITING)
    job = world.job()
    assert job.why is not None and job.wake_at is not None
    assert job.wake_at - world.clock.now() <= timedelta(minutes=10, seconds=1)
    assert set(world.cloud.asked()) == {"a", "b"}  # on-demand is not asked for while there is time
    world.cloud.down = {}
    world.finish()
    check_end(world, JobState.SUCCEEDED)
    assert machines(world)[-1] in ("a", "b")
    assert in_time(world)
    replays(world)


def test_what_is_refused_again_and_again_is_asked_more_and_more_rarely(world: Steered) -> None:
    world.cloud.down = {"a": "capacity", "b": "capacity"}
    world.go(deadline_hours=48)
    world.live(6)
    asked = [lease.created_at for lease in world.told()[1] if lease.offer["zone"] == "a"]
    gaps = [(after - before).total_seconds() for before, after in pairwise(asked)]
    assert gaps[0] >= 600
    assert gaps[-1] > gaps[0]
    assert len(asked) < 8


def test_on_demand_that_is_refused_once_is_asked_for_in_the_next_pool_at_once(world: Steered) -> None:
    world.cloud.down = {"a": "capacity", "b": "capacity", "c": "capacity"}
    world.go(deadline_hours=1.8)
    world.finish()
    check_end(world, JobState.SUCCEEDED)
    c, d = (next(each for each in world.told()[1] if each.offer["zone"] == zone) for zone in "cd")
    assert d.created_at - c.created_at < timedelta(seconds=30)
    assert in_time(world)


def test_on_demand_that_is_refused_for_ever_is_said_early_and_at_the_end_what_was_tried(world: Steered) -> None:
    world.cloud.down = dict.fromkeys("abcd", "capacity")
    world.go(deadline_hours=2)
    world.come_to(JobState.WAITING)
    world.finish()
    check_end(world, JobState.EXPIRED)
    early, end = world.event("deadline-at-risk"), world.event("job-expired")
    assert early.at - world.job().submitted_at < timedelta(hours=1)
    assert {each["pool"][4:5] for each in end.data["tried"]} == set("abcd")
    assert world.kinds().count("deadline-at-risk") == 1
    assert world.cloud.machines == {}


def test_what_waiting_does_not_cure_drops_a_pool_for_good(world: Steered) -> None:
    world.cloud.down = {"a": "quota", "b": "auth"}
    world.go(deadline_hours=24)
    world.finish()
    check_end(world, JobState.SUCCEEDED)
    assert world.cloud.asked().count("a") == world.cloud.asked().count("b") == 1
    situation, _ = world.decisions()[-1]
    assert [each.dropped for each in situation.pools] == ["quota", "auth", None, None]


def test_all_pools_dropped_end_the_job_with_what_was_tried(world: Steered) -> None:
    world.cloud.down = dict.fromkeys("abcd", "quota")
    world.go()
    world.finish()
    check_end(world, JobState.FAILED)
    assert len(world.cloud.orders) == len(POOLS)
    assert "quota" in (world.job().why or "")


def test_without_a_deadline_patience_ends_and_whatever_is_to_be_had_is_taken(world: Steered) -> None:
    world.cloud.down = {"a": "capacity", "b": "capacity"}
    world.go()
    world.finish()
    check_end(world, JobState.SUCCEEDED)
    ended = world.job().ended_at
    assert ended is not None
    assert ended - world.job().submitted_at < timedelta(hours=5)  # 1.5 × an hour of work, and three restarts
    assert machines(world)[-1] in ("c", "d")


def test_without_a_deadline_and_without_any_machine_it_gives_up_after_a_day(world: Steered) -> None:
    world.cloud.down = dict.fromkeys("ac", "capacity")
    world.go(pools=[POOLS[0], POOLS[2]])
    world.finish()
    check_end(world, JobState.FAILED)
    ended = world.job().ended_at
    assert ended is not None
    assert timedelta(hours=23) < ended - world.job().submitted_at < timedelta(hours=26)


def test_a_lost_machine_is_followed_by_one_in_another_pool_from_the_last_checkpoint(world: Steered) -> None:
    world.go(deadline_hours=6)
    world.come_to(JobState.RUNNING)
    world.live(0.4)
    world.nodes.save(world.cloud.machine("a"))
    world.cloud.reclaim("a")
    world.finish()
    check_end(world, JobState.SUCCEEDED)
    attempts, _, _ = world.told()
    assert [each.outcome for each in attempts] == [Outcome.INTERRUPTED, Outcome.SUCCEEDED]
    assert attempts[1].resumed_step and attempts[1].resumed_step > 30
    assert machines(world)[1] != "a"
    after = next(situation for situation, _ in world.decisions() if situation.lost)
    assert after.pools[0].down_for > 0
    assert after.pools[0].seen.endswith("d")
    assert after.work_left == pytest.approx((100 - attempts[1].resumed_step) / 100, abs=0.01)
    replays(world)


def test_restarts_are_measured_and_the_plan_stands_for_what_was_not_seen(world: Steered) -> None:
    world.pace = 25
    world.go(deadline_hours=6)
    world.come_to(JobState.RUNNING)
    world.live(0.5)
    (took,) = world.job().measures["starts"]
    assert 30 < took < 90  # the first step takes 36 s
    last = world.decisions()[-1][0]
    assert last.overhead == pytest.approx(0.5)  # one is too few to go below the plan
    assert last.overhead_mean == pytest.approx((8 / 60 + took / 3600) / 2, abs=1e-4)


# --- changing over while it runs --------------------------------------------------------------------------------------


@pytest.fixture
def dear(world: Steered) -> Steered:
    """A job on demand, because spot was away when it began, with much time; spot may be had again."""
    world.cloud.down = {"a": "capacity", "b": "capacity"}
    world.nodes.total = 300  # three hours
    world.go(deadline_hours=5.5)
    _until(world, lambda: world.job().state is JobState.RUNNING)
    assert machines(world) == ["c"]
    return world


def until_told(world: Steered, kind: str) -> None:
    _until(world, lambda: kind in world.kinds(), 1000)


def test_the_next_machine_is_there_before_the_job_leaves_the_one_that_runs(dear: Steered) -> None:
    dear.cloud.down = {}
    until_told(dear, "job-switching")
    dear.finish()
    check_end(dear, JobState.SUCCEEDED)
    attempts, leases, events = dear.told()
    assert machines(dear)[:2] in (["c", "a"], ["c", "b"])
    assert attempts[0].outcome is Outcome.INTERRUPTED
    assert attempts[1].resumed_step == attempts[0].last_checkpoint_step  # nothing was repeated
    assert attempts[1].leases == (next(each.id for each in leases if each.epoch == 2),)
    ready = next(event for event in events if event.what == attempts[1].leases[0] and event.new == LeaseState.RUNNING)
    asked = dear.event("job-leaving")
    assert ready.id < asked.id
    assert [each for each in dear.nodes.commands if each.startswith("stop")]
    assert in_time(dear)
    replays(dear)


def test_a_refused_change_loses_nothing(dear: Steered) -> None:
    until_told(dear, "job-switch-refused")
    dear.live(0.1)
    assert dear.job().state is JobState.RUNNING
    assert len(dear.told()[0]) == 1
    assert machines(dear) == ["c"]
    assert dear.nodes.commands == []
    assert "switching" not in dear.job().measures
    dear.finish()
    check_end(dear, JobState.SUCCEEDED)
    assert in_time(dear)
    replays(dear)


def test_a_machine_that_is_lost_while_the_next_is_made_ready_is_followed_by_that_one(dear: Steered) -> None:
    dear.cloud.down = {}
    until_told(dear, "job-switching")
    prepared = dear.told()[1][-1]
    dear.cloud.reclaim("c")
    dear.finish()
    check_end(dear, JobState.SUCCEEDED)
    assert dear.told()[0][1].leases == (prepared.id,)


def test_a_job_that_does_not_go_when_asked_loses_its_machine_and_goes_on(dear: Steered) -> None:
    dear.cloud.down, dear.nodes.deaf = {}, True
    until_told(dear, "job-leaving")
    dear.come_to(JobState.PREPARING)
    dear.nodes.deaf = False
    dear.finish()
    check_end(dear, JobState.SUCCEEDED)
    assert dear.told()[0][0].outcome is Outcome.INTERRUPTED


def test_a_stop_in_the_middle_of_a_change_releases_both_machines(dear: Steered) -> None:
    dear.cloud.down = {}
    until_told(dear, "job-switching")
    job = dear.job()
    with dear.room.db.write() as db:
        records.update_job(db, job, replace(job, wanted=False))
        records.wake(db, schema.job, job.id, dear.clock.now())
    dear.finish()
    check_end(dear, JobState.STOPPED)


@pytest.mark.parametrize("every", [9, pytest.param(1, marks=pytest.mark.long)])
def test_killed_at_any_commit_of_a_change_the_next_process_ends_in_the_same_place(world: Steered, every: int) -> None:
    """From the decision to change to the next attempt that runs."""
    world.cloud.down = {"a": "capacity", "b": "capacity"}
    world.nodes.total = 200
    world.go(deadline_hours=4)
    _until(world, lambda: machines(world) == ["c"] and world.job().state is JobState.RUNNING)
    world.live(0.7)
    world.cloud.down = {}
    _until(world, lambda: due(world.job(), world.clock.now() + timedelta(seconds=31)))
    commits = _changed(world.copied(world.path / "whole"), None)
    assert commits > 8
    for place in range(0, commits, every):
        killed = world.copied(world.path / f"killed-{place}")
        _changed(killed, place)
        begun, again = "job-switching" in killed.kinds(), killed.restarted()
        again.pace = 300
        again.finish()
        check_end(again, JobState.SUCCEEDED)
        assert len(again.told()[0]) == 2 or not begun
        tokens = [read_order(text).token for text in again.cloud.orders]
        assert len(set(tokens)) == len(tokens)  # nothing was asked for twice
        replays(again)


def _changed(world: Steered, kill_at: int | None) -> int:
    """Bring a job through a change; how many commits that took, or killed at one of them."""
    try:
        with counted(world.room.db, kill_at=kill_at, after=False) as seen:
            _until(world, lambda: len(world.told()[0]) == 2 and world.job().state is JobState.RUNNING)
    except Killed:
        assert kill_at is not None
    return len(seen)


def _until(world: Steered, so: Callable[[], bool], beats: int = 400) -> None:
    for _ in range(beats):
        if so():
            return
        world.beat()
    raise AssertionError([decision for _, decision in world.decisions()][-3:])


# --- what is told -----------------------------------------------------------------------------------------------------


def test_show_tells_decisions_and_what_comes_next(world: Steered) -> None:
    world.go(deadline_hours=6)
    world.come_to(JobState.RUNNING)
    world.live(0.3)
    attempts, leases, events = world.told()
    told = decisions(world.job(), events)
    assert [each["action"] for each in told][:2] == ["plan", "rent"]
    assert told[1]["pool"] == "odd a t spot"
    coming = next_step(world.job(), attempts, leases, None, world.clock.now())
    assert coming is not None
    assert (coming["action"], coming["pool"]) == ("keep", "odd a t spot")
    assert coming["if_lost"]["pool"] != "odd a t spot"
    assert coming["on_demand_by"] < world.job().settings["deadline"]
    again = replayed(events)
    assert [each["same"] for each in again] == [True] * len(again)
    assert again[0]["options"]


def test_a_decision_that_this_version_would_not_make_is_told_as_such(world: Steered) -> None:
    world.go(deadline_hours=6)
    world.come_to(JobState.RUNNING)
    event = world.event("job-decided")
    other = {**event.data["decision"], "pool": 3}
    (told,) = replayed([replace(event, data={**event.data, "decision": other})])
    assert (told["same"], told["pool"], told["again"]["pool"]) == (False, "odd d t on-demand", "odd a t spot")


def test_a_job_with_one_pool_is_not_steered(world: Steered) -> None:
    world.go(pools=POOLS[:1], deadline_hours=6)
    world.finish()
    check_end(world, JobState.SUCCEEDED)
    assert "job-decided" not in world.kinds()
    assert next_step(world.job(), *world.told()[:2], None, world.clock.now()) is None
