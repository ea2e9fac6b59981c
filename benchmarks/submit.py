"""Submit: inside one process beside a bare insert into SQLite, and as a whole command beside `tradewind ps`."""

from __future__ import annotations

import sqlite3
import statistics
import tempfile
from pathlib import Path

from installation import installation, write_job
from measure import percentile, seconds_of, tell

from tradewind.app import jobfile
from tradewind.app.clock import SystemClock
from tradewind.app.control import connect
from tradewind.app.interface import Submit
from tradewind.app.lock import SupervisorLock
from tradewind.app.settings import Settings

COMMANDS, INSIDE = 15, 200
BAR_MS = 20.0


def main() -> None:
    """Print medians and 95th percentiles."""
    inside()
    commands()


def inside() -> None:
    """The control plane's own submit: workdir packed, row and event committed; no supervisor runs beside it."""
    with tempfile.TemporaryDirectory(prefix="tradewind-bench-") as folder:
        path = write_job(Path(folder), "nothing", "true")
        workload, source = jobfile.read(path)
        asked = Submit(path=path, workload=workload, source=source, local=True)
        settings, bare = Settings(Path(folder) / "home"), bare_table(Path(folder) / "bare.db")
        submits, inserts = [], []
        with SupervisorLock(settings.lock, SystemClock()) as lock:
            lock.take()
            control = connect(settings)
            for _ in range(INSIDE):
                inserts.append(seconds_of(lambda: bare.execute("INSERT INTO job (text) VALUES (?)", (source,))))
                submits.append(seconds_of(lambda: control.submit(asked)))
        bare.close()
    told("submit/inside", submits, inserts, BAR_MS)


def bare_table(path: Path) -> sqlite3.Connection:
    """A table of one column, as durable as the store: WAL, synchronous FULL, a commit for each statement."""
    bare = sqlite3.connect(path, isolation_level=None)
    bare.execute("PRAGMA journal_mode=WAL")
    bare.execute("PRAGMA synchronous=FULL")
    bare.execute("CREATE TABLE job (id INTEGER PRIMARY KEY, text TEXT)")
    return bare


def commands() -> None:
    """Whole commands, each taken while nothing else runs."""
    with tempfile.TemporaryDirectory(prefix="tradewind-bench-") as folder, installation() as home:
        job_file = write_job(Path(folder), "nothing", "true")
        submits, looks, jobs = [], [], []
        for _ in range(COMMANDS):
            looks.append(seconds_of(lambda: home.ask("ps")))
            submits.append(seconds_of(lambda: jobs.append(home.submit(job_file, "--local"))))
            home.ask("wait", jobs[-1], "--timeout", "120s")
    told("submit/command", submits, looks, None)


def told(name: str, subject: list[float], baseline: list[float], bar: float | None) -> None:
    """One line: the 95th percentile, and both medians."""
    tell(
        name,
        "ms at the 95th percentile",
        percentile(subject, 0.95) * 1e3,
        bar,
        median_ms=round(statistics.median(subject) * 1e3, 2),
        baseline_ms=round(statistics.median(baseline) * 1e3, 2),
        jobs=len(subject),
    )


if __name__ == "__main__":
    main()
