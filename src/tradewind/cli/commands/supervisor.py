"""``tradewind supervisor``: who supervises this home, and a service of the user's that keeps it alive."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tradewind.cli.shape import with_json, worded
from tradewind.domain.errors import BadInput

if TYPE_CHECKING:
    from tradewind.cli.world import World


@worded("supervisor")
@click.argument("action", type=click.Choice(["status", "install", "uninstall"]), default="status")
@click.option("--print", "printed", is_flag=True)
@click.option("--kind", type=click.Choice(["systemd", "launchd"]))
@with_json
def command(world: World, action: str, printed: bool, kind: str | None) -> int:
    """Tell of the supervisor, install its service, or take it away."""
    from tradewind.cli.draw.service import changed, status

    service = world.inside.service()
    if printed:
        return _printed(world, action, service.text(kind))
    if action == "status":
        told = service.status(kind)
    else:
        told = service.install(kind) if action == "install" else service.uninstall(kind)
    if world.json:
        world.answer(told)
    elif action == "status":
        world.draw(status, told, world.now())
    else:
        world.draw(changed, told)
    return 0


def _printed(world: World, action: str, text: str) -> int:
    if action != "install":
        raise BadInput("print-without-install", action=action)
    if world.json:
        world.answer({"text": text})
    else:
        world.out.write(text)
    return 0
