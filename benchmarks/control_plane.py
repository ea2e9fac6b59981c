"""The control plane under load: jobs carried through their states with a no-op engine, and jobs that only wait.

    python benchmarks/control_plane.py [--jobs 10000] [--waiting 10000]

The baseline of the first is a bare update and insert, committed one by one on the same database in the same run. dstack
0.20 was measured before on a computer alike (2026-11, two cores): 10.8 submits a second, p95 251 ms; 510 waiting runs
took 85 % of a core.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import sqlalchemy as sa
from measure import percentile, tell
from noop_engine import job, office, store

from tradewind.app.inside import Inside
from tradewind.app.supervise import Supervisor
from tradewind.domain.states import JobState

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from cluster import durable

UNDER_LOAD, PAUSE_S, WATCHED_S, BASELINE_S = 200, 0.05, 20.0, 3.0
SUBMIT_BAR_MS, WAITING_BAR = 20.0, 0.05


def main() -> None:
    """Print the figures for SQLite, then for PostgreSQL with fsync on."""
    asked = argparse.ArgumentParser()
    asked.add_argument("--jobs", type=int, default=10_000)
    asked.add_argument("--waiting", type=int, default=10_000)
    given = asked.parse_args()
    for name, place in (("sqlite", sqlite), ("postgresql", postgresql)):
        place(lambda folder, where, name=name: through(name, folder, where, given.jobs))  # type: ignore[misc]
        place(lambda folder, where, name=name: waiting(name, folder, where, given.waiting))  # type: ignore[misc]


def sqlite(run: Callable[[Path, Path | str], None]) -> None:
    """A run on a file of its own, on this computer's disk."""
    with tempfile.TemporaryDirectory(prefix="tradewind-bench-") as folder:
        run(Path(folder), Path(folder) / "tradewind.db")


def postgresql(run: Callable[[Path, Path | str], None]) -> None:
    """A run on a database of its own, of a server on this computer's disk with fsync on."""
    server = durable()
    if server is None:
        print("PostgreSQL is not installed: its figures are left out", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory(prefix="tradewind-bench-") as folder:
        url = server.fresh()
        try:
            run(Path(folder), url)
        finally:
            server.drop(url)


def through(name: str, folder: Path, where: Path | str, jobs: int) -> None:
    """Jobs from submit to their end; meanwhile others are submitted, and timed."""
    inside, cloud = office(folder, where)
    floor = bare_commits_per_second(inside)
    now = inside.clock.now()
    for number in range(jobs):
        store(inside, *job(number, now))
    submits: list[float] = []
    submitter = threading.Thread(target=lambda: submits.extend(submitted_under_load(inside, jobs)))
    began, cpu = time.perf_counter(), time.process_time()
    submitter.start()
    Supervisor(inside).run()
    seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
    submitter.join()
    with inside.db.read() as db:
        transitions = db.execute(sa.text("SELECT count(*) FROM event WHERE new IS NOT NULL")).scalar_one()
        ended = db.execute(sa.text("SELECT count(*) FROM job WHERE state = 'SUCCEEDED'")).scalar_one()
        held = db.execute(sa.text("SELECT sum(held) FROM budget")).scalar_one()
    tell(
        f"control-plane/{name}/transitions", "transitions/s", transitions / seconds, None, jobs=ended,
        transitions=transitions, seconds=round(seconds, 1), bare_commits_per_second=round(floor),
        cpu_ms_per_transition=round(cpu / transitions * 1e3, 2), memory_mb=memory_mb(),
        machines_made=cloud.made, machines_left=cloud.left, held_at_the_end=int(held),
    )  # fmt: skip
    tell(
        f"control-plane/{name}/submit-under-load", "ms, p95", percentile(submits, 0.95) * 1e3, SUBMIT_BAR_MS,
        median_ms=round(percentile(submits, 0.5) * 1e3, 2), submits=len(submits), within_one_process=True,
    )  # fmt: skip


def submitted_under_load(inside: Inside, first: int) -> list[float]:
    """Seconds of single submits while the supervisor works."""
    taken = []
    for number in range(first, first + UNDER_LOAD):
        time.sleep(PAUSE_S)
        made = job(number, inside.clock.now())
        began = time.perf_counter()
        store(inside, *made)
        taken.append(time.perf_counter() - began)
    return taken


def waiting(name: str, folder: Path, where: Path | str, jobs: int) -> None:
    """The share of a core that jobs take which wait for a market."""
    inside, _ = office(folder, where)
    now = inside.clock.now()
    with inside.db.write() as db:
        from tradewind.jobs.submit import submit

        for number in range(jobs):
            made, budget = job(number, now, JobState.WAITING)
            submit(db, replace(made, wake_at=now + timedelta(hours=1, seconds=number % 900)), now, budget)
    threading.Thread(target=Supervisor(inside, stay=True).run, daemon=True).start()
    time.sleep(2.0)
    began, cpu = time.perf_counter(), time.process_time()
    time.sleep(WATCHED_S)
    share = (time.process_time() - cpu) / (time.perf_counter() - began)
    tell(f"control-plane/{name}/waiting", "share of a core", share, WAITING_BAR, jobs=jobs, memory_mb=memory_mb())


def bare_commits_per_second(inside: Inside) -> float:
    """The floor: one update and one insert a commit, by plain SQL through the same driver."""
    with inside.db.write() as db:
        db.execute(sa.text("CREATE TABLE bare (id INTEGER PRIMARY KEY, n INTEGER)"))
        db.execute(sa.text("INSERT INTO bare VALUES (0, 0)"))
    commits, until = 0, time.perf_counter() + BASELINE_S
    while time.perf_counter() < until:
        commits += 1
        with inside.db.write() as db:
            db.execute(sa.text("UPDATE bare SET n = n + 1 WHERE id = 0"))
            db.execute(sa.text("INSERT INTO bare VALUES (:id, 0)"), {"id": commits})
    return commits / BASELINE_S


def memory_mb() -> float:
    """The most memory that this process had, in MB."""
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(size / (1e6 if sys.platform == "darwin" else 1e3), 1)


if __name__ == "__main__":
    main()
    os._exit(0)  # the supervisors that wait are threads without an end
