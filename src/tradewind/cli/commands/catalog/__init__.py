"""``tradewind catalog``: what stands behind the offers, one's own prices, and refreshing."""

from __future__ import annotations

import click

from tradewind.cli.index import CATALOG
from tradewind.cli.shape import SETTINGS, Several
from tradewind.cli.world import World


class Catalog(Several):
    """The commands of the catalog."""

    names = CATALOG
    where = __name__


@click.group("catalog", cls=Catalog, context_settings=SETTINGS, invoke_without_command=True)
@click.pass_context
def command(ctx: click.Context) -> int:
    """``tradewind catalog`` alone tells its commands."""
    world = ctx.find_object(World)
    assert world is not None
    if ctx.invoked_subcommand is None:
        world.out.write(ctx.get_help() + "\n")
    return 0
