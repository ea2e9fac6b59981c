"""The port for asking a cloud what it sells and at which prices. Nothing is rented; sync; called from one thread.

A refresh asks for its parts one after the other and, of each, page after page, so that one that was cut off goes on
where it was. SDK retries are off: whoever calls waits and asks again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from tradewind.domain.market import ListedMachine, ListedPrice, SpotPoint
from tradewind.domain.money import Rate


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a part. ``cursor`` is what to ask the next one with; None: this was the last.

    ``skipped`` are names of what was told and could not be understood, with why: counted and said, never guessed.
    """

    machines: tuple[ListedMachine, ...]
    prices: tuple[ListedPrice, ...]
    cursor: str | None
    skipped: tuple[str, ...] = ()


class Prices(Protocol):
    """The price and inventory interfaces of one cloud.

    ``name`` is the cloud's; ``calls_per_second`` what its interfaces allow.
    """

    name: str
    calls_per_second: float

    def parts(self) -> tuple[str, ...]:
        """What a whole refresh consists of, in order: regions, or a region and a service (``us-east-1/on_demand``).

        Raises:
            CloudFault: the cloud does not answer, or does not let us ask.
        """
        ...

    def page(self, part: str, cursor: str | None) -> Page:
        """One page; the same part and cursor give the same page again.

        Raises:
            CloudFault: ``throttle`` with the time to wait, ``auth``, ``unavailable``; ``invalid`` when the answer is
                not of the shape that the cloud publishes.
        """
        ...

    def spot_history(self, region: str, instance_types: Sequence[str], since: datetime) -> Iterator[SpotPoint]:
        """Spot prices since an instant, as far back as the cloud keeps them; nothing where it tells none.

        Raises:
            CloudFault: as :meth:`page`.
        """
        ...


class Rates(Protocol):
    """Somebody who publishes exchange rates."""

    def rates(self) -> tuple[Rate, ...]:
        """Today's rates, each with its day and source.

        Raises:
            CloudFault: as :meth:`Prices.page`.
        """
        ...
