"""``tradewind catalog rates``: the exchange rates by which currencies are compared, and asking for today's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tradewind.cli.shape import with_json, worded

if TYPE_CHECKING:
    from tradewind.cli.world import World


@worded("catalog-rates")
@click.option("--refresh", is_flag=True)
@with_json
def command(world: World, refresh: bool) -> int:
    """List the rates in force; with ``--refresh`` today's are asked for first."""
    told = world.inside.catalog().rates(refresh)
    if world.json:
        world.answer(told)
    else:
        from tradewind.cli.draw.rates import rates as drawing

        world.write(drawing, told)
    return 0
