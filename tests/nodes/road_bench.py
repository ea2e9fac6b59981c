"""Roads for tests: at a pace of their own, with the real agent or the stand-in that repeats what it hears."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest

from tradewind.nodes.parcel import build_agent
from tradewind.nodes.ssh.connect import Prompt
from tradewind.nodes.ssh.pace import Pace
from tradewind.nodes.ssh.road import Road
from tradewind.nodes.ssh.roads import Roads
from tradewind.ports.transport import Unreachable

OWNER = "0123456789abcdef"
ECHO = Path(__file__).with_name("echo_door.py")
WAIT_SECONDS = 20.0
# Long enough for any answer on loopback, and for a loaded computer; soon where a test waits for it.
PACE = Pace(retry_s=0.02, retry_most_s=0.1)


class Clock:
    """The computer's, set ahead."""

    def __init__(self, ahead_s: float = 0.0) -> None:
        self.ahead = timedelta(seconds=ahead_s)

    def now(self) -> datetime:
        return datetime.now(UTC) + self.ahead

    def monotonic(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


@cache
def agent() -> Path:
    """The real agent."""
    return build_agent(Path(mkdtemp(prefix="tradewind-agent-")))


@contextmanager
def roads(
    to: Path = ECHO, prompt: Prompt | None = None, clock: Clock | None = None, at_once: int = 10, **pace: Any
) -> Iterator[Roads]:
    """Roads that are closed at the end; ``pace`` changes single steps."""
    made = Roads(OWNER, to, clock or Clock(), at_once=at_once, prompt=prompt, pace=replace(PACE, **pace))
    try:
        yield made
    finally:
        made.close()


def refused(call: Callable[[], object]) -> Unreachable:
    """The Unreachable that a call raises."""
    with pytest.raises(Unreachable) as told:
        call()
    return told.value


def answers(road: Road, within_s: float = WAIT_SECONDS) -> dict[str, Any]:
    """The answer to a ``hello`` once there is one."""
    told: dict[str, Any] = until(lambda: _said(road), "an answer", within_s)
    return told


def until(look: Callable[[], Any], what: str, within_s: float = WAIT_SECONDS) -> Any:
    """The first answer of ``look`` that is true."""
    end = time.monotonic() + within_s
    while not (found := look()):
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.01)
    return found


def _said(road: Road) -> dict[str, Any] | None:
    try:
        return road.ask("hello", {})
    except Unreachable:
        return None
