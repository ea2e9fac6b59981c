"""How soon a loss is to be expected for which nobody saves: from it follows how often a checkpoint is worth its cost.

A loss with a notice long enough to save repeats nothing: only those without count. The hazard of a spot machine falls
with its age, so saves are frequent in its first hour and rare later; on demand a machine goes only with its host. The
interval itself is the training library's (``wire.cadence``), as it knows best what a save costs.
"""

from __future__ import annotations

from dataclasses import dataclass

from tradewind.planning.interruption import hazard_at

# Of the losses of spot machines, those that come without their notice. AWS gives it as best effort, to be missed in
# rare cases (announcement of 2015-01-05); nobody publishes the share: assumed.
UNANNOUNCED = 0.1

# Host failures an hour that end a job: 419 unexpected interruptions in 54 days of 16,384 H100, 8 a host, are 1.6e-4
# (The Llama 3 Herd of Models, 2024, arXiv:2407.21783), rounded up.
HOST_FAILURES = 2e-4

# Of a notice, what a save has to stay below to be counted on; the rest is for the step and a slow disk: assumed.
NOTICE_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Saving:
    """What saves have taken, in seconds.

    Attributes:
        blocking: the loop stands still for it.
        persist: until the checkpoint is complete on the node; includes ``blocking``.
        store: from there until it lies in the job's store, which outlives the node.
    """

    blocking: float
    persist: float = 0.0
    store: float = 0.0

    def fits(self, notice_seconds: float) -> bool:
        """Whether a save that begins with a notice is safe before the machine goes."""
        return max(self.blocking, self.persist) + self.store < NOTICE_SHARE * notice_seconds


def hours_between_losses(
    age_hours: float, *, spot: bool, announced: bool, nodes: int = 1, multiplier: float = 1.0
) -> float:
    """Mean hours between losses that come too suddenly to save, at the hazard of machines of this age.

    Args:
        spot: else on demand.
        announced: whether the notice of a reclaim is long enough to save.
        multiplier: on the pooled hazards.
    """
    reclaims = hazard_at(age_hours, nodes, multiplier) * (UNANNOUNCED if announced else 1.0) if spot else 0.0
    return 1.0 / (reclaims + HOST_FAILURES * nodes)
