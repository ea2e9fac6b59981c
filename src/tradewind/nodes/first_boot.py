"""The text that a rented machine runs as root at its first boot: hard end, data disks, our key, a one-time host key."""

from __future__ import annotations

import shlex
from datetime import datetime
from pathlib import Path

from tradewind.ports.compute import HardEnd, Order

_STEPS = Path(__file__).with_name("first_boot.sh")


def user_data(order: Order, *, host_key: str, authorized_key: str, ends_by: HardEnd) -> str:
    """One shell script for cloud-init on Ubuntu, Debian, Alibaba Cloud Linux and CentOS; below 12 KB.

    Args:
        order: gives the token and the hard end.
        host_key: private text of the one-time host key, which takes the place of the image's.
        authorized_key: the public key of this installation, ``ssh-ed25519 AAAA…``, with which it logs in as root.
        ends_by: how the machine ends although nobody looks: only ``guest_terminates`` has it power itself off; where
            the cloud ends it, or powering off leaves it paid for, it is told its hard end and no more.
    """
    values = {
        "token": order.token,
        "hard_end": str(int(datetime.fromisoformat(order.hard_end).timestamp())),
        "powers_off": "yes" if ends_by is HardEnd.GUEST_TERMINATES else "no",
        "host_key": host_key.strip(),
        "authorized_key": authorized_key,
    }
    told = "".join(f"{name}={shlex.quote(value)}\n" for name, value in values.items())
    return f"#!/bin/sh\n{told}{_STEPS.read_text(encoding='utf-8')}"
