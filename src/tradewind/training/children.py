"""What the children of a training process (DataLoader workers above all) do with a stop meant for their parent.

A notice reaches the whole process group. A worker that died of it would break the step in progress, and the final
checkpoint with it; a worker that ignored it could not be ended by its parent. So a child blocks the stop signals and
obeys them only when the parent sent them. A mask, because it also outlasts handlers that libraries install later, as
torch does in its workers.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from typing import FrozenSet


def importing_main_again() -> bool:
    """True while a spawned worker runs the parent's script only to find its functions.

    The interpreter marks that phase on the process object, for its own refusal to start processes during it.
    """
    return bool(getattr(multiprocessing.current_process(), "_inheriting", False))


def obey_parent_only(numbers: FrozenSet[signal.Signals]) -> None:
    """From now on the signals ``numbers`` end this process only when its parent sent them.

    Where the sender cannot be told (macOS has no ``sigwaitinfo``) they keep their default action.
    """
    for number in numbers:
        signal.signal(number, signal.SIG_DFL)
    if hasattr(signal, "sigwaitinfo"):
        signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
        threading.Thread(target=_watch, args=(numbers,), name="tradewind-stop", daemon=True).start()


def _watch(numbers: FrozenSet[signal.Signals]) -> None:
    while True:
        if signal.sigwaitinfo(numbers).si_pid == os.getppid():
            # With 0, as torch's own handler does: its parent reports a worker that died of a signal as a failure.
            os._exit(0)
