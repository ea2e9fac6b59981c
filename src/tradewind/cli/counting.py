"""How many of many runs are done: a bar on a terminal, a line a quarter into a pipe, nothing beside JSON; on stderr."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tradewind.cli.world import World

Tell = Callable[[int, int], None]  # done, of how many

QUARTERS = 4


@contextmanager
def counting(world: World, code: str) -> Iterator[Tell]:
    """What to call after each; ``code`` says what is counted, with ``done`` and ``total``."""
    if world.json:
        yield lambda done, total: None
    elif world.redraws(world.err):
        with _bar(world, code) as tell:
            yield tell
    else:
        yield _lines(world, code)


def _lines(world: World, code: str) -> Tell:
    def tell(done: int, total: int) -> None:
        if done * QUARTERS // total > (done - 1) * QUARTERS // total:
            world.err.write(world.say(code, done=f"{done:,}", total=f"{total:,}") + "\n")
            world.err.flush()

    return tell


@contextmanager
def _bar(world: World, code: str) -> Iterator[Tell]:
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (BarColumn(bar_width=20), TextColumn("{task.description}"), TimeRemainingColumn())
    with Progress(*columns, console=world.console(to_err=True), transient=True) as progress:
        bar = progress.add_task("", total=None, visible=False)

        def tell(done: int, total: int) -> None:
            said = world.say(code, done=f"{done:,}", total=f"{total:,}")
            progress.update(bar, completed=done, total=total, description=said, visible=True)

        yield tell
