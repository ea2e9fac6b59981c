"""``tradewind ssh``: a shell where the job works, or its ports on this computer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tradewind.cli import completing
from tradewind.cli.shape import with_json, worded
from tradewind.domain.errors import NotConfigured

if TYPE_CHECKING:
    from tradewind.cli.world import World


@worded("ssh")
@click.argument("job", metavar="JOB", shell_complete=completing.of("job"))
@click.option("--ports", is_flag=True)
@with_json
def command(world: World, job: str, ports: bool) -> int:
    """Become the shell, or what holds the tunnels; with ``--json`` tell the command line instead."""
    visit = world.inside.control().visit(job, ports)
    if world.json:
        world.answer(visit)
        return 0
    for each in visit["ports"]:
        world.out.write(f"http://127.0.0.1:{each['local']}\n")
    world.out.flush()
    world.err.write("".join(f"{line}\n" for line in _remarks(world, visit)))
    world.err.flush()
    return _become(world, visit["argv"]) if visit["argv"] else 0


def _remarks(world: World, visit: dict[str, Any]) -> list[str]:
    """Ports that are other ones here than there, and how long the tunnels stand."""
    moved = [world.say("port-taken", **each) for each in visit["ports"] if each["local"] != each["port"]]
    if not visit["ports"]:
        return []
    return [*moved, world.say("tunnels-held" if visit["argv"] else "ports-are-here", target=visit["target"])]


def _become(world: World, argv: list[str]) -> int:
    try:
        return world.become(argv)
    except OSError as error:
        raise NotConfigured("program-missing", name=argv[0], why=error.strerror) from None
