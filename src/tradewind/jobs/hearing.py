"""Hearing a node: its journal and log are read on from the committed offsets, folded, and committed with them.

What is told is by the node's clock, and is folded by ours.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

from tradewind.domain.records import Attempt, Lease
from tradewind.jobs.journal import Reading, by_our_clock, fold
from tradewind.jobs.keeping import kept
from tradewind.jobs.parcel import secrets_of, store_folder
from tradewind.jobs.room import Room, Sight, instance_of, lost
from tradewind.wire.journal import read_lines

LIMIT = 1 << 20  # bytes of journal and of log in one look


@dataclass(frozen=True, slots=True)
class Look:
    """What one look heard: the folded reading, and whether there is more to read at once."""

    reading: Reading
    more: bool


def hear(room: Room, sight: Sight, attempt: Attempt, lease: Lease) -> Look:
    """Read on; the bytes of log and journal are kept here before the offsets that count them are committed.

    Raises:
        Unreachable: the node does not answer.
    """
    transport, instance = room.transport(lease), instance_of(lease)
    heard = transport.hear(instance, attempt.journal_offset, attempt.log_offset, LIMIT)
    if not heard.agent_alive and "ended" not in sight.job.measures and not lost(lease):
        transport.revive(instance, secrets_of(room, sight.job))
    records, taken = read_lines(heard.journal)
    folder = room.job_folder(sight.job.id)
    keep(folder / "logs" / f"attempt-{attempt.attempt}.log", heard.log, attempt.log_offset)
    keep(folder / "journals" / f"attempt-{attempt.attempt}.jsonl", heard.journal[:taken], attempt.journal_offset)
    offsets = replace(attempt, journal_offset=attempt.journal_offset + taken,
                      log_offset=attempt.log_offset + len(heard.log))  # fmt: skip
    reading = fold(Reading(sight.job, offsets, sight.previous), by_our_clock(records, heard.skew_s))
    reading = kept(reading, transport, instance, store_folder(room, sight.job))
    return Look(reading, more=len(heard.journal) >= LIMIT or len(heard.log) >= LIMIT)


def keep(path: Path, data: bytes, offset: int) -> None:
    """Put bytes that a node told at their offset in the file; written twice they lie in the same place."""
    if not data and path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    file = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    try:
        os.pwrite(file, data, offset)
    finally:
        os.close(file)
