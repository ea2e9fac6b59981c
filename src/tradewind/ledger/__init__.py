"""From the history to usage and cost. Pure: the same events give the same lines."""

from tradewind.ledger.cost import JobCost, TotalIn, costs, total_in
from tradewind.ledger.usage import PricedAt, billed_seconds, usage

__all__ = ["JobCost", "PricedAt", "TotalIn", "billed_seconds", "costs", "total_in", "usage"]
