"""``tradewind show``: everything known of one job."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tradewind.cli.shape import with_json, worded

if TYPE_CHECKING:
    from tradewind.cli.world import World


@worded("show")
@click.argument("job", metavar="JOB")
@with_json
def command(world: World, job: str) -> int:
    """Show one job."""
    shown = world.inside.control().show(job)
    if world.json:
        world.answer(shown)
    else:
        from tradewind.cli.draw.jobs import show

        world.draw(show, shown)
    return 0
