"""The machines of one account at one cloud: what each is now, what time makes of it, and what its cloud does to it."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from lab.control import BOOT_FAULTS, Control, Fault
from lab.machines import Guest, Machines


class Phase(StrEnum):
    """What a machine is; each cloud has its own words for it."""

    PENDING = "pending"
    STARTING = "starting"
    RUNNING = "running"
    STOPPING = "stopping"
    STOPPED = "stopped"
    ENDING = "ending"
    ENDED = "ended"


@dataclass
class Rented:
    """A machine. ``course``: what it is from when on, past and to come; ``told``: what its cloud keeps of the request.

    ``number`` grows from machine to machine; ``why`` it ended: ours, itself, expired, reclaimed, capacity; None: nobody
    says.
    """

    number: int
    guest: Guest
    address: str
    machine_type: str
    spot: bool
    tags: dict[str, str]
    launched_at: datetime
    course: list[tuple[datetime, Phase]]
    hard_end: datetime | None = None
    told: dict[str, Any] = field(default_factory=dict)
    frees_compute: bool = False
    reclaim_at: datetime | None = None
    lost_at: datetime | None = None
    why: str | None = None

    @property
    def id(self) -> str:
        """The cloud's name for it."""
        return self.guest.id

    def phase(self, now: datetime) -> Phase:
        """What it is at ``now``."""
        return next((phase for at, phase in reversed(self.course) if at <= now), Phase.PENDING)

    def occupies(self) -> bool:
        """Whether it takes up what others could rent."""
        return not self.frees_compute and self.course[-1][1] not in (Phase.ENDING, Phase.ENDED)


class Fleet:
    """All of them; thread-safe by ``lock``. It does the deeds that the lab's control orders.

    Args:
        cloud: its name, by which ``control`` tells how it is.
        machines: boots and ends what is rented.
        now: the cloud's clock.
        on_end: is told of each machine that is over, with the lock held.
    """

    def __init__(
        self, cloud: str, machines: Machines, control: Control, now: Callable[[], datetime],
        on_end: Callable[[Rented], None],
    ) -> None:  # fmt: skip
        self.lock = threading.RLock()
        self._cloud, self._machines, self._control = cloud, machines, control
        self._now, self._on_end = now, on_end
        self._rented: dict[str, Rented] = {}
        self._launched = 0
        self._turned_off: deque[str] = deque()  # by themselves; filled from other threads

    def launch(
        self, guest: Guest, *, spot: bool, tags: dict[str, str], hard_end: datetime | None, told: dict[str, Any],
        fault: Fault | None,
    ) -> Rented:  # fmt: skip
        """Rent a machine, and boot it; ``fault`` is what befalls it later."""
        now, delay = self._now(), self._delay()
        kind = fault.kind if fault else None
        if kind in BOOT_FAULTS:
            guest = replace(guest, fault=kind)
        self._launched += 1
        rented = Rented(
            self._launched, guest, self._machines.boot(guest, self._turned_off.append), guest.instance_type, spot,
            tags, now, [(now, Phase.PENDING), (now + delay / 2, Phase.STARTING), (now + delay, Phase.RUNNING)],
            hard_end, told,
        )  # fmt: skip
        if fault and kind in ("async-failure", "vanishes"):
            rented.lost_at = now + timedelta(seconds=fault.seconds or 0)
            rented.why = "capacity" if kind == "async-failure" else None
        self._rented[guest.id] = rented
        return rented

    def all(self, region: str) -> list[Rented]:
        """Those of a region that are not over, oldest first; of no region: everywhere."""
        return [each for each in self._rented.values() if region in ("", each.guest.region) and not self._over(each)]

    def listed(self, region: str) -> list[Rented]:
        """Those that the cloud's list shows by now."""
        lag = timedelta(seconds=self._control.conditions(self._cloud).list_lag_s)
        return [each for each in self.all(region) if each.launched_at + lag <= self._now()]

    def get(self, id_: str, region: str) -> Rented | None:
        """One that is not over."""
        return next((each for each in self.all(region) if each.id == id_), None)

    def console(self, rented: Rented) -> bytes:
        """What it wrote while it booted."""
        return self._machines.console(rented.id)

    def end(self, rented: Rented, why: str | None = "ours") -> None:
        """Its end has begun, and is over when the cloud's delay is."""
        if rented.course[-1][1] is not Phase.ENDED:
            now = self._now()
            rented.why = why
            rented.course += [(now, Phase.ENDING), (now + self._delay(), Phase.ENDED)]
            self._machines.end(rented.id)
        self.settle()

    def stop(self, rented: Rented, *, frees_compute: bool) -> None:
        """Stop it; with ``frees_compute`` it costs only its disks."""
        now = self._now()
        rented.frees_compute = frees_compute
        rented.course += [(now, Phase.STOPPING), (now + self._delay(), Phase.STOPPED)]
        self._machines.stop(rented.id)

    def start(self, rented: Rented) -> None:
        """Start a stopped one."""
        now = self._now()
        rented.frees_compute = False
        rented.course += [(now, Phase.STARTING), (now + self._delay(), Phase.RUNNING)]
        self._machines.start(rented.id)

    def settle(self) -> None:
        """Do what is due by now: hard ends, announced reclaims, losses, machines that turned themselves off."""
        with self.lock:
            now = self._now()
            while self._turned_off:
                if rented := self._rented.get(self._turned_off.popleft()):
                    off = Phase.ENDED if rented.guest.shutdown == "terminate" else Phase.STOPPED
                    rented.course.append((now, off))
                    rented.why = "itself"
            for each in [each for each in self._rented.values() if each.course[-1][1] is not Phase.ENDED]:
                if each.lost_at and each.lost_at <= now:
                    self._lose(each, each.why)
                elif each.reclaim_at and each.reclaim_at <= now:
                    self.end(each, "reclaimed")
                elif each.hard_end and each.hard_end <= now:
                    self.end(each, "expired")
            for each in [each for each in self._rented.values() if self._over(each)]:
                del self._rented[each.id]
                self._machines.end(each.id)
                self._on_end(each)

    def _lose(self, rented: Rented, why: str | None) -> None:
        rented.why = why
        rented.course.append((self._now(), Phase.ENDED))

    def _over(self, rented: Rented) -> bool:
        return rented.phase(self._now()) is Phase.ENDED

    def _delay(self) -> timedelta:
        return timedelta(seconds=self._control.conditions(self._cloud).state_delay_s)

    def instances(self) -> list[dict[str, str]]:
        """What control tells of each."""
        with self.lock:
            now = self._now()
            return [
                {"id": each.id, "state": each.phase(now), "region": each.guest.region, "zone": each.guest.zone,
                 "address": each.address, "instance_type": each.machine_type,
                 "purchase": "spot" if each.spot else "on_demand"}
                for each in self._rented.values()
            ]  # fmt: skip

    def reclaim(self, id_: str, notice_s: float | None) -> None:
        """Take it back, announced to it so many seconds before, or at once."""
        with self.lock:
            rented = self._rented[id_]
            if notice_s is None:
                return self.end(rented, "reclaimed")
            rented.reclaim_at = self._now() + timedelta(seconds=notice_s)
            return self._machines.notice(id_, rented.reclaim_at)

    def rebalance(self, id_: str) -> None:
        """Tell it that it is likely to be reclaimed."""
        with self.lock:
            self._machines.notice(self._rented[id_].id, self._now(), "rebalance")

    def vanish(self, id_: str) -> None:
        """Lose it."""
        with self.lock:
            self._lose(self._rented[id_], None)
            self.settle()

    def change_host_key(self, id_: str) -> None:
        """Let another host key answer for it."""
        with self.lock:
            self._machines.change_host_key(self._rented[id_].id)
