"""Timeline: what a traced step allocated and freed, in order; and the moments at which memory may peak."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from tradewind.domain.profile import Amount, Moment

ACTIVATION, COPY, GRADIENT = "activation", "copy", "gradient"
MICRO_BATCHES = (0.5, 16384.0)  # moments are kept when one in this range makes them the peak


class Event(NamedTuple):
    """``alloc`` or ``free`` of a storage, ``keep`` (it became a weight's gradient), or the begin of a ``phase``."""

    what: str
    storage: int = -1
    phase: str = ""


@dataclass(slots=True)
class Timeline:
    """The events of one step.

    Attributes:
        batch: samples of the traced step, a prime: bytes that it divides grow with the samples.
        sizes: bytes of each storage at ``batch``, by its number; unrounded.
        copies: storages that hold autocast's copies of weights.
        gradient_bytes: of all weights that are trained.
    """

    batch: int
    sizes: list[int] = field(default_factory=list)
    copies: set[int] = field(default_factory=set)
    events: list[Event] = field(default_factory=list)
    gradient_bytes: float = 0.0

    def amount(self, storage: int) -> Amount:
        """The bytes of ``storage``."""
        return self.as_amount(self.sizes[storage])

    def as_amount(self, size: int) -> Amount:
        """``size`` at ``batch``, as an amount in the micro-batch."""
        return Amount(0.0, size / self.batch) if size % self.batch == 0 else Amount(float(size))

    def moments(self) -> tuple[Moment, ...]:
        """The moments that some micro-batch makes the peak, with gradients kept from the pass before or not."""
        candidates = list(dict.fromkeys(self.crests()))
        peaks = _upper(candidates, self.gradient_bytes) + _upper(candidates, 0.0)
        return tuple(moment for moment in candidates if moment in peaks)

    def crests(self) -> Iterator[Moment]:
        """The moments after the last allocation before something is freed."""
        live = _Live(self)
        rising = False
        for event in self.events:
            if event.what != "alloc" and rising:
                yield live.moment()
            rising = event.what == "alloc"
            live.apply(event)
        yield live.moment()


class _Live:
    """Sums of what is alive, by category."""

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline
        self._category: dict[int, str] = {}
        self._sums = {ACTIVATION: [0.0, 0.0], COPY: [0.0, 0.0], GRADIENT: [0.0, 0.0]}
        self._phase = "forward"

    def apply(self, event: Event) -> None:
        if event.what == "phase":
            self._phase = event.phase
        elif event.what == "alloc":
            self._add(event.storage, COPY if event.storage in self._timeline.copies else ACTIVATION)
        elif event.what == "keep":
            self._remove(event.storage)
            self._add(event.storage, GRADIENT)
        else:
            self._remove(event.storage)

    def moment(self) -> Moment:
        tensors, copies, gradients = (self._sums[category] for category in (ACTIVATION, COPY, GRADIENT))
        share = gradients[0] / self._timeline.gradient_bytes if self._timeline.gradient_bytes else 0.0
        return Moment(self._phase, Amount(*tensors), copies[0], min(1.0, share))

    def _add(self, storage: int, category: str) -> None:
        self._category[storage] = category
        self._change(storage, category, 1)

    def _remove(self, storage: int) -> None:
        self._change(storage, self._category.pop(storage), -1)

    def _change(self, storage: int, category: str, sign: int) -> None:
        amount, sums = self._timeline.amount(storage), self._sums[category]
        sums[0] += sign * amount.fixed
        sums[1] += sign * amount.per_sample


def _upper(moments: list[Moment], gradient_bytes: float) -> list[Moment]:
    """The moments on the upper envelope of bytes over micro-batches, each a straight line."""
    lines = {moment: _line(moment, gradient_bytes) for moment in moments}
    at, end = MICRO_BATCHES
    current = max(moments, key=lambda moment: (lines[moment].at(at), lines[moment].per_sample))
    peaks = [current]
    while True:
        crossings = [
            ((lines[current].fixed - line.fixed) / (line.per_sample - lines[current].per_sample), -line.per_sample, i)
            for i, line in enumerate(lines.values())
            if line.per_sample > lines[current].per_sample
        ]
        if not crossings or min(crossings)[0] >= end:
            return peaks
        current = moments[min(crossings)[2]]
        peaks.append(current)


def _line(moment: Moment, gradient_bytes: float) -> Amount:
    return Amount(moment.tensors.fixed + moment.copies + moment.gradients * gradient_bytes, moment.tensors.per_sample)
