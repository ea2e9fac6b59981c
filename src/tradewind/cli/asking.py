"""Asking the person at the terminal: yes or no, a line, and what must not be seen while it is typed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tradewind.cli.draw.pen import wrapped

if TYPE_CHECKING:
    from tradewind.cli.world import World

AGREED = {"y", "yes", "是", "好"}
YES_OR_NO = {"host-key", "own-key"}
YES = "yes"


def agreed(world: World, question: str) -> bool:
    """Whether the answer to ``question`` is yes; anything else is no."""
    return answered(world, question).lower() in AGREED


def answered(world: World, question: str) -> str:
    """The line that is typed in answer to ``question``; empty for nothing, and at the end of the input."""
    width = world.console(to_err=True).width
    # What is indented is there to be compared letter by letter, and is never broken.
    lines = (line if line.startswith(" ") else wrapped(line, width) for line in question.split("\n"))
    world.err.write("\n".join(lines) + " ")
    world.err.flush()
    return world.stdin.readline().strip()


class Terminal:
    """``app.interface.Prompt`` by the words' ``ask-CODE``: yes or no, or what must not be seen."""

    def __init__(self, world: World) -> None:
        self._world = world

    def ask(self, code: str, facts: Mapping[str, str]) -> str | None:
        """What was answered; None for no, and for nothing."""
        below = {name: value.replace("\n", "\n  ") for name, value in facts.items()}
        question = self._world.say(f"ask-{code}", **below)
        if code in YES_OR_NO:
            return YES if agreed(self._world, question) else None
        try:
            return self._world.typed_unseen(question + " ") or None
        except EOFError:
            return None


def terminal(world: World) -> Terminal | None:
    """Whom to ask; None where nobody sits at a terminal."""
    return Terminal(world) if world.interactive() else None
