"""``tradewind clouds check``: who one is at a cloud, what one may do and how much of it, without renting anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tradewind.cli import completing
from tradewind.cli.shape import with_json, worded
from tradewind.domain.errors import CloudRefused

if TYPE_CHECKING:
    from tradewind.cli.world import World


@worded("clouds-check")
@click.argument("cloud", shell_complete=completing.of("cloud"))
@click.option("--region", metavar="REGION", shell_complete=completing.of("region"))
@with_json
def command(world: World, cloud: str, region: str | None) -> int:
    """Check a cloud; exit 4 when machines can be rented in none of the regions that were looked at."""
    from tradewind.cli.commands.clouds import asking
    from tradewind.cli.draw.clouds import check
    from tradewind.cli.findings import of_cloud

    asking(world)
    told = of_cloud(world.inside.clouds().check(cloud, region), world.lang)
    if world.json:
        world.answer(told)
    else:
        world.draw(check, told)
    return CloudRefused.exit_code if told["state"] == "lacking" else 0
