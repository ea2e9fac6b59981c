"""``tradewind clouds policy``: the least rights that renting needs, as the cloud's own policy document."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from tradewind.cli import completing
from tradewind.cli.shape import with_json, worded

if TYPE_CHECKING:
    from tradewind.cli.world import World


@worded("clouds-policy")
@click.argument("cloud", shell_complete=completing.of("cloud"))
@with_json
def command(world: World, cloud: str) -> int:
    """Print the policy; it is JSON with and without ``--json``."""
    policy = world.inside.clouds().policy(cloud)
    if world.json:
        world.answer(policy)
    else:
        world.out.write(json.dumps(policy, indent=2) + "\n")
    return 0
