"""Complete checkpoints, or none.

save ──▶ copy tensors into staging (the loop waits) ──▶ writer thread: files ▶ manifest ▶ rename ▶ rotate
resume ──▶ newest first: manifest and every checksum right? ──no──▶ named, the one before
"""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from dataclasses import dataclass
from types import TracebackType
from typing import Any, List, Mapping, Optional, Tuple, Type, Union

from tradewind.training import contents, folders
from tradewind.training.cadence import Cadence, parse_every
from tradewind.training.events import Events
from tradewind.training.rotation import doomed
from tradewind.training.tensors import Slot, Staging
from tradewind.training.told import Told
from tradewind.training.tree import encode
from tradewind.wire import events as wire_events
from tradewind.wire.cadence import MEAN_SECONDS_BETWEEN_LOSSES
from tradewind.wire.spec import ENV_CADENCE, ENV_CHECKPOINT_DIR, ENV_CHECKPOINT_EVERY, ENV_EPOCH

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Rejected:
    """A torn checkpoint that was passed over, and what is wrong with it."""

    path: str
    why: str


@dataclass(frozen=True)
class Resumed:
    """The newest complete checkpoint.

    Attributes:
        step: optimizer steps done when it was saved.
        epoch: of the attempt that saved it.
        state: as it was given to ``save``, tensors on the CPU.
        path: its folder.
        rejected: newer torn ones.
    """

    step: int
    epoch: int
    state: Any
    path: str
    rejected: Tuple[Rejected, ...]


class Checkpointer:
    """Saves and resumes the state of one training process.

    A state is a nesting of mappings, lists and tuples of tensors, numbers, strings, bytes and None: what
    ``state_dict()`` of modules, optimizers and schedulers gives.

    Args:
        folder: where the folders ``step-00000220`` go; made when missing.
        every: ``auto`` (least time lost, by what saves cost), ``5s``, ``200 steps``.
        keep_last: newest complete checkpoints that rotation keeps, at least 1.
        milestone_every: every so-many-th save is kept for good; 0 keeps none.
        epoch: of this attempt, written into each manifest.
        events: where saves are told; None tells nothing.
        mean_seconds_between_losses: for ``auto``: how rarely a machine goes without a notice, until ``cadence`` tells.
        cadence: for ``auto``: the file in which the agent tells it while the loop runs; empty: none.

    Raises:
        ValueError: ``every`` or ``keep_last`` cannot be used.
    """

    def __init__(
        self,
        folder: Union[str, os.PathLike[str]],
        *,
        every: str = "auto",
        keep_last: int = 3,
        milestone_every: int = 10,
        epoch: int = 1,
        events: Optional[Events] = None,
        mean_seconds_between_losses: float = MEAN_SECONDS_BETWEEN_LOSSES,
        cadence: str = "",
    ) -> None:
        if keep_last < 1:
            raise ValueError("keep_last is at least 1: the newest complete checkpoint always stays")
        self.folder = os.path.abspath(os.fspath(folder))
        self._cadence = Cadence(parse_every(every), mean_seconds_between_losses)
        self._told = Told(cadence) if cadence and self._cadence.chosen_by_cost else None
        self._keep_last, self._milestone_every = keep_last, milestone_every
        self._epoch = epoch
        self._events = events
        self._staging = Staging()
        self._writer: Optional[threading.Thread] = None
        self._committed = False  # the newest save reached the disk
        self._saves: Optional[int] = None  # of the job so far; None until the folder was looked at
        self._skip_told = False

    @classmethod
    def from_env(cls, **settings: Any) -> Checkpointer:
        """A checkpointer as the environment says (folder, distance, epoch, cadence), with ``settings`` over it."""
        told = {
            "folder": os.environ.get(ENV_CHECKPOINT_DIR) or "./checkpoints",
            "every": os.environ.get(ENV_CHECKPOINT_EVERY) or "auto",
            "epoch": int(os.environ.get(ENV_EPOCH) or 1),
            "cadence": os.environ.get(ENV_CADENCE, ""),
        }
        return cls(**{**told, **settings})

    def due(self, step: int) -> bool:
        """True when it is time to save; False while a save is still on its way, which is told once."""
        now = time.monotonic()
        told = self._told.news(now) if self._told else None
        if told is not None:
            self._cadence.expect(told)
        if not self._cadence.due(step, now):
            return False
        if self._busy():
            self._tell_skipped(step)
            return False
        return True

    def save(self, step: int, state: Mapping[str, Any], *, wait: bool = False) -> bool:
        """Saves ``state``; the loop is held up only while tensors are copied.

        Args:
            step: optimizer steps done.
            wait: stay until it is complete and durable, and wait for an earlier save instead of giving up.

        Returns:
            Waiting: whether it is complete. Else: whether it is on its way; False when an earlier one still is. A disk
            that fails is told (event, log) and never ends a training; the older checkpoints stay.

        Raises:
            TypeError: the state holds something that a checkpoint cannot.
        """
        if wait:
            self.wait()
            if self._events is not None:
                self._events.flush()  # what was learnt so far must not be lost with a final save that is cut short
        elif self._busy():
            self._tell_skipped(step)
            return False
        self._start(step, state)
        return self.wait() if wait else True

    def wait(self) -> bool:
        """Stays until no save is on its way; whether the newest save is complete."""
        if self._writer is not None:
            self._writer.join()
        return self._committed

    def resume(self) -> Optional[Resumed]:
        """The newest complete checkpoint, every checksum read and right; None when there is none.

        Raises:
            ValueError: it is complete, but this version cannot read it; starting over would lose its progress.
        """
        self.wait()
        folders.clear_leftovers(self.folder)
        told, torn = folders.newest(self.folder)
        for path, why in torn:
            _log.warning("torn checkpoint passed over: %s: %s", path, why)
            self._tell(wire_events.CHECKPOINT_REJECTED, path=path, why=why)
        if told is None:
            return None
        step, rejected = int(told["step"]), tuple(Rejected(path, why) for path, why in torn)
        path = folders.path_of(self.folder, step)
        return self._resumed(Resumed(step, int(told["epoch"]), contents.read(path), path, rejected))

    def __enter__(self) -> Checkpointer:
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], fault: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.wait()

    def _resumed(self, resumed: Resumed) -> Resumed:
        self._cadence.resumed(resumed.step)
        passed_over = [{"path": one.path, "why": one.why} for one in resumed.rejected]
        self._tell(wire_events.RESUMED, step=resumed.step, path=resumed.path, rejected=passed_over)
        return resumed

    def _busy(self) -> bool:
        return self._writer is not None and self._writer.is_alive()

    def _start(self, step: int, state: Mapping[str, Any]) -> None:
        begun = time.monotonic()
        self._tell(wire_events.CHECKPOINT_STARTED, step=step)
        rest, tensors = encode(state)
        text = json.dumps(rest)
        slots, block = self._staging.copy(tensors)
        blocking = time.monotonic() - begun
        self._cadence.saved(step, begun, blocking)
        interval = round(self._cadence.interval_seconds(), 1) if self._cadence.in_seconds else None
        self._tell(wire_events.SNAPSHOT_DONE, step=step, block_ms=round(blocking * 1000, 3), interval_s=interval)
        self._committed, self._skip_told = False, False
        # Not a daemon: a process that comes to its end lets its last save finish.
        self._writer = threading.Thread(
            target=self._persist, args=(step, begun, text, slots, block), name="tradewind-checkpoint"
        )
        self._writer.start()

    def _persist(self, step: int, begun: float, text: str, slots: List[Slot], block: memoryview) -> None:
        try:
            save = self._next_save()
            total = folders.commit(
                self.folder, step, self._epoch, save, lambda path: contents.write(path, text, slots, block)
            )
            self._saves, self._committed = save, True
        except OSError as fault:
            _log.warning("the checkpoint of step %s was not written: %s", step, fault)
            self._tell(wire_events.CHECKPOINT_FAILED, step=step, why=str(fault))
            return
        seconds = time.monotonic() - begun
        self._cadence.persisted(seconds)
        where = folders.path_of(self.folder, step)
        self._tell(
            wire_events.CHECKPOINT_COMMITTED, step=step, bytes=total, total_ms=round(seconds * 1000, 3), where=where
        )
        self._rotate(step)

    def _next_save(self) -> int:
        if self._saves is None:
            os.makedirs(self.folder, exist_ok=True)
            folders.clear_leftovers(self.folder)
            self._saves = max((one.save or 0 for one in folders.found(self.folder)), default=0)
        return self._saves + 1

    def _rotate(self, committed: int) -> None:
        try:
            for step in doomed(folders.found(self.folder), committed, self._keep_last, self._milestone_every):
                folders.remove(self.folder, step)
        except OSError as fault:
            _log.warning("an old checkpoint was not removed: %s", fault)

    def _tell_skipped(self, step: int) -> None:
        if not self._skip_told:
            self._skip_told = True
            self._tell(wire_events.CHECKPOINT_SKIPPED, step=step, why="the save before is still being written")

    def _tell(self, type_: str, **fields: Any) -> None:
        if self._events is not None:
            self._events.emit(type_, **fields)
