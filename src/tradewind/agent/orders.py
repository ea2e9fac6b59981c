"""What reaches the agent from outside as files: commands of the control plane."""

from __future__ import annotations

import contextlib
import os
from typing import List, NamedTuple

from tradewind.agent import disk
from tradewind.wire import cadence
from tradewind.wire import spec as wire

STOP, COLLECTED, CADENCE = "stop", "collected", "cadence"
_DONE, _REFUSED = ".done", ".refused"


class Order(NamedTuple):
    """A command that waits to be carried out, and its file."""

    path: str
    command: wire.Command


def waiting(root: str) -> List[Order]:
    """The commands not yet carried out, by file name. What is not a command is renamed to ``.refused``."""
    folder = os.path.join(root, wire.COMMANDS)
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".json") and not name.startswith("."))
    except OSError:
        return []
    found = []
    for name in names:
        path = os.path.join(folder, name)
        try:
            with open(path, encoding="utf-8") as file:
                found.append(Order(path, wire.read_command(file.read())))
        except (OSError, ValueError, KeyError, TypeError):
            os.replace(path, path + _REFUSED)
    return found


def carried_out(order: Order) -> None:
    """Mark a command so that no life of the agent carries it out again."""
    os.replace(order.path, order.path + _DONE)


def hand_over_cadence(root: str, command: wire.Command) -> None:
    """Put down for the training loop how soon a loss is to be expected.

    What is no such number, or finds no room on the disk, changes nothing: the loop keeps to what it knew.
    """
    with contextlib.suppress(OSError, ValueError):
        text = cadence.to_json(command.mean_seconds_between_losses)
        disk.write(os.path.join(root, wire.CADENCE), text.encode())
