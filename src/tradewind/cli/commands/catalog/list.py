"""``tradewind catalog list``: what the answers come from, and how old it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tradewind.cli.shape import with_json, worded

if TYPE_CHECKING:
    from tradewind.cli.world import World


@worded("catalog-list")
@with_json
def command(world: World) -> int:
    """List what is shipped, what was refreshed, and one's own files."""
    held = world.inside.catalog().held()
    if world.json:
        world.answer(held)
    else:
        from tradewind.cli.draw.held import held as drawing

        world.draw(drawing, held)
    return 0
