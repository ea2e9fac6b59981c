"""``tradewind clouds``: accounts at clouds, what is configured of each, what one may do there, what is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tradewind.cli.index import CLOUDS
from tradewind.cli.shape import group

if TYPE_CHECKING:
    from tradewind.cli.world import World


def asking(world: World) -> None:
    """Say that it may take a while, to whoever sits there."""
    if world.redraws(world.err):
        world.err.write(world.say("asking-clouds") + "\n")
        world.err.flush()


def listed(world: World) -> int:
    """Tell of every cloud."""
    from tradewind.cli.draw.clouds import clouds
    from tradewind.cli.findings import of_cloud

    asking(world)
    told = [of_cloud(each, world.lang) for each in world.inside.clouds().list()]
    if world.json:
        world.answer(told)
    else:
        world.draw(clouds, told)
    return 0


command = group("clouds", CLOUDS, __name__, listed)
