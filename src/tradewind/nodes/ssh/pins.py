"""What is kept of a rented machine from before it exists: the host keys that are pinned, and what is taken there.

One file a machine, ``TRADEWIND_HOME/nodes/TOKEN.json``, for its owner alone; written whole and synced, since without it
nobody can tell the machine from another one that answers at its address.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from tradewind.nodes.ssh.handover import one_time_key
from tradewind.ports.compute import Order

_ENDING = ".json"


@dataclass(frozen=True, slots=True)
class Kept:
    """One machine.

    Attributes:
        one_time: the public host key that it was given for its first boot.
        pins: the only host keys that are taken now.
        order: what the door's ``take`` is told: token, lease, owner, tags, instance_type, region, zone, purchase.
        hard_end: ISO 8601 UTC, by our clock.
        gpus: how many are taken there; a share of one counts as one.
        folder: where what was taken lies there; None: it was not reached yet.
    """

    one_time: str
    pins: tuple[str, ...]
    order: dict[str, Any]
    hard_end: str
    gpus: int
    folder: str | None = None

    @property
    def handed_over(self) -> bool:
        """Whether the one-time key opens nothing any more."""
        return self.one_time not in self.pins

    def asked(self, skew_s: float) -> dict[str, Any]:
        """The question ``take``, for a machine whose clock is ``skew_s`` ahead of ours."""
        hard_end = datetime.fromisoformat(self.hard_end).timestamp() + skew_s
        return {"order": {**self.order, "hard_end": hard_end}, "gpus": self.gpus, "allowed": None}


class Pins:
    """The records of all rented machines of this installation, in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def begin(self, order: Order) -> str:
        """Make a one-time host key for a machine to come, and keep its public half; the private text.

        Called again for the same order it makes another key: what was not sent yet may be made anew.

        Raises:
            OSError: it cannot be kept.
        """
        private, public = one_time_key()
        told = {
            "token": order.token, "lease": order.lease, "owner": order.owner, "tags": dict(order.tags),
            "instance_type": order.instance_type, "region": order.region, "zone": order.zone,
            "purchase": order.purchase,
        }  # fmt: skip
        self.write(order.token, Kept(public, (public,), told, order.hard_end, math.ceil(order.gpus)))
        return private

    def read(self, token: str) -> Kept | None:
        """The record of a machine; None when there is none, or none that can be read."""
        try:
            told = json.loads((self._folder / f"{token}{_ENDING}").read_text(encoding="utf-8"))
            return Kept(**{**told, "pins": tuple(told["pins"])})
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def write(self, token: str, kept: Kept) -> None:
        """Keep a record durably.

        Raises:
            OSError: it cannot be written; the former one stands.
        """
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = self._folder / f".{token}.{os.getpid()}"
        draft.unlink(missing_ok=True)
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            json.dump(asdict(kept), file, sort_keys=True)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self._folder / f"{token}{_ENDING}")
        _sync(self._folder)

    def pin(self, token: str, pins: tuple[str, ...]) -> None:
        """Take these host keys and no others from now on.

        Raises:
            OSError: it cannot be written.
            KeyError: there is no record.
        """
        kept = self.read(token)
        if kept is None:
            raise KeyError(token)
        self.write(token, replace(kept, pins=pins))

    def let_go(self, is_open: Callable[[str], bool]) -> None:
        """Drop the records of machines that are rented no more, as ``is_open`` tells of a token.

        It is asked once the record is there, which comes after the row of the lease: no new machine is missed.
        """
        for each in self._folder.glob(f"[!.]*{_ENDING}"):
            if not is_open(each.name.removesuffix(_ENDING)):
                each.unlink(missing_ok=True)


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
