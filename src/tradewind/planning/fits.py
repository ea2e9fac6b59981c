"""Fits of a workload on kinds of machines, each asked for once, whatever limits are tried."""

from __future__ import annotations

from dataclasses import dataclass, field

from tradewind.domain.fit import Fit
from tradewind.planning.constraints import Wishes, short_of_memory
from tradewind.planning.supply import Kind
from tradewind.planning.way import FitOf, Miss

Fitted = tuple[int, Fit | None]  # on so many machines


@dataclass(slots=True)
class Fits:
    """``fit_of`` with its answers kept; None: nothing is known of the model, and everything fits."""

    fit_of: FitOf | None
    _known: dict[tuple[Kind, int], Fit | str] = field(default_factory=dict)

    def on(self, kind: Kind, wishes: Wishes) -> list[Fitted] | Miss:
        """The fits that hold the work on the numbers of machines that are wished for; else how near it came.

        Where nobody says how many machines or GPUs, more are taken only until the memory suffices. Where nothing is
        known of the model, the fewest are.
        """
        counts = wishes.machines(kind.sample)
        if self.fit_of is None:
            return [(count, None) for count in counts[:1]]
        growing = wishes.ask.resources.nodes_open and wishes.ask.resources.accelerators is None
        found, worst = list[Fitted](), None
        for count in counts:
            miss = _miss(fit := self._fit(kind, count))
            if miss is None:
                assert isinstance(fit, Fit)
                found.append((count, fit))
            else:
                worst = worst.further(miss) if worst else miss
            if growing and (miss is None or miss.code != "too-little-memory"):
                break
        assert found or worst, "wishes that no number of machines meets are told before"
        return found or worst  # type: ignore[return-value]

    def _fit(self, kind: Kind, count: int) -> Fit | str:
        key = kind, count
        if key not in self._known:
            assert self.fit_of is not None
            self._known[key] = self.fit_of(kind.sample, count)
        return self._known[key]


def _miss(fit: Fit | str) -> Miss | None:
    if isinstance(fit, str):
        return Miss(fit)
    return None if fit.fits else short_of_memory(fit)
