"""The journal: what an agent tells, one JSON object a line, written and synced to disk before anyone may read it.

Every record has ``v`` (1), ``at`` (seconds since the epoch, UTC), ``type`` and the fields of its type:

    agent_started   {pid, version, python, epoch, adopted: bool}    adopted: the job was already running
    setup_started   {}              setup_ended {exit}
    restored        {step, epoch, path, seconds, saved_at,          a checkpoint was put back before the start;
                     verified, counted}                             ``saved_at`` and the rest: see ``wire.manifest``
    rejected        {step, epoch, path, why}                        a torn checkpoint in the store was passed over
    run_started     {pid, pgid}
    job             {event: {...}, events_offset}                   one line of the job's TRADEWIND_EVENTS, as written,
                                                                    and the byte offset after it
    notice          {deadline, source}                              the cloud takes the node at ``deadline``
    rebalance       {source}                                        the cloud says that a notice has become likely
    notice_unknown  {source, why}                                   whoever tells of notices does not answer
    stop_sent       {why: notice|stop|hard-end, grace_seconds,      SIGTERM goes to ``pids`` (none when it was sent
                     until, pids, outlived}                         before), SIGKILL to all of the job at ``until``;
                                                                    outlived: it ends none of them where they stand
    checkpoint      {step, epoch, path, bytes, seconds, saved_at,   committed in the job's store
                     verified, counted}
    checkpoint_failed {step, why}
    sample          {cpu_percent, rss_bytes, gpus: [...]}           of the job's processes
    restarted       {count, step}                                   exit 75 unasked: again on this node, the count-th
                                                                    time without a step after ``step``
    run_ended       {exit, why: exit|notice|stop|hard-end}          128+n for a signal
    outputs         {files, bytes, seconds, missing: [...]}         outputs.json is complete
    outputs_saved   {path, files}                                   nobody collected: the outputs lie in the job's store
    agent_ended     {why: collected|after-exit|hard-end}

A reader keeps the byte offset after the last whole line it has committed, and reads on from there. A line without its
newline is not yet written. Unknown types are kept and passed over.
"""

from __future__ import annotations

import json
from typing import Any, Dict, List, Tuple

VERSION = 1

AGENT_STARTED, AGENT_ENDED = "agent_started", "agent_ended"
SETUP_STARTED, SETUP_ENDED, RUN_STARTED, RUN_ENDED = "setup_started", "setup_ended", "run_started", "run_ended"
RESTORED, REJECTED, CHECKPOINT, CHECKPOINT_FAILED = "restored", "rejected", "checkpoint", "checkpoint_failed"
JOB, NOTICE, STOP_SENT, SAMPLE, OUTPUTS = "job", "notice", "stop_sent", "sample", "outputs"
RESTARTED, OUTPUTS_SAVED = "restarted", "outputs_saved"
REBALANCE, NOTICE_UNKNOWN = "rebalance", "notice_unknown"


def line(type_: str, at: float, **fields: Any) -> bytes:
    """One journal line, newline included."""
    return (json.dumps({"v": VERSION, "at": round(at, 3), "type": type_, **fields}) + "\n").encode()


def read_lines(chunk: bytes) -> Tuple[List[Dict[str, Any]], int]:
    """The records of the whole lines in ``chunk`` and how many bytes they take.

    A line that is not JSON gives ``{"type": "unreadable", "text": …}``: nothing is dropped in silence.
    """
    end = chunk.rfind(b"\n") + 1
    records: List[Dict[str, Any]] = []
    for raw in chunk[:end].splitlines():
        if not raw.strip():
            continue
        try:
            record = json.loads(raw)
        except ValueError:
            record = None
        if not isinstance(record, dict):
            record = {"v": VERSION, "type": "unreadable", "text": raw[:200].decode("utf-8", "replace")}
        records.append(record)
    return records, end
