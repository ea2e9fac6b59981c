"""A world: the product's supervisor driven step by step in virtual time over an odd cloud, and the means to hurt it."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from doubles import OddSecrets, SimClock

from odd.clocks import WallClock
from odd.cloud import CAPABILITIES, OddCloud, OddNetworks
from odd.faults import Planned, Schedule
from odd.nodes import OddNodes
from odd.place import Copy, Place, copy_of, put_back
from odd.runs import Script
from tradewind.app import work
from tradewind.app.supervise import SWEEP_EVERY, SWEEP_IDLE
from tradewind.domain.records import Budget, Job
from tradewind.domain.states import JOB_ENDED, JobState, Lane
from tradewind.jobs import room as jobs
from tradewind.jobs.submit import submit
from tradewind.leasing import room as leasing
from tradewind.leasing.sweep import keep
from tradewind.ports.compute import Capabilities, Compute, Order
from tradewind.ports.transport import Transport
from tradewind.store import records, schema
from tradewind.store.database import Database
from tradewind.store.queue import Claim

OWNER = "me"
SITE = leasing.Site("odd:network", "default")
OFFER: dict[str, Any] = {
    "cloud": "odd", "region": "r", "zone": None, "instance_type": "t", "purchase": "spot", "gpus": 1,
    "gpu": "A100-80GB", "price_per_hour": {"amount": "3.60", "currency": "CNY"},
}  # fmt: skip
HELD = timedelta(seconds=10)  # until rows that somebody holds are looked at again: he may be gone
AHEAD_S = 30.0  # as long as a claim: to the other one a claim just taken has run out
CLAIMS = 4  # leases, and as many jobs, in one claim
QUIET = SWEEP_IDLE + timedelta(
    seconds=60
)  # after the last row is at its end: what appears late has appeared, and was swept


class Killed(BaseException):
    """The process is gone."""


class Restless(AssertionError):
    """The world did not come to rest."""


@dataclass
class World:
    """One installation and its cloud.

    ``rough`` are the seconds in which nobody could have done better: killed, asleep, or waiting on purpose; a law that
    limits a time adds them. ``broke`` are faults that a step raised, as its supervisor would log them. ``forgot`` are
    spans of which the database knows nothing any more, ``blind`` those in which nobody looked. A watch may wrap what a
    process is made of (``watch_*``), have an act done ``again``, and look after each step (``stepped``). ``sited``:
    machines need a network, and their orders are made whole before they are sent.
    """

    place: Place
    schedule: Schedule = field(default_factory=Planned)
    caps: Capabilities = CAPABILITIES
    time: SimClock = field(default_factory=SimClock)
    skew_s: float = 0.0
    seed: int = 0
    sited: bool = False
    rough: float = 0.0
    broke: list[str] = field(default_factory=list)
    steps: int = 0
    doing: str = ""
    forgot: list[tuple[datetime, datetime]] = field(default_factory=list)
    blind: list[tuple[datetime, datetime]] = field(default_factory=list)
    furnished: int = 0
    listed_at: dict[str, datetime] = field(default_factory=dict)
    account: str = field(default="odd", init=False)
    offer: dict[str, Any] = field(default_factory=lambda: OFFER, init=False)

    def __post_init__(self) -> None:
        self.place.clean()
        self.clock = WallClock(self.time)
        self.cloud = self._opened()
        self.nodes = OddNodes(self.cloud, self.schedule)
        self.watch_compute: Callable[[Compute], Compute] = lambda compute: compute
        self.watch_nodes: Callable[[Transport], Transport] = lambda transport: transport
        self.watch_store: Callable[[Database], Database] = lambda db: db
        self.again: Callable[[], bool] = lambda: False
        self.stepped: Callable[[], None] = lambda: None
        self.swept_at = self.clock.now() - SWEEP_EVERY
        self.swept_whole = False
        self.db = self.place.shared()
        self.room = self.rooms(self.clock)

    def _opened(self) -> OddCloud:
        return OddCloud(self.time, self.schedule, self.caps, self.skew_s)

    def rooms(self, clock: WallClock) -> jobs.Room:
        """The rooms of a process that starts now."""
        db = self.watch_store(self.db)
        draw = random.Random(self.seed).random
        renting = leasing.Room(db, clock, OWNER, self._accounts(), draw)
        folder = self.place.folder
        return jobs.Room(db, clock, renting, folder / "jobs", folder / "agent", folder / "library", OddSecrets())

    def _accounts(self) -> dict[str, leasing.Account]:
        nodes = self.watch_nodes(self.nodes)
        if not self.sited:
            return {"odd": leasing.Account(self.watch_compute(self.cloud), nodes)}
        over = self.watch_compute(OddNetworks(self.cloud))
        return {
            SITE.account: leasing.Account(over, nodes),
            "odd": leasing.Account(self.watch_compute(self.cloud), nodes, self._furnished, SITE),
        }

    def _furnished(self, order: Order) -> Order:
        """An order made whole, otherwise each time it is asked."""
        self.furnished += 1
        return replace(order, image=f"image-{self.furnished}")

    # --- what users do ------------------------------------------------------------------------------------------------

    def submit(
        self, name: str = "job-1", script: Script | None = None, cap: int | None = None,
        secrets: tuple[str, ...] = (), **settings: Any,
    ) -> str:  # fmt: skip
        """Submit a job with a budget of ``cap`` millionths; the same name again is the same request."""
        now = self.clock.now()
        self.nodes.scripts[name] = script or Script()
        budget = Budget(f"budget-{name}", "CNY", cap, 0, 0)
        job = Job(
            id=name, name=name, state=JobState.QUEUED, wanted=True, rehearsal=False, account=self.account,
            request_id=name, workload={"run": "x", "outputs": ["x"], "secrets": list(secrets)}, plan=None,
            submitted_at=now, state_since=now, wake_at=now,
            settings={"offer": self.offer, "run": "x", "env": {}, "notice_s": 60, "max_lifetime_s": 7200,
                      "time_scale": 1, "budget": budget.id, **settings},
        )  # fmt: skip
        return str(self.act("submit", lambda: self._submit(job, budget)))

    def _submit(self, job: Job, budget: Budget) -> str:
        with self.room.db.write() as db:
            return submit(db, job, self.clock.now(), budget).id

    def give(self, name: str = "job-1", **secrets: str) -> None:
        """Hand a job's secrets to the process that works now; it forgets them with its end."""
        self.act("give", lambda: self._give(name, secrets))

    def _give(self, name: str, secrets: dict[str, str]) -> None:
        assert isinstance(self.room.secrets, OddSecrets)
        self.room.secrets.known[name] = secrets
        with self.room.db.write() as db:
            records.wake(db, schema.job, name, self.clock.now())

    def stop(self, name: str = "job-1") -> None:
        """Wish a job's end."""
        self.act("stop", lambda: self._stop(name))

    def _stop(self, name: str) -> None:
        with self.room.db.write() as db:
            found = records.job(db, name)
            if found is not None and found.state not in JOB_ENDED:
                records.update_job(db, found, replace(found, wanted=False))
                records.append_event(db, self.clock.now(), "user", "stop-asked", name, job=name)
                records.wake(db, schema.job, name, self.clock.now())

    # --- what its supervisor does -------------------------------------------------------------------------------------

    def step(self, owner: str = "a", room: jobs.Room | None = None) -> datetime | None:
        """Sweep if it is time, or carry out what is due in a lane: None; or when the next thing is due."""
        room = room or self.room
        self.steps += 1
        now, wakes = room.clock.now(), work.wakes(room)
        sweep_at = self.swept_at + (SWEEP_IDLE if self.swept_whole and not wakes else SWEEP_EVERY)
        if now >= sweep_at:
            self.sweep(room)
            return None
        due = [lane for lane in Lane if lane in wakes and wakes[lane] <= now]
        worked = [self._lane(room, lane, owner) for lane in due]
        if not any(worked):
            held = [] if wakes or not self.anything_open() else [now + HELD]
            return min([sweep_at, *wakes.values(), *held])
        return None

    def sweep(self, room: jobs.Room | None = None) -> None:
        """What the supervisor does every minute."""
        room = room or self.room
        self.swept_at = room.clock.now()
        self.swept_whole = False
        self._logged("sweep", lambda: self._keep(room))

    def _keep(self, room: jobs.Room) -> None:
        now, good_for = self.time.now(), timedelta(seconds=self.caps.sweep_s)
        swept = keep(room.leasing, {name for name, at in self.listed_at.items() if now - at < good_for})
        self.listed_at |= {each.account: now for each in swept.checked if each.complete}
        self.swept_whole = swept.whole

    def _lane(self, room: jobs.Room, lane: Lane, owner: str) -> bool:
        held: list[Claim[Any]] = []
        self._logged(f"claim {lane.value}", lambda: held.extend(work.claim(room, lane, owner, CLAIMS)))
        for each in held:
            kind = type(each.record).__name__.lower()
            self._logged(f"{kind} {each.record.state.value}", partial(work.carry_out, room, each))
        return bool(held)

    def _logged(self, name: str, step: Callable[[], Any]) -> None:
        """A step that breaks is noted, as a supervisor would log it: the row says so and is due again."""
        try:
            self.act(name, step)
        except Exception as fault:  # noqa: BLE001
            self.broke.append(f"{name}: {type(fault).__name__}: {fault}")

    def act(self, name: str, act: Callable[[], Any]) -> Any:
        """Something that a process does as a whole; ``doing`` names it, and a watch may have it done again."""
        outer, self.doing = self.doing, name
        answer = act()
        if self.again():
            answer = act()
        self.doing = outer
        return answer

    def move(self) -> None:
        """One step, or on to the time of the next one."""
        due = self.step()
        if due is None:
            self.stepped()
        else:
            self.time.sleep(max((due - self.clock.now()).total_seconds(), 0.001))

    def go_on(self, seconds: float) -> None:
        """Live on for so long."""
        until = self.time.now() + timedelta(seconds=seconds)
        while self.time.now() < until:
            self.move()

    def settle(self, steps: int = 6000) -> None:
        """Live until every row is at its end and nothing of ours runs, and a little longer."""
        quiet_since: datetime | None = None
        for _ in range(steps):
            self.move()
            quiet_since = (quiet_since or self.time.now()) if self.at_rest() else None
            if quiet_since is not None and self.time.now() - quiet_since >= QUIET:
                return
        raise Restless(f"after {steps} steps, at {self.time.now()}: {self.open_rows()}, broke: {self.broke[-3:]}")

    def at_rest(self) -> bool:
        """Whether nothing is open here and nothing is alive, or about to be, there."""
        now = self.time.now()
        if any(now < each.until or each.disks for each in self.cloud.ours()):  # lives, is about to, or left something
            return False
        return not self.anything_open()

    def anything_open(self) -> bool:
        """Whether a row is not at its end."""
        with self.db.read() as db:
            return records.anything_open(db)

    def open_rows(self) -> list[str]:
        """Rows that are not at their end."""
        with self.db.read() as db:
            leases, jobs = records.leases(db, open_only=True), records.jobs(db, open_only=True)
        return [f"{row.id} {row.state} {row.last_error or ''}" for row in leases] + [
            f"{row.id} {row.state} {row.last_error or ''}" for row in jobs
        ]

    # --- what befalls it ----------------------------------------------------------------------------------------------

    def restart(self, away_s: float = 0.0, afresh: bool = False) -> None:
        """The process is gone, and after a while another starts."""
        self.time.sleep(away_s)
        self.rough += away_s + 60
        if afresh:
            self.db = self.place.open()
        self.room = self.rooms(self.clock)
        self.listed_at.clear()
        self.act("begin", lambda: work.begin(self.room, "a"))
        self.sweep()

    def sleep(self, seconds: float) -> None:
        """The computer sleeps; its clock goes on."""
        now = self.time.now()
        self.time.sleep(seconds)
        self.blind.append((now, self.time.now()))
        self.rough += seconds

    def jump(self, seconds: float) -> None:
        """This computer's clock is corrected by so many seconds."""
        self.clock.off_s += seconds
        self.rough += abs(seconds)
        self.swept_at = min(self.swept_at, self.clock.now())
        work.jumped(self.room, timedelta(seconds=seconds))

    def backup(self) -> tuple[datetime, Copy]:
        """A copy of the database, and when it was made."""
        return self.time.now(), copy_of(self.db)

    def restore(self, backup: tuple[datetime, Copy]) -> None:
        """The process is killed, an older copy is put back, another process starts."""
        made_at, copy = backup
        put_back(self.db, copy)
        self.forgot.append((made_at, self.time.now()))
        self.restart()

    def forget(self) -> None:
        """The database is lost."""
        self.restore((datetime.min.replace(tzinfo=self.time.now().tzinfo), {}))

    def elsewhere(self, seconds: float) -> None:
        """Time passes, in which another supervisor, whose clock is ahead, works on the same rows."""
        until = self.time.now() + timedelta(seconds=seconds)
        self.rough += seconds
        other = self.rooms(WallClock(self.time, self.clock.off_s + AHEAD_S))
        while (left := until - self.time.now()) > timedelta(0):
            due = self.step("b", other)
            if due is not None:
                self.time.sleep(max(min(left, due - other.clock.now()).total_seconds(), 0.001))
