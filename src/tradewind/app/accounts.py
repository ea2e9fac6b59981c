"""Accounts: what can be rented from, by name, as the user's machines come and go while a process runs.

local                  this computer            rehearsal          this computer, as the planned offer
machines:NAME          a machine of the user's  rehearsal:NAME     that one, as the planned offer
aws:us-east-1          a region of a cloud      aws:us-east-1:network   the network of ours there (``clouds.accounts``)
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import TYPE_CHECKING

from tradewind.domain.errors import BadInput

if TYPE_CHECKING:
    from tradewind.app.clouds.accounts import CloudAccounts
    from tradewind.app.machines.reaching import Reach
    from tradewind.app.machines.registry import Registry
    from tradewind.clouds.rehearsal.compute import Reclaiming
    from tradewind.domain.machine import Machine
    from tradewind.leasing.room import Account
    from tradewind.ports.clock import Clock
    from tradewind.ports.compute import Compute

LOCAL, REHEARSAL, MACHINES = "local", "rehearsal", "machines"
HERE = (LOCAL, REHEARSAL)  # those on this computer


def account_of(kind: str, machine: str) -> str:
    """The name of an account on a machine."""
    return f"{kind}:{machine}"


def kind_of(account: str) -> str:
    """Of which kind an account is: one of the three above, or the cloud's name."""
    return account.partition(":")[0]


def region_of(account: str) -> str | None:
    """The region of a cloud that an account rents in; None of one that is no cloud's."""
    kind, _, rest = account.partition(":")
    return rest.partition(":")[0] or None if kind not in (LOCAL, REHEARSAL, MACHINES) else None


class Accounts(Mapping[str, "Account"]):
    """The accounts there are now.

    A rehearsal's account on a machine is among them once a lease names it, so that hosts on which nobody rehearses are
    listed once; asked for by name it is always there. So is the account of a machine that was removed: an empty place.

    Args:
        here: the accounts on this computer.
        rehearsing: the cloud that wears planned offers, over one that can reclaim.
        clouds: the accounts at clouds.
        named: the accounts that leases were rented by lately.
    """

    def __init__(
        self,
        here: Mapping[str, Account],
        registry: Registry,
        reach: Reach,
        rehearsing: Callable[[Reclaiming], Compute],
        clouds: CloudAccounts,
        named: Callable[[], Collection[str]],
        clock: Clock,
    ) -> None:
        self._here = here
        self._registry = registry
        self._reach = reach
        self._rehearsing = rehearsing
        self._clouds = clouds
        self._named = named
        self._clock = clock
        self._lock = threading.Lock()
        self._made: dict[str, tuple[Machine, Account]] = {}

    def __getitem__(self, name: str) -> Account:
        if name in self._here:
            return self._here[name]
        kind, _, of = name.partition(":")
        if kind not in (REHEARSAL, MACHINES):
            return self._clouds.open(name)
        try:
            machine = self._registry.get(of)
        except BadInput as error:  # what is damaged is not known to be gone either
            raise KeyError(name) from error
        if machine is not None:
            return self._account(name, kind, machine)
        if of in self._registry.removed():
            return self._removed(of)
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        yield from self._here
        names = self._registry.names()
        self._let_go(names)
        yield from (account_of(MACHINES, each) for each in names)
        rehearsed = {account_of(REHEARSAL, each) for each in names}
        yield from sorted(rehearsed.intersection(self._named())) if rehearsed else ()
        yield from self._clouds.names()

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, name: object) -> bool:
        kind, _, of = str(name).partition(":")
        if not of:
            return name in self._here
        if kind not in (MACHINES, REHEARSAL):
            return name in self._clouds.names()
        return of in self._registry.names() and (kind == MACHINES or str(name) in self._named())

    def retired(self) -> frozenset[str]:
        """The accounts of machines that were removed: nobody asks there any more."""
        return frozenset(account_of(kind, each) for each in self._registry.removed() for kind in (MACHINES, REHEARSAL))

    def _account(self, name: str, kind: str, machine: Machine) -> Account:
        from tradewind.clouds.machines.compute import MachinesCompute
        from tradewind.leasing.breaker import Guarded
        from tradewind.leasing.room import Account

        with self._lock:
            made = self._made.get(name)
            if made is not None and self._reach.address(made[0]) != self._reach.address(machine):
                self._reach.forget(made[0])
            if made is None or made[0] != machine:
                inner = MachinesCompute(machine, self._reach.road(machine), self._clock)
                compute = self._rehearsing(inner) if kind == REHEARSAL else inner
                account = Account(Guarded(compute, self._clock), self._reach.transport(machine))
                made = self._made[name] = machine, account
            return made[1]

    def _let_go(self, names: tuple[str, ...]) -> None:
        """Drop what was made for machines that were removed, and the roads to them."""
        with self._lock:
            for name in [each for each in self._made if each.partition(":")[2] not in names]:
                self._reach.forget(self._made.pop(name)[0])

    def _removed(self, machine: str) -> Account:
        from tradewind.app.machines.removed import RemovedCompute
        from tradewind.clouds.machines.compute import CAPABILITIES
        from tradewind.leasing.room import Account

        return Account(RemovedCompute(machine, CAPABILITIES, self._clock), self._reach.nowhere(machine))
