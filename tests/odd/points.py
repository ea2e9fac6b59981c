"""Crash points: every commit and every call to the outside, found by wrapping the ports and the database.

Nothing is listed by hand: whatever a port has as a method, and every writing transaction, is a point when a scenario
comes by. At a point one of these happens, once in a world:

    kill     the process is gone, after the effect (or before it)
    lose     the effect happens, its answer does not come: a lost answer of a call, a lost acknowledgement of a commit
    repeat   the effect happens twice: a call is made twice; what a commit belonged to is done again from its start
    delay    45 s pass there, longer than a claim, and another supervisor works meanwhile
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, cast

from sqlalchemy.engine import Connection

from odd.world import Killed, World
from tradewind.domain.errors import Unavailable
from tradewind.ports.compute import CloudFault, Compute
from tradewind.ports.transport import Transport, Unreachable
from tradewind.store.database import Database

Mode = Literal["kill", "lose", "repeat", "delay"]
Side = Literal["before", "after"]
LONGER_THAN_A_CLAIM_S = 45.0
COMMIT = "commit"


@dataclass(frozen=True, slots=True)
class Point:
    """The ``nth`` time that a scenario came by ``op``; ``doing`` says in what."""

    op: str
    nth: int
    doing: str = field(compare=False, default="")

    def __str__(self) -> str:
        return f"{self.op}#{self.nth} in {self.doing}"


@dataclass(frozen=True, slots=True)
class Blow:
    """What happens at a point."""

    point: Point
    mode: Mode
    side: Side = "after"

    def __str__(self) -> str:
        return f"{self.mode} {self.side} {self.point}"


@dataclass
class Watch:
    """Sees every effect of a world pass, and deals the blow, if there is one."""

    world: World
    blow: Blow | None = None
    points: list[Point] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    looking: bool = True
    once_more: bool = False
    fuse: int | None = None

    def light(self, fuse: int, mode: Mode, side: Side = "after") -> None:
        """Deal a blow at the effect that comes after ``fuse`` others, whatever it is."""
        self.fuse, self.blow = fuse, Blow(Point("any", 0), mode, side)

    def put_out(self) -> None:
        """No blow any more."""
        self.fuse = self.blow = None

    def put_on(self) -> None:
        """Wrap what the world's processes are made of."""
        self.world.watch_compute = lambda inner: cast(Compute, Watched(inner, Compute, "cloud", self))
        self.world.watch_nodes = lambda inner: cast(Transport, Watched(inner, Transport, "node", self))
        self.world.watch_store = lambda inner: cast(Database, _WatchedStore(inner, self))
        self.world.again = self._again
        self.world.room = self.world.rooms(self.world.clock)

    def call(self, op: str, method: Callable[..., Any], *given: Any) -> Any:
        """A call to the outside."""
        blow = self._pass(op)
        self._strike(blow, "before")
        answer = method(*given)
        if blow is not None and blow.mode == "repeat":
            self.world.cloud.repeating = True
            answer = method(*given)
            self.world.cloud.repeating = False
        if blow is not None and blow.mode == "lose":
            if op.startswith("node"):
                raise Unreachable("the answer was lost")
            raise CloudFault("unavailable", "the answer was lost", sent="maybe")
        self._strike(blow, "after")
        return answer

    @contextmanager
    def commit(self, write: AbstractContextManager[Connection]) -> Iterator[Connection]:
        """A writing transaction."""
        blow = self._pass(COMMIT)
        self._strike(blow if blow and blow.mode == "delay" else None, "before")
        with write as connection:
            yield connection
            if blow is not None and (blow.mode, blow.side) == ("kill", "before"):
                raise Killed
        if blow is not None and blow.mode == "repeat":
            self.once_more = True
        if blow is not None and blow.mode == "lose":
            raise Unavailable("database-busy", path="odd", why="the acknowledgement was lost")
        self._strike(blow, "after")

    def _pass(self, op: str) -> Blow | None:
        if not self.looking:
            return None
        self.counts[op] += 1
        point = Point(op, self.counts[op], self.world.doing)
        self.points.append(point)
        if self.fuse is not None:
            self.fuse -= 1
            if self.fuse < 0 and self.blow is not None:
                self.fuse, self.blow = None, Blow(point, self.blow.mode, self.blow.side)
        return self.blow if self.blow is not None and self.blow.point == point else None

    def _strike(self, blow: Blow | None, side: Side) -> None:
        if blow is None or blow.side != side:
            return
        if blow.mode == "kill":
            raise Killed
        if blow.mode == "delay":
            self.looking = False
            self.world.elsewhere(LONGER_THAN_A_CLAIM_S)
            self.looking = True

    def _again(self) -> bool:
        again, self.once_more = self.once_more, False
        return again


class Watched:
    """A port over another one; every method of its protocol is a point."""

    def __init__(self, inner: object, port: type, word: str, watch: Watch) -> None:
        self._inner = inner
        self.methods = {name for name, value in vars(port).items() if callable(value) and not name.startswith("_")}
        self._word = word
        self._watch = watch

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._inner, name)
        return partial(self._watch.call, f"{self._word}.{name}", value) if name in self.methods else value


class _WatchedStore:
    """A database whose commits are points."""

    def __init__(self, inner: Database, watch: Watch) -> None:
        self._inner = inner
        self._watch = watch

    def write(self) -> AbstractContextManager[Connection]:
        """A watched transaction."""
        return self._watch.commit(self._inner.write())

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)
