"""The cadence of checkpoints: by what both sides reckon it, and how a training loop is told while it runs.

The control plane knows how soon a machine of this age is lost, the training library what a save costs. So the one tells
mean seconds between losses that come without a notice, and the other keeps the interval that follows::

    control plane ── commands/cadence-*.json ──▶ agent ── cadence.json ──▶ training library, between two steps
    training library ── snapshot_done, checkpoint_committed ──▶ agent ── journal ──▶ control plane
"""

from __future__ import annotations

import json
import math
from typing import Any, Optional

MEAN_SECONDS_BETWEEN_LOSSES = 4 * 3600.0  # assumed until a loop is told better
SHORTEST_SECONDS, LONGEST_SECONDS = 30.0, 30 * 60.0
_MEAN = "mean_seconds_between_losses"
_WEIGHT = 0.3  # of the newest save in the moving means


def interval_seconds(blocking_seconds: float, persist_seconds: float, mean_between_losses: float) -> float:
    """Seconds from one save's begin to the next that lose least to saving and to repeating, within 30 s and 30 min.

    Never shorter than a save takes to reach the disk.

    Sources: J. W. Young, "A first order approximation to the optimum checkpoint interval", CACM 17(9), 1974: √(2 δ M)
    for saves that cost δ and losses M apart; J. T. Daly, "A higher order estimate of the optimum checkpoint interval
    for restart dumps", FGCS 22(3), 2006, for δ not small beside M. Daly's time is between saves: here δ is added.
    """
    cost, mean = blocking_seconds, mean_between_losses
    if cost < 2 * mean:
        ratio = math.sqrt(cost / (2 * mean))
        best = math.sqrt(2 * cost * mean) * (1 + ratio / 3 + ratio * ratio / 9)
    else:
        best = mean + cost
    return min(max(best, persist_seconds, SHORTEST_SECONDS), LONGEST_SECONDS)


def moving_mean(before: Optional[float], newest: float) -> float:
    """What a save takes, by those so far and the newest."""
    return newest if before is None else before + _WEIGHT * (newest - before)


def to_json(mean_between_losses: Any) -> str:
    """The text of ``cadence.json``.

    Raises:
        ValueError: not a number of seconds above 0.
    """
    return json.dumps({_MEAN: _seconds(mean_between_losses)})


def read(text: str) -> float:
    """Mean seconds between losses, above 0, as ``cadence.json`` tells them.

    Raises:
        ValueError: it tells none.
    """
    value = json.loads(text)
    return _seconds(value.get(_MEAN) if isinstance(value, dict) else None)


def _seconds(value: Any) -> float:
    if isinstance(value, (int, float)) and 0 < value < math.inf:
        return float(value)
    raise ValueError("{} is a number of seconds above 0, not {!r}".format(_MEAN, value))
