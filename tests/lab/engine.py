"""The engine of the clouds that are played: a request on its way from bytes to answer, with what the lab lets go wrong.

    heard ─▶ verify ─▶ read (by the published description) ─▶ fault? ─▶ token known? ─▶ perform ─▶ fault? ─▶ encode

What differs between clouds is its :class:`Dialect`; what they have in common, machines, things and a market, is in
``fleet``, ``estate`` and ``market``.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import Any, Protocol, Self

from lab.control import Control, Fault
from lab.fleet import Fleet
from lab.stub import NOTHING, Heard, Reply, Stub, gateway_page

Told = dict[str, Any]
_BEAT_S = 0.1  # how often it is looked whether a machine's time has come


class Refused(Exception):
    """What a cloud says no with; ``status`` is HTTP's."""

    def __init__(self, status: int, code: str, words: str, retry_after_s: float | None = None) -> None:
        super().__init__(f"{code}: {words}")
        self.status = status
        self.code = code
        self.words = words
        self.retry_after_s = retry_after_s


@dataclass(frozen=True, slots=True)
class Call:
    """One request as its cloud understands it.

    ``asked``: its parameters, nested; ``token``: the idempotency key; ``zone``: where a launch goes, as far as it says;
    ``fault``: what it meets.
    """

    service: str
    operation: str
    region: str
    asked: dict[str, Any]
    token: str | None = None
    zone: str | None = None
    fault: Fault | None = None

    @property
    def counted(self) -> str:
        """What faults are ordered for and requests are counted by: a dry run is no launch."""
        return f"{self.operation} dry" if self.asked.get("DryRun") in (True, "true") else self.operation

    @property
    def name(self) -> str:
        """The operation as rights name it: ``ecs:RunInstances``."""
        return f"{self.service}:{self.operation}"


class Dialect(Protocol):
    """How one cloud speaks.

    Attributes:
        cloud: its name.
        refusals: the kind of a fault → status, code and words. ``error`` is the server's own failure, ``conflict`` a
            token that was used with other parameters, ``objection`` a request that the description does not allow.
    """

    cloud: str
    refusals: Mapping[str, tuple[int, str, str]]

    def verify(self, heard: Heard, now: datetime) -> None:
        """Whether the credentials, the signature and its time are right; Refused where not."""
        ...

    def read(self, heard: Heard) -> Call:
        """The request; Objection where the published description does not allow it."""
        ...

    def perform(self, call: Call) -> Told:
        """Do it; the answer, checked by the published description. Refused where the cloud would not."""
        ...

    def encode(self, call: Call, told: Told) -> Reply:
        """An answer as bytes."""
        ...

    def refuse(self, heard: Heard, refused: Refused) -> Reply:
        """A refusal as bytes."""
        ...


class Engine:
    """A cloud that answers on loopback while it is entered. Leaving fails where a request was objected to.

    Attributes:
        stub: its server: URL, log of requests, objections.
        calls: what was asked and was understood, in order.

    ``clock`` is what the cloud goes by and dates its answers with; signatures go by this computer's.
    """

    def __init__(
        self, dialect: Dialect, fleet: Fleet, control: Control,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:  # fmt: skip
        self.calls: list[Call] = []
        self._dialect, self._fleet, self._control = dialect, fleet, control
        self._answers: dict[tuple[str, str, str], tuple[str, Told]] = {}
        self._over = threading.Event()
        self._beat = threading.Thread(target=self._settle, name=f"lab-{dialect.cloud}")
        self.stub = Stub(self._answer, self._object, clock)
        control.register(dialect.cloud, fleet)

    def __enter__(self) -> Self:
        self.stub.__enter__()
        self._beat.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._beat.join()
        self.stub.__exit__(kind, error, trace)

    def _object(self, heard: Heard, words: str) -> Reply:
        return self._dialect.refuse(heard, self._refusal("objection", words))

    def _settle(self) -> None:
        while not self._over.wait(_BEAT_S):
            self._fleet.settle()

    def _answer(self, heard: Heard) -> Reply:
        self.stub.ahead = skew = timedelta(seconds=self._control.conditions(self._dialect.cloud).clock_skew_s)
        try:
            self._dialect.verify(heard, datetime.now(UTC) + skew)  # SDKs sign by this computer's clock
            call = self._dialect.read(heard)
            met = self._control.meet(self._dialect.cloud, call.counted, call.region or None, call.zone)
            call = replace(call, fault=met)
            with self._fleet.lock:
                self.calls.append(call)
                self._fleet.settle()
                return self._met(call)
        except Refused as refused:
            return self._dialect.refuse(heard, refused)

    def _met(self, call: Call) -> Reply:
        """The answer to a call and its fault: before the effect, or after it."""
        kind = call.fault.kind if call.fault else None
        if kind in _BEFORE:
            return _BEFORE[kind]()
        if kind == "error-before" or (kind in self._dialect.refusals):
            raise self._refusal("error" if kind == "error-before" else str(kind), fault=call.fault)
        told = self._once(call)
        if kind == "error-after":
            raise self._refusal("error", fault=call.fault)
        return NOTHING if kind == "lost-answer" else self._dialect.encode(call, told)

    def _once(self, call: Call) -> Told:
        """What the call does; with a token that was taken before, only what was answered then."""
        if call.token is None:
            return self._dialect.perform(call)
        key, asked = (call.name, call.region, call.token), json.dumps(call.asked, sort_keys=True)
        if key not in self._answers:
            self._answers[key] = asked, self._dialect.perform(call)
        before, told = self._answers[key]
        if before != asked:
            raise self._refusal("conflict")
        return told

    def _refusal(self, kind: str, words: str | None = None, fault: Fault | None = None) -> Refused:
        status, code, usual = self._dialect.refusals[kind]
        waits = fault.seconds if fault and kind == "throttle" else None
        return Refused(status, (fault and fault.code) or code, words or usual, waits)


_BEFORE: dict[str | None, Callable[[], Reply]] = {
    "dropped": lambda: NOTHING,
    "gateway-page": lambda: gateway_page(502)(NOTHING, None),
}
