"""Way: one offer with its fit and pace, and what it is ranked by; Miss: why an offer is none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tradewind.domain.fit import Fit
from tradewind.domain.offer import Offer
from tradewind.domain.plan import Objective
from tradewind.planning.ask import Terms
from tradewind.planning.course import Pace, Work
from tradewind.planning.interruption import Interruption

FitOf = Callable[[Offer, int], Fit | str]  # on so many machines: a fit, or the code of why there is none
TermsOf = Callable[[str], Terms]  # by the name of the cloud
InterruptionOf = Callable[[Offer], Interruption]


@dataclass(slots=True, eq=False)
class Way:
    """One way of doing the job. Made by the thousand, and never changed once made.

    Attributes:
        name: tells apart ways that are alike in everything that counts, together with ``nodes``.
        fit: None where nothing is known of the model.
        work: None where its length is not known; then ``hours`` and ``cost`` are those of one step, or of one hour.
        pace: None as well then.
        hours: expected from the order to the end, with the hours for which a refused pool is taken to be out.
        cost: by which ways are ranked: at the upper end of the price's range, in the ranking currency.
        carbon: grams to expect; None: not known.
        interruption: None on demand.
        resort: what saves the deadline on demand if spot machines fail; None on demand, and without a deadline.
        share: of the work, that is expected to be done on demand instead.
        waits: hours for which the pool is taken to be out, since it refused lately.
    """

    offer: Offer
    name: tuple[str, ...]
    nodes: int
    fit: Fit | None
    work: Work | None
    terms: Terms
    pace: Pace | None
    hours: float
    cost: float
    carbon: float | None
    interruption: Interruption | None = None
    resort: Way | None = None
    share: float = 0.0
    waits: float = 0.0


Order = Callable[[Way], tuple[object, ...]]


def order_by(objective: Objective) -> Order:
    """What sorts the best way first.

    cost and time break ties by each other; carbon by cost, and what is unknown of it comes last; balanced is the least
    product of cost and hours: one per cent dearer is worth one per cent sooner.
    """
    orders: dict[Objective, Order] = {
        "cost": lambda way: (way.cost, way.hours, way.nodes, way.name),
        "time": lambda way: (way.hours, way.cost, way.nodes, way.name),
        "carbon": lambda way: (way.carbon is None, way.carbon or 0.0, way.cost, way.hours, way.nodes, way.name),
        "balanced": lambda way: (way.cost * way.hours, way.cost, way.hours, way.nodes, way.name),
    }
    return orders[objective]


@dataclass(frozen=True, slots=True)
class Miss:
    """Why an offer is no way: the code, and for a near miss how far off it is, in words and as a code with facts.

    ``stage``: how far it got before.
    """

    code: str
    excess: float = float("inf")
    words: str | None = None
    near: str | None = None
    stage: int = 0

    def further(self, other: Miss) -> Miss:
        """Of two misses of one offer the one that got further, or nearer."""
        return min(self, other, key=lambda miss: (-miss.stage, miss.excess))
