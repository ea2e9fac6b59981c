"""Begins a final save when asked to stop; the disk answers only when a line comes in on stdin."""

import signal
import sys

from tradewind.training import Checkpointer, Events, PreemptionGuard, folders


def slow_disk(path: str) -> None:
    print("saving", flush=True)
    sys.stdin.readline()


with Events("events") as events:
    guard = PreemptionGuard(events)
    checkpointer = Checkpointer("checkpoints", events=events)
    checkpointer.save(1, {"step": 1}, wait=True)
    folders._sync = slow_disk
    print("ready", flush=True)
    while not guard.requested:
        signal.pause()
    try:
        guard.exit_checkpointed(checkpointer.save(2, {"step": 2}, wait=True))
    finally:
        print("left in order", flush=True)
