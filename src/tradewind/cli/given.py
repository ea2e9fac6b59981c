"""Texts of the command line as values; what cannot be read is an error that names the option."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from tradewind.domain.errors import BadInput, TradewindError

if TYPE_CHECKING:
    from tradewind.domain.workload import Workload

T = TypeVar("T")
_COUNTS = re.compile(r"^([1-9]\d{0,5})(?:\.\.([1-9]\d{0,5}))?$")

# Of the submitting shell these go with the job, and nothing else (docs: job file).
TRAVELLING = ("PATH", "HOME", "LANG", "VIRTUAL_ENV")
LARGEST_SCALE = 1_000_000  # eleven days in a second: more is a slip of the pen, and times stay in range
FASTEST = 100_000  # of a trace: a day of it in a second; what starts and stops here takes seconds
ENDED_WITH = {"SUCCEEDED": 0, "FAILED": 5, "EXPIRED": 6, "STOPPED": 8}


def counts(text: str | None) -> tuple[int, int] | None:
    """``8`` or ``1..8`` as an inclusive range.

    Raises:
        BadInput: ``counts-unreadable`` (text).
    """
    if text is None:
        return None
    match = _COUNTS.match(text.strip())
    if match:
        low, high = int(match[1]), int(match[2] or match[1])
        if low <= high:
            return low, high
    raise BadInput("counts-unreadable", text=text)


def indices(text: str | None) -> tuple[int, ...] | None:
    """``0,1`` as the GPUs of a machine, each once and in their order; None for all of them.

    Raises:
        BadInput: ``gpu-indices-unreadable`` (text).
    """
    if text is None:
        return None
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() and len(part) < 4 for part in parts):
        raise BadInput("gpu-indices-unreadable", text=text)
    return tuple(sorted({int(part) for part in parts}))


def time_scale(text: str) -> float | None:
    """A number above 0, at most ``LARGEST_SCALE``; None for ``auto``.

    Raises:
        BadInput: ``time-scale-unreadable`` (text, most).
    """
    if _auto(text):
        return None
    scale = _positive(text)
    if scale is None or scale > LARGEST_SCALE:
        raise BadInput("time-scale-unreadable", text=text, most=LARGEST_SCALE)
    return scale


def trace_speed(text: str) -> float | None:
    """A number above 0, at most ``FASTEST``; None for ``auto``.

    Raises:
        BadInput: ``trace-speed-unreadable`` (text, most).
    """
    if _auto(text):
        return None
    speed = _positive(text)
    if speed is None or speed > FASTEST:
        raise BadInput("trace-speed-unreadable", text=text, most=FASTEST)
    return speed


def _auto(text: str) -> bool:
    return text.strip().lower() == "auto"


def _positive(text: str) -> float | None:
    try:
        told = float(text)
    except ValueError:
        return None
    return told if 0 < told < float("inf") else None


def travelling(env: Mapping[str, str], program: str) -> dict[str, str]:
    """What of the shell's environment goes with the job.

    ``program`` is how this command was called. One that is called by its path in a virtual environment which is not on
    PATH (``.venv/bin/tradewind``) counts as that environment activated: ``python`` is then the one beside it.
    """
    told = {name: env[name] for name in TRAVELLING if name in env}
    beside = Path(program).absolute().parent
    listed = told.get("PATH", os.defpath).split(os.pathsep)
    if str(beside) in listed or not (beside.parent / "pyvenv.cfg").is_file():
        return told
    return {**told, "PATH": os.pathsep.join([str(beside), *listed]), "VIRTUAL_ENV": str(beside.parent)}


def secrets(workload: Workload, env: Mapping[str, str]) -> dict[str, str]:
    """The named secrets' values, from the environment or else a keyring.

    Raises:
        BadInput: ``secret-missing`` (names, first): some are in neither.
    """
    from tradewind.app.secrets import at_hand

    told = at_hand(workload.secrets, env)
    missing = [name for name in workload.secrets if name not in told]
    if missing:
        raise BadInput("secret-missing", names=", ".join(missing), first=missing[0])
    return told


def option(name: str, read: Callable[[str], T], text: str | None) -> T | None:
    """What ``read`` makes of the text of the option ``name``; None where it is not given.

    Raises:
        BadInput: as ``read``, with the option as its ``key``.
    """
    try:
        return None if text is None else read(text)
    except BadInput as fault:
        fault.facts["key"] = name
        raise


@contextmanager
def naming(file: Path) -> Iterator[None]:
    """Next steps that say ``JOB.yaml`` name the file that was given instead, as a shell wants it."""
    try:
        yield
    except TradewindError as error:
        if error.facts.get("file") == "JOB.yaml":
            error.facts["file"] = shlex.quote(str(file))
        raise


def exit_code_of(state: str) -> int:
    """The exit code of ``run`` and ``wait`` for a job that ended in ``state``."""
    return ENDED_WITH.get(state, 0)
