"""A few steps of the job's own command, here, and what they took."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tradewind.app import jobfile
from tradewind.app.sizes import lessons
from tradewind.domain.errors import BadInput
from tradewind.domain.states import JOB_ENDED
from tradewind.jobs.measure import ENOUGH_STEPS
from tradewind.store import records

if TYPE_CHECKING:
    from tradewind.app.control import Embedded
    from tradewind.app.interface import Answer, Submit
    from tradewind.app.settings import Settings
    from tradewind.ports.clock import Clock
    from tradewind.store.database import Database

WARM_STEPS = 3  # that are not counted: memory is found, kernels are chosen
LEAST_SECONDS = 5.0  # of steps that are: what else a computer does comes and goes, and a run will meet all of it
LOOK_SECONDS = 0.2
LIMIT_SECONDS = 3_600.0  # a command that shows no step by then is given up


def calibrate(
    plane: Embedded, db: Database, settings: Settings, clock: Clock, submit: Submit, steps: int,
    on_change: Callable[[Answer], None],
) -> Answer:  # fmt: skip
    """Run the job here until ``steps`` of its steps are measured, stop it, and keep what it taught.

    Returns:
        ``{"workload", "job", "state", "exit_code", "subject", "lesson", "lessons"}``; ``lesson`` is null when the job
        ended before enough was measured.

    Raises:
        BadInput: ``calibration-batch-unknown``: without a batch size a step says nothing.
    """
    training = submit.workload.training
    micro_batch = training.micro_batch or training.batch_size
    if micro_batch is None:
        raise BadInput("calibration-batch-unknown")
    about = lessons.subject(jobfile.anchored(submit.workload, submit.path))
    id_ = plane.submit(replace(submit, local=True, rehearse=False, teaches=False))["job"]
    try:
        measured = _measured(plane, db, clock, id_, steps, on_change)
    finally:
        shown = plane.stop(id_)  # also when whoever waits goes away: nobody asked for the whole run
    lesson = None
    if measured is not None:
        seconds, count = measured
        with db.read() as connection:
            job = records.job(connection, id_)
        assert job is not None
        at = clock.now().isoformat(timespec="seconds").replace("+00:00", "Z")
        lesson = lessons.of_measures(about, job, micro_batch, seconds, count, at)
        lessons.keep(settings.calibrations, lesson)
    known = lessons.of(settings.calibrations, about)
    return {
        "workload": submit.workload.name, "job": id_, "state": shown["state"], "exit_code": shown["exit_code"],
        "subject": about, "lesson": lesson.to_json() if lesson else None, "lessons": [each.to_json() for each in known],
    }  # fmt: skip


def _measured(
    plane: Embedded, db: Database, clock: Clock, id_: str, steps: int, on_change: Callable[[Answer], None]
) -> tuple[float, int] | None:
    """Seconds of a step, and how many steps that is the mean of; None when it ended too early."""
    begun: tuple[int, float] | None = None
    seen: tuple[int, float] | None = None
    last: tuple[Any, ...] | None = None
    until = clock.monotonic() + LIMIT_SECONDS
    while True:
        with db.read() as connection:
            job = records.job(connection, id_)
        assert job is not None
        reached = int(job.measures.get("attempt_steps") or 0), float(job.measures.get("attempt_train_s") or 0.0)
        if begun is None and reached[0] > WARM_STEPS:
            begun = reached
        if begun is not None and reached[0] > begun[0]:
            seen = reached
        if (job.state, reached) != last:
            last = (job.state, reached)
            on_change(plane.show(id_))
        if begun and seen and seen[0] - begun[0] >= steps and seen[1] - begun[1] >= LEAST_SECONDS:
            break
        if job.state in JOB_ENDED or clock.monotonic() > until:
            break
        clock.sleep(LOOK_SECONDS)
    if not begun or not seen or seen[0] - begun[0] < ENOUGH_STEPS or seen[1] <= begun[1]:
        return None
    count = seen[0] - begun[0]
    return (seen[1] - begun[1]) / count, count
