"""``tradewind catalog regions``: where machines stand, how clean the power is, whose law holds there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tradewind.cli import completing
from tradewind.cli.shape import split, with_json, worded

if TYPE_CHECKING:
    from tradewind.cli.world import World


@worded("catalog-regions")
@click.option("--cloud", multiple=True, metavar="CLOUD", shell_complete=completing.of("cloud"))
@click.option("--near", metavar="PLACE", shell_complete=completing.of("city"))
@with_json
def command(world: World, cloud: tuple[str, ...], near: str | None) -> int:
    """List regions, the nearest first when a place is named."""
    regions = world.inside.catalog().regions(split(cloud), near)
    if world.json:
        world.answer(regions)
    else:
        from tradewind.cli.draw.regions import regions as drawing

        world.write(drawing, regions)
    return 0
