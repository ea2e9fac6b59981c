"""The user's own machines: ``interface.Machines`` of one home."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from tradewind.app.inside import Inside
from tradewind.app.interface import AddMachine, Answer, Prompt
from tradewind.app.machines import adding, checking, removing


class OwnMachines:
    """Adds, lists, checks and removes machines."""

    def __init__(self, inside: Inside) -> None:
        self._inside = inside

    def add(self, asked: AddMachine, prompt: Prompt | None) -> Answer:
        """The machine and its check, once it is added."""
        return adding.add(self._inside, asked, prompt)

    def list(self) -> Sequence[Answer]:
        """Every machine, each asked now."""
        return checking.listed(self._inside, self._inside.registry.all())

    def check(self, name: str | None) -> Sequence[Answer]:
        """A check of one machine, or of all."""
        registry = self._inside.registry
        machines = registry.all() if name is None else (registry.require(name),)
        return checking.asked_at_once(partial(checking.check, self._inside), machines)

    def remove(self, name: str, *, force: bool) -> Answer:
        """What was taken away, and what was not."""
        return removing.remove(self._inside, name, force=force)
