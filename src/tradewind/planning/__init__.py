"""Fits and offers into a plan: what it costs, when it ends, what to fall back on, why others were rejected. Pure."""

from tradewind.planning.ask import SETUP_HOURS, Ask, Dataset, Refusal, Terms
from tradewind.planning.exchange import Exchange
from tradewind.planning.interruption import Interruption, expected_losses
from tradewind.planning.search import plan
from tradewind.planning.supply import Supply

__all__ = [
    "SETUP_HOURS", "Ask", "Dataset", "Exchange", "Interruption", "Refusal", "Supply", "Terms",
    "expected_losses", "plan",
]  # fmt: skip
