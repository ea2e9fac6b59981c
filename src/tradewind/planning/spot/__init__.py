"""The spot policy: when to rent which zone, wait or fall back to on-demand, so that a job ends in time and cheaply."""

from tradewind.planning.spot.policy import Policy

__all__ = ["Policy"]
