"""Runs a script unbroken, and preempted and resumed, each in a fork that starts with its framework imported.

    frameworks.py SCRIPT MODULE STOP_AFTER_STEP     prints three lines: exit code and digest of the weights

The stop is a real SIGTERM, sent when the callback looks whether to save after that step.
"""

import hashlib
import importlib
import os
import runpy
import signal
import sys
from pathlib import Path
from typing import Any

from tradewind.training.course import Course


def digest(model: Any) -> str:
    """Of the model's weights, by name; Keras on torch has a state_dict as well."""
    whole = hashlib.sha256()
    for name, tensor in sorted(model.state_dict().items()):
        whole.update(name.encode() + tensor.detach().cpu().numpy().tobytes())
    return whole.hexdigest()


def run(script: str, stop_after: int) -> str:
    """What became of the script in this folder."""
    save_now = Course.save_now

    def stopped(course: Course, step: int) -> bool:
        if step == stop_after:
            os.kill(os.getpid(), signal.SIGTERM)
        return save_now(course, step)

    Course.save_now = stopped  # type: ignore[assignment, method-assign]
    try:
        return f"0 {digest(runpy.run_path(script, run_name='__main__')['model'])}"
    except SystemExit as left:
        return f"{left.code} -"


def forked(script: str, folder: Path, stop_after: int) -> None:
    """The same in a child, which says it itself."""
    told = os.dup(1)
    if os.fork() == 0:
        os.chdir(folder)
        os.dup2(2, 1)
        os.write(told, run(script, stop_after).encode() + b"\n")
        os._exit(0)
    os.wait()


def main() -> None:
    script, module, stop_after = sys.argv[1:]
    importlib.import_module("torch").set_num_threads(1)
    importlib.import_module(module)
    unbroken, preempted = Path("unbroken"), Path("preempted")
    unbroken.mkdir()
    preempted.mkdir()
    for folder, stop in ((unbroken, -1), (preempted, int(stop_after)), (preempted, -1)):
        forked(script, folder, stop)


main()
