"""``tradewind plan``: where the job would run, when it would end, what it would cost. Asks no cloud, spends nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from tradewind.cli import given, own_currency
from tradewind.cli.shape import with_json, worded
from tradewind.cli.world import PIPED_WIDTH, World
from tradewind.domain.plan import Objective

if TYPE_CHECKING:
    from tradewind.domain.workload import Workload

NOTHING_FITS = 3


@worded("plan")
@click.argument("file", type=click.Path(path_type=Path), metavar="JOB.yaml")
@click.option("--objective", type=click.Choice(get_args(Objective)), default="cost", metavar="BY")
@click.option("--deadline", metavar="12h")
@click.option("--budget", metavar="MONEY")
@click.option("--html", "html", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE")
@click.option("--all", "everything", is_flag=True)
@with_json
def command(
    world: World, file: Path, objective: Objective, deadline: str | None, budget: str | None, html: Path | None,
    everything: bool,
) -> int:  # fmt: skip
    """Plan the job; exit 3 with the smallest changes when nothing fits."""
    from tradewind.app import jobfile
    from tradewind.cli.tracing import telling

    workload = tried(jobfile.anchored(jobfile.read(file, world.now())[0], file), deadline, budget)
    with given.naming(file), telling(world) as tell:
        answer = world.inside.plan(workload, world.now(), tell, objective)
    if html is not None:  # before anything is told: the reader may leave early
        _written(world, answer, workload.name, html)
    if world.json:
        world.answer(answer)
    else:
        _told(world, answer, everything)
    return 0 if answer["chosen"] else NOTHING_FITS


def tried(workload: Workload, deadline: str | None, budget: str | None) -> Workload:
    """The workload with other limits than its file names; None leaves one as it is.

    Raises:
        BadInput: a limit that cannot be read.
    """
    from tradewind.app.jobfile.readings import parse_deadline
    from tradewind.domain.money import parse_money

    schedule, money = workload.schedule, workload.budget
    if deadline is not None:
        until = given.option("--deadline", parse_deadline, deadline)
        span, at = (until, None) if isinstance(until, float) else (None, until)
        schedule = replace(schedule, deadline_seconds=span, deadline_at=at)
    if budget is not None:
        money = replace(money, limit=given.option("--budget", parse_money, budget))
    return replace(workload, schedule=schedule, budget=money)


def _told(world: World, answer: dict[str, Any], everything: bool) -> None:
    from tradewind.cli.draw.plan import more
    from tradewind.cli.draw.plan import plan as drawn

    world.draw(drawn, answer, everything)
    own_currency.tell(world, answer)
    if answer["chosen"] and not everything:
        world.draw(more)


def _written(world: World, answer: dict[str, Any], name: str, path: Path) -> None:
    """The page in ``path``, and a line on stderr that says so.

    Raises:
        BadInput: ``page-unwritable`` (path, why).
    """
    from tradewind.cli.draw.pen import Pen
    from tradewind.cli.draw.plan_page import page
    from tradewind.domain.errors import BadInput

    try:
        path.write_text(page(Pen(world.lang, PIPED_WIDTH), answer, name), encoding="utf-8")
    except OSError as fault:
        raise BadInput("page-unwritable", path=path, why=fault.strerror) from None
    world.err.write(world.say("page-written", path=path) + "\n")
