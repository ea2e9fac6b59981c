"""``tradewind explain``: one job or lease, and why it stands where it does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tradewind.cli import completing
from tradewind.cli.shape import with_json, worded

if TYPE_CHECKING:
    from tradewind.cli.world import World


@worded("explain")
@click.argument("id_", metavar="ID", shell_complete=completing.of("row"))
@click.option("--all", "-a", "everything", is_flag=True)
@with_json
def command(world: World, id_: str, everything: bool) -> int:
    """Explain one row; with ``--all`` all of its events."""
    from tradewind.cli.draw.explain import explain, sentence
    from tradewind.cli.draw.pen import Pen

    told = world.inside.control().explain(id_, everything)
    now = world.now()
    if world.json:
        world.answer({**told, "why": sentence(Pen(world.lang, 0), told, now)})
    else:
        world.draw(explain, told, now)
    return 0
