"""What goes wrong in the lab: one vocabulary for all clouds, ordered by a test or over the control socket.

A fault is met by requests, counted by operation; a condition holds for all requests of a cloud; a deed is done to one
machine. ``control_socket`` takes the same orders from another process.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol, get_args

BootFault = Literal["boots-never", "boots-without-ssh", "host-key-changes"]
# error-*: 5xx. Nothing was done: -before, dropped; it was: -after, lost-answer. dropped, lost-answer: without a word.
Kind = (
    Literal[
        "capacity", "quota", "money", "auth", "throttle", "price-cap", "error-before", "error-after", "lost-answer",
        "dropped", "gateway-page", "async-failure", "vanishes",
    ]
    | BootFault
)  # fmt: skip
BOOT_FAULTS: frozenset[BootFault] = frozenset(get_args(BootFault))
KINDS = frozenset(kind for part in get_args(Kind) for kind in get_args(part))
EVERY = "*"


@dataclass(frozen=True, slots=True)
class Fault:
    """What the ``nth`` request from now on meets that matches; and the ``times`` - 1 after it (0: all after it).

    ``seconds``: Retry-After of a throttle, delay of a failure that comes later; ``code``: instead of the usual one.
    """

    kind: Kind
    cloud: str = EVERY
    operation: str = EVERY
    nth: int = 1
    times: int = 1
    seconds: float | None = None
    region: str | None = None
    zone: str | None = None
    code: str | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"no fault is called {self.kind!r}; there are {', '.join(sorted(KINDS))}")


@dataclass(frozen=True, slots=True)
class Conditions:
    """Seconds: how late a cloud's list is, how long a change of state takes, how far its clock is ahead."""

    list_lag_s: float = 0.0
    state_delay_s: float = 0.0
    clock_skew_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Recorded:
    """One request that a cloud was asked."""

    cloud: str
    operation: str
    region: str | None
    met: str | None


class Deeds(Protocol):
    """What a cloud does to machines of its own will. KeyError: there is no such machine."""

    def instances(self) -> list[dict[str, str]]:
        """Each machine that it remembers: ``id``, ``state``, ``region``, ``zone``, ``address`` at least."""
        ...

    def reclaim(self, id_: str, notice_s: float | None) -> None:
        """Take a machine away: announced to it so many seconds before, or at once."""
        ...

    def rebalance(self, id_: str) -> None:
        """Tell a machine that it is likelier to be reclaimed than others."""
        ...

    def vanish(self, id_: str) -> None:
        """Lose a machine: gone, and nobody says why."""
        ...

    def change_host_key(self, id_: str) -> None:
        """Let another host key answer for a machine."""
        ...


@dataclass
class _Pending:
    fault: Fault
    seen: int = 0

    def over(self) -> bool:
        return self.fault.times > 0 and self.seen >= self.fault.nth + self.fault.times - 1


@dataclass
class Control:
    """The lab's will; thread-safe. ``recorded`` are all requests so far, in order."""

    recorded: list[Recorded] = field(default_factory=list)
    _pending: list[_Pending] = field(default_factory=list)
    _conditions: dict[str, Conditions] = field(default_factory=dict)
    _deeds: dict[str, Deeds] = field(default_factory=dict)
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def register(self, cloud: str, deeds: Deeds) -> None:
        """Say who does deeds to the machines of a cloud."""
        self._deeds[cloud] = deeds

    def add(self, fault: Fault) -> None:
        """Let requests from now on meet a fault."""
        with self._lock:
            self._pending.append(_Pending(fault))

    def clear(self) -> None:
        """No faults and no conditions any more."""
        with self._lock:
            self._pending.clear()
            self._conditions.clear()

    def set(self, cloud: str, **conditions: float) -> None:
        """Change how a cloud is (:class:`Conditions`)."""
        with self._lock:
            self._conditions[cloud] = replace(self.conditions(cloud), **conditions)

    def conditions(self, cloud: str) -> Conditions:
        """How a cloud is."""
        with self._lock:
            return self._conditions.get(cloud, Conditions())

    def meet(self, cloud: str, operation: str, region: str | None = None, zone: str | None = None) -> Fault | None:
        """What this request meets; asked once a request, before anything is done. ``zone``: where a launch goes."""
        with self._lock:
            met = self._met(cloud, operation, region, zone)
            self.recorded.append(Recorded(cloud, operation, region, met.kind if met else None))
            return met

    def _met(self, cloud: str, operation: str, region: str | None, zone: str | None) -> Fault | None:
        met = None
        for pending in self._pending:
            fault = pending.fault
            if (
                fault.cloud in (EVERY, cloud)
                and fault.operation in (EVERY, operation)
                and fault.region in (None, region)
                and fault.zone in (None, zone)
            ):
                pending.seen += 1
                met = met or (fault if pending.seen >= fault.nth else None)
        self._pending = [each for each in self._pending if not each.over()]
        return met

    def instances(self) -> list[dict[str, str]]:
        """All machines of all clouds."""
        return [{"cloud": cloud, **each} for cloud, deeds in self._deeds.items() for each in deeds.instances()]

    def reclaim(self, id_: str, notice_s: float | None = None) -> None:
        """Take a spot machine back, announced to it so many seconds before; None: unannounced."""
        self._do(lambda deeds: deeds.reclaim(id_, notice_s))

    def rebalance(self, id_: str) -> None:
        """Tell a machine that it is likelier to be reclaimed than others."""
        self._do(lambda deeds: deeds.rebalance(id_))

    def vanish(self, id_: str) -> None:
        """Lose a machine."""
        self._do(lambda deeds: deeds.vanish(id_))

    def change_host_key(self, id_: str) -> None:
        """Let another host key answer for a machine."""
        self._do(lambda deeds: deeds.change_host_key(id_))

    def _do(self, deed: Callable[[Deeds], None]) -> None:
        for deeds in self._deeds.values():
            try:
                return deed(deeds)
            except KeyError:
                continue
        raise KeyError("no cloud of this lab has such a machine")
