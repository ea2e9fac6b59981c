"""The supervisor: one process a home, alive while jobs or leases are open.

Run as ``python -m tradewind.app.supervise``, with ``--stay`` to remain when nothing is open. It finds rows that are due
and hands each, claimed, to a worker for one step. Every lane has workers of its own, so that ending what costs money
never waits behind renting more. Killed at any point, the next one goes on from what is committed.
"""

from __future__ import annotations

import logging
import os
import socket
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from tradewind.app import work
from tradewind.app.clock import ClockWatch, SystemClock
from tradewind.app.inside import Inside, open_inside
from tradewind.app.lock import SupervisorLock, holder
from tradewind.app.secrets_socket import receiving
from tradewind.app.settings import Settings
from tradewind.app.sizes import lessons
from tradewind.domain.records import Job, Lease
from tradewind.domain.states import JOB_ENDED, LEASE_CLOSED, Lane
from tradewind.leasing.sweep import keep, watched
from tradewind.store import queue, records
from tradewind.store.database import Unavailable
from tradewind.store.queue import Claim

WORKERS = {Lane.ENDING: 3, Lane.STARTING: 3, Lane.WATCHING: 4}
BATCH = 4  # rows claimed at once for each free worker that only looks; what makes or ends things goes one by one
POLL = timedelta(seconds=0.2)  # other processes submit and stop: their writes are seen within this
LINGER = timedelta(seconds=2)  # with nothing open, before it ends
SWEEP_EVERY, SWEEP_IDLE = timedelta(seconds=60), timedelta(minutes=15)
LOOK_FIRST = timedelta(seconds=60)  # how long starting waits for the first sweep, when a cloud does not answer
STORE_AWAY = timedelta(seconds=1)  # before a store that did not answer is asked again

_log = logging.getLogger("tradewind.supervisor")


@dataclass(slots=True)
class Crew:
    """The workers of one lane."""

    lane: Lane
    size: int
    pool: ThreadPoolExecutor
    held: dict[int, list[Claim[Lease] | Claim[Job]]] = field(default_factory=dict)

    @property
    def free(self) -> int:
        """Workers that have nothing to do."""
        return self.size - len(self.held)


class Supervisor:
    """The loop over due rows.

    ``owner`` is the name that its claims bear: of all workers of a database only one may be alive under it.
    """

    def __init__(self, inside: Inside, *, stay: bool = False, owner: str | None = None) -> None:
        self._inside = inside
        self._stay = stay
        self._owner = owner or f"{socket.gethostname()}:{inside.settings.home}"[-128:]  # of one home one is alive
        self._begun = False
        self._hint = threading.Event()
        self._watch = ClockWatch(inside.jobs.clock)  # of rows that others share, by the clock that they share
        self._crews = [Crew(lane, size, ThreadPoolExecutor(size, lane.value)) for lane, size in WORKERS.items()]
        self._sweeper = ThreadPoolExecutor(1, "sweep")
        self._sweeping = threading.Event()
        self._swept: float | None = None
        self._swept_at: dict[str, float] = {}
        self._swept_whole = False
        self._listed = threading.Event()
        self._born = self._renewed = inside.clock.monotonic()

    def run(self) -> None:
        """Serve until nothing is open; with ``stay``, until killed."""
        idle_since = self._inside.clock.monotonic()
        while True:
            try:
                wakes, handed = self._turn()
            except Unavailable as fault:  # a full disk, a database that restarts: what is committed stands
                _log.warning("the store does not answer: %s", fault)
                self._inside.clock.sleep(STORE_AWAY.total_seconds())
                continue
            now = self._inside.clock.monotonic()
            if wakes or self._stay or self._sweeping.is_set() or any(crew.held for crew in self._crews):
                idle_since = now
            elif now - idle_since > LINGER.total_seconds() and not self._may_turn_up():
                return
            if not handed:
                self._rest(wakes)

    def _turn(self) -> tuple[dict[Lane, datetime], bool]:
        """Do what is due: when each lane is due next, and whether something was handed out."""
        room = self._inside.jobs
        if not self._begun:
            work.begin(room, self._owner)
            self._begun = True
        jump = self._watch.jump()
        if jump is not None:
            _log.warning("the clock jumped by %.0f s", jump.total_seconds())
            work.jumped(room, jump)
        wakes = work.wakes(room)
        idle = self._stay and not wakes and self._swept_whole
        self._sweep(SWEEP_IDLE if idle else SWEEP_EVERY)
        self._renew()
        now = room.clock.now()
        due = [crew for crew in self._crews if crew.free > 0 and crew.lane in wakes and wakes[crew.lane] <= now]
        handed = [self._hand_out(crew) for crew in due if crew.lane is not Lane.STARTING or self._looked()]
        return wakes, any(handed)

    def _may_turn_up(self) -> bool:
        """Whether a refused order must still be watched for; a store that is away says nothing else either."""
        try:
            return watched(self._inside.leasing, SWEEP_EVERY)
        except Unavailable:
            return True

    def _looked(self) -> bool:
        """Nothing is started before the first sweep told what of ours is there: a restored store knows less."""
        return self._listed.is_set() or self._inside.clock.monotonic() - self._born > LOOK_FIRST.total_seconds()

    def _hand_out(self, crew: Crew) -> bool:
        """Claim what is due for the free workers of a lane; whether there was something."""
        free = crew.free
        limit = free * BATCH if crew.lane is Lane.WATCHING else max(free // 2, 1)  # of leases, and as many jobs
        claims = work.claim(self._inside.jobs, crew.lane, self._owner, limit)
        for part in range(min(free, len(claims))):
            self._start(crew, claims[part::free])
        return bool(claims)

    def _start(self, crew: Crew, claims: list[Claim[Lease] | Claim[Job]]) -> None:
        key = id(claims)
        crew.held[key] = claims
        crew.pool.submit(self._carry_out, claims).add_done_callback(lambda _: crew.held.pop(key))

    def _carry_out(self, claims: list[Claim[Lease] | Claim[Job]]) -> None:
        for held in claims:
            new = _quietly(lambda held=held: work.carry_out(self._inside.jobs, held), held.record.id)  # type: ignore[misc]
            if isinstance(new, Job) and new.state in JOB_ENDED:
                self._learn(new)
            if new is not None and (new.state != held.record.state or _soon(new, self._inside.clock.now())):
                self._hint.set()

    def _learn(self, job: Job) -> None:
        """Keep what the steps of an ended job took; a lesson lost costs nothing but its accuracy."""
        lesson = lessons.learnt(job, self._inside.clock.now().isoformat(timespec="seconds").replace("+00:00", "Z"))
        if lesson is not None:
            with suppress(OSError):
                lessons.keep(self._inside.settings.calibrations, lesson)

    def _renew(self) -> None:
        """Hold what workers are still at: a slow cloud is no reason to let another worker begin."""
        now = self._inside.clock.monotonic()
        claims = [claim for crew in self._crews for batch in list(crew.held.values()) for claim in batch]
        if now - self._renewed < queue.RENEW_SECONDS or not claims:
            return
        self._renewed = now
        with self._inside.db.write() as db:
            queue.renew(db, claims, self._inside.clock.now())

    def _sweep(self, every: timedelta) -> None:
        now = self._inside.clock.monotonic()
        if self._sweeping.is_set() or (self._swept is not None and now - self._swept < every.total_seconds()):
            return
        self._swept = now
        self._sweeping.set()
        self._sweeper.submit(_quietly, self._keep, "sweep").add_done_callback(lambda _: self._sweeping.clear())

    def _keep(self) -> None:
        swept = keep(self._inside.leasing, self._lately())
        now = self._inside.clock.monotonic()
        self._swept_at |= {each.account: now for each in swept.checked if each.complete}
        self._swept_whole = swept.whole
        self._listed.set()
        self._hint.set()
        self._inside.clouds.let_go(self._may_be_rented)

    def _lately(self) -> set[str]:
        """The accounts whose whole list was seen not long ago, as long as their cloud says."""
        now, accounts = self._inside.clock.monotonic(), self._inside.leasing.accounts
        known = [(name, accounts.get(name), at) for name, at in self._swept_at.items()]
        return {name for name, account, at in known if account and now - at < account.compute.caps.sweep_s}

    def _may_be_rented(self, token: str) -> bool:
        """Whether a machine may be there; one of which this store knows nothing may be adopted yet."""
        with self._inside.db.read() as db:
            lease = records.lease_by_token(db, token)
        return lease is None or lease.state not in LEASE_CLOSED

    def _rest(self, wakes: dict[Lane, datetime]) -> None:
        """Wait for a worker, the next row, or the time to look for other processes' writes."""
        now = self._inside.jobs.clock.now()
        free = {crew.lane for crew in self._crews if crew.free > 0}
        pauses = [max(time - now, timedelta(0)) for lane, time in wakes.items() if lane in free]
        self._hint.wait(min([POLL, *pauses]).total_seconds())
        self._hint.clear()


def _soon(record: Lease | Job, now: datetime) -> bool:
    return record.wake_at is not None and record.wake_at < now + POLL


def _quietly(work_: Callable[[], Lease | Job | object | None], what: str) -> Lease | Job | None:
    """The result of a step; a broken step must not end the supervisor: its row says so and is due again."""
    try:
        done = work_()
    except Unavailable as fault:
        _log.warning("%s: the store does not answer: %s", what, fault)
        return None
    except Exception:  # noqa: BLE001
        _log.exception("%s: the step broke", what)
        return None
    return done if isinstance(done, Lease | Job) else None


def ensure_supervisor(settings: Settings) -> int | None:
    """Start a supervisor in the background, unless one is alive; its process id.

    Raises:
        OSError: it cannot be started, or its log cannot be written.
    """
    if holder(settings.lock) is not None:
        return None
    settings.make_home()
    env = {name: value for name, value in os.environ.items() if name != "TRADEWIND_INSTANCE"}
    log = str(settings.home / "supervisor.log")
    appended = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    os.close(os.open(log, appended, 0o600))  # of what the spawning opens, an error would name the program
    return os.posix_spawn(  # not Popen: nobody need wait for it
        sys.executable, [sys.executable, "-m", "tradewind.app.supervise"],
        {**env, "TRADEWIND_HOME": str(settings.home)}, setsid=True,
        file_actions=[(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                      (os.POSIX_SPAWN_OPEN, 1, log, appended, 0o600), (os.POSIX_SPAWN_DUP2, 1, 2)],
    )  # fmt: skip


def main() -> None:
    """Be the supervisor of ``TRADEWIND_HOME``, if there is none."""
    stay = "--stay" in sys.argv[1:]
    os.chdir("/")  # nobody's folder is held
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s")
    settings, clock = Settings.from_env(), SystemClock()
    with SupervisorLock(settings.lock, clock) as lock:
        inside: Inside | None = None
        while lock.take():
            inside = inside or open_inside(settings, clock)
            with receiving(settings.socket, inside.secrets):
                Supervisor(inside, stay=stay).run()
            lock.drop()
            with inside.db.read() as db:
                if not records.anything_open(db):  # somebody may have submitted between the last look and the drop
                    return
        sys.exit(f"{settings.home}: another supervisor is alive: {holder(settings.lock)}")


if __name__ == "__main__":
    main()
