"""``tradewind sweep``: look everywhere for what is ours, and with ``--end`` end what has no purpose."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tradewind.cli.shape import with_json, worded
from tradewind.domain.errors import CloudRefused

if TYPE_CHECKING:
    from tradewind.cli.world import World


@worded("sweep")
@click.option("--end", is_flag=True)
@with_json
def command(world: World, end: bool) -> int:
    """Sweep; exit 4 when a place could not be listed, because what is there is then unknown."""
    if end:
        world.err.write(world.say("sweeping") + "\n")
        world.err.flush()
    swept = world.inside.control().sweep(end)
    if world.json:
        world.answer(swept)
    else:
        from tradewind.cli.draw.leases import sweep

        world.draw(sweep, swept, world.now())
    return 0 if all(each["complete"] for each in swept["checked"]) else CloudRefused.exit_code
