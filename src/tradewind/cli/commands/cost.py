"""``tradewind cost``: money by lease, in total, and what on-demand would have cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tradewind.cli import completing
from tradewind.cli.shape import with_json, worded

if TYPE_CHECKING:
    from tradewind.cli.world import World


@worded("cost")
@click.argument("job", required=False, metavar="[JOB]", shell_complete=completing.of("job"))
@click.option("--rehearsals", is_flag=True)
@click.option("--currency", metavar="CNY", shell_complete=completing.of("currency"))
@with_json
def command(world: World, job: str | None, rehearsals: bool, currency: str | None) -> int:
    """Tell the cost of one job or of all."""
    told = world.inside.control().cost(job, rehearsals, currency.upper() if currency else world.currency)
    if world.json:
        world.answer(told)
    else:
        from tradewind.cli.draw.cost import cost

        world.draw(cost, told)
    return 0
