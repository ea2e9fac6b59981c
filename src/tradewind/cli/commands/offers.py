"""``tradewind offers``: what is for rent, cheapest first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tradewind.cli.given import counts
from tradewind.cli.shape import split, with_json, worded

if TYPE_CHECKING:
    from tradewind.cli.world import World


@worded("offers")
@click.option("--gpu", metavar="NAME")
@click.option("--gpus", metavar="N|A..B")
@click.option("--cloud", multiple=True, metavar="CLOUD")
@click.option("--region", multiple=True, metavar="REGION")
@click.option("--purchase", multiple=True, metavar="KIND")
@click.option("--limit", type=click.IntRange(1), metavar="N")
@with_json
def command(world: World, gpu: str | None, gpus: str | None, cloud: tuple[str, ...], region: tuple[str, ...],
            purchase: tuple[str, ...], limit: int | None) -> int:  # fmt: skip
    """Search the catalog, and draw or print what was found."""
    from tradewind.app.queries import OffersQuery

    query = OffersQuery(gpu, counts(gpus), split(cloud), split(region), split(purchase), limit)
    found = world.inside.offers(query)
    if world.json:
        world.answer(found)
    else:
        from tradewind.cli.draw.offers import offers

        world.write(offers, found, limit)
    return 0
