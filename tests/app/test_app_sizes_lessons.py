"""Lessons: what was measured is kept by what a step is, and believed only where it was measured."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tradewind.app import jobfile
from tradewind.app.sizes import lessons
from tradewind.app.sizes.lessons import Lesson
from tradewind.domain.records import Job
from tradewind.domain.states import JobState
from tradewind.domain.workload import Workload

AT = "2026-11-21T17:30:00Z"
LESSON = Lesson("s", "A10", "NVIDIA A10", 1, 64, 0.05, 1.5, 30, "job-1", AT)


def workload(folder: Path = Path("/"), **training: Any) -> Workload:
    return jobfile.load({"run": "x", "workdir": str(folder), "model": {"entrypoint": "train:build"},
                         "training": {"batch_size": 64, **training}})  # fmt: skip


def job(measures: dict[str, Any], **settings: Any) -> Job:
    now = datetime(2026, 11, 21, tzinfo=UTC)
    return Job(id="job-1", name="x", state=JobState.SUCCEEDED, wanted=True, rehearsal=False, account="local",
               workload={"run": "x", "training": {"batch_size": 64}}, plan=None, settings={"teaches": "s"} | settings,
               submitted_at=now, state_since=now, wake_at=None, request_id=None, measures=measures)  # fmt: skip


def test_a_step_is_the_same_whatever_its_batch_and_length(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("one")
    same = lessons.subject(workload(tmp_path))
    assert lessons.subject(workload(tmp_path, batch_size=8, micro_batch=2, samples=9, epochs=3)) == same
    assert lessons.subject(workload(tmp_path, precision="bf16")) != same
    assert lessons.subject(workload(tmp_path, image_size=160)) != same
    (tmp_path / "train.py").write_text("two")
    assert lessons.subject(workload(tmp_path)) != same


def test_what_is_kept_is_found_again_the_newest_of_its_kind(tmp_path: Path) -> None:
    path = tmp_path / "home" / "calibrations.jsonl"
    newer = replace(LESSON, step_seconds=0.04, job="job-2")
    larger = replace(LESSON, micro_batch=128)
    for each in (LESSON, larger, newer, newer, replace(LESSON, subject="other")):
        lessons.keep(path, each)
    assert set(lessons.of(path, "s")) == {newer, larger}
    assert len(path.read_text().splitlines()) == 4


def test_a_line_that_was_cut_off_costs_itself_alone(tmp_path: Path) -> None:
    path = tmp_path / "calibrations.jsonl"
    lessons.keep(path, LESSON)
    path.write_text('{"subject": "s", "gp\n' + path.read_text() + '[]\n{"subject": 1}\n')
    assert lessons.of(path, "s") == (LESSON,)
    assert lessons.of(tmp_path / "absent", "s") == ()


def test_a_job_on_a_gpu_teaches_of_that_gpu() -> None:
    told = lessons.learnt(job({"train_s": 4.0, "steps": 100, "gpu": "NVIDIA A10", "gpu_mem_mb": 1610.6}), AT)
    assert told == Lesson("s", "A10", "NVIDIA A10", 1, 64, 0.04, 1.5, 100, "job-1", AT)


def test_a_job_without_a_gpu_teaches_nothing_of_gpus() -> None:
    told = lessons.learnt(job({"train_s": 4.0, "steps": 100}), AT)
    assert told is not None and told.gpu is None and told.peak_memory_gib is None
    assert told.device == lessons.processor()


@pytest.mark.parametrize(
    ("measures", "settings"),
    [({"train_s": 0.4, "steps": 100}, {}), ({}, {}), ({"train_s": 9.0, "steps": 100}, {"teaches": None})],
)
def test_what_teaches_nothing(measures: dict[str, Any], settings: dict[str, Any]) -> None:
    assert lessons.learnt(job(measures, **settings), AT) is None
