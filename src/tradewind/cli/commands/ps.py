"""``tradewind ps``: the jobs, newest first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tradewind.cli.shape import with_json, worded

if TYPE_CHECKING:
    from tradewind.cli.world import World


@worded("ps")
@click.option("--all", "-a", "everything", is_flag=True)
@with_json
def command(world: World, everything: bool) -> int:
    """List live jobs, with ``--all`` ended ones too."""
    jobs = world.inside.control().ps(everything)
    if world.json:
        world.answer(jobs)
    else:
        from tradewind.cli.draw.jobs import ps

        world.draw(ps, jobs, everything)
    return 0
