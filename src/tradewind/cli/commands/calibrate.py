"""``tradewind calibrate``: a few steps of the job here, so that later sizes rest on what was measured."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tradewind.cli.shape import with_json, worded

if TYPE_CHECKING:
    from tradewind.cli.world import World

STEPS = 30
FAILED = 5


@worded("calibrate")
@click.argument("file", type=click.Path(path_type=Path), metavar="JOB.yaml")
@click.option("--steps", type=click.IntRange(5, 10_000), default=STEPS, metavar="N")
@with_json
def command(world: World, file: Path, steps: int) -> int:
    """Run, measure, stop; exit 5 when the job failed before enough was measured."""
    from tradewind.cli.commands.run import submit_of
    from tradewind.cli.draw.calibration import calibration
    from tradewind.cli.follow import following

    flags = {"rehearse": False, "local": True, "on": None, "preempt_at": None, "trace": None, "trace_speed": None,
             "seed": None, "time_scale": "auto", "max_cost": None, "request_id": None}  # fmt: skip
    submit = submit_of(world, file, flags)
    control = world.inside.control()
    with following(world) as changed:
        answer = control.calibrate(submit, steps, changed)
    if world.json:
        world.answer(answer)
    else:
        world.draw(calibration, answer, None if answer["lesson"] else control.show(answer["job"]))
    return 0 if answer["lesson"] else FAILED
