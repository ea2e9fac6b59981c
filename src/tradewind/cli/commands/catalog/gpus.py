"""``tradewind catalog gpus``: data sheets side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tradewind.cli import completing
from tradewind.cli.shape import split, with_json, worded

if TYPE_CHECKING:
    from tradewind.cli.world import World


@worded("catalog-gpus")
@click.option("--gpu", multiple=True, metavar="NAME", shell_complete=completing.of("gpu"))
@with_json
def command(world: World, gpu: tuple[str, ...]) -> int:
    """List the GPUs asked for, or all."""
    sheets = world.inside.catalog().gpus(split(gpu))
    if world.json:
        world.answer(sheets)
    else:
        from tradewind.cli.draw.sheets import sheets as drawing

        world.write(drawing, sheets)
    return 0
