"""From the one-time host key that a rented machine was given to one that it made itself, never trusting blindly.

    {one-time} ── host-key new ─▶ keep {one-time, next} ── host-key use ─▶ log in with {next} ─▶ keep {next}

Whatever dies in between, the pins that were kept last open the way, and doing it again goes on from there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import asyncssh

from tradewind.ports.host import Host

Pins = tuple[str, ...]


def one_time_key() -> tuple[str, str]:
    """Private and public text of a fresh host key, to be given to a machine that does not exist yet."""
    key = asyncssh.generate_private_key("ssh-ed25519", comment="tradewind")
    return key.export_private_key().decode(), " ".join(key.export_public_key().decode().split()[:2])


def hand_over(
    road_of: Callable[[Pins], Host], pins: Pins, keep: Callable[[Pins], None], config: str | None = None
) -> Pins:
    """The pins that hold from now on: the key that the machine made, alone.

    Args:
        road_of: the road to the machine that takes these host keys and no others.
        pins: what was kept last: the one-time key, or that and the next one when this was begun before.
        keep: stores pins durably before it returns.
        config: where the machine says which key is its server's; None: the usual place.

    Raises:
        HostRefused, Unreachable: not done yet; do it again with the pins that were kept last.
    """
    place: dict[str, Any] = {} if config is None else {"config": config}
    one_time, *begun = pins
    following = begun[0] if begun else road_of(pins).ask("host-key", {"step": "new", **place})["key"]
    if not begun:
        keep((one_time, following))
    road_of((one_time, following)).ask("host-key", {"step": "use", **place})
    road_of((following,)).ask("hello", {})
    keep((following,))
    return (following,)
