"""``tradewind machines remove``: nothing of ours stays on the machine, and no job goes there any more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tradewind.cli import completing
from tradewind.cli.shape import with_json, worded
from tradewind.domain.errors import CloudRefused

if TYPE_CHECKING:
    from tradewind.cli.world import World


@worded("machines-remove")
@click.argument("name", metavar="NAME", shell_complete=completing.of("machine"))
@click.option("--force", is_flag=True)
@with_json
def command(world: World, name: str, force: bool) -> int:
    """Clean the machine up and forget it.

    Raises:
        CloudRefused: it does not answer, and ``--force`` is not given.
    """
    try:
        told = world.inside.machines().remove(name, force=force)
    except CloudRefused:
        world.err.write(world.say("not-removed", name=name) + "\n")
        raise
    if world.json:
        world.answer(told)
    else:
        from tradewind.cli.draw.machines import removed

        world.draw(removed, told)
    return 0
