"""The machines of the odd cloud, as they truly are: the bill, and how a listing shows them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from tradewind.ports.compute import Instance, InstanceState, Order

Why = Literal["reclaimed", "ours", "capacity", "quota", "host", "expired", "unknown"]


@dataclass
class Machine:
    """One machine that was made, paid for from ``since`` to ``until`` (true time).

    ``until`` stands from the beginning: the hard end, which the cloud keeps by itself; any other end comes earlier.

    Attributes:
        listed_from, listed_to: when lists show it.
        ending: its end was asked for and is under way.
        disks: what stays behind when it has ended.
        silent: from and to when nobody reaches it.
        agent_dies: when its agent ends by itself.
        leeway: by how much its bill may begin earlier or later: what is made of many parts begins with any of them.
    """

    id: str
    order: Order
    since: datetime
    boots: datetime
    until: datetime
    listed_from: datetime
    listed_to: datetime
    why: Why = "expired"
    ending: bool = False
    reclaim_at: datetime | None = None
    noticed_at: datetime | None = None
    disks: int = 0
    silent: tuple[datetime, datetime] | None = None
    agent_dies: datetime | None = None
    leeway: timedelta = timedelta(0)

    def lives(self, now: datetime) -> bool:
        """Whether it runs and is paid for."""
        return self.since <= now < self.until

    def ends(self, at: datetime, why: Why, listed_for: timedelta) -> None:
        """It ends at ``at``, unless it ended before."""
        if at < self.until:
            self.until, self.why, self.listed_to = at, why, at + listed_for

    def reclaim(self, now: datetime, notice: timedelta, listed_for: timedelta) -> None:
        """The cloud announces that it takes the machine back."""
        if self.reclaim_at is None and self.lives(now):
            self.noticed_at, self.reclaim_at = now, now + notice
            self.ends(now + notice, "reclaimed", listed_for)

    def answers(self, now: datetime) -> bool:
        """Whether somebody who calls it gets an answer."""
        quiet = self.silent is not None and self.silent[0] <= now < self.silent[1]
        return self.lives(now) and now >= self.boots and not quiet

    def shown(self, now: datetime, off: timedelta, region: str, stale: timedelta = timedelta(0)) -> Instance:
        """How a list shows it; ``off`` is the error of the cloud's clock, a ``stale`` list is that much behind."""
        gone = now - stale >= self.until
        announced = self.reclaim_at is not None and self.noticed_at is not None and now >= self.noticed_at
        return Instance(
            id=self.id, token=self.order.token, lease=self.order.lease, owner=self.order.owner,
            state=self._state(now - stale), why=self.why if gone else None, address=f"address-of-{self.id}",
            launched_at=self.since + off, ended_at=self.until + off if gone else None,
            reclaim_at=self.reclaim_at + off if announced and self.reclaim_at else None, tags=dict(self.order.tags),
            instance_type=self.order.instance_type, region=region, zone=self.order.zone, purchase=self.order.purchase,
        )  # fmt: skip

    def _state(self, now: datetime) -> InstanceState:
        if now >= self.until:
            return InstanceState.FAILED if self.why == "capacity" else InstanceState.GONE
        if self.ending:
            return InstanceState.TERMINATING
        return InstanceState.RUNNING if now >= self.boots else InstanceState.PENDING
