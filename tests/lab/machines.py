"""What a cloud of the lab asks of whoever has the machines, and a stand-in that has none."""

from __future__ import annotations

import itertools
import threading
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol

from lab.control import BootFault
from lab.metadata import CloudName, NoticeKind, Notices

OnOff = Callable[[str], None]
NETWORK = "127.77"


@dataclass(frozen=True, slots=True)
class Guest:
    """One machine as its cloud wants it.

    Attributes:
        user_data: what runs at its first boot, decoded.
        shutdown: what becomes of it when it powers itself off.
        gpu, gpus, gpu_memory_mib: what its ``nvidia-smi`` tells: name, how many, each one's memory.
        token_required: whether its metadata service wants a token.
        identity: further facts for its metadata service: ``account``.
    """

    id: str
    cloud: CloudName
    user_data: bytes = field(repr=False)
    shutdown: Literal["terminate", "stop"] = "stop"
    region: str = ""
    zone: str = ""
    instance_type: str = ""
    gpu: str | None = None
    gpus: int = 0
    gpu_memory_mib: int = 0
    token_required: bool = False
    identity: Mapping[str, str] = field(default_factory=dict)
    fault: BootFault | None = None

    def facts(self) -> dict[str, str]:
        """What its metadata service knows."""
        return {
            "id": self.id, "instance_type": self.instance_type, "region": self.region, "zone": self.zone,
            **self.identity,
        }  # fmt: skip


class Machines(Protocol):
    """Where machines are. Thread-safe; what is asked of one that is not there is done already."""

    def boot(self, guest: Guest, on_off: OnOff | None = None) -> str:
        """Its address, at once; it boots meanwhile. ``on_off`` is called with its id when it powered itself off."""
        ...

    def stop(self, id_: str) -> None:
        """End its processes and keep its disk."""
        ...

    def start(self, id_: str) -> None:
        """Boot it again; what runs at the first boot does not run again."""
        ...

    def end(self, id_: str) -> None:
        """End it with all that it has; returns when it is gone."""
        ...

    def alive(self, id_: str) -> bool:
        """Whether it has booted and runs."""
        ...

    def notice(self, id_: str, at: datetime | None, kind: NoticeKind = "terminate") -> None:
        """Tell it by its metadata service; None: take that back."""
        ...

    def change_host_key(self, id_: str) -> None:
        """Let sshd answer with another key from now on."""
        ...

    def console(self, id_: str) -> bytes:
        """What it wrote to its console so far."""
        ...

    def close(self) -> None:
        """End all of them."""
        ...


class NoHypervisor:
    """Machines without anything behind them: they boot at once, at addresses where nobody answers.

    Attributes:
        guests: those that there are, by id, and who is told when one powers itself off.
        notices: what each was told; ``consoles``: what a test lets each have written.
    """

    def __init__(self) -> None:
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self.guests: dict[str, tuple[Guest, OnOff | None]] = {}
        self._stopped: set[str] = set()
        self.consoles: dict[str, bytes] = {}
        self.notices: defaultdict[str, Notices] = defaultdict(Notices)

    def boot(self, guest: Guest, on_off: OnOff | None = None) -> str:
        with self._lock:
            number = next(self._numbers)
            self.guests[guest.id] = guest, on_off
        return f"{NETWORK}.{number // 250 % 250}.{1 + number % 250}"

    def stop(self, id_: str) -> None:
        if id_ in self.guests:
            self._stopped.add(id_)

    def start(self, id_: str) -> None:
        self._stopped.discard(id_)

    def end(self, id_: str) -> None:
        self.guests.pop(id_, None)
        self._stopped.discard(id_)

    def alive(self, id_: str) -> bool:
        found = self.guests.get(id_)
        return found is not None and id_ not in self._stopped and found[0].fault != "boots-never"

    def power_off(self, id_: str) -> None:
        """What ``poweroff`` in the machine does."""
        guest, on_off = self.guests[id_]
        (self.end if guest.shutdown == "terminate" else self.stop)(id_)
        if on_off:
            on_off(id_)

    def notice(self, id_: str, at: datetime | None, kind: NoticeKind = "terminate") -> None:
        self.notices[id_].tell(kind, at)

    def change_host_key(self, id_: str) -> None:
        """Nobody sees it."""

    def console(self, id_: str) -> bytes:
        return self.consoles.get(id_, b"")

    def close(self) -> None:
        self.guests.clear()
