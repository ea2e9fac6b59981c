"""What the fit is made of: matrices of resources by situation and card, and the weights regressed on them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from sizing.observations import Observation
from sizing.regression import Floats, fit
from tradewind.sizing import exchange
from tradewind.sizing.chips import card_name, rates_of
from tradewind.sizing.efficiency import loads_of
from tradewind.sizing.loads import resources
from tradewind.sizing.timing import update_seconds

Weights = dict[str, float]
Tables = dict[str, dict[str, Weights]]  # situation → card → weights

# What a resource costs where nothing tells, as a multiple of the sheet's: arithmetic far below, at and far above the
# ridge of the roofline; traffic; idle waves; kernels (microseconds).
_PRIOR = {"flops-2": 3.0, "flops+0": 1.5, "flops+2": 1.4, "bytes": 1.5, "wave": 0.3, "kernels": 1.5}
_FUSED_IN_TRAINING = 2.0  # attention in one kernel: no training row has it; inference rows of the RTX 3090


LONG = 1e3  # seconds of computing, behind which everything hides that can


@dataclass(frozen=True)
class Rows:
    """Observations of one situation on one card as a regression sees them.

    Attributes:
        shares: float[n, k]: seconds at the sheet's rates by resource over the measured ones.
        fixed: float[n]: share of what is not regressed (the optimizer's traffic).
    """

    observations: tuple[Observation, ...]
    names: tuple[str, ...]
    shares: Floats
    fixed: Floats

    @property
    def families(self) -> list[str]:
        """The family of each row."""
        return [each.family for each in self.observations]

    def weights(self, kept: np.ndarray | None = None, base: Weights | None = None) -> Weights:
        """Weights by resource, from all rows or the ``kept`` ones, near ``base`` where those do not tell."""
        mask = np.ones(len(self.fixed), bool) if kept is None else kept
        prior = np.array([(base or {}).get(name, prior_of(name)) for name in self.names])
        found = fit(self.shares[mask], 1.0 - self.fixed[mask], prior)
        return dict(zip(self.names, (float(each) for each in found), strict=True))

    def ratios(self, weights: Weights) -> Floats:
        """Predicted over measured seconds."""
        column = np.array([weights.get(name, prior_of(name)) for name in self.names])
        found: Floats = self.shares @ column + self.fixed
        return found


def prior_of(name: str) -> float:
    """The weight of a resource of which no row tells."""
    if name.startswith("b attention") or name.startswith("f attention"):
        return _FUSED_IN_TRAINING
    return _PRIOR[name.rpartition(" ")[2]]


def gathered(observations: Iterable[Observation]) -> dict[tuple[str, str], Rows]:
    """Rows by (situation, card), in a fixed order."""
    groups: dict[tuple[str, str], list[Observation]] = defaultdict(list)
    for each in observations:
        groups[each.situation.key, card_name(each.hardware.gpu)].append(each)
    return {key: rows_of(groups[key]) for key in sorted(groups)}


def rows_of(observations: Sequence[Observation]) -> Rows:
    """The matrix of ``observations``: one pass on one GPU each, over its share of the measured seconds."""
    asked = [_asked(each) for each in observations]
    names = tuple(sorted({name for each in asked for name in each}))
    seconds = np.array([each.seconds for each in observations])
    passes = np.array([_passes(each) for each in observations])
    amounts = np.array([[each.get(name, 0.0) for name in names] for each in asked])
    fixed = np.array([_fixed(each) for each in observations])
    return Rows(tuple(observations), names, amounts * (passes / seconds)[:, None], fixed / seconds)


def _passes(each: Observation) -> float:
    """Passes that one GPU's computing takes as long as: its own, those of the bubble, and waiting for the slowest."""
    layout = each.layout
    skew = exchange.SKEW * layout.accumulation if layout.data > 1 and each.profile.trainable else 0.0
    return layout.accumulation + layout.pipeline - 1 + skew


def _fixed(each: Observation) -> float:
    """Seconds that are not regressed: the optimizer, and communication that no computing can hide."""
    request, hardware, layout = each.request, each.hardware, each.layout
    waiting = exchange.exposed_seconds(each.profile, request.precision, hardware, layout, LONG, LONG)
    skew = exchange.SKEW * 2 * LONG * layout.accumulation if layout.data > 1 and each.profile.trainable else 0.0
    return update_seconds(each.profile, request, hardware, layout) + waiting - skew


def _asked(each: Observation) -> Weights:
    layout = each.layout
    part = 1.0 / (layout.tensor * layout.pipeline * layout.context)
    rates = rates_of(each.hardware.gpu, 1.0 / part)
    sums: Weights = {}
    for load in loads_of(each.profile):
        for name, seconds in resources(load, layout.micro_batch, rates):
            sums[name] = sums.get(name, 0.0) + seconds
    return sums
