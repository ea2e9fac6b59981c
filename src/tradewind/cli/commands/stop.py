"""``tradewind stop``: a last checkpoint, then the end of the job and of everything rented for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tradewind.cli import completing
from tradewind.cli.broken import INTERRUPTED
from tradewind.cli.shape import with_json, worded

if TYPE_CHECKING:
    from tradewind.cli.world import World


@worded("stop")
@click.argument("job", metavar="JOB", shell_complete=completing.of("job"))
@with_json
def command(world: World, job: str) -> int:
    """Stop the job and say how it stands; exit 0 when it has ended."""
    from tradewind.cli.reporting import keep_report

    control = world.inside.control()
    world.err.write(world.say("stopping", job=job) + "\n")
    world.err.flush()
    try:
        shown = control.stop(job)
    except KeyboardInterrupt:
        world.err.write("\n" + world.say("stop-goes-on", job=job) + "\n")
        return INTERRUPTED
    world.err.write(keep_report(world, control, shown["job"]) + "\n")
    if world.json:
        world.answer(shown)
    else:
        from tradewind.cli.draw.cost import still_open
        from tradewind.cli.draw.ending import outcome

        world.draw(outcome, shown)
        world.draw(still_open, control.leases(False))
    return 0
