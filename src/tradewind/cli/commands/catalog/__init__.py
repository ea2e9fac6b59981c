"""``tradewind catalog``: what stands behind the offers, one's own prices, and refreshing."""

from __future__ import annotations

from tradewind.cli.index import CATALOG
from tradewind.cli.shape import group

command = group("catalog", CATALOG, __name__)
