"""Jobs on machines that others use too, and that may be away: busy places, secrets, checkpoints that come home."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from doubles import ODD_CAPABILITIES, START, OddSecrets
from job_world import OFFER, World, check_end, make_world
from steered_world import Market, make_steered, pool

from tradewind.domain.records import Event
from tradewind.domain.states import JOB_ENDED, JobState, Lane, LeaseState
from tradewind.jobs.seen import BUSY_FOR
from tradewind.leasing.room import Account
from tradewind.ports.compute import Accepted, CloudFault, Instance, InstanceState, Order
from tradewind.ports.transport import Parcel, Unreachable
from tradewind.store import records, schema
from tradewind.wire import journal
from tradewind.wire.spec import read_spec

OWN = replace(ODD_CAPABILITIES, silence_s=math.inf, hear_out_s=600.0)


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = make_world(tmp_path)
    made.cloud.caps = OWN
    return made


def kinds(world: World) -> list[str]:
    return [event.kind for event in world.told()[2]]


def note(world: World, kind: str) -> Event:
    return next(event for event in world.told()[2] if event.kind == kind)


# --- what is busy -----------------------------------------------------------------------------------------------------


def test_what_is_busy_is_waited_for_without_a_last_try_and_within_a_minute_each(world: World) -> None:
    world.cloud.faults = ["refuse:busy"] * 12
    world.submit()
    waits = set()
    while world.cloud.faults:
        job = world.until(JobState.WAITING)
        assert job.why == "machine-busy said='none left'"
        assert job.wake_at is not None
        waits.add((job.wake_at - world.clock.now()).total_seconds())
        world.clock.time = max(job.wake_at, world.clock.now())
        world.until(JobState.ACQUIRING)
        world.step()
    assert max(waits) <= 60
    world.until(*JOB_ENDED)
    check_end(world, JobState.SUCCEEDED)
    assert len(world.cloud.orders) == 13


def test_a_limit_ends_the_wait_for_what_is_busy(world: World) -> None:
    world.cloud.faults = ["refuse:busy"] * 99
    world.submit(deadline=(START + timedelta(minutes=5)).isoformat())
    world.until(*JOB_ENDED, steps=3000)
    check_end(world, JobState.EXPIRED)


def test_being_busy_counts_for_no_other_refusal(world: World) -> None:
    world.cloud.faults = ["refuse:busy"] * 4 + ["refuse:capacity"] * 9
    world.submit()
    failed = world.until(*JOB_ENDED, steps=3000)
    check_end(world, JobState.FAILED)
    assert failed.why == "refused 3 times, last: capacity: none left"
    assert len(world.cloud.orders) == 7


@dataclass
class Boxes(Market):
    """Machines of one's own: one that is in use is busy."""

    used: set[str] = field(default_factory=set)

    def launch(self, order: Order) -> Accepted:
        if order.zone in self.used:
            self.orders.append(order.to_json())
            raise CloudFault("busy", f"GPU 0 of {order.zone} is used by alice (pid 4242)", sent="yes")
        return super().launch(order)


def test_with_several_machines_the_next_one_is_tried_and_none_is_given_up_while_all_are_busy(tmp_path: Path) -> None:
    world = make_steered(tmp_path)
    world.cloud = boxes = Boxes(world.clock, used={"a", "b"})
    accounts = {name: Account(boxes, world.nodes) for name in ("machines:a", "machines:b")}
    world.room = replace(world.room, leasing=replace(world.room.leasing, accounts=accounts))
    pools = [pool(name, "0.00", "on_demand", account=f"machines:{name}") for name in ("a", "b")]
    world.go(pools=pools)
    world.come_to(JobState.WAITING)
    assert set(boxes.asked()) == {"a", "b"}
    assert "is used by alice (pid 4242)" in (world.job().why or "")
    wake_at = world.job().wake_at
    assert wake_at is not None and wake_at - world.clock.now() < BUSY_FOR + timedelta(seconds=1)
    world.clock.sleep(26 * 3600)  # a job that nobody grants a machine is given up after a day; this one is not
    world.live(0.1)
    assert world.job().state is JobState.WAITING
    boxes.used = {"a"}
    world.finish()
    assert world.job().state is JobState.SUCCEEDED
    leases = world.told()[1]
    assert {each.account for each in leases} == {"machines:a", "machines:b"}
    assert [each.account for each in leases if each.cloud_id] == ["machines:b"]


# --- secrets ----------------------------------------------------------------------------------------------------------

SECRET = {"secrets": ["HF_TOKEN"]}


def give(world: World) -> None:
    secrets = world.room.secrets
    assert isinstance(secrets, OddSecrets)
    secrets.known["job-1"] = {"HF_TOKEN": "canary"}
    with world.room.db.write() as db:
        records.wake(db, schema.job, "job-1", world.clock.now())


def forget(world: World) -> None:
    """Another process goes on."""
    world.room = replace(world.room, secrets=OddSecrets())


def test_nothing_is_rented_for_a_job_whose_secrets_are_not_at_hand(world: World) -> None:
    world.submit(workload=SECRET)
    waiting = world.until(JobState.WAITING)
    assert waiting.why == "secrets-missing names='HF_TOKEN'"
    for _ in range(20):
        world.step()
    assert world.told()[1] == []
    give(world)
    world.until(JobState.RUNNING)
    assert world.nodes.given == {"HF_TOKEN": "canary"}
    spec = read_spec(world.nodes.started[0])
    assert (spec.secrets, "canary" in world.nodes.started[0]) == (["HF_TOKEN"], False)
    world.until(*JOB_ENDED)
    check_end(world, JobState.SUCCEEDED)
    assert world.room.secrets.missing("job-1", ["HF_TOKEN"]) == ("HF_TOKEN",)  # nobody needs them any more
    assert "canary" not in str(world.told()) + str(world.job())


def test_a_limit_ends_the_wait_for_secrets(world: World) -> None:
    world.submit(workload=SECRET, deadline=(START + timedelta(minutes=5)).isoformat())
    world.until(*JOB_ENDED, steps=3000)
    check_end(world, JobState.EXPIRED)


def needing(world: World) -> None:
    """The node starts no agent without its secrets, unless one was started before."""
    start = world.nodes.start

    def needs(instance: Instance, parcel: Parcel) -> None:
        if not parcel.secrets and parcel.spec not in world.nodes.started:
            raise Unreachable(f"{instance.id} needs its secrets: HF_TOKEN", "secrets-missing")
        start(instance, parcel)

    world.nodes.start = needs  # type: ignore[method-assign]


def test_secrets_that_were_lost_before_the_start_are_waited_for_and_then_the_machine_is_let_go(world: World) -> None:
    needing(world)
    world.submit(workload=SECRET)
    give(world)
    world.until(JobState.PREPARING)
    forget(world)
    world.step()
    assert (world.job().state, world.job().why) == (JobState.PREPARING, "secrets-missing names='HF_TOKEN'")
    world.clock.sleep(700)
    waiting = world.until(JobState.WAITING)
    assert (waiting.why, waiting.attempt) == ("secrets-missing names='HF_TOKEN'", 2)
    give(world)
    world.until(*JOB_ENDED)
    check_end(world, JobState.SUCCEEDED)


def test_a_start_whose_answer_was_lost_needs_no_secrets_again(world: World) -> None:
    needing(world)
    world.submit(workload=SECRET)
    give(world)
    preparing = world.until(JobState.PREPARING)
    world.until(JobState.RUNNING)
    forget(world)
    with world.room.db.write() as db:  # the process died before it wrote the start down
        db.execute(schema.job.update().values(state=JobState.PREPARING, lane=Lane.STARTING))
        records.wake(db, schema.job, preparing.id, world.clock.now())
    assert world.until(*JOB_ENDED).state is JobState.SUCCEEDED
    assert (len(world.told()[0]), len(world.nodes.started)) == (1, 1)


def test_an_agent_that_died_gets_them_again(world: World) -> None:
    world.nodes.endless = True
    world.submit(workload=SECRET)
    give(world)
    world.until(JobState.RUNNING)
    world.nodes.alive, world.nodes.given = False, {}
    for _ in range(8):
        world.step()
    assert (world.nodes.revived, world.nodes.given) == (1, {"HF_TOKEN": "canary"})


# --- checkpoints that lie where the node is ---------------------------------------------------------------------------


def checkpointed(world: World) -> None:
    """The first attempt saves at its third step, and is killed at its fifth."""
    world.nodes.exits = [137]
    start = world.nodes.start

    def saving(instance: Instance, parcel: Parcel) -> None:
        first = not world.nodes.served
        start(instance, parcel)
        if first:
            at = START.timestamp()
            saved = journal.line("checkpoint", at, step=3, epoch=1, bytes=9, path="/there/3", seconds=0.1)
            world.nodes.journal = saved + world.nodes.journal

    world.nodes.start = saving  # type: ignore[method-assign]


def test_an_attempt_that_was_cut_short_waits_until_its_last_checkpoint_is_home(world: World) -> None:
    checkpointed(world)
    world.nodes.slow = 5
    world.submit()
    world.until(JobState.RUNNING)
    world.step()
    waiting = world.job()
    assert (waiting.state, waiting.why) == (JobState.RUNNING, "checkpoint-coming step=3")
    assert waiting.measures.get("saved_step") is None
    world.until(JobState.INTERRUPTED, JobState.ACQUIRING)
    assert (world.job().measures["saved_step"], len(world.nodes.asked)) == (3, 6)
    assert world.told()[0][0].last_checkpoint_step == 3
    world.until(*JOB_ENDED)
    check_end(world, JobState.SUCCEEDED)
    with world.room.db.read() as db:
        assert [(each.step, each.state) for each in records.checkpoints(db, "job-1")] == [(3, "complete")]


def test_a_checkpoint_that_never_comes_is_given_up_after_a_while_and_said(world: World) -> None:
    checkpointed(world)
    world.cloud.caps = replace(world.cloud.caps, hear_out_s=40)
    world.nodes.slow = 10**9
    world.submit()
    world.until(JobState.RUNNING)
    began = world.clock.now()
    world.until(JobState.INTERRUPTED, JobState.ACQUIRING, steps=3000)
    assert 40 <= (world.clock.now() - began).total_seconds() <= 60
    assert note(world, "checkpoint-late").data["step"] == 3
    world.until(*JOB_ENDED)
    assert world.told()[0][0].last_checkpoint_step is None


@pytest.mark.parametrize("away", [False, True])
def test_a_machine_that_is_lost_is_heard_out_until_its_last_checkpoint_is_home(world: World, away: bool) -> None:
    checkpointed(world)
    world.nodes.endless, world.nodes.slow = True, 5
    world.submit()
    world.until(JobState.RUNNING)
    world.cloud.set("m-0", state=InstanceState.GONE, why="host", ended_at=world.clock.now())
    while world.told()[1][0].state is not LeaseState.RELEASING:
        world.step()
    world.nodes.silent = away  # the line to it is cut at that moment
    for _ in range(4):
        world.step()
    assert world.job().state is JobState.RUNNING
    assert (world.job().why or "").startswith("no-contact" if away else "checkpoint-coming")
    world.nodes.silent = False
    world.until(JobState.INTERRUPTED, JobState.ACQUIRING)
    assert world.job().measures["saved_step"] == 3
    assert "checkpoint-late" not in kinds(world)


def test_where_machines_do_not_come_back_a_silent_one_that_is_lost_is_left_at_once(world: World) -> None:
    world.cloud.caps = ODD_CAPABILITIES
    checkpointed(world)
    world.nodes.endless, world.nodes.slow = True, 10**9
    world.submit()
    world.until(JobState.RUNNING)
    world.step()
    world.cloud.machines.clear()
    world.nodes.silent = True
    before = world.clock.now()
    world.until(JobState.INTERRUPTED, JobState.ACQUIRING)
    assert (world.clock.now() - before).total_seconds() < 10
    assert "checkpoint-late" in kinds(world)


def ending_with_a_checkpoint(world: World) -> None:
    """The job saves once more before it ends; that checkpoint takes some looks to come home."""
    world.nodes.slow = 5
    world.submit()
    world.until(JobState.PREPARING)
    start = world.nodes.start

    def saving(instance: Instance, parcel: Parcel) -> None:
        start(instance, parcel)
        at = START.timestamp()
        world.nodes.journal += journal.line("checkpoint", at, step=9, epoch=1, bytes=1, path="/9", seconds=0)

    world.nodes.start = saving  # type: ignore[method-assign]


def test_a_job_that_ended_well_brings_its_last_checkpoint_home_too(world: World) -> None:
    ending_with_a_checkpoint(world)
    world.until(*JOB_ENDED)
    check_end(world, JobState.SUCCEEDED)
    assert world.told()[0][0].last_checkpoint_step == 9


@pytest.mark.parametrize("comes", [True, False])
def test_a_stop_waits_until_the_checkpoint_that_it_asked_for_is_home(world: World, comes: bool) -> None:
    world.cloud.caps = replace(world.cloud.caps, hear_out_s=20)
    world.nodes.endless, world.nodes.slow = True, 5 if comes else 10**9
    world.submit()
    world.until(JobState.RUNNING)
    world.step()
    with world.room.db.write() as db:
        records.update_job(db, world.job(), replace(world.job(), wanted=False))
    world.until(*JOB_ENDED, steps=3000)
    check_end(world, JobState.STOPPED)
    assert world.job().why == "stopped by the user"
    assert world.told()[0][0].last_checkpoint_step == (8 if comes else None)
    assert ("checkpoint-late" in kinds(world)) is not comes


# --- news, and what travels -------------------------------------------------------------------------------------------


def test_a_machine_that_is_silent_costs_nothing_but_news(world: World) -> None:
    world.nodes.endless = True
    world.submit()
    world.until(JobState.RUNNING)
    world.nodes.silent, world.cloud.complete = True, False
    for _ in range(200):
        world.step()
    silent = world.job()
    assert (silent.state, silent.attempt) == (JobState.RUNNING, 1)
    assert silent.why == "no-contact code=timed-out said='m-0 does not answer'"
    assert world.told()[1][0].state is LeaseState.SUSPECT
    world.nodes.silent, world.cloud.complete = False, True
    for _ in range(20):
        world.step()
    assert (world.job().why, world.told()[1][0].state) == (None, LeaseState.RUNNING)
    assert {"lease-suspect", "lease-contact"} <= set(kinds(world))
    assert len(world.told()[0]) == 1


def test_a_node_without_room_fails_the_job_with_its_words(world: World) -> None:
    def full(instance: Instance, parcel: Parcel) -> None:
        raise Unreachable("box has no room in /data: 3 MB free", "no-space")

    world.nodes.start = full  # type: ignore[method-assign]
    world.submit()
    assert world.until(*JOB_ENDED).why == "box has no room in /data: 3 MB free"
    check_end(world, JobState.FAILED)


@pytest.mark.parametrize(
    ("workload", "image", "mounts"),
    [
        ({}, "", []),
        ({"image": "machine:box"}, "", []),
        ({"image": "docker:nvcr.io/nvidia/pytorch:26.05-py3"}, "nvcr.io/nvidia/pytorch:26.05-py3", []),
        ({"data": [{"source": "/data/花 1", "path": "/in"}, {"source": "oss://b/x", "path": "/y"},
                   {"source": "file:///data/2", "path": "/z", "mode": "mount"}, {"source": "here", "path": "/h"}]}, "",
         [{"source": "/data/花 1", "target": "/in"}, {"source": "/data/2", "target": "/z"}]),
    ],
)  # fmt: skip
def test_the_spec_says_what_the_node_is_to_do(
    world: World, workload: dict[str, Any], image: str, mounts: list[dict[str, str]]
) -> None:
    world.submit(workload=workload)
    world.until(JobState.RUNNING)
    spec = read_spec(world.nodes.started[0])
    assert (spec.image, spec.mounts, spec.host_environment) == (image, mounts, True)
    assert spec.store == str(world.path / "jobs" / "job-1" / "checkpoints")


def test_on_this_computer_the_job_gets_the_environment_that_it_was_submitted_with(world: World) -> None:
    world.cloud.caps = replace(OWN, host_environment=False)
    world.submit()
    world.until(JobState.RUNNING)
    assert read_spec(world.nodes.started[0]).host_environment is False


def test_a_pool_is_rented_in_by_its_own_account(world: World) -> None:
    accounts = {"machines:box": Account(world.cloud, world.nodes)}
    world.room = replace(world.room, leasing=replace(world.room.leasing, accounts=accounts))
    world.submit(pools=[{"offer": {**OFFER, "gpus": 2}, "account": "machines:box"}])
    world.until(*JOB_ENDED)
    check_end(world, JobState.SUCCEEDED)
    assert [each.account for each in world.told()[1]] == ["machines:box"]
