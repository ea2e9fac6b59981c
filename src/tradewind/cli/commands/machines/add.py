"""``tradewind machines add``: a host that jobs may run on, once its key was agreed to and it was looked over."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tradewind.cli import given
from tradewind.cli.shape import with_json, worded

if TYPE_CHECKING:
    from tradewind.cli.world import World


@worded("machines-add")
@click.argument("target", metavar="[USER@]HOST[:PORT]")
@click.option("--name", metavar="NAME")
@click.option("--price", metavar="MONEY")
@click.option("--gpus", metavar="0,1")
@click.option("--folder", metavar="DIR")
@click.option("--country", metavar="CC")
@click.option("--host-key", metavar="SHA256:…")
@click.option("--own-key/--no-own-key", default=None)
@with_json
def command(
    world: World, target: str, name: str | None, price: str | None, gpus: str | None, folder: str | None,
    country: str | None, host_key: str | None, own_key: bool | None,
) -> int:  # fmt: skip
    """Add the machine, or change the settings of one that is there, and tell what the look at it found."""
    from tradewind.app.interface import AddMachine
    from tradewind.cli.asking import terminal
    from tradewind.cli.draw.checked import added
    from tradewind.cli.findings import of_check, of_machine
    from tradewind.domain.money import parse_money

    asked = AddMachine(
        target, name=name, price=given.option("--price", parse_money, price), gpus=given.indices(gpus), folder=folder,
        country=country, host_key=host_key, own_key=own_key,
    )  # fmt: skip
    told = world.inside.machines().add(asked, terminal(world))
    told = {**told, "machine": of_machine(told["machine"], world.lang), "check": of_check(told["check"], world.lang)}
    if world.json:
        world.answer(told)
    else:
        world.draw(added, told)
    return 0
