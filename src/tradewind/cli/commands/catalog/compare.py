"""``tradewind catalog compare``: machines side by side, commitments, and renting against buying."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tradewind.cli import completing
from tradewind.cli.shape import with_json, worded

if TYPE_CHECKING:
    from tradewind.cli.world import World

POSITIVE = click.FloatRange(0, min_open=True)


@worded("catalog-compare")
@click.argument("names", nargs=-1, required=True, metavar="MACHINE...", shell_complete=completing.of("machine-type"))
@click.option("--currency", metavar="CUR", shell_complete=completing.of("currency"))
@click.option("--region", metavar="REGION", shell_complete=completing.of("region"))
@click.option("--hours-per-month", type=click.FloatRange(0, 744), metavar="H", default=730.0)
@click.option("--card-price", metavar="MONEY")
@click.option("--card-watts", type=POSITIVE, metavar="W")
@click.option("--server-share", type=click.FloatRange(0), metavar="SHARE")
@click.option("--host-watts", type=click.FloatRange(0), metavar="W")
@click.option("--pue", type=click.FloatRange(1), metavar="FACTOR")
@click.option("--electricity", type=click.FloatRange(0), metavar="PRICE")
@click.option("--hosting", type=click.FloatRange(0), metavar="PRICE")
@click.option("--years", type=POSITIVE, metavar="N")
@click.option("--utilisation", type=click.FloatRange(0, 1, min_open=True), metavar="SHARE")
@with_json
def command(
    world: World, names: tuple[str, ...], currency: str | None, region: str | None, hours_per_month: float,
    card_price: str | None, card_watts: float | None, **inputs: float | None,
) -> int:  # fmt: skip
    """Compare the machines named; of a family its largest."""
    from tradewind.app.queries import CompareQuery

    given = {name: value for name, value in inputs.items() if value is not None}
    asked = CompareQuery(names, currency, region, hours_per_month, card_price, card_watts, given)
    compared = world.inside.catalog().compare(asked)
    if world.json:
        world.answer(compared)
    else:
        from tradewind.cli.draw.compared import compared as drawing

        world.draw(drawing, compared)
    return 0
