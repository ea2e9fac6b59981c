"""Tells before, in and after a fork whose child ends in order."""

import os
import sys

from tradewind.training import Events

events = Events("events")
events.emit("before")
child = os.fork()
if child == 0:
    events.emit("in the child")
    events.step(1)
    events.flush()
    sys.exit(0)
os.waitpid(child, 0)
events.emit("after")
