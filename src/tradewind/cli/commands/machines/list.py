"""``tradewind machines list``: one's own machines, whether they answer, and who uses their GPUs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tradewind.cli.shape import with_json, worded

if TYPE_CHECKING:
    from tradewind.cli.world import World


@worded("machines-list")
@with_json
def command(world: World) -> int:
    """List the machines; of one that does not answer what was last known."""
    from tradewind.cli.draw.machines import machines
    from tradewind.cli.findings import of_machine

    listed = [of_machine(each, world.lang) for each in world.inside.machines().list()]
    if world.json:
        world.answer(listed)
    else:
        world.draw(machines, listed, world.now())
    return 0
