"""A child that waits for ever outlives a stop of the whole group, but not one from its parent."""

from __future__ import annotations

import multiprocessing
import multiprocessing.synchronize
import os
import signal
import sys
from typing import Any

from tradewind.training import PreemptionGuard

guard = PreemptionGuard()


def wait_for_ever(ready: multiprocessing.synchronize.Event, asked: multiprocessing.synchronize.Event) -> None:
    while True:
        ready.set()
        asked.wait()
        asked.clear()


if __name__ == "__main__":
    context: Any = multiprocessing.get_context(sys.argv[1])
    ready, asked = context.Event(), context.Event()
    child = context.Process(target=wait_for_ever, args=(ready, asked))
    child.start()
    ready.wait()
    ready.clear()
    # A stop that does not come from the parent: a helper in between sends it.
    helper = context.Process(target=os.killpg, args=(os.getpgid(0), signal.SIGTERM))
    helper.start()
    helper.join()
    asked.set()
    ready.wait()
    print("the group's stop outlived", flush=True)
    child.terminate()
    child.join()
    print("ended by the parent", flush=True)
