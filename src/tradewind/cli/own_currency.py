"""A plan's cost in the currency of the reader's country too, at a dated rate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tradewind.cli.world import World


def tell(world: World, plan: dict[str, Any]) -> None:
    """A line below the plan; none where the cost is in that currency, is not known, or no rate leads there."""
    cost = plan["chosen"]["cost"] if plan["chosen"] else None
    if world.currency is None or cost is None or cost["currency"] == world.currency:
        return
    rate = world.inside.rate(cost["currency"], world.currency)
    if rate is not None:
        from tradewind.cli.draw.plan import told_in

        world.draw(told_in, cost, rate)
