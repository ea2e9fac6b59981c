"""When the next periodic checkpoint is due: pure decisions, times come in as arguments."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Optional

from tradewind.wire.cadence import MEAN_SECONDS_BETWEEN_LOSSES, interval_seconds, moving_mean

_EVERY = re.compile(r"^\s*(?:(?P<steps>\d+)\s*steps?|(?P<amount>\d+(?:\.\d+)?)\s*(?P<unit>[smh]))\s*$")
_UNIT_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0}


@dataclass(frozen=True)
class Every:
    """A distance between checkpoints: seconds, or optimizer steps, or, with neither, chosen by cost."""

    seconds: Optional[float] = None
    steps: Optional[int] = None


def parse_every(text: str) -> Every:
    """The distance in ``text``: ``auto``, ``5s`` (also ``m``, ``h``) or ``200 steps``.

    Raises:
        ValueError: none of these, or zero.
    """
    if text.strip() == "auto":
        return Every()
    match = _EVERY.match(text)
    if match and match["steps"] and int(match["steps"]) > 0:
        return Every(steps=int(match["steps"]))
    if match and match["amount"] and float(match["amount"]) > 0:
        return Every(seconds=float(match["amount"]) * _UNIT_SECONDS[match["unit"]])
    raise ValueError(f"a checkpoint is due every 'auto', '5s' or '200 steps', not {text!r}")


class Cadence:
    """Says when a checkpoint is due, from what saves have cost so far.

    Args:
        every: the distance wanted.
        mean_between_losses: mean seconds between losses that come without a notice.

    Attributes:
        chosen_by_cost: whether the distance is ``auto``.
        in_seconds: whether it is a time, and not a number of steps.
    """

    def __init__(self, every: Every, mean_between_losses: float = MEAN_SECONDS_BETWEEN_LOSSES) -> None:
        self._every = every
        self.chosen_by_cost, self.in_seconds = every == Every(), every.steps is None
        self._mean_between_losses = mean_between_losses
        self._blocking: Optional[float] = None
        self._persist = 0.0
        self._last_step = 0
        self._last_at: Optional[float] = None

    def expect(self, mean_between_losses: float) -> None:
        """Takes note of how far apart losses without a notice are from now on, in the mean, seconds."""
        self._mean_between_losses = mean_between_losses

    def due(self, step: int, now: float) -> bool:
        """True when the distance from the last save, or else from the first question, has been covered.

        Args:
            step: optimizer steps done.
            now: seconds on a clock that never goes back.
        """
        if self._every.steps is not None:
            return step // self._every.steps > self._last_step // self._every.steps
        if self._last_at is None:
            self._last_at = now
        return now - self._last_at >= self.interval_seconds()

    def interval_seconds(self) -> float:
        """The seconds between saves now; of no meaning when the distance is in steps."""
        if self._every.seconds is not None:
            return self._every.seconds
        return interval_seconds(self._blocking or 0.0, self._persist, self._mean_between_losses)

    def resumed(self, step: int) -> None:
        """Counts steps from ``step`` on."""
        self._last_step = step

    def saved(self, step: int, now: float, blocking_seconds: float) -> None:
        """Takes note of a save that began at ``now`` and held the loop up for ``blocking_seconds``."""
        self._last_step, self._last_at = step, now
        self._blocking = moving_mean(self._blocking, blocking_seconds)

    def persisted(self, seconds: float) -> None:
        """Takes note of how long the newest save took to reach the disk."""
        self._persist = seconds
