"""What steps of a workload really took: by GPU and micro-batch, kept in the home, one line of JSON each.

    calibrate ─┐
    a job that ended ─┴─▶ Lesson ─▶ calibrations.jsonl ─▶ of(subject) ─▶ anchors of later sizes

A lesson is of a *subject*: the model and all of how it is trained but the batch. One that was learnt without a GPU is
kept, and told, but says nothing of GPUs; it says what a rehearsal takes where it was learnt (``app.expected``).
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from tradewind.domain.gpus import resolve

if TYPE_CHECKING:
    from tradewind.domain.records import Job
    from tradewind.domain.workload import Workload

NOT_OF_A_STEP = ("batch_size", "micro_batch", "samples", "epochs", "sample_bytes", "strategy")


@dataclass(frozen=True, slots=True)
class Lesson:
    """A step that was measured.

    Attributes:
        subject: of :func:`subject`.
        gpu: canonical id; None: it ran without a GPU that is known. ``device``: its own name, or the processor's.
        peak_memory_gib: allocated at most on the fullest GPU; None: not told.
        steps: so many were measured; ``job`` ran them; ``at``: ISO 8601.
        start_seconds: from the order of a machine to the end of its first step, on average; None: not seen.
        end_seconds: from its last step until nothing of it was left; None: not seen.
        on: the user's machine that ran them; None: this computer.
    """

    subject: str
    gpu: str | None
    device: str
    gpus: int
    micro_batch: int
    step_seconds: float
    peak_memory_gib: float | None
    steps: int
    job: str
    at: str
    start_seconds: float | None = None
    end_seconds: float | None = None
    on: str | None = None

    def to_json(self) -> dict[str, Any]:
        """All fields by name."""
        return asdict(self)


def subject(workload: Workload) -> str:
    """A digest of what a step of the workload is, whatever its batch; the text of an entry point's module counts."""
    training = {name: str(getattr(workload.training, name)) for name in workload.training.__slots__
                if name not in NOT_OF_A_STEP}  # fmt: skip
    model = workload.model
    what = asdict(model) if model else {"run": workload.run, "workdir": workload.workdir}
    told = {"model": what, "training": training, "code": _code(workload)}
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:20]


def rehearsed(workload: Workload) -> str:
    """A digest of what a step of the workload's rehearsal is: one of ``run``, unless ``rehearse.run`` stands in."""
    if workload.rehearse.run is None:
        return subject(workload)
    return subject(replace(workload, model=None, run=workload.rehearse.run))


def _code(workload: Workload) -> str | None:
    """A digest of the module that an entry point names; None where there is none."""
    reference = workload.model.reference if workload.model else None
    if not reference or not reference.startswith("entrypoint:"):
        return None
    module = reference.removeprefix("entrypoint:").rpartition(":")[0].removesuffix(".py").replace(".", "/")
    try:
        text = (Path(workload.workdir) / f"{module}.py").read_bytes()
    except OSError:
        return None
    return hashlib.sha256(text).hexdigest()


def learnt(job: Job, at: str) -> Lesson | None:
    """What a job teaches; None when it measured too little, was another run's rehearsal, or has no batch size."""
    from tradewind.jobs.measure import measured_step_seconds

    about, seconds = job.settings.get("teaches"), measured_step_seconds(job)
    training = job.workload.get("training", {})
    batch = training.get("micro_batch") or training.get("batch_size")
    if not about or seconds is None or not batch:
        return None
    steps = int(job.measures.get("steps", 0)) + int(job.measures.get("attempt_steps") or 0)
    return of_measures(about, job, batch, seconds, steps, at)


def of_measures(about: str, job: Job, micro_batch: int, seconds: float, steps: int, at: str) -> Lesson:
    """The lesson of what an ended job's training told: ``gpu`` and ``gpu_mem_mb``, where it ran on one."""
    measures = job.measures
    name, memory, starts = measures.get("gpu"), measures.get("gpu_mem_mb"), measures.get("starts")
    known = resolve(name) if name else None
    return Lesson(
        subject=about, gpu=known[0] if known else None, device=name or processor(), gpus=1, micro_batch=micro_batch,
        step_seconds=round(seconds, 6), peak_memory_gib=round(memory * 1e6 / 2**30, 4) if memory else None,
        steps=steps, job=job.id, at=at, start_seconds=round(fmean(starts), 3) if starts else None,
        end_seconds=_end_seconds(job), on=job.account.partition(":")[2] or None,
    )  # fmt: skip


def _end_seconds(job: Job) -> float | None:
    last = (job.progress or {}).get("updated_at")
    if job.ended_at is None or last is None:
        return None
    return round(max((job.ended_at - datetime.fromisoformat(last)).total_seconds(), 0.0), 3)


def processor() -> str:
    """The name of this computer's processor, with its cores."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
        name = next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        name = platform.processor() or platform.machine()
    return f"{name}, {os.cpu_count()} cores"


def keep(path: Path, lesson: Lesson) -> None:
    """Append a lesson, whole or not at all; one that is there already is not kept twice."""
    if lesson in _all(path):
        return
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(file, (json.dumps(lesson.to_json()) + "\n").encode())
    finally:
        os.close(file)


def of(path: Path, about: str) -> tuple[Lesson, ...]:
    """The lessons about a subject, of each device and micro-batch the newest."""
    found = {(each.on, each.device, each.gpus, each.micro_batch): each for each in _all(path) if each.subject == about}
    return tuple(found.values())


def _all(path: Path) -> Iterable[Lesson]:
    """Every lesson, the oldest first; a line that cannot be read is none."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ()
    found = []
    for line in lines:
        try:
            found.append(Lesson(**json.loads(line)))
        except (ValueError, TypeError):
            continue
    return found
