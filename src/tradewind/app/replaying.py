"""The trace that a rehearsal replays: chosen at the submit, kept with the job, read back while it runs."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from tradewind.app.interface import Submit
from tradewind.catalog.traces import trace as read_trace
from tradewind.catalog.traces import traces
from tradewind.domain.trace import SpotTrace
from tradewind.domain.workload import PreemptAt, Workload
from tradewind.planning.simulation import start_ticks
from tradewind.planning.steering.patience import STRETCH

UNKNOWN_HOURS = 24.0  # of a window, for work of unknown length
FOLDER = "trace"  # in the job's folder, for a trace of the user's own


def injected(submit: Submit) -> tuple[PreemptAt, ...]:
    """The preemptions that are injected: those asked for, else those of the job file."""
    return submit.workload.rehearse.preempt_at if submit.preempt_at is None else submit.preempt_at


def asked_trace(submit: Submit) -> SpotTrace | None:
    """The trace that is to be replayed; None without one, and where injected preemptions replace it.

    Raises:
        NotFound: ``trace-unknown``, with the nearest names.
        BadInput: the file is no trace, or is damaged.
    """
    trace = read_trace(submit.trace) if submit.trace else None
    return None if injected(submit) else trace


def setting(submit: Submit, trace: SpotTrace | None, hours: float) -> dict[str, Any] | None:
    """``settings.trace`` of the job: which trace, from which tick on, how fast. ``hours``: how long its window is."""
    if trace is None or submit.trace is None:
        return None
    file = None if submit.trace in traces() else Path(submit.trace).name
    return {
        "name": trace.name, "file": file, "seed": submit.seed,
        "start_tick": start_ticks(trace, hours, submit.seed)[0], "hours": hours, "speed": submit.trace_speed or "auto",
    }  # fmt: skip


def window_hours(workload: Workload, plan: dict[str, Any], now: datetime) -> float:
    """How long a piece of the trace the job may take: until its deadline, or so much more than its plan's hours."""
    schedule = workload.schedule
    if schedule.deadline_seconds is not None:
        return schedule.deadline_seconds / 3600
    if schedule.deadline_at is not None:
        return max((schedule.deadline_at - now).total_seconds() / 3600, 0.0)
    hours = plan["chosen"]["hours"]  # null where the file does not say how long the work is
    return float(hours["value"]) * STRETCH if hours else UNKNOWN_HOURS


def keep(submit: Submit, kept: Mapping[str, Any] | None, folder: Path) -> None:
    """Copy a file of the user's into the job's folder, so that a resume needs nothing outside."""
    if submit.trace and kept and kept["file"]:
        (folder / FOLDER).mkdir()
        shutil.copyfile(submit.trace, folder / FOLDER / kept["file"])


def kept_trace(kept: Mapping[str, Any], folder: Path) -> SpotTrace:
    """The trace that ``settings.trace`` of a job speaks of; ``folder``: the job's own."""
    return _read(str(folder / FOLDER / kept["file"]) if kept["file"] else kept["name"])


@lru_cache(maxsize=16)
def _read(name: str) -> SpotTrace:
    return read_trace(name)
