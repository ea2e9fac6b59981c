"""ProcessTracer: the tracing process from outside; knows no torch."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import asdict
from types import TracebackType
from typing import Any, Self

import psutil

from tradewind.domain.errors import BadInput, NotTraceable, TradewindError, Where
from tradewind.domain.profile import ModelProfile
from tradewind.domain.profile_json import decode
from tradewind.ports.tracer import TraceRequest

MEMORY_GIB = 4.0
LOOK_S = 0.05  # how often memory is looked at
KINDS: dict[str, type[TradewindError]] = {"BadInput": BadInput, "NotTraceable": NotTraceable}


class ProcessTracer:
    """Traces in a process of its own, which is kept for the next model.

    Not to be shared between threads. Close it, or use it as a context: else the process ends with this one.

    Args:
        memory_gib: resident memory at which a trace is ended.
    """

    def __init__(self, memory_gib: float = MEMORY_GIB) -> None:
        self._memory_bytes = memory_gib * 2**30
        self._worker: _Worker | None = None

    def trace(self, request: TraceRequest, limit_s: float = 120.0) -> ModelProfile:
        """The profile of one step; see ``ports.tracer``.

        Raises:
            BadInput: the model cannot be built or run.
            NotTraceable: ``trace-too-long``, ``trace-too-large``, ``trace-died``, ``trace-needs-library``,
                ``model-reads-values``.
        """
        if self._worker is None:
            self._worker = _Worker()
        try:
            answer = self._worker.ask(request, limit_s, self._memory_bytes)
        except BaseException:
            self.close()  # whatever still runs in it
            raise
        if "died" in answer:
            raise NotTraceable("trace-died", exit_code=answer["died"], said=self._worker.last_words())
        if "error" in answer:
            raise _told(answer["error"])
        return decode(answer["profile"])

    def close(self) -> None:
        """Ends the process and what it started."""
        if self._worker is not None:
            self._worker.end()
            self._worker = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Worker:
    """The tracing process, as ``worker.py`` tells."""

    def __init__(self) -> None:
        answers, theirs = os.pipe()
        self._answers = os.fdopen(answers, "rb", buffering=0)
        self._said = tempfile.TemporaryFile()  # noqa: SIM115  closed with the process
        self._unread = b""
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tradewind.tracing.worker", str(theirs)],
                stdin=subprocess.PIPE, stdout=self._said, stderr=self._said, pass_fds=[theirs],
                env={**os.environ, "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"},
                start_new_session=True,
            )  # fmt: skip
        finally:
            os.close(theirs)

    def ask(self, request: TraceRequest, limit_s: float, memory_bytes: float) -> dict[str, Any]:
        """The answer to ``request``.

        Raises:
            NotTraceable: it took too long or too much memory, or ended.
        """
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # it has ended: the other pipe says so
            self._process.stdin.write(json.dumps({"request": asdict(request), "limit_s": limit_s}).encode() + b"\n")
            self._process.stdin.flush()
        deadline = time.monotonic() + limit_s
        process = self._process.pid
        while True:
            if b"\n" in self._unread:
                line, _, self._unread = self._unread.partition(b"\n")
                answer: dict[str, Any] = json.loads(line)
                if "pid" not in answer:
                    return answer
                process = answer["pid"]
            elif time.monotonic() > deadline:
                raise NotTraceable("trace-too-long", model=request.model, seconds=f"{limit_s:g}")
            elif _resident(process) > memory_bytes:
                raise NotTraceable("trace-too-large", model=request.model, gib=f"{memory_bytes / 2**30:g}")
            elif select.select([self._answers], [], [], LOOK_S)[0]:
                read = os.read(self._answers.fileno(), 1 << 20)
                if not read:
                    raise NotTraceable("trace-died", exit_code=self._process.wait(), said=self.last_words())
                self._unread += read

    def end(self) -> None:
        """Kills the process and what it started, and waits for its end."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, 9)  # its own group; not yet waited for, so the number is still its
        self._process.wait()
        assert self._process.stdin is not None
        for file in (self._process.stdin, self._answers, self._said):
            with suppress(BrokenPipeError):  # a request that nobody read
                file.close()

    def last_words(self) -> str:
        """The last line that was printed."""
        self._said.seek(0)
        lines = self._said.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else ""


def _resident(process: int) -> int:
    """Bytes of resident memory."""
    try:
        return int(psutil.Process(process).memory_info().rss)
    except psutil.Error:
        return 0  # it has just ended: the pipe says so next


def _told(error: dict[str, Any]) -> TradewindError:
    where = None if error["where"] is None else Where(*error["where"])
    return KINDS[error["kind"]](error["code"], where=where, **error["facts"])
