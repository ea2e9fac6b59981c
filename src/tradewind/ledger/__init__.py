"""From the history to usage and cost. Pure: the same events give the same lines."""

from tradewind.ledger.cost import JobCost, TotalIn, costs, total_in
from tradewind.ledger.usage import PricedAt, usage

__all__ = ["JobCost", "PricedAt", "TotalIn", "costs", "total_in", "usage"]
