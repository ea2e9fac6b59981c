"""Steering: what to do about a job's machines now, from a situation that can be stored and decided again."""

from tradewind.planning.steering.deciding import decide
from tradewind.planning.steering.decision import Decision, Option
from tradewind.planning.steering.situation import DOWN, UNSEEN, UP, Pool, Situation, runs, steps

__all__ = ["DOWN", "UNSEEN", "UP", "Decision", "Option", "Pool", "Situation", "decide", "runs", "steps"]
