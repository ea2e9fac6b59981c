"""A running job is told how soon a loss is to be expected, when that changes how often to save, and not otherwise."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from doubles import START, OddCloud, SimClock
from job_world import OFFER, Nodes, World, make_world, wired

from tradewind.domain.records import Attempt, Job, Lease
from tradewind.domain.states import JobState
from tradewind.jobs.cadence import WORTH_TELLING, cadence_to_tell, paced, saving_of
from tradewind.jobs.journal import Reading, fold
from tradewind.jobs.measure import closed_attempt
from tradewind.jobs.room import Step
from tradewind.ports.compute import Instance
from tradewind.ports.transport import Parcel
from tradewind.store import schema
from tradewind.wire.journal import line
from tradewind.wire.spec import read_command


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = make_world(tmp_path)
    made.nodes.endless = True
    made.submit()
    made.until(JobState.RUNNING)
    return made


def running(world: World, purchase: str = "spot", *, every: str = "auto", hazard: float = 1.0, blocking: float = 2.0,
            **changes: Any) -> tuple[Job, Lease]:  # fmt: skip
    """The job as planned on one pool, after saves that blocked for so long, and its lease."""
    offer = {**OFFER, "purchase": purchase}
    job = world.job()
    pools = [{"offer": offer, "purchase": purchase, "step_seconds": 1.0, "zone": None, "hazard": hazard, "nodes": 1}]
    job = replace(job, plan={}, workload={**job.workload, "checkpoint": {"every": every}},
                  settings={**job.settings, "pools": pools, "notice_s": 0.0},
                  measures={"saving": {"blocking_s": blocking}})  # fmt: skip
    (lease,) = world.told()[1]
    return replace(job, **changes), replace(lease, offer=offer)


def mean_at(job: Job, lease: Lease, hours: float) -> float:
    assert lease.paid_from is not None
    told = cadence_to_tell(job, lease, lease.paid_from + timedelta(hours=hours))
    assert told is not None
    return float(told["mean_seconds"])


def test_a_young_spot_machine_is_expected_to_go_sooner_than_an_old_one(world: World) -> None:
    job, lease = running(world)
    means = [mean_at(job, lease, hours) for hours in (0.05, 0.3, 0.7, 20.0)]
    assert all(younger < older for younger, older in pairwise(means))


def test_in_a_calm_pool_or_on_demand_or_with_a_long_notice_losses_are_rare(world: World) -> None:
    restless = mean_at(*running(world), 0.3)
    job, lease = running(world)
    warned = replace(job, settings={**job.settings, "notice_s": 120.0})
    assert restless < mean_at(*running(world, hazard=0.5), 0.3) < mean_at(*running(world, "on_demand"), 0.3)
    assert restless < mean_at(warned, lease, 0.3) < mean_at(*running(world, "on_demand"), 0.3)


def test_what_is_told_goes_to_the_node_is_noted_and_is_not_told_again_while_it_holds(world: World) -> None:
    job, lease = running(world)
    texts: dict[str, str] = {}
    world.nodes.command = lambda instance, text, name: texts.update({name: text})  # type: ignore[method-assign]
    assert lease.paid_from is not None
    now = lease.paid_from + timedelta(minutes=3)
    step = paced(world.room, Step(job), lease, now)
    (command,) = [read_command(text) for text in texts.values()]
    (note,) = step.notes
    assert (command.name, note.kind) == ("cadence", "checkpoint-interval")
    assert command.mean_seconds_between_losses == note.data["mean_seconds"]
    assert step.job.measures["cadence"] == note.data
    assert paced(world.room, step, lease, now + timedelta(minutes=1)) == step
    later = paced(world.room, step, lease, now + timedelta(hours=2))
    assert [each.kind for each in later.notes] == ["checkpoint-interval"] * 2
    assert sorted(texts) == list(texts), "obeyed in the order of their names"
    assert len(texts) == 2


class Killed(BaseException):
    """The process is gone."""


class Saves(Nodes):
    """A job without end that saves at once; the first cadence that reaches its node is its supervisor's last deed."""

    def start(self, instance: Instance, parcel: Parcel) -> None:
        super().start(instance, parcel)
        event = {"v": 1, "type": "snapshot_done", "step": 1, "block_ms": 2000.0}
        self.journal += line("job", START.timestamp(), event=event)

    def command(self, instance: Instance, text: str, name: str) -> None:
        first = not any(each.startswith("cadence") for each in self.commands)
        super().command(instance, text, name)
        if name.startswith("cadence") and first:
            raise Killed


def test_a_supervisor_killed_after_it_told_tells_again_and_notes_it_once(tmp_path: Path) -> None:
    clock = SimClock()
    world = wired(tmp_path, clock, OddCloud(clock), Saves(endless=True))
    world.submit(notice_s=0.0)
    with world.room.db.write() as db:
        db.execute(schema.job.update().values(plan={}))
    with pytest.raises(Killed):
        world.until(JobState.STOPPED)
    assert not [each for each in world.told()[2] if each.kind == "checkpoint-interval"]
    for _ in range(200):
        world.step()
    (note,) = [each for each in world.told()[2] if each.kind == "checkpoint-interval"]
    assert world.job().measures["cadence"] == note.data
    assert all(each.startswith("cadence") for each in world.nodes.commands)


def test_over_a_day_it_is_told_at_most_once_for_each_age_of_the_hazards(world: World) -> None:
    job, lease = running(world)
    assert lease.paid_from is not None
    intervals = []
    for minutes in range(0, 24 * 60, 5):
        told = cadence_to_tell(job, lease, lease.paid_from + timedelta(minutes=minutes))
        if told:
            intervals.append(told["interval_seconds"])
            job = replace(job, measures={**job.measures, "cadence": told})
    assert 1 < len(intervals) <= 6
    assert all(after >= WORTH_TELLING * before for before, after in pairwise(intervals))


def test_the_next_attempt_is_told_anew_on_its_own_node(world: World) -> None:
    job, lease = running(world)
    assert lease.paid_from is not None
    now = lease.paid_from + timedelta(minutes=3)
    told = paced(world.room, Step(job), lease, now).job
    assert cadence_to_tell(told, lease, now) is None
    resumed = replace(closed_attempt(told), attempt=2, epoch=2)
    assert cadence_to_tell(resumed, lease, now) is not None


@pytest.mark.parametrize(
    "changes",
    [{"every": "5s"}, {"every": "200 steps"}, {"plan": None}, {"measures": {}},
     {"measures": {"saving": {"blocking_s": 2.0}, "noticed": True}},
     {"measures": {"saving": {"blocking_s": 1e-4}}}],
    ids=["seconds given", "steps given", "machine not planned", "never saved", "going", "saves that cost nothing"],
)  # fmt: skip
def test_there_is_nothing_to_tell(world: World, changes: dict[str, Any]) -> None:
    job, lease = running(world, **changes)
    assert cadence_to_tell(job, lease, world.clock.now()) is None


def test_in_a_rehearsal_hours_pass_by_its_tempo(world: World) -> None:
    job, lease = running(world, rehearsal=True)
    job = replace(job, settings={**job.settings, "trace": {"name": "t", "speed": 2.0}}, submitted_at=START)
    plain, _ = running(world)
    assert lease.paid_from is not None
    assert mean_at(job, lease, 0.35) == pytest.approx(mean_at(plain, lease, 0.7) / 2)


def test_what_saves_take_is_learnt_from_the_job_and_its_store(world: World) -> None:
    def event(type_: str, **fields: Any) -> dict[str, Any]:
        return {"type": "job", "at": 1.0, "event": {"v": 1, "type": type_, "step": 1, **fields}}

    job = world.job()
    records = [
        event("snapshot_done", block_ms=200.0), event("checkpoint_committed", total_ms=3000.0),
        {"type": "checkpoint", "at": 2.0, "step": 1, "epoch": 1, "path": "/s", "bytes": 1, "seconds": 4.0},
        event("snapshot_done", block_ms=1200.0), event("snapshot_done", block_ms="often"), event("snapshot_done"),
    ]  # fmt: skip
    reading = fold(Reading(job, Attempt(job.id, 1, 1, (), START), None), records)
    saving = saving_of(reading.job)
    assert saving is not None
    assert saving.blocking == pytest.approx(0.5)
    assert (saving.persist, saving.store) == (3.0, 4.0)
    assert saving_of(closed_attempt(reading.job)) == saving, "the next attempt saves the same state"
