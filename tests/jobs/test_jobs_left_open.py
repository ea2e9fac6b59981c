"""Machines of clouds are left open until the last checkpoint is home, while they live; gone ones are not waited for."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from doubles import ODD_CAPABILITIES, START
from job_world import make_world

from tradewind.domain.records import Job, Lease
from tradewind.domain.states import JobState, LeaseState
from tradewind.jobs.contact import may_answer_yet
from tradewind.jobs.keeping import KEPT_OPEN, left_open_s
from tradewind.ports.transport import Unreachable

RENTED = replace(ODD_CAPABILITIES, hear_out_s=0.0, keep_open_s=600.0)
AWAY = Unreachable("the road was cut", "cut")


def lease(state: LeaseState) -> Lease:
    return Lease(
        id="l", token="t", kind="instance", state=state, job="job-1", epoch=1, account="odd", offer={}, order="",
        wanted=True, created_at=START, state_since=START, hard_end=START, hard_end_by="server_side", wake_at=START,
    )  # fmt: skip


@pytest.fixture
def job(tmp_path: Path) -> Job:
    world = make_world(tmp_path)
    world.submit()
    return replace(world.job(), state=JobState.RUNNING, measures={KEPT_OPEN: START.timestamp()})


def test_a_machine_that_lives_is_left_open_for_long_and_one_that_is_gone_is_not() -> None:
    assert left_open_s(lease(LeaseState.RUNNING), RENTED) == 600.0
    assert left_open_s(lease(LeaseState.RELEASING), RENTED) == 0.0
    assert left_open_s(lease(LeaseState.RUNNING), ODD_CAPABILITIES) == ODD_CAPABILITIES.hear_out_s


def test_a_road_that_is_cut_meanwhile_is_waited_for_as_long(job: Job) -> None:
    soon, late = START + timedelta(seconds=599), START + timedelta(seconds=601)
    assert may_answer_yet(job, lease(LeaseState.RUNNING), RENTED, AWAY, soon)
    assert not may_answer_yet(job, lease(LeaseState.RUNNING), RENTED, AWAY, late)
    assert not may_answer_yet(job, lease(LeaseState.RELEASING), RENTED, AWAY, START)
    assert not may_answer_yet(job, lease(LeaseState.RUNNING), RENTED, Unreachable("started anew", "gone"), soon)
    assert not may_answer_yet(replace(job, measures={}), lease(LeaseState.RUNNING), RENTED, AWAY, soon)
