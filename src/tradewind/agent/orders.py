"""What reaches the agent from outside as files: commands of the control plane, and the cloud's notice."""

from __future__ import annotations

import contextlib
import json
import os
from typing import Dict, List, NamedTuple, Optional

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


def know(probe: Dict[str, str]) -> None:
    """Nothing, when this agent can learn of a reclaim in this way (or there is no way).

    Raises:
        ValueError: it cannot; better said at the start than a notice missed.
    """
    if probe and (probe.get("kind") != "file" or not probe.get("path")):
        raise ValueError("unknown kind of notice: {}".format(json.dumps(probe)))


def notice(probe: Dict[str, str], now: float, notice_seconds: float) -> Optional[float]:
    """The instant at which the cloud takes the node (seconds since the epoch); None while nothing is announced.

    Args:
        probe: ``{"kind": "file", "path": …}``; the file holds ``{"deadline": seconds since the epoch}``.
        now, notice_seconds: a notice without a deadline counts from now.

    """
    if not probe:
        return None
    told = disk.read_json(probe["path"])
    if told is None:
        return None
    try:
        return float(told["deadline"])
    except (KeyError, TypeError, ValueError):
        return now + notice_seconds
