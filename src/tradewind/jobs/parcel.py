"""The parcel of an attempt: the spec that its agent carries out, and what travels with it."""

from __future__ import annotations

import json
from pathlib import Path

from tradewind.domain.records import Attempt, Job, Lease
from tradewind.jobs.pools import notice_seconds
from tradewind.jobs.room import Room, instance_of
from tradewind.ports.transport import Parcel
from tradewind.wire.spec import Spec

FENCE, FENCED_BY = "FENCE", "FENCED-BY"


def parcel_of(room: Room, job: Job, attempt: Attempt, lease: Lease) -> Parcel:
    """What is put on the node for this attempt."""
    folder = room.job_folder(job.id)
    return Parcel(
        spec=spec_of(room, job, attempt, lease).to_json(), work=folder / "work.tar.gz", agent=room.agent,
        library=room.library, secrets=_secrets(folder),
    )  # fmt: skip


def spec_of(room: Room, job: Job, attempt: Attempt, lease: Lease) -> Spec:
    """The attempt's work in the agent's words."""
    workload, settings = job.workload, job.settings
    checkpoint = workload.get("checkpoint", {})
    compute = room.leasing.accounts[lease.account].compute
    return Spec(
        key=f"{job.id}/{job.epoch}", job=job.id, epoch=job.epoch, attempt=attempt.attempt,
        run=settings["run"], setup=workload.get("setup") or "", env=dict(settings["env"]),
        outputs=list(workload.get("outputs", [])), checkpoint_dir=checkpoint.get("path", "./checkpoints"),
        checkpoint_every=str(checkpoint.get("every", "auto")), store=str(store_folder(room, job)),
        notice=compute.notice_probe(instance_of(lease)), notice_seconds=notice_seconds(job, lease),
        hard_end=lease.hard_end.timestamp(), secrets_path="secrets" if workload.get("secrets") else "",
    )  # fmt: skip


def store_folder(room: Room, job: Job) -> Path:
    """Where the job's checkpoints outlive its nodes; in a store that jobs share, a folder of its own."""
    given = job.settings.get("store")
    return Path(given) / job.id if given else room.job_folder(job.id) / "checkpoints"


def fence(room: Room, job: Job, lease: Lease) -> int | None:
    """From here on an older epoch may not publish a checkpoint: its agent reads this before it does.

    Returns the epoch that stands there already when it may not be lowered or begun again: a later attempt ran, of which
    an older copy of the database knows nothing. None: the job's epoch is fenced for this lease.
    """
    folder = store_folder(room, job)
    folder.mkdir(parents=True, exist_ok=True)
    newest, by = int(_read(folder / FENCE) or 0), _read(folder / FENCED_BY)
    if newest > job.epoch or (newest == job.epoch and by not in (None, lease.id)):
        return newest
    for name, text in ((FENCED_BY, lease.id), (FENCE, str(job.epoch))):
        draft = folder / f".{name}"
        draft.write_text(f"{text}\n")
        draft.replace(folder / name)
    return None


def _read(path: Path) -> str | None:
    try:
        return path.read_text().strip()
    except FileNotFoundError:
        return None


def _secrets(folder: Path) -> dict[str, str]:
    path = folder / "secrets.json"
    if not path.exists():
        return {}
    value: dict[str, str] = json.loads(path.read_text())
    return value
