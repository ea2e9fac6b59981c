"""The user's own machines: the registry, adding, checking and removing them, and what they offer."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tradewind.app.interface import Machines
    from tradewind.app.settings import Settings


def machines_of(settings: Settings) -> Machines:
    """The machines of this computer's home."""
    from tradewind.app.clock import SystemClock
    from tradewind.app.inside import open_inside
    from tradewind.app.machines.own import OwnMachines

    return OwnMachines(open_inside(settings, SystemClock()))
