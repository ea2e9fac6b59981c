"""Names of jobs and leases for those who type them: a quick look into the SQLite file that waits for nobody.

Nothing is made, migrated or locked, and SQLAlchemy is not imported: this answers while a key is pressed.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

MOST = 200  # of the newest: nobody reads on
_PATIENCE_S = 0.2
_JOBS = "SELECT id, name, state FROM job ORDER BY submitted_at DESC, id DESC LIMIT ?"
_LEASES = (
    "SELECT id, state, job, offer FROM lease"
    " ORDER BY state IN ('RELEASED', 'REFUSED'), created_at DESC, id DESC LIMIT ?"
)
Named = tuple[str, str]  # a name, and what it is the name of


def jobs(path: Path) -> list[Named]:
    """Names and ids of the newest jobs, names first; empty when nothing can be read."""
    rows = _rows(path, _JOBS)
    named = dict[str, str]()
    for id_, name, state in rows:
        named.setdefault(name, f"{id_} {state}")
    return [*named.items(), *((id_, f"{name} {state}") for id_, name, state in rows)]


def leases(path: Path) -> list[Named]:
    """Ids of leases, open ones and the newest first; empty when nothing can be read."""
    rows = _rows(path, _LEASES)
    return [(id_, f"{state} {_machine(offer)} {job}") for id_, state, job, offer in rows]


def _machine(offer: str) -> str:
    told = json.loads(offer)
    return f"{told.get('cloud', '')} {told.get('instance_type', '')}".strip()


def _rows(path: Path, question: str) -> list[tuple[str, ...]]:
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=_PATIENCE_S)) as db:
            return db.execute(question, (MOST,)).fetchall()
    except sqlite3.Error:
        return []
