"""The tracing process: reads requests, one JSON object a line, and has each answered by a child of its own.

    python -m tradewind.tracing.worker ANSWERS      ANSWERS: number of the file to answer to

Libraries are imported once, here; the code of models runs in children, so that nothing of one model meets the next.
To each request there are two lines: ``{"pid"}`` of the child, then ``{"profile"}``, ``{"error"}`` or ``{"died"}``. What
a model prints goes to stderr, so that it never mixes with the answers. The process ends when nobody asks any more, and
with all that it started when whoever asked was killed; a child ends by itself some time after its limit, too.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import signal
import sys
import warnings
from contextlib import suppress
from typing import Any

from tradewind.domain.errors import NotTraceable, TradewindError
from tradewind.domain.profile_json import encode
from tradewind.ports.tracer import TraceRequest

GRACE_S = 5.0
LOOK_S = 0.5  # how often is looked whether the one who asks is still there


def main() -> None:
    """Answers requests until there are no more."""
    answers = int(sys.argv[1])
    os.dup2(2, 1)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    warnings.simplefilter("ignore")  # of libraries about their own future
    _end_with(os.getppid())
    for line in sys.stdin:
        value = json.loads(line)
        with suppress(ImportError):  # the child tells it
            _load(value["request"]["model"])
        child = os.fork()
        if child == 0:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_REAL, value["limit_s"] + GRACE_S)
            _write(answers, answer(value["request"]))
            os._exit(0)
        _write(answers, {"pid": child})
        status = os.waitpid(child, 0)[1]
        if status:
            _write(answers, {"died": os.waitstatus_to_exitcode(status)})


def _end_with(asker: int) -> None:
    """Ends this process and its children, which are a group of their own, soon after ``asker`` has ended."""

    def look(*_: object) -> None:
        if os.getppid() != asker:
            os.killpg(0, signal.SIGKILL)

    signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, LOOK_S, LOOK_S)


def _load(model: str) -> None:
    """Imports what the trace of ``model`` needs, to be shared by children."""
    importlib.import_module("tradewind.tracing.trace")
    importlib.import_module("torch._subclasses").FakeTensorMode()  # the first one imports half of torch
    if model.startswith("timm:"):
        from tradewind.tracing import torchvision

        with torchvision.stand_in():
            importlib.import_module("timm")
    elif model.startswith("hf:"):
        importlib.import_module("transformers")


def answer(value: dict[str, Any]) -> dict[str, Any]:
    """``{"profile"}``, or ``{"error"}`` with what makes the error again elsewhere."""
    size = value["image_size"]
    request = TraceRequest(**{**value, "image_size": size and tuple(size)})
    try:
        return {"profile": encode(_traced(request))}
    except TradewindError as error:
        where = error.where and (error.where.file, error.where.line, error.where.column)
        kind = type(error).__name__
        return {"error": {"kind": kind, "code": error.code, "facts": error.facts, "where": where}}


def _traced(request: TraceRequest) -> Any:
    try:
        from tradewind.tracing.trace import trace
    except ImportError as error:
        raise NotTraceable("trace-needs-library", library=error.name or "torch") from error
    return trace(request)


def _write(answers: int, value: dict[str, Any]) -> None:
    line = json.dumps(value).encode() + b"\n"
    while line:
        line = line[os.write(answers, line) :]


if __name__ == "__main__":
    main()
