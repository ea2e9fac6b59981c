"""How long to wait after a fault: by its class, with full jitter, so that many rows do not come back at once. Pure.

Full jitter: a uniform draw from nothing to a ceiling that doubles with each fault in a row (M. Brooker, "Exponential
backoff and jitter", AWS Architecture Blog, 2015-03). A tenth of the ceiling is the least, so that no draw makes a loop.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from tradewind.ports.compute import CloudFault


class FaultClass(StrEnum):
    """What a fault means for the next try."""

    THROTTLE = "throttle"
    TRANSIENT = "transient"
    CAPACITY = "capacity"
    BUSY = "busy"
    AUTH = "auth"
    INVALID = "invalid"


_CLASSES = {
    "throttle": FaultClass.THROTTLE, "unavailable": FaultClass.TRANSIENT, "clock": FaultClass.TRANSIENT,
    "conflict": FaultClass.TRANSIENT, "not_found": FaultClass.TRANSIENT, "capacity": FaultClass.CAPACITY,
    "busy": FaultClass.BUSY, "auth": FaultClass.AUTH, "quota": FaultClass.INVALID, "price_cap": FaultClass.INVALID,
    "money": FaultClass.INVALID, "invalid": FaultClass.INVALID,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Ceiling:
    """Seconds: of the first pause, and of the longest."""

    base_s: float
    longest_s: float


CEILINGS = {
    FaultClass.THROTTLE: Ceiling(2.0, 60.0),
    FaultClass.TRANSIENT: Ceiling(1.0, 60.0),
    FaultClass.CAPACITY: Ceiling(5.0, 900.0),
    FaultClass.BUSY: Ceiling(5.0, 60.0),  # it comes back by itself, and nobody tells when
    FaultClass.AUTH: Ceiling(60.0, 900.0),  # somebody has to mend it: ask seldom, and say so
    FaultClass.INVALID: Ceiling(60.0, 900.0),
}


def class_of(kind: str | None) -> FaultClass:
    """The class of a ``CloudFault.kind``; what is not known may pass by itself."""
    return _CLASSES.get(kind or "", FaultClass.TRANSIENT)


def pause(kind: str | None, faults: int, draw: float, least_s: float | None = None) -> timedelta:
    """How long to wait after ``faults`` faults in a row (1 or more); never less than the cloud asked for."""
    ceiling = CEILINGS[class_of(kind)]
    top = min(ceiling.longest_s, ceiling.base_s * 2.0 ** min(faults - 1, 20))
    return timedelta(seconds=max(top * max(draw, 0.1), least_s or 0.0))


def after(fault: CloudFault, faults: int, draw: float) -> timedelta:
    """The pause after this fault."""
    return pause(fault.kind, faults, draw, fault.retry_after_s)
