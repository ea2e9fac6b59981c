"""``tradewind logs``: what the job wrote, as it wrote it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tradewind.cli import completing
from tradewind.cli.shape import worded

if TYPE_CHECKING:
    from tradewind.app.interface import ControlPlane
    from tradewind.cli.world import World

PAUSE_SECONDS = 0.5  # between looks for new lines


@worded("logs")
@click.argument("job", metavar="JOB", shell_complete=completing.of("job"))
@click.option("--follow", "-f", is_flag=True)
def command(world: World, job: str, follow: bool) -> int:
    """Print the job's log; with ``--follow`` until the job has ended."""
    from tradewind.cli.follow import detached

    try:
        _print(world, world.inside.control(), job, follow)
    except KeyboardInterrupt:
        return detached(world, job)
    return 0


def _print(world: World, control: ControlPlane, job: str, follow: bool) -> None:
    offset, ended = 0, False
    while True:
        chunk, offset, ended = control.log_chunk(job, offset)
        _write(world, chunk)
        if not chunk and (ended or not follow):
            return
        if not chunk:
            world.sleep(PAUSE_SECONDS)


def _write(world: World, chunk: bytes) -> None:
    """Bytes as they are where the stream takes bytes: a log is the job's, not ours to decode."""
    raw = getattr(world.out, "buffer", None)
    if raw is None:
        world.out.write(chunk.decode("utf-8", "replace"))
        return
    world.out.flush()
    raw.write(chunk)
    raw.flush()
