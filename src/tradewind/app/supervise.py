"""The supervisor: one process a home, alive while jobs or leases are open.

Run as ``python -m tradewind.app.supervise``. It finds rows that are due and hands each, claimed, to a worker for one
step. Killed at any point, the next one goes on from what is committed.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from tradewind.app.clock import SystemClock
from tradewind.app.inside import Inside, open_inside
from tradewind.app.lock import SupervisorLock, holder
from tradewind.app.settings import Settings
from tradewind.domain.records import Job, Lease
from tradewind.jobs import reconcile as jobs
from tradewind.leasing import reconcile as leasing
from tradewind.leasing.sweep import end_closed
from tradewind.store import queue, records
from tradewind.store.queue import Claim

WORKERS = 6
POLL = timedelta(seconds=0.2)  # other processes submit and stop: their writes are seen within this
LINGER = timedelta(seconds=2)  # with nothing open, before it ends
SWEEP_EVERY = timedelta(seconds=60)

_log = logging.getLogger("tradewind.supervisor")


@dataclass(slots=True)
class Supervisor:
    """The loop over due rows."""

    inside: Inside
    pool: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(WORKERS))
    running: set[Future[None]] = field(default_factory=set)
    hint: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        """Serve until nothing is open."""
        with self.inside.db.write() as db:
            queue.release_all(db)  # the lock is ours, so whoever held them is gone
        now = self.inside.clock.now()
        idle_since, swept = now, now - SWEEP_EVERY
        while True:
            now = self.inside.clock.now()
            if now - swept >= SWEEP_EVERY:
                swept = now
                self._start(lambda: end_closed(self.inside.leasing), "sweep")
            next_wake = self._dispatch(now)
            if self.running or next_wake is not None or anything_open(self.inside):
                idle_since = now
            elif now - idle_since > LINGER:
                return
            self._rest(next_wake)

    def _dispatch(self, now: datetime) -> datetime | None:
        """Hand due rows to workers, as many as there are workers free; when the next row is due."""
        while True:
            with self.inside.db.read() as db:
                wakes = queue.wakes(db, now)
            if wakes.next is None or wakes.next > now or len(self.running) >= WORKERS:
                return wakes.next
            self._claim(wakes, now)

    def _claim(self, wakes: queue.Wakes, now: datetime) -> None:
        """Claim the lease and the job that have been due longest, and start their steps."""
        owner = f"pid-{os.getpid()}"
        if wakes.lease is not None and wakes.lease <= now:
            with self.inside.db.write() as db:
                lease = queue.claim_lease(db, now, owner)
            if lease is not None:
                self._start(lambda: self._lease(lease), lease.record.id)
        if wakes.job is not None and wakes.job <= now:
            with self.inside.db.write() as db:
                job = queue.claim_job(db, now, owner)
            if job is not None:
                self._start(lambda: self._job(job), job.record.id)

    def _start(self, work: Callable[[], object], what: str) -> None:
        future = self.pool.submit(_quietly, work, what)
        self.running.add(future)
        future.add_done_callback(self.running.discard)

    def _written(self, old: Lease | Job, new: Lease | Job) -> None:
        """Have the loop look at once when a step may have made something due before its next look anyway."""
        if new.state != old.state or (new.wake_at and new.wake_at < self.inside.clock.now() + POLL):
            self.hint.set()

    def _lease(self, held: Claim[Lease]) -> None:
        try:
            self._written(held.record, leasing.reconcile(self.inside.leasing, held))
        except records.Stale:
            _log.warning("%s: a late result was dropped", held.record.id)
        except Exception as fault:
            leasing.put_off(self.inside.leasing, held, f"{type(fault).__name__}: {fault}")
            raise

    def _job(self, held: Claim[Job]) -> None:
        try:
            self._written(held.record, jobs.reconcile(self.inside.jobs, held))
        except records.Stale:
            _log.warning("%s: a late result was dropped", held.record.id)
        except Exception as fault:
            jobs.put_off(self.inside.jobs, held, f"{type(fault).__name__}: {fault}")
            raise

    def _rest(self, due: datetime | None) -> None:
        """Wait for a worker, the next row, or the time to look for other processes' writes."""
        pause = POLL if due is None else min(max(due - self.inside.clock.now(), timedelta(0)), POLL)
        self.hint.wait(pause.total_seconds() if len(self.running) < WORKERS else POLL.total_seconds())
        self.hint.clear()


def anything_open(inside: Inside) -> bool:
    """Whether a job or a lease is not at its end."""
    with inside.db.read() as db:
        return bool(records.jobs(db, open_only=True) or records.leases(db, open_only=True))


def _quietly(work: Callable[[], object], what: str) -> None:
    try:
        work()
    except Exception:  # noqa: BLE001  a broken step must not end the supervisor: the row says so and is due again
        _log.exception("%s: the step broke", what)


def ensure_supervisor(settings: Settings) -> None:
    """Start a supervisor in the background, unless one is alive."""
    if holder(settings.lock) is not None:
        return
    settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
    env = {name: value for name, value in os.environ.items() if name != "TRADEWIND_INSTANCE"}
    log = str(settings.home / "supervisor.log")
    appended = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    os.posix_spawn(  # not Popen: nobody waits for it
        sys.executable, [sys.executable, "-m", "tradewind.app.supervise"],
        {**env, "TRADEWIND_HOME": str(settings.home)}, setsid=True,
        file_actions=[(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                      (os.POSIX_SPAWN_OPEN, 1, log, appended, 0o600), (os.POSIX_SPAWN_DUP2, 1, 2)],
    )  # fmt: skip


def main() -> None:
    """Be the supervisor of ``TRADEWIND_HOME``, if there is none."""
    os.chdir("/")  # nobody's folder is held
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s")
    settings, clock = Settings.from_env(), SystemClock()
    with SupervisorLock(settings.lock, clock) as lock:
        inside: Inside | None = None
        while lock.take():
            inside = inside or open_inside(settings, clock)
            Supervisor(inside).run()
            lock.drop()
            if not anything_open(inside):  # somebody may have submitted between the last look and the drop
                return


if __name__ == "__main__":
    main()
