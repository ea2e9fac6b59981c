"""``tradewind plan``: where the job would run, when it would end, what it would cost. Asks no cloud, spends nothing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tradewind.cli.shape import with_json, worded

if TYPE_CHECKING:
    from tradewind.cli.world import World

NOTHING_FITS = 3


@worded("plan")
@click.argument("file", type=click.Path(path_type=Path), metavar="JOB.yaml")
@with_json
def command(world: World, file: Path) -> int:
    """Plan the job; exit 3 with the smallest changes when nothing fits."""
    from tradewind.app import jobfile
    from tradewind.cli.tracing import telling

    workload = jobfile.anchored(jobfile.read(file)[0], file)
    with telling(world) as tell:
        answer = world.inside.plan(workload, world.now(), tell)
    if world.json:
        world.answer(answer)
    else:
        from tradewind.cli.draw.plan import plan

        world.draw(plan, answer)
    return 0 if answer["chosen"] else NOTHING_FITS
