"""What goes wrong, as data: a schedule of faults that can be printed, and replayed from its text.

A fault is met by the n-th call of an operation: the methods of Compute (``launch``, ``find``, ``end``, ``leftovers``)
and of Transport (``reach``, ``start``, ``hear``, …), and ``machine``, which is drawn once for each machine made and
says its fate.

    any call     unsent  it never arrived         throttle, throttle-bare  slower, please (with and without a time)
                 unmade  lost on the way there    down  answered with an error      auth  refused for the key
                 lost  done, the answer is lost   delay  answered ``seconds`` later
    launch       capacity, quota, price_cap, money, invalid  refused      repeat, repeat-lost  acts twice
                 error-made, refused-made  an error, or a refusal, is answered, yet a machine is made
                 appears-late  the answer is lost, and the machine made ``seconds`` later
    find         incomplete  half of the list, said so
                 stale  what ended within ``seconds`` is still listed as running
    end          ignored  answered, nothing done      partly  only the first      slow  ended ``seconds`` later
                 disks  the machine ends, its disk stays until a second call
    machine      vanish  gone after ``seconds``, listed no more
                 reclaim  taken after ``seconds``, with the cloud's notice
                 fail  accepted, then failed for capacity after ``seconds``
                 silent  not reachable from ``seconds`` on, for a while
                 unlisted  missing from the list at first      agent-dies  its agent ends after ``seconds``
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from tradewind.ports.compute import CloudFault


@dataclass(frozen=True, slots=True)
class Fault:
    """At the ``nth`` call of ``op``, counted from 1, ``what`` happens."""

    op: str
    nth: int
    what: str
    seconds: float = 0.0


class Schedule(Protocol):
    """Where faults come from; ``met`` are those that happened, which are a schedule again."""

    met: list[Fault]

    def take(self, op: str) -> Fault | None:
        """The fault that this call of ``op`` meets."""
        ...


@dataclass
class Planned:
    """Faults that were planned, one by one."""

    faults: list[Fault] = field(default_factory=list)
    met: list[Fault] = field(default_factory=list)
    calls: Counter[str] = field(default_factory=Counter)

    def next(self, op: str, what: str, seconds: float = 0.0) -> None:
        """Plan a fault for the next call of ``op`` that has none yet."""
        taken = [each.nth for each in self.faults if each.op == op]
        self.faults.append(Fault(op, max([self.calls[op], *taken]) + 1, what, seconds))

    def take(self, op: str) -> Fault | None:
        self.calls[op] += 1
        found = next((each for each in self.faults if (each.op, each.nth) == (op, self.calls[op])), None)
        if found is not None:
            self.met.append(found)
        return found


@dataclass
class ByChance:
    """Faults drawn from a seed; ``shares`` of the calls of an operation meet one, each of its kinds as likely."""

    seed: int
    shares: dict[str, float]
    kinds: dict[str, Sequence[tuple[str, float]]]
    met: list[Fault] = field(default_factory=list)
    calls: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    def take(self, op: str) -> Fault | None:
        self.calls[op] += 1
        if self._random.random() >= self.shares.get(op, 0.0):
            return None
        what, most = self._random.choice(self.kinds[op])
        self.met.append(Fault(op, self.calls[op], what, round(self._random.uniform(0, most), 3)))
        return self.met[-1]


CALL = (("unsent", 0.0), ("throttle", 0.0), ("throttle-bare", 0.0), ("unmade", 0.0), ("down", 0.0), ("lost", 0.0),
        ("delay", 60.0))  # fmt: skip
REFUSED = (("capacity", 0.0), ("quota", 0.0), ("price_cap", 0.0), ("money", 0.0), ("invalid", 0.0))
CLOUD_KINDS: dict[str, Sequence[tuple[str, float]]] = {  # with the most seconds of each
    "launch": (*CALL, *REFUSED, ("repeat", 0.0), ("repeat-lost", 0.0), ("error-made", 0.0), ("refused-made", 0.0),
               ("appears-late", 50.0)),
    "find": (*CALL, ("auth", 0.0), ("incomplete", 0.0), ("stale", 60.0)),
    "end": (*CALL, ("ignored", 0.0), ("partly", 0.0), ("slow", 120.0), ("disks", 0.0)),
    "leftovers": CALL,
    "machine": (("vanish", 200.0), ("reclaim", 200.0), ("fail", 20.0), ("silent", 200.0), ("unlisted", 0.0),
                ("agent-dies", 100.0)),
}  # fmt: skip
NODE_KINDS: dict[str, Sequence[tuple[str, float]]] = dict.fromkeys(
    ("reach", "start", "revive", "hear", "keep", "command", "fetch_outputs"),
    (("unmade", 0.0), ("lost", 0.0), ("delay", 60.0)),
)

_BEFORE: dict[str, CloudFault] = {
    "unsent": CloudFault("unavailable", "connection refused", sent="no"),
    "throttle": CloudFault("throttle", "slower", sent="yes", retry_after_s=7.0),
    "throttle-bare": CloudFault("throttle", "slower", sent="yes"),
    "unmade": CloudFault("unavailable", "timed out", sent="maybe"),
    "down": CloudFault("unavailable", "internal error", sent="yes"),
    "auth": CloudFault("auth", "the key was refused", sent="yes"),
    "capacity": CloudFault("capacity", "none left", sent="yes"),
    "quota": CloudFault("quota", "no more of these", sent="yes"),
    "price_cap": CloudFault("price_cap", "the price is above the cap", sent="yes"),
    "money": CloudFault("money", "the account is overdue", sent="yes"),
    "invalid": CloudFault("invalid", "no such type", sent="yes"),
}
_AFTER: dict[str, CloudFault] = {
    "lost": CloudFault("unavailable", "timed out", sent="maybe"),
    "repeat-lost": CloudFault("unavailable", "timed out", sent="maybe"),
    "appears-late": CloudFault("unavailable", "timed out", sent="maybe"),
    "error-made": CloudFault("unavailable", "internal error", sent="yes"),
    "refused-made": CloudFault("capacity", "none left", sent="yes"),
}


def before(fault: Fault | None) -> None:
    """Raise what is answered without anything being done."""
    if fault is not None and fault.what in _BEFORE:
        raise _again(_BEFORE[fault.what])


def after(fault: Fault | None) -> None:
    """Raise what is answered although it was done."""
    if fault is not None and fault.what in _AFTER:
        raise _again(_AFTER[fault.what])


def _again(fault: CloudFault) -> CloudFault:
    """A fault of its own for each raise: a traceback belongs to one."""
    return CloudFault(fault.kind, fault.words, sent=fault.sent, retry_after_s=fault.retry_after_s)
