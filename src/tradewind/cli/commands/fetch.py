"""``tradewind fetch``: what a job made, into a folder of the user's choice."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tradewind.cli import completing
from tradewind.cli.shape import with_json, worded

if TYPE_CHECKING:
    from tradewind.cli.world import World


@worded("fetch")
@click.argument("job", metavar="JOB", shell_complete=completing.of("job"))
@click.option("--to", type=click.Path(path_type=Path), metavar="DIR")
@with_json
def command(world: World, job: str, to: Path | None) -> int:
    """Copy the outputs into ``--to``; without it only tell where they lie."""
    told = world.inside.control().fetch(job, to)
    if world.json:
        world.answer(told)
    else:
        from tradewind.cli.draw.fetched import fetched

        world.draw(fetched, told)
    return 0
