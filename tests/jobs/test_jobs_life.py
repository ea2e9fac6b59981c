"""The life of a job over doubles in virtual time: through refusals, lost nodes, stops, and death at any commit."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from job_world import World, check_end, make_world, wired
from killing import Killed, counted

from tradewind.domain.states import JOB_ENDED, JobState
from tradewind.leasing import reconcile as leasing
from tradewind.ports.compute import Instance
from tradewind.ports.transport import Unreachable
from tradewind.store import queue, records, schema
from tradewind.wire.spec import read_spec


@pytest.fixture
def world(tmp_path: Path) -> World:
    return make_world(tmp_path)


def test_a_job_succeeds_with_its_outputs_and_its_log(world: World) -> None:
    world.submit()
    done = world.until(*JOB_ENDED)
    check_end(world, JobState.SUCCEEDED)
    assert (done.exit_code, done.progress and done.progress["step"]) == (0, 10)
    assert (world.path / "jobs" / "job-1" / "outputs" / "x").read_bytes() == b"1"
    assert (world.path / "jobs" / "job-1" / "logs" / "attempt-1.log").read_text() == "epoch 1\n"
    assert world.nodes.commands == ["collected"]


def test_a_refusal_is_tried_again_and_three_end_the_job_with_the_reason(world: World) -> None:
    world.cloud.faults = ["refuse"]
    world.submit()
    world.until(*JOB_ENDED)
    check_end(world, JobState.SUCCEEDED)
    assert len(world.told()[0][0].leases) == 2


def test_what_is_always_refused_fails_and_says_why(world: World) -> None:
    world.cloud.faults = ["refuse"] * 9
    world.submit()
    failed = world.until(*JOB_ENDED)
    check_end(world, JobState.FAILED)
    assert "none left" in (failed.why or "")
    assert len(world.cloud.orders) == 3


def test_a_job_killed_from_outside_is_resumed_with_the_next_epoch(world: World) -> None:
    world.nodes.exits = [137]
    world.submit()
    world.until(*JOB_ENDED)
    check_end(world, JobState.SUCCEEDED)
    attempts, leases, _ = world.told()
    assert [(each.epoch, each.resumed_step, each.repeated_steps) for each in attempts] == [(1, None, 0), (2, 5, 0)]
    assert len(leases) == 2


def test_a_job_that_dies_again_at_the_same_step_fails(world: World) -> None:
    world.nodes.exits, world.nodes.stuck_at = [137] * 5, 8
    world.submit()
    failed = world.until(*JOB_ENDED)
    assert failed.state is JobState.FAILED
    assert failed.exit_code == 137
    assert len(world.told()[0]) == 2  # the second made no step that the first had not made


def test_a_node_that_vanishes_interrupts(world: World) -> None:
    world.submit()
    world.until(JobState.PREPARING)
    world.cloud.machines.clear()
    world.nodes.silent = True
    world.until(JobState.INTERRUPTED, JobState.ACQUIRING)
    world.nodes.silent = False
    world.until(*JOB_ENDED)
    check_end(world, JobState.SUCCEEDED)
    assert world.job().epoch == 2


def lose_node(world: World) -> None:
    world.cloud.machines.clear()
    world.clock.sleep(5)
    for _ in range(2):  # the leases are looked at first; twice missing is gone
        lease = world.claim_lease()
        assert lease is not None
        leasing.reconcile(world.room.leasing, lease)
        world.clock.sleep(2)


def test_a_job_that_failed_is_not_run_again_because_its_outputs_went_with_the_node(world: World) -> None:
    def gone(instance: Instance, into: Path) -> tuple[str, ...]:
        raise Unreachable(instance.id)

    world.nodes.fetch_outputs = gone  # type: ignore[method-assign]
    world.nodes.exits = [3, 3]
    world.submit()
    world.until(JobState.RUNNING)
    lose_node(world)
    assert world.until(*JOB_ENDED).exit_code == 3
    check_end(world, JobState.FAILED)
    attempts, _, events = world.told()
    assert len(attempts) == 1
    assert "outputs-lost" in [event.kind for event in events]


def test_a_job_that_had_ended_when_its_node_was_lost_is_not_run_again(world: World) -> None:
    world.submit()
    world.until(JobState.RUNNING)
    lose_node(world)
    world.until(*JOB_ENDED)
    check_end(world, JobState.SUCCEEDED)
    assert len(world.told()[0]) == 1
    assert (world.path / "jobs" / "job-1" / "outputs" / "x").exists()


@pytest.mark.parametrize(("fence", "by"), [("7", "lease-of-tomorrow"), ("1", "lease-of-tomorrow")])
def test_an_epoch_that_was_begun_before_is_never_begun_again(world: World, fence: str, by: str) -> None:
    store = world.path / "jobs" / "job-1" / "checkpoints"
    store.mkdir(parents=True)
    (store / "FENCE").write_text(fence + "\n")  # a later attempt, of which a restored database knows nothing
    (store / "FENCED-BY").write_text(by + "\n")
    world.submit()
    world.until(JobState.RUNNING)
    assert world.job().epoch == int(fence) + 1
    assert (store / "FENCE").read_text() == f"{int(fence) + 1}\n"
    assert [read_spec(each).epoch for each in world.nodes.started] == [int(fence) + 1]


@pytest.mark.parametrize("state", [JobState.QUEUED, JobState.ACQUIRING, JobState.PREPARING, JobState.RUNNING])
def test_a_stop_ends_a_job_in_any_state(world: World, state: JobState) -> None:
    world.submit()
    current = world.until(state)
    with world.room.db.write() as db:
        records.update_job(db, current, replace(current, wanted=False))
        records.wake(db, schema.job, "job-1", world.clock.now())
    world.until(*JOB_ENDED)
    check_end(world, JobState.STOPPED)


def test_a_duration_that_is_used_up_expires_the_job(world: World) -> None:
    world.nodes.exits = [137] * 3
    world.submit(max_lifetime_s=1)
    with world.room.db.write() as db:
        current = records.job(db, "job-1")
        assert current is not None
        records.update_job(db, current, replace(current, workload={**current.workload,
                                                                   "schedule": {"max_duration": "1s"}}))  # fmt: skip
    for _ in range(400):
        world.step()
        world.clock.time += timedelta(seconds=0.2)
        if world.job().state in JOB_ENDED:
            break
    check_end(world, JobState.EXPIRED)


@pytest.mark.long  # tests/worlds strike the same commits in CI
@pytest.mark.parametrize("sides", [1, 2])
def test_killed_at_any_commit_the_next_process_ends_in_the_same_place(tmp_path: Path, sides: int) -> None:
    commits = _run_and_count(tmp_path / "whole")
    assert commits > 20
    for place in range(commits):
        for after in (False, True) if sides == 2 else (place % 2 == 0,):
            world = make_world(tmp_path / f"killed-{place}-{after}")
            world.nodes.exits = [137]
            world.submit()
            with pytest.raises(Killed):
                _until_killed(world, place, after)
            again = wired(world.path, world.clock, world.cloud, world.nodes)
            with again.room.db.write() as db:
                queue.release(db, "t")
            again.until(*JOB_ENDED)
            check_end(again, JobState.SUCCEEDED)
            assert len(again.told()[0]) == 2
            assert len(set(again.cloud.orders)) == len(again.cloud.orders)  # nothing was asked for twice


def _run_and_count(folder: Path) -> int:
    world = make_world(folder)
    world.nodes.exits = [137]
    world.submit()
    with counted(world.room.db, kill_at=None, after=False) as seen:
        world.until(*JOB_ENDED)
    return len(seen)


def _until_killed(world: World, place: int, after: bool) -> None:
    with counted(world.room.db, kill_at=place, after=after):
        world.until(*JOB_ENDED)
