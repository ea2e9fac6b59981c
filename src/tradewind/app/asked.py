"""All that one cloud tells of its machines and prices, part by part, kept on the disk as it comes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from tradewind.app.patience import PASSING, Patience
from tradewind.app.staging import Staged, Staging
from tradewind.ports.clock import Clock
from tradewind.ports.compute import CloudFault
from tradewind.ports.prices import Page, Prices


@dataclass(frozen=True, slots=True)
class Step:
    """How far a refresh is with a cloud. ``waiting_s``: it pauses as long, because the cloud asked for it or failed."""

    cloud: str
    part: str | None
    parts_done: int
    parts: int
    prices: int
    waiting_s: float | None = None


Tell = Callable[[Step], None]


@dataclass
class Told:
    """What a cloud told, and the parts that it did not tell, with why. ``went_on``: an earlier refresh began it."""

    staged: Staged
    went_on: bool
    failed: dict[str, CloudFault] = field(default_factory=dict)


def ask_all(source: Prices, staging: Staging, clock: Clock, draw: Callable[[], float], tell: Tell) -> Told:
    """Every part, page after page, from where an earlier refresh was cut off.

    A part that the cloud refuses, or tells in a shape that is not understood, fails alone.

    Raises:
        CloudFault: the cloud tells nothing of all its parts, or stopped answering; what it told is kept for the next
            time.
    """
    asking = _Asking(source, clock, draw, tell)
    staged = staging.begun(clock.now())
    went_on = staged is not None
    if staged is None:
        staged = staging.begin(asking.patience.ask(source.parts), clock.now())
    told = Told(staged, went_on)
    for part in staged.parts:
        try:
            asking.part(part, staged, staging)
        except CloudFault as fault:
            if fault.kind in PASSING:
                raise
            told.failed[part] = fault
    if len(told.failed) == len(staged.parts):
        raise next(iter(told.failed.values()), CloudFault("invalid", "it names nothing to ask for", sent="yes"))
    return told


class _Asking:
    def __init__(self, source: Prices, clock: Clock, draw: Callable[[], float], tell: Tell) -> None:
        self._source = source
        self._tell = tell
        self._step = Step(source.name, None, 0, 0, 0)
        self.patience = Patience(source.calls_per_second, clock, draw, self._pause)

    def part(self, part: str, staged: Staged, staging: Staging) -> None:
        """Have all pages of a part."""
        seen = set()
        while not staged.whole(part):
            cursor = staged.cursor(part)
            if cursor in seen:
                raise CloudFault("invalid", f"the next page of {part} is the one before", sent="yes")
            seen.add(cursor)
            self._at(part, staged)
            page = self._page(part, cursor)
            staging.keep(part, page)
            staged.add(part, page)
        self._at(part, staged)

    def _page(self, part: str, cursor: str | None) -> Page:
        return self.patience.ask(lambda: self._source.page(part, cursor))

    def _at(self, part: str, staged: Staged) -> None:
        done = sum(map(staged.whole, staged.parts))
        told = sum(len(page.prices) for pages in staged.pages.values() for page in pages)
        self._step = Step(self._source.name, part, done, len(staged.parts), told)
        self._tell(self._step)

    def _pause(self, seconds: float) -> None:
        self._tell(replace(self._step, waiting_s=seconds))
