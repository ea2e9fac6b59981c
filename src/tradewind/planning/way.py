"""Way: one offer with its fit and course, and what it is ranked by; Miss: why an offer is none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tradewind.domain.fit import Fit
from tradewind.domain.offer import Offer
from tradewind.planning.ask import Terms
from tradewind.planning.course import Course

FitOf = Callable[[Offer], Fit | str | None]  # a fit, or the code of why there is none
TermsOf = Callable[[str], Terms]  # by the name of the cloud


@dataclass(frozen=True, slots=True)
class Way:
    """One way of doing the job.

    Attributes:
        rank_cost: by which ways are compared: cost at the upper end of the price's range, in the ranking currency.
    """

    offer: Offer
    fit: Fit
    course: Course
    terms: Terms
    rank_cost: float

    @property
    def hours(self) -> float:
        """Expected hours from the order to the end."""
        return self.course.hours.value

    @property
    def order(self) -> tuple[float, float, str, str, str, str, str]:
        """Sorts the cheapest first, then the fastest, then by name so that the order never depends on the input's."""
        offer = self.offer
        return (
            self.rank_cost, self.course.hours.value, offer.cloud, offer.region, offer.zone or "",
            offer.instance_type, offer.purchase.value,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Miss:
    """Why an offer is no way: the code, and for a near miss how far off it is, as a number and in words."""

    code: str
    excess: float = float("inf")
    words: str | None = None
