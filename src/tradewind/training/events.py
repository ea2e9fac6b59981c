"""What the loop tells, as JSON lines on the path in ``TRADEWIND_EVENTS``.

step() ──▶ newest step kept ──(at most 5 a second)──┐
emit() ─────────────────────────────────────────────┴─▶ buffer ──(every 0.5 s, in a thread)──▶ file
"""

from __future__ import annotations

import atexit
import logging
import os
import platform
import sys
import threading
import time
from collections import deque
from types import TracebackType
from typing import Any, Deque, Dict, NamedTuple, Optional, Type, Union

from tradewind.training import children
from tradewind.wire import events as wire
from tradewind.wire.spec import ENV_EVENTS

STEP_SECONDS = 0.2
FLUSH_SECONDS = 0.5
HEARTBEAT_SECONDS = 5.0
_FULL = 1024  # lines in the buffer; at that many the teller writes them itself, so that none is lost

_log = logging.getLogger(__name__)


class _Step(NamedTuple):
    step: int
    at: float
    values: Dict[str, Any]


class Events:
    """Tells events without holding up the loop; does nothing when there is no path, nor in a child process.

    What cannot be written is given up with one warning: telling never ends a training.

    Args:
        path: the file to append to; default: the environment's ``TRADEWIND_EVENTS``.
    """

    def __init__(self, path: Union[str, os.PathLike[str], None] = None) -> None:
        self._file = -1
        self._lines: Deque[bytes] = deque()
        self._writing = threading.RLock()  # re-entrant: a signal handler may tell in the middle of telling
        self._telling = threading.RLock()
        self._latest: Optional[_Step] = None
        self._told: Optional[_Step] = None
        self._next_step_at = 0.0
        self._began_at = time.monotonic()
        self._first_step_at: Optional[float] = None
        self._closing = threading.Event()
        self._warned = False
        self._open(os.environ.get(ENV_EVENTS, "") if path is None else os.fspath(path))

    @property
    def last_step(self) -> Optional[int]:
        """The step of the newest ``step()``; None before the first."""
        return None if self._latest is None else self._latest.step

    def step(self, step: int, total_steps: Optional[int] = None, **values: Any) -> None:
        """Tells of a finished optimizer step; of several within 0.2 s only the newest is written.

        The first and the last are always written. Values may be tensors of one element: they are read, which waits for
        the GPU, only when the step is written. ``train_s``, ``step_ms``, ``gpu`` and ``gpu_mem_mb`` are added.

        Args:
            step: optimizer steps done, from 1.
            total_steps: of the whole training.
            values: ``epoch``, ``loss``, ``accuracy``, ``lr``, ``samples_s`` and others of your own.
        """
        if self._file < 0:
            return
        now = time.monotonic()
        if total_steps is not None:
            values["total_steps"] = total_steps
        if now < self._next_step_at:
            # A kept loss must not keep its graph, and so the activations, alive.
            values = {key: value.detach() if hasattr(value, "detach") else value for key, value in values.items()}
            self._latest = _Step(step, now, values)
            return
        self._latest = _Step(step, now, values)
        if self._first_step_at is None:
            self._first_step_at = now
            self.flush()  # that training goes on again should be known at once
        else:
            self._tell_step()

    def eval(self, step: int, **numbers: Any) -> None:
        """Tells the results of an evaluation; each number becomes a metric of the job under its name."""
        self._tell_step()
        self.emit(wire.EVAL, step=step, **numbers)

    def run_started(self, total_steps: Optional[int] = None, world: int = 1) -> None:
        """Tells that training begins, in how many processes and on which versions."""
        torch_version = getattr(sys.modules.get("torch"), "__version__", None)
        versions = {"python": platform.python_version(), "torch": torch_version and str(torch_version)}
        self.emit(wire.RUN_STARTED, world=world, versions=versions, total_steps=total_steps)

    def emit(self, type_: str, **fields: Any) -> None:
        """Tells one event of a type of ``wire.events`` or of your own, written within half a second."""
        if self._file < 0:
            return
        told = {key: _plain(value) for key, value in fields.items()}
        self._lines.append(wire.line(type_, time.time(), **told).encode())
        if len(self._lines) >= _FULL:
            self._write()

    def flush(self) -> None:
        """Everything told so far, the newest step included, is in the file."""
        self._tell_step()
        self._write()

    def close(self) -> None:
        """Flushes and ends; later events are not told. Called by itself at the end of the process."""
        if self._file < 0:
            return
        self._closing.set()
        self._thread.join()
        self.flush()
        with self._writing:
            os.close(self._file)
            self._file = -1
        atexit.unregister(self.close)

    def __enter__(self) -> Events:
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], fault: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def _open(self, path: str) -> None:
        if not path or children.importing_main_again():
            return
        try:
            self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as fault:
            self._warn(fault)
            return
        self._thread = threading.Thread(target=self._serve, name="tradewind-events", daemon=True)
        self._thread.start()
        atexit.register(self.close)
        os.register_at_fork(after_in_child=self._fall_silent)

    def _fall_silent(self) -> None:
        # The lines in a forked copy of the buffer are the parent's to write.
        self._file = -1
        self._lines.clear()

    def _serve(self) -> None:
        beat_at = time.monotonic() + HEARTBEAT_SECONDS
        while not self._closing.wait(FLUSH_SECONDS):
            now = time.monotonic()
            if now >= self._next_step_at:
                self._tell_step()
            if now >= beat_at:
                beat_at = now + HEARTBEAT_SECONDS
                self._beat(now)
            self._write()

    def _beat(self, now: float) -> None:
        since = self._began_at if self._latest is None else self._latest.at
        self.emit(wire.HEARTBEAT, step=self.last_step, step_age_s=round(now - since, 3))

    def _tell_step(self) -> None:
        with self._telling:
            latest, told = self._latest, self._told
            if latest is None or latest is told:
                return
            self._told, self._next_step_at = latest, latest.at + STEP_SECONDS
            fields = {"step": latest.step, "total_steps": None, **latest.values}
            if told is not None and latest.step > told.step:
                fields.setdefault("step_ms", round((latest.at - told.at) * 1000 / (latest.step - told.step), 3))
            fields["train_s"] = round(latest.at - (self._first_step_at or latest.at), 3)
            fields.update(_fullest_gpu())
            self.emit(wire.STEP, **fields)

    def _write(self) -> None:
        with self._writing:
            while self._lines and self._file >= 0:
                self._write_line(self._lines.popleft())

    def _write_line(self, line: bytes) -> None:
        """One write a line: appended whole, also when several processes share the file."""
        try:
            written = os.write(self._file, line)
            if written < len(line):  # the disk filled up in the middle
                os.write(self._file, line[written:])
        except OSError as fault:
            self._warn(fault)

    def _warn(self, fault: OSError) -> None:
        if not self._warned:
            self._warned = True
            _log.warning("events are not written: %s", fault)


def _fullest_gpu() -> Dict[str, Any]:
    """Name and peak of allocated memory, MB, of the GPU of this process that holds most; nothing without CUDA."""
    cuda = getattr(sys.modules.get("torch"), "cuda", None)
    if cuda is None or not cuda.is_initialized():
        return {}
    peak, device = max((cuda.max_memory_allocated(device), device) for device in range(cuda.device_count()))
    return {"gpu": cuda.get_device_name(device), "gpu_mem_mb": round(peak / 1e6, 1)}


def _plain(value: Any) -> Any:
    """A tensor or numpy number of one element as a Python number; anything else as it is."""
    return value.item() if hasattr(value, "item") else value
