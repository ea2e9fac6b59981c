"""A training that a framework's loop drives, as that framework's callback carries it: stop, save, tell, resume.

    framework ── after each step ──▶ step(…) ──▶ save now? ──▶ the framework writes its own files
                                                                 └──▶ commit: manifest ▶ rename ▶ rotation ──▶ 75

The framework's files become a checkpoint ``step-00000220`` of ours: complete or absent, checked before it is used.
"""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import time
from typing import Any, Callable, Dict, Optional

from tradewind.training import folders
from tradewind.training.cadence import Cadence, parse_every
from tradewind.training.events import Events
from tradewind.training.preemption import PreemptionGuard
from tradewind.training.rotation import doomed
from tradewind.training.told import Told
from tradewind.wire import events as wire_events
from tradewind.wire import manifest
from tradewind.wire.spec import ENV_CADENCE, ENV_CHECKPOINT_DIR, ENV_CHECKPOINT_EVERY, ENV_EPOCH

_KEPT = 2  # here; the job's store keeps three
_log = logging.getLogger(__name__)


class Course:
    """What every callback does the same way.

    From the moment it is made a stop signal waits for the end of a step. ``every``: how often to save besides the
    framework's own saves, as in a job file; None: as the environment says, else ``auto``.

    Raises:
        ValueError: ``every`` cannot be used.
    """

    def __init__(self, every: Optional[str] = None) -> None:
        self.first = int(os.environ.get("RANK") or 0) == 0  # of several processes one saves and tells
        self.events = Events(None if self.first else "")
        self.guard = PreemptionGuard(self.events)
        self.folder = os.path.abspath(os.environ.get(ENV_CHECKPOINT_DIR) or "./checkpoints")
        self._cadence = Cadence(parse_every(every or os.environ.get(ENV_CHECKPOINT_EVERY) or "auto"))
        told = os.environ.get(ENV_CADENCE, "")
        self._told = Told(told) if told and self._cadence.chosen_by_cost else None
        self._epoch = int(os.environ.get(ENV_EPOCH) or 1)
        if self.first and ENV_CHECKPOINT_DIR in os.environ:
            self._mark()

    def _mark(self) -> None:
        """Say in the folder that manifests are to come: the framework's files, written there, are not kept without."""
        with contextlib.suppress(OSError):  # a save will tell
            os.makedirs(self.folder, exist_ok=True)
            with open(os.path.join(self.folder, manifest.MARK), "ab"):
                pass

    def latest(self) -> Optional[str]:
        """Folder of the newest complete checkpoint, every checksum right; None: there is none, begin anew."""
        if self.first:
            folders.clear_leftovers(self.folder)
        newest, torn = folders.newest(self.folder)
        for path, why in torn:
            _log.warning("torn checkpoint passed over: %s: %s", path, why)
            self.events.emit(wire_events.CHECKPOINT_REJECTED, path=path, why=why)
        if newest is None:
            return None
        step, path = int(newest["step"]), folders.path_of(self.folder, int(newest["step"]))
        self._cadence.resumed(step)
        rejected = [{"path": each, "why": why} for each, why in torn]
        self.events.emit(wire_events.RESUMED, step=step, path=path, rejected=rejected)
        return path

    def save_now(self, step: int) -> bool:
        """Whether the framework should save after this step: a stop was asked for, or it is time again."""
        now = time.monotonic()
        told = self._told.news(now) if self._told else None
        if told is not None:
            self._cadence.expect(told)
        return self._cadence.due(step, now) or self.stopping()

    def stopping(self) -> bool:
        """Whether a stop was asked for."""
        return self.guard.requested

    def commit(self, step: int, began: float, write: Callable[[str], None]) -> bool:
        """Make what ``write`` puts into the folder that it is given the checkpoint of ``step``.

        Args:
            began: ``time.monotonic()`` when the framework began to save.

        Returns:
            Whether it is complete. A disk that fails is told and ends no training.
        """
        if not self.first:
            return True
        self.events.emit(wire_events.CHECKPOINT_STARTED, step=step)
        try:
            os.makedirs(self.folder, exist_ok=True)
            save = 1 + max((one.save or 0 for one in folders.found(self.folder)), default=0)
            total = folders.commit(self.folder, step, self._epoch, save, write)
        except (OSError, RuntimeError) as fault:  # torch.save tells of a full disk by the latter
            _log.warning("the checkpoint of step %s was not written: %s", step, fault)
            self.events.emit(wire_events.CHECKPOINT_FAILED, step=step, why=str(fault))
            return False
        self._tell_saved(step, began, total)
        self._rotate(step)
        return True

    def leave(self, saved: bool) -> None:
        """End the process: 75 when it has saved, 76 when an older checkpoint is the newest."""
        self.events.flush()
        self.guard.exit_checkpointed(saved)

    def _tell_saved(self, step: int, began: float, total: int) -> None:
        seconds = time.monotonic() - began  # the loop waited all of it
        self._cadence.saved(step, began, seconds)
        self._cadence.persisted(seconds)
        interval = round(self._cadence.interval_seconds(), 1) if self._cadence.in_seconds else None
        took = round(seconds * 1000, 3)
        self.events.emit(wire_events.SNAPSHOT_DONE, step=step, block_ms=took, interval_s=interval)
        where = folders.path_of(self.folder, step)
        self.events.emit(wire_events.CHECKPOINT_COMMITTED, step=step, bytes=total, total_ms=took, where=where)

    def _rotate(self, step: int) -> None:
        try:
            for old in doomed(folders.found(self.folder), step, _KEPT, 0):
                folders.remove(self.folder, old)
        except OSError as fault:
            _log.warning("an old checkpoint was not removed: %s", fault)


def link_tree(source: str, target: str) -> None:
    """Put what lies in ``source`` into ``target`` without copying it, where the file system has links.

    For files that the framework does not write to again; should it do so, the checksums tell.
    """
    shutil.copytree(source, target, copy_function=_link, dirs_exist_ok=True)


def _link(source: str, target: str) -> Any:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
    return target


def numbers(logs: Any) -> Dict[str, Any]:
    """Of what a framework logs, the numbers; tensors of one element are read."""
    plain = {str(name): value.item() if hasattr(value, "item") else value for name, value in dict(logs or {}).items()}
    return {name: value for name, value in plain.items() if isinstance(value, (int, float))}
