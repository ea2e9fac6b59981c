"""Which open jobs name secrets, as their rows tell it."""

from __future__ import annotations

from store_rows import job

from tradewind.domain.states import JobState
from tradewind.store import records
from tradewind.store.database import Database


def test_open_jobs_that_name_secrets_are_found_with_the_names(db: Database) -> None:
    rows = [
        job("both", workload={"run": "x", "secrets": ["TWO", "ONE"]}, state=JobState.WAITING),
        job("none", workload={"run": "x", "secrets": []}),
        job("older", workload={"run": "x"}),
        job("null", workload={"run": "x", "secrets": None}),
        job("ended", workload={"run": "x", "secrets": ["ONE"]}, state=JobState.STOPPED, wake_at=None),
        job("queued", workload={"run": "x", "secrets": ["名"]}),
    ]
    with db.write() as connection:
        for row in rows:
            records.insert(connection, row)
    with db.read() as connection:
        assert records.secrets_wanted(connection) == {"both": ["TWO", "ONE"], "queued": ["名"]}
