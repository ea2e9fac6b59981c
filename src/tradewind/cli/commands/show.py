"""``tradewind show``: everything known of one job."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tradewind.cli import completing
from tradewind.cli.shape import with_json, worded

if TYPE_CHECKING:
    from tradewind.cli.world import World


@worded("show")
@click.argument("job", metavar="JOB", shell_complete=completing.of("job"))
@click.option("--html", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE")
@with_json
def command(world: World, job: str, html: Path | None) -> int:
    """Show one job; with ``--html`` its report is written, and nothing is shown but where."""
    control = world.inside.control()
    if html is not None:
        from tradewind.cli.reporting import write_report

        write_report(world, control, job, html)
        world.err.write(world.say("page-written", path=html) + "\n")
        if not world.json:
            return 0
    shown = control.show(job)
    if world.json:
        world.answer(shown)
    else:
        from tradewind.cli.draw.jobs import show

        world.draw(show, shown)
    return 0
