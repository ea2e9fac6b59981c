"""The job's events, read on from an offset: whole lines only, none twice, none dropped in silence."""

from __future__ import annotations

from typing import Any, Dict, List, Tuple

from tradewind.wire import journal

LIMIT_BYTES = 1 << 20


def read_on(path: str, offset: int, limit: int = LIMIT_BYTES) -> List[Tuple[Dict[str, Any], int]]:
    """The events after ``offset``, each with the offset after it; none while the file is not there.

    A file that became shorter was begun anew and is read from its start. A line longer than ``limit`` bytes is told in
    pieces, as unreadable.
    """
    try:
        with open(path, "rb") as file:
            size = file.seek(0, 2)
            offset = offset if offset <= size else 0
            file.seek(offset)
            chunk = file.read(limit)
    except OSError:
        return []
    if len(chunk) == limit and b"\n" not in chunk:
        return [({"type": "unreadable", "text": chunk[:200].decode("utf-8", "replace")}, offset + limit)]
    found = []
    for line in chunk.split(b"\n")[:-1]:
        records, whole = journal.read_lines(line + b"\n")
        offset += whole
        found += [(record, offset) for record in records]
    return found
