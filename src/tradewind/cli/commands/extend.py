"""``tradewind extend``: another budget or deadline for a job that lives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tradewind.cli import completing, given
from tradewind.cli.shape import with_json, worded

if TYPE_CHECKING:
    from tradewind.cli.world import World


@worded("extend")
@click.argument("job", metavar="JOB", shell_complete=completing.of("job"))
@click.option("--budget", metavar="MONEY")
@click.option("--deadline", metavar="14h|INSTANT")
@with_json
def command(world: World, job: str, budget: str | None, deadline: str | None) -> int:
    """Set the limits and show what follows from them."""
    from tradewind.app.extending import Limits
    from tradewind.app.jobfile.readings import parse_deadline
    from tradewind.domain.money import parse_money

    limits = Limits(given.option("--budget", parse_money, budget), given.option("--deadline", parse_deadline, deadline))
    shown = world.inside.control().extend(job, limits)
    if world.json:
        world.answer(shown)
    else:
        from tradewind.cli.draw.deciding import extended

        world.draw(extended, shown, world.now())
    return 0
