"""Removing a machine: nothing of ours stays on it, and nothing that runs there is ended silently."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tradewind.app.machines.answering import Answer, refused
from tradewind.app.machines.checking import accounts_on
from tradewind.domain.errors import BadInput
from tradewind.domain.machine import Machine
from tradewind.domain.records import Job, Lease
from tradewind.leasing import tags
from tradewind.ports.host import Host, HostRefused
from tradewind.ports.transport import Unreachable
from tradewind.store import records

if TYPE_CHECKING:
    from tradewind.app.inside import Inside

REMOVE_SECONDS = 120.0  # processes that will not end, and a large folder, take their time
AUTHORIZED = "~/.ssh/authorized_keys"


def remove(inside: Inside, name: str, *, force: bool) -> Answer:
    """The answer of ``remove``; raises as the interface says.

    With ``force`` a host that does not answer is given up with what is on it. What runs there ends at its hard end;
    rows of jobs that were stopped are closed, since the account is empty from then on.
    """
    machine = inside.registry.require(name)
    _require_idle(inside, machine, wanted_only=force)
    host = inside.reach.road(machine)
    folder = f"{machine.folder or '~/.tradewind-node'}/{inside.settings.installation()}"
    told: Answer = {"name": name, "target": machine.target, "own_key": "left" if machine.own_key else None}
    try:
        _require_ours_idle(inside, machine, host)
        if machine.own_key:
            lock_out(inside, host)
            told["own_key"] = "taken-out"
        removed = host.ask("remove", {}, REMOVE_SECONDS)["removed"]
    except (Unreachable, HostRefused) as fault:
        if not force:
            raise refused(fault, machine.target) from fault
        left = [folder, *([AUTHORIZED] if told["own_key"] == "left" else [])]
        told |= {"reached": isinstance(fault, HostRefused), "removed": [], "left": left}
    else:
        told |= {"reached": True, "removed": removed, "left": [] if removed else [folder]}
    inside.registry.retire(name, inside.clock.now())
    inside.reach.forget(machine)
    return told


def lock_out(inside: Inside, host: Host) -> None:
    """Take the key of this installation out of what lets in there.

    Raises:
        HostRefused, Unreachable: it is not known to be done.
    """
    from tradewind.nodes.ssh.login import public_key, remove_own_key

    remove_own_key(host, public_key(inside.settings.own_key))


def _require_idle(inside: Inside, machine: Machine, *, wanted_only: bool) -> None:
    """Nothing, when no lease is open there and no job can run there only."""
    accounts = accounts_on(machine.name)
    with inside.db.read() as db:
        leases = [each for each in records.leases(db, open_only=True) if each.account in accounts]
        jobs = [each for each in records.jobs(db, open_only=True) if each.wanted and _bound(each, accounts)]
    _refuse(machine, [each for each in leases if each.wanted or not wanted_only], jobs)


def _bound(job: Job, accounts: tuple[str, ...]) -> bool:
    """Whether all places where a job may rent are there."""
    pools = job.settings.get("pools") or [{}]
    return all(pool.get("account", job.account) in accounts for pool in pools)


def _require_ours_idle(inside: Inside, machine: Machine, host: Host) -> None:
    """Nothing, when none of our open leases is on the host under another of its names."""
    there = [told for each in host.ask("instances", {"ids": None})["instances"] if (told := tags.read(each["tags"]))]
    with inside.db.read() as db:
        found = {each.id: each for each in records.leases(db, open_only=True)}
    accounts = accounts_on(machine.name)
    _refuse(machine, [found[told.lease] for told in there if told.lease in found and told.account not in accounts], [])


def _refuse(machine: Machine, leases: list[Lease], jobs: list[Job]) -> None:
    names = dict.fromkeys([*(each.job for each in leases), *(each.id for each in jobs)])
    if names:
        raise BadInput("machine-in-use", name=machine.name, jobs=", ".join(names))
