"""How far a refresh is: a bar on a terminal, lines into a pipe, nothing beside JSON. All of it on stderr."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tradewind.app.asked import Step
    from tradewind.cli.world import World

Tell = Callable[["Step"], None]


@contextmanager
def showing(world: World) -> Iterator[Tell]:
    """What to call with each step."""
    if world.json:
        yield lambda step: None
    elif world.redraws(world.err):
        with _bar(world) as tell:
            yield tell
    else:
        yield _lines(world)


def _lines(world: World) -> Tell:
    """A line when a part begins, and when the cloud keeps us waiting."""
    last: list[tuple[str, str | None, bool]] = []

    def tell(step: Step) -> None:
        key = (step.cloud, step.part, step.waiting_s is not None)
        if [key] != last:
            last[:] = [key]
            world.err.write(_sentence(world, step) + "\n")
            world.err.flush()

    return tell


@contextmanager
def _bar(world: World) -> Iterator[Tell]:
    from rich.progress import BarColumn, Progress, TaskID, TextColumn

    console = world.console(to_err=True)
    columns = (BarColumn(bar_width=20), TextColumn("{task.description}"))
    with Progress(*columns, console=console, transient=True) as progress:
        bars: dict[str, TaskID] = {}

        def tell(step: Step) -> None:
            if step.cloud not in bars:
                bars[step.cloud] = progress.add_task("", total=None)
            done, parts = step.parts_done, step.parts or None
            progress.update(bars[step.cloud], description=_sentence(world, step), completed=done, total=parts)

        yield tell


def _sentence(world: World, step: Step) -> str:
    code = "refresh-step" if step.waiting_s is None else "refresh-waiting"
    return world.say(
        code, cloud=step.cloud, part=step.part or "", done=step.parts_done, parts=step.parts, prices=f"{step.prices:,}",
        seconds=f"{step.waiting_s or 0:.0f}",
    )  # fmt: skip
