"""``tradewind catalog show``: all that is known of a family, a machine or a GPU, and which figures of it are wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tradewind.cli import completing
from tradewind.cli.shape import with_json, worded

if TYPE_CHECKING:
    from tradewind.cli.world import World


@worded("catalog-show")
@click.argument("name", shell_complete=completing.of("machine-type"))
@with_json
def command(world: World, name: str) -> int:
    """Show what ``name`` means."""
    shown = world.inside.catalog().show(name)
    if world.json:
        world.answer(shown)
    else:
        from tradewind.cli.draw.shown import shown as drawing

        world.draw(drawing, shown)
    return 0
