"""``tradewind completion``: the script that makes a shell complete, and what that script asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tradewind.cli.completion_scripts import SCRIPTS, script
from tradewind.cli.shape import worded

if TYPE_CHECKING:
    from tradewind.cli.world import World


@worded("completion")
@click.argument("shell", type=click.Choice(list(SCRIPTS)))
@click.option("--line", hidden=True)
def command(world: World, shell: str, line: str | None) -> int:
    """Print the script; with ``--line``, what may stand at the end of that command line."""
    if line is None:
        world.out.write(script(shell, world.say(f"completion-{shell}")))
    else:
        from tradewind.cli.completed import answer

        root = click.get_current_context().find_root().command
        world.out.write(answer(world, root, shell, line))
    return 0
