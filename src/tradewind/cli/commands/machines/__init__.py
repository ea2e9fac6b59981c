"""``tradewind machines``: hosts of one's own that jobs may run on, over SSH."""

from __future__ import annotations

from tradewind.cli.index import MACHINES
from tradewind.cli.shape import group

command = group("machines", MACHINES, __name__)
