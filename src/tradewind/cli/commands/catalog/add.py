"""``tradewind catalog add``: one's own or negotiated prices, from a CSV file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tradewind.cli.shape import with_json, worded

if TYPE_CHECKING:
    from tradewind.cli.world import World


@worded("catalog-add")
@click.argument("file", type=click.Path(), metavar="PRICES.csv")
@click.option("--as", "name", metavar="NAME")
@with_json
def command(world: World, file: str, name: str | None) -> int:
    """Check every line, then have them all, or none."""
    told = world.inside.catalog().add(Path(file), name)
    if world.json:
        world.answer(told)
    else:
        from tradewind.cli.draw.own import added

        world.write(added, told)
    return 0
