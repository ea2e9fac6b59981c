"""Imports torch and what the demo needs once, then runs programs in forks of itself: each starts warm.

A line of JSON on stdin starts one (program, arguments, folder, env, out), answered with its process id; a number waits
for that process, answered with its exit code, 128+n for a signal.
"""

import gc
import json
import os
import runpy
import sys
from typing import Any

import sklearn.datasets
import sklearn.model_selection
import torch
import torch._dynamo


def run(order: dict[str, Any]) -> None:
    os.setsid()
    os.chdir(order["folder"])
    os.environ.update(order["env"])
    out = os.open(order["out"], os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(out, stream)
    sys.stdin.close()
    sys.argv = [order["program"], *order["arguments"]]
    runpy.run_path(order["program"], run_name="__main__")


def serve() -> None:
    for line in sys.stdin:
        order = json.loads(line)
        if isinstance(order, int):
            print(code_of(os.waitpid(order, 0)[1]), flush=True)
            continue
        child = os.fork()
        if child == 0:
            return run(order)
        print(child, flush=True)
    return None


def code_of(status: int) -> int:
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    assert torch._dynamo
    assert sklearn.datasets
    assert sklearn.model_selection
    gc.freeze()  # a fork that collected all this at its end would take two seconds for it
    serve()
