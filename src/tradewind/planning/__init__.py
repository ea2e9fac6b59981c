"""Fits and offers into a plan: what it costs, when it ends, what to fall back on, why others were rejected. Pure."""

from tradewind.planning.ask import SETUP_HOURS, Ask, Terms
from tradewind.planning.exchange import Exchange
from tradewind.planning.market import expected_losses
from tradewind.planning.search import plan

__all__ = ["SETUP_HOURS", "Ask", "Exchange", "Terms", "expected_losses", "plan"]
