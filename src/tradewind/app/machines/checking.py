"""Checking machines: what a host says of itself, what that means for jobs, and who uses its GPUs now."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from tradewind.app.accounts import MACHINES, REHEARSAL, account_of
from tradewind.app.machines.answering import Answer, gpus_json, machine_json, refused
from tradewind.app.machines.findings import findings
from tradewind.app.views.values import instant
from tradewind.domain.machine import Machine
from tradewind.leasing import tags
from tradewind.ports.host import Host, HostRefused
from tradewind.ports.transport import Unreachable
from tradewind.store import records

if TYPE_CHECKING:
    from tradewind.app.inside import Inside

AT_ONCE = 16  # hosts that are asked at the same time
LIST_SECONDS = 8.0  # for a host that must first be logged in to
CHECK_SECONDS = 60.0  # nvidia-smi and a container engine may be slow
T = TypeVar("T")


def check(inside: Inside, machine: Machine) -> Answer:
    """One element of ``check``; what was found is kept with the machine."""
    told = {"machine": machine.name, "target": machine.target, "checked_at": machine.facts.get("checked_at")}
    try:
        host = inside.reach.road(machine)
        facts = facts_of(inside, host)
        jobs = jobs_by_gpu(host)
    except (Unreachable, HostRefused) as fault:
        error = refused(fault, machine.target)
        return {**told, "facts": None, "gpus": gpus_json(machine, machine.facts.get("gpus") or {}, None),
                "findings": [], "error": {"code": error.code, "facts": error.facts}}  # fmt: skip
    keep(inside, machine.name, facts)
    return {**told, **of_facts(machine, facts, jobs, host.skew_s)}


def of_facts(machine: Machine, facts: dict[str, Any], jobs: dict[str, Answer], skew_s: float) -> Answer:
    """What a check says once the host has answered."""
    gpus = gpus_json(machine, facts.get("gpus") or {}, jobs)
    found = findings(facts, gpus or (), skew_s)
    return {
        "checked_at": facts["checked_at"], "facts": facts, "gpus": gpus,
        "findings": [each.to_json() for each in found], "error": None,
    }  # fmt: skip


def facts_of(inside: Inside, host: Host) -> dict[str, Any]:
    """What the host says of itself now.

    Raises:
        HostRefused, Unreachable: it does not.
    """
    return {**host.ask("facts", {}, CHECK_SECONDS), "checked_at": instant(inside.clock.now())}


def keep(inside: Inside, name: str, facts: dict[str, Any]) -> None:
    """Keep what was found with the machine, if it is still there; GPUs that could not be seen stay as they were."""
    machine = inside.registry.get(name)
    if machine is None:
        return
    if (facts.get("gpus") or {}).get("unknown") and machine.facts.get("gpus"):
        facts = {**facts, "gpus": machine.facts["gpus"]}
    inside.registry.write(replace(machine, facts=facts))


def jobs_by_gpu(host: Host, timeout_s: float = 30.0) -> dict[str, Answer]:
    """The jobs of ours that have GPUs on the host, ``{"job"}`` by the GPU's uuid.

    Raises:
        HostRefused, Unreachable: it does not tell.
    """
    running = [each for each in host.ask("instances", {"ids": None}, timeout_s)["instances"] if each["state"] != "gone"]
    told = ((each, tags.read(each["tags"])) for each in running)
    return {gpu["uuid"]: {"job": of.job} for each, of in told if of for gpu in each["gpus"]}


def listed(inside: Inside, machines: Sequence[Machine]) -> list[Answer]:
    """The answer of ``list``."""
    jobs = jobs_on(inside, machines)
    return asked_at_once(lambda each: seen(inside, each, jobs[each.name]), machines)


def seen(inside: Inside, machine: Machine, jobs: Sequence[Answer]) -> Answer:
    """A machine as it is now; of one that does not answer what was last known. ``jobs``: those with a lease there."""
    from tradewind.nodes.ssh.keys import fingerprint

    told = machine_json(machine, jobs, [fingerprint(each) for each in machine.host_keys])
    names = {each["job"]: each["name"] for each in jobs}
    try:
        host = inside.reach.road(machine)
        gpus, ours = host.ask("gpus", {}, LIST_SECONDS), jobs_by_gpu(host, LIST_SECONDS)
    except (Unreachable, HostRefused) as fault:
        error = refused(fault, machine.target)
        state = "away" if isinstance(fault, Unreachable) else "unknown"
        known = gpus_json(machine, machine.facts.get("gpus") or {}, None) if machine.facts else None
        return {**told, "state": state, "why": {"code": error.code, "facts": error.facts}, "gpus": known}
    named = {uuid: {**each, "name": names.get(each["job"])} for uuid, each in ours.items()}
    return {**told, "state": "reachable", "why": None, "gpus": gpus_json(machine, gpus, named)}


def jobs_on(inside: Inside, machines: Sequence[Machine]) -> dict[str, list[Answer]]:
    """By machine the jobs that have something open there."""
    with inside.db.read() as db:
        found = records.leases(db, open_only=True)
        jobs = {each: records.job(db, each) for each in {lease.job for lease in found}}
    told: dict[str, list[Answer]] = {each.name: [] for each in machines}
    for lease in found:
        job, (kind, _, name) = jobs[lease.job], lease.account.partition(":")
        if kind in (MACHINES, REHEARSAL) and name in told:
            told[name].append({
                "job": lease.job, "name": job.name if job else None, "lease": lease.id, "state": lease.state.value,
                "gpus": lease.offer["gpus"],
            })  # fmt: skip
    return told


def asked_at_once(ask: Callable[[Machine], T], machines: Iterable[Machine]) -> list[T]:
    """An answer for each machine, in their order; a few are asked at the same time."""
    with ThreadPoolExecutor(AT_ONCE, "machines") as pool:
        return list(pool.map(ask, machines))


def accounts_on(name: str) -> tuple[str, str]:
    """The accounts on a machine."""
    return account_of(MACHINES, name), account_of(REHEARSAL, name)
