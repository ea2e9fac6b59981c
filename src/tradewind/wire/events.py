"""The events that a training loop writes on the path in ``TRADEWIND_EVENTS``: one JSON object a line.

Every event has ``v`` (1), ``type`` and, when the library writes it, ``t`` (seconds since the epoch). Types used here:

    run_started {world, versions, total_steps}         resumed {step, path, rejected: [{path, why}]}
    step {step, total_steps, epoch, loss, accuracy, lr, samples_s, step_ms, train_s, gpu, gpu_mem_mb}
    eval {step, <name>: number, …}                     checkpoint_started {step}
    snapshot_done {step, block_ms, interval_s}         checkpoint_committed {step, bytes, total_ms, where}
    checkpoint_failed {step, why}   checkpoint_skipped {step, why}   checkpoint_rejected {path, why}
    preempt_seen {source}           stopped {exit, step}             heartbeat {step, step_age_s}

``train_s`` is seconds of training in this process since its first step, pauses not counted; ``gpu_mem_mb`` the peak of
memory allocated on its fullest ``gpu``; ``interval_s`` until the next save, null where steps are counted. A plain
script may write only ``step`` and ``eval``.
"""

from __future__ import annotations

import json
import math
from typing import Any, Optional

VERSION = 1

RUN_STARTED, RESUMED, STEP, EVAL, STOPPED, HEARTBEAT = (
    "run_started", "resumed", "step", "eval", "stopped", "heartbeat",
)  # fmt: skip
CHECKPOINT_STARTED, SNAPSHOT_DONE, CHECKPOINT_COMMITTED = (
    "checkpoint_started", "snapshot_done", "checkpoint_committed",
)  # fmt: skip
CHECKPOINT_FAILED, CHECKPOINT_SKIPPED, CHECKPOINT_REJECTED, PREEMPT_SEEN = (
    "checkpoint_failed", "checkpoint_skipped", "checkpoint_rejected", "preempt_seen",
)  # fmt: skip


def line(type_: str, t: Optional[float] = None, **fields: Any) -> str:
    """One event line, newline included; a number that is not finite becomes null."""
    told = {"v": VERSION, "type": type_, **({"t": round(t, 3)} if t is not None else {}), **fields}
    return json.dumps({key: _finite(value) for key, value in told.items()}) + "\n"


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
