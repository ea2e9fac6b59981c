"""``tradewind offers``: what is for rent, cheapest first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tradewind.cli import completing
from tradewind.cli.given import counts
from tradewind.cli.shape import split, with_json, worded
from tradewind.domain.errors import BadInput

if TYPE_CHECKING:
    from tradewind.app.queries import OffersQuery
    from tradewind.cli.world import World


@worded("offers")
@click.option("--gpu", metavar="NAME[:N]", shell_complete=completing.of("gpu"))
@click.option("--gpus", metavar="N|A..B")
@click.option("--min-memory", type=click.FloatRange(0), metavar="GIB")
@click.option("--cuda", metavar="X.Y")
@click.option("--rdma", metavar="yes|no|KIND")
@click.option("--min-rdma", type=click.FloatRange(0), metavar="GBPS")
@click.option("--nvlink", metavar="yes|no|KIND")
@click.option("--cloud", multiple=True, metavar="CLOUD", shell_complete=completing.of("cloud"))
@click.option("--region", multiple=True, metavar="REGION", shell_complete=completing.of("region"))
@click.option("--near", metavar="PLACE", shell_complete=completing.of("city"))
@click.option("--residency", metavar="COUNTRY", shell_complete=completing.of("country"))
@click.option("--max-carbon", type=click.FloatRange(0), metavar="G")
@click.option("--provider-tier", metavar="TIER", default="cloud", shell_complete=completing.of("tier"))
@click.option("--purchase", multiple=True, metavar="KIND", shell_complete=completing.of("purchase"))
@click.option("--max-price", metavar="MONEY")
@click.option("--currency", metavar="CUR", shell_complete=completing.of("currency"))
@click.option("--sort", metavar="KEY", shell_complete=completing.of("sort"))
@click.option("--limit", type=click.IntRange(1), metavar="N")
@click.option("--csv", "csv", is_flag=True)
@with_json
def command(world: World, csv: bool, limit: int | None, currency: str | None, **given: Any) -> int:
    """Search the catalog, and draw or print what was found; with ``--json`` and ``--csv`` remarks go to stderr."""
    from tradewind.cli.draw.offers import SHOWN, offers, remarks
    from tradewind.cli.draw.pen import Pen
    from tradewind.cli.world import PIPED_WIDTH

    if csv and world.json:
        raise BadInput("csv-with-json")
    drawn = not (world.json or csv)
    told_in = currency or (world.currency if drawn else None)
    found = world.inside.offers(_query(limit=limit or (SHOWN if drawn else None), currency=told_in, **given))
    if drawn:
        world.write(offers, found)
        return 0
    if csv:
        from tradewind.cli.draw.offers_csv import as_csv

        world.out.write(as_csv(found["offers"]))
    else:
        world.answer(found["offers"])
    pen = Pen(world.lang, PIPED_WIDTH)
    world.err.write("".join(line + "\n" for line in remarks(pen, found)))
    return 0


def _query(
    gpus: str | None, cloud: tuple[str, ...], region: tuple[str, ...], purchase: tuple[str, ...],
    min_memory: float | None, min_rdma: float | None, provider_tier: str, **same: Any,
) -> OffersQuery:  # fmt: skip
    from tradewind.app.queries import OffersQuery

    return OffersQuery(
        gpus=counts(gpus), clouds=split(cloud), regions=split(region), purchases=split(purchase),
        min_memory_gib=min_memory, min_rdma_gbps=min_rdma, tier=provider_tier, **same,
    )  # fmt: skip
