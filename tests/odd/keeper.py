"""Holding the laws against a world while it lives, and when it rests."""

from __future__ import annotations

from odd.laws import ALWAYS, Law
from odd.rest import AT_REST
from odd.sight import Sight, see
from odd.world import World
from tradewind.domain.records import Event


class Keeper:
    """Holds the laws against a world: those that hold always after each of its steps, all when it is at rest."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._events: list[Event] = []
        self._losses = 0
        self.found: dict[str, None] = {}
        world.stepped = self.look

    def look(self) -> None:
        """Hold the laws that hold always."""
        self._hold(ALWAYS)

    def rest(self) -> None:
        """Hold all laws."""
        self._hold(ALWAYS + AT_REST)

    def _hold(self, laws: tuple[Law, ...]) -> None:
        if len(self._world.forgot) != self._losses:
            self._losses = len(self._world.forgot)
            self._events.clear()
        self.found |= dict.fromkeys(breaches(see(self._world, self._events), laws))


def breaches(sight: Sight, laws: tuple[Law, ...]) -> list[str]:
    """Every breach of these laws, each with the law's name."""
    return [f"{law.__name__}: {breach}" for law in laws for breach in law(sight)]
