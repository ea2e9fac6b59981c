"""The parcel of an attempt: the spec that its agent carries out, and what travels with it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tradewind.domain.records import Attempt, Job, Lease
from tradewind.jobs.pools import notice_seconds
from tradewind.jobs.room import Room, instance_of
from tradewind.ports.transport import Parcel
from tradewind.wire.spec import Spec

FENCE, FENCED_BY = "FENCE", "FENCED-BY"
_CONTAINER = "docker:"


def parcel_of(room: Room, job: Job, attempt: Attempt, lease: Lease) -> Parcel:
    """What is put on the node for this attempt."""
    return Parcel(
        spec=spec_of(room, job, attempt, lease).to_json(), work=room.job_folder(job.id) / "work.tar", agent=room.agent,
        library=room.library, store=store_folder(room, job), secrets=secrets_of(room, job),
    )  # fmt: skip


def spec_of(room: Room, job: Job, attempt: Attempt, lease: Lease) -> Spec:
    """The attempt's work in the agent's words."""
    workload, settings, instance = job.workload, job.settings, instance_of(lease)
    checkpoint = workload.get("checkpoint", {})
    compute = room.leasing.accounts[lease.account].compute
    return Spec(
        key=f"{job.id}/{job.epoch}", job=job.id, epoch=job.epoch, attempt=attempt.attempt,
        run=settings["run"], setup=workload.get("setup") or "", env=dict(settings["env"]),
        host_environment=compute.caps.host_environment, secrets=list(secret_names(job)), image=image_of(workload),
        mounts=mounts_of(workload), outputs=list(workload.get("outputs", [])),
        checkpoint_dir=checkpoint.get("path", "./checkpoints"),
        checkpoint_every=str(checkpoint.get("every", "auto")),
        store=room.transport(lease).store(instance, store_folder(room, job)),
        notice=compute.notice_probe(instance), notice_seconds=notice_seconds(job, lease),
        hard_end=lease.hard_end.timestamp(),
    )  # fmt: skip


def image_of(workload: Mapping[str, Any]) -> str:
    """The container image that the job names; empty when it names none, or a machine's."""
    image: str = workload.get("image") or ""
    return image.removeprefix(_CONTAINER) if image.startswith(_CONTAINER) else ""


def mounts_of(workload: Mapping[str, Any]) -> list[dict[str, str]]:
    """The job's data that lie in folders of the node, as its container sees them."""
    named = ((_folder(each["source"]), each["path"]) for each in workload.get("data", []))
    return [{"source": source, "target": target} for source, target in named if source]


def _folder(source: str) -> str | None:
    """A folder by its path or ``file://`` address; None for anything that lies elsewhere."""
    path = source.removeprefix("file://")
    return path if path.startswith("/") else None


def secret_names(job: Job) -> tuple[str, ...]:
    """Names of the secrets that the job needs."""
    return tuple(job.workload.get("secrets") or ())


def secrets_of(room: Room, job: Job) -> Mapping[str, str]:
    """The job's secrets; none when some are missing: who needs them says so."""
    return room.secrets.of(job.id, secret_names(job)) or {}


def secrets_lacking(room: Room, job: Job) -> str | None:
    """That secrets of the job are not at hand, as a reason; None when all are."""
    missing = room.secrets.missing(job.id, secret_names(job))
    return f"secrets-missing names={', '.join(missing)!r}" if missing else None


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
