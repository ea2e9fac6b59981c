"""``tradewind leases``: what is rented. An empty answer means that every place was looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tradewind.cli.shape import with_json, worded

if TYPE_CHECKING:
    from tradewind.app.interface import Answer
    from tradewind.cli.world import World


@worded("leases")
@click.option("--all", "-a", "everything", is_flag=True)
@with_json
def command(world: World, everything: bool) -> int:
    """List open leases, with ``--all`` ended ones too; exit 4 when a place could not be listed."""
    from tradewind.app.interface import ListingIncomplete

    try:
        rows, code = world.inside.control().leases(everything), 0
    except ListingIncomplete as incomplete:
        if not incomplete.rows:
            raise
        rows, code = incomplete.rows, incomplete.exit_code
        world.err.write(world.say("places-not-listed", places=", ".join(incomplete.places)) + "\n")
    _print(world, rows, everything)
    return code


def _print(world: World, rows: list[Answer], everything: bool) -> None:
    if world.json:
        world.answer(rows)
        return
    from tradewind.cli.draw.leases import leases

    world.draw(leases, rows, everything)
