"""Says on stderr that a model is being traced, which takes seconds; nothing beside JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tradewind.cli.world import World


@contextmanager
def telling(world: World) -> Iterator[Callable[[str], None]]:
    """What to call with each model whose trace begins: a line that goes away on a terminal, plain lines elsewhere."""
    if world.json:
        yield lambda model: None
    elif not world.redraws(world.err):
        yield lambda model: _line(world, model)
    else:
        from rich.text import Text

        with world.console(to_err=True).status("") as status:
            status.stop()

            def tell(model: str) -> None:
                status.update(Text(world.say("tracing", model=model)))  # as plain text: `:m:` would be drawn as a sign
                status.start()

            yield tell


def _line(world: World, model: str) -> None:
    world.err.write(world.say("tracing", model=model) + "\n")
    world.err.flush()
