"""``tradewind simulate``: the job's plan on many spot markets, under each policy. Asks no cloud, spends nothing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tradewind.cli import completing, given
from tradewind.cli.shape import split, with_json, worded
from tradewind.domain.errors import BadInput

if TYPE_CHECKING:
    from tradewind.cli.world import World

MOST_RUNS = 20_000


@worded("simulate")
@click.argument("file", type=click.Path(path_type=Path), metavar="JOB.yaml")
@click.option("--trace", metavar="NAME|FILE", shell_complete=completing.of("trace"))
@click.option("--market", type=click.IntRange(0), metavar="SEED")
@click.option("--policy", multiple=True, metavar="NAME,…", shell_complete=completing.of("policy"))
@click.option("--runs", type=click.IntRange(1, MOST_RUNS), default=1000, metavar="N")
@click.option("--seed", type=click.IntRange(0), metavar="N")
@with_json
def command(
    world: World, file: Path, trace: str | None, market: int | None, policy: tuple[str, ...], runs: int,
    seed: int | None,
) -> int:  # fmt: skip
    """Simulate the job; exit 3 when its plan finds nothing."""
    from tradewind.app import jobfile
    from tradewind.app.queries import SimulateQuery
    from tradewind.cli.counting import counting
    from tradewind.cli.tracing import telling

    if trace is not None and market is not None:
        raise BadInput("trace-and-market")
    if seed is not None and market is not None:
        raise BadInput("seed-and-market")
    workload = jobfile.anchored(jobfile.read(file, world.now())[0], file)
    query = SimulateQuery(trace, market, split(policy), runs, seed or 0)
    with given.naming(file), telling(world) as tell, counting(world, "simulated-runs") as progress:
        answer = world.inside.simulate(workload, query, world.now(), tell, progress)
    if world.json:
        world.answer(answer)
    else:
        from tradewind.cli.draw.simulation import simulation as drawn

        world.draw(drawn, answer)
    return 0
