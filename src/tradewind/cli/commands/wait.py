"""``tradewind wait``: until the job has ended, and then its end as the exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tradewind.cli import completing
from tradewind.cli.shape import with_json, worded

if TYPE_CHECKING:
    from tradewind.cli.world import World


@worded("wait")
@click.argument("job", metavar="JOB", shell_complete=completing.of("job"))
@click.option("--timeout", metavar="30s")
@with_json
def command(world: World, job: str, timeout: str | None) -> int:
    """Follow the job to its end; exit 9 when ``--timeout`` runs out before."""
    from tradewind.app.jobfile.spans import parse_span
    from tradewind.cli.follow import to_the_end

    seconds = None if timeout is None else parse_span(timeout)
    return to_the_end(world, world.inside.control(), job, seconds)
