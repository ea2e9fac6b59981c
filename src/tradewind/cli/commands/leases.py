"""``tradewind leases``: what is costing money now, and why. An empty answer means that every place was looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tradewind.cli.shape import with_json, worded
from tradewind.domain.errors import CloudRefused

if TYPE_CHECKING:
    from tradewind.app.interface import Answer
    from tradewind.cli.world import World


@worded("leases")
@click.option("--all", "-a", "everything", is_flag=True)
@with_json
def command(world: World, everything: bool) -> int:
    """List open leases, with ``--all`` ended ones too; exit 4 when a place could not be listed."""
    listed = world.inside.control().leases(everything)
    rows = listed["leases"]
    unseen = ", ".join(_named(each) for each in listed["checked"] if not each["complete"])
    if unseen and not rows:
        raise CloudRefused("listing-incomplete", places=unseen)
    if unseen:
        world.err.write(world.say("places-not-listed", places=unseen) + "\n")
    if world.json:
        world.answer(rows)
    else:
        from tradewind.cli.draw.leases import leases

        world.draw(leases, listed, everything, world.now())
    return CloudRefused.exit_code if unseen else 0


def _named(place: Answer) -> str:
    return " ".join(filter(None, (place["account"], place["region"])))
