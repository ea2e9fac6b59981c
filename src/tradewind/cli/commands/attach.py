"""``tradewind attach``: follow a job as ``run`` in the foreground does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tradewind.cli import completing
from tradewind.cli.shape import with_json, worded

if TYPE_CHECKING:
    from tradewind.cli.world import World


@worded("attach")
@click.argument("job", metavar="JOB", shell_complete=completing.of("job"))
@with_json
def command(world: World, job: str) -> int:
    """Follow the job to its end; Ctrl-C leaves it running."""
    from tradewind.cli.follow import to_the_end

    return to_the_end(world, world.inside.control(), job)
