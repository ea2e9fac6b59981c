"""The control plane in this process: the store read and written here, a supervisor beside it doing the work."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from sqlalchemy.engine import Connection

from tradewind.app import explained, jobfile, placement, questions, rehearsed, rented, visiting
from tradewind.app.clock import SystemClock
from tradewind.app.clouds import live
from tradewind.app.clouds.discovery import NOWHERE, Discovered
from tradewind.app.expected import expected
from tradewind.app.extending import Limits, extend, limits_of
from tradewind.app.finding import find_job
from tradewind.app.handing import Handing
from tradewind.app.inside import open_inside
from tradewind.app.interface import Answer, Submit, open_count
from tradewind.app.lock import holder
from tradewind.app.market import rates_of
from tradewind.app.queries import SizeOverrides
from tradewind.app.settings import Settings
from tradewind.app.sizes import lessons
from tradewind.app.spawning import Starter
from tradewind.app.submission import (
    asked_pools,
    budget_of,
    clouds_left_out,
    job_of,
    lay_out,
    lifetime_s,
    limited,
    remarks,
)
from tradewind.app.views.book import Book, book_of
from tradewind.app.views.decisions import next_step
from tradewind.app.views.jobs import ps_row, show_object
from tradewind.app.views.series import told_of
from tradewind.app.views.values import instant
from tradewind.domain.errors import NothingFits, TimedOut, TradewindError
from tradewind.domain.offer import Offer
from tradewind.domain.records import Job
from tradewind.domain.states import JOB_ENDED
from tradewind.domain.workload import Workload
from tradewind.jobs.contact import out_of_contact
from tradewind.jobs.submit import submit as submit_job
from tradewind.leasing.sweep import end_orphans
from tradewind.ports.clock import Clock
from tradewind.store import budgets, records, schema

LOOK_SECONDS = 0.2  # how often a follower looks
CHUNK = 1 << 18


def connect(settings: Settings) -> Embedded:
    """The control plane of this computer's home."""
    return Embedded(settings, SystemClock())


class Embedded:
    """``interface.ControlPlane`` on the store of one home."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._inside = open_inside(settings, clock)
        self._db = self._inside.db
        self._handing = Handing(settings, self._db, clock, os.environ)
        self._planned: tuple[Submit, Answer] | None = None  # the submit that was planned last, and its plan
        self._discovered: dict[tuple[str, ...], Discovered] = {}
        self._starter = Starter(settings, clock)

    def plan_for(self, submit: Submit) -> Answer | None:
        """The plan for a job that wears an offer; None for one that needs none. One submit has one plan."""
        if submit.local or self._unplanned(submit):
            return None
        if self._planned is None or self._planned[0] is not submit:
            workload = jobfile.anchored(limited(submit, rates_of(self._settings)), submit.path)
            found = self._found(submit)
            workload = placement.placed(submit, workload, self._inside.registry.names(), found.places)
            self._planned = submit, self._plan(submit, workload, found)
        return self._planned[1]

    def _plan(self, submit: Submit, workload: Workload, found: Discovered) -> Answer:
        """The plan over all there is, or within where the submit may rent, at the prices of today."""
        now = self._clock.now()
        within = placement.bounds(submit, workload, found.places, now.date())
        if within is None:
            return questions.plan(self._settings, workload, now)
        quote = live.quoting(self._inside.clouds.providers)
        return live.live_plan(
            lambda each: questions.plan(self._settings, workload, now, within=each), within, quote, self._clock
        )

    def _found(self, submit: Submit) -> Discovered:
        """Where the submit may rent from clouds; none is asked for one that does not, nor one that it does not name."""
        if not placement.renting(submit):
            return NOWHERE
        wanted = submit.workload.placement.clouds
        if wanted not in self._discovered:
            self._discovered[wanted] = self._inside.clouds.discover(wanted)
        return self._discovered[wanted]

    def _unplanned(self, submit: Submit) -> Offer | None:
        """What the submit takes of the machine that it names, whatever a plan would say."""
        machine = self._inside.registry.require(submit.on) if submit.on else None
        return placement.unplanned(submit.workload, machine) if machine and not submit.rehearse else None

    def stakes(self, submit: Submit) -> Answer | None:
        """What the run may cost; None when that is nothing."""
        if submit.local or submit.rehearse:
            return None
        placement.require_place(submit, self._inside.registry.names(), self._found(submit))
        plan, table = self.plan_for(submit), rates_of(self._settings)
        pools = asked_pools(submit, plan, None, table, self._unplanned(submit))
        return placement.stakes(plan, pools, lifetime_s(submit.workload) / 3600)

    def needs_of(self, submit: Submit) -> Answer | None:
        """What the job needs on every GPU; None when the file says too little."""
        try:
            workload = jobfile.anchored(submit.workload, submit.path)
            return questions.size(self._settings, workload, SizeOverrides()) if workload.model else None
        except TradewindError:  # only shown beside a run: what must be known for it is asked for by its plan
            return None

    def submit(self, submit: Submit) -> Answer:
        """Store the job and see that a supervisor works on it."""
        placement.require_place(submit, self._inside.registry.names(), self._found(submit))
        earlier = self._earlier(submit.request_id)
        if earlier is None:
            earlier = self._store(submit)
        self._handing.hold(earlier.id, submit.secrets)
        self._work()
        self._starter.require_one()
        plan_id = (earlier.plan or {}).get("plan_id")
        return {"job": earlier.id, "name": earlier.name, "state": earlier.state.value, "plan_id": plan_id,
                "rehearsal": earlier.rehearsal, "remarks": earlier.settings.get("remarks", [])}  # fmt: skip

    def _earlier(self, request_id: str | None) -> Job | None:
        if request_id is None:
            return None
        with self._db.read() as db:
            return records.job_by_request(db, request_id)

    def _store(self, submit: Submit) -> Job:
        plan = self.plan_for(submit)
        if plan is not None and plan["chosen"] is None:
            raise NothingFits("nothing-fits", file="JOB.yaml", plan=plan["plan_id"])
        now = self._clock.now()
        job = job_of(submit, plan, now, rates_of(self._settings), self._unplanned(submit))
        self._inside.clouds.require_reachable({pool["account"] for pool in job.settings.get("pools", ())})
        schedule = submit.workload.schedule
        deadline = schedule.deadline_at
        if schedule.deadline_seconds is not None:
            deadline = now + timedelta(seconds=schedule.deadline_seconds)
        job = replace(job, settings={**job.settings, "deadline": deadline.isoformat() if deadline else None})
        known = lessons.of(self._settings.calibrations, job.settings["teaches"])
        job = replace(job, settings={**job.settings, "expected": expected(job, known)})
        folder = self._settings.jobs / job.id
        try:
            left_out = lay_out(submit, job.settings, folder, self._settings.home)
            told = [*remarks(submit, job.settings, left_out), *clouds_left_out(self._found(submit))]
            job = replace(job, settings={**job.settings, "remarks": told})
            with self._db.write() as db:
                stored = submit_job(db, job, now, budget_of(submit, job, rates_of(self._settings)))
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)  # not submitted: nothing of it stays
            raise
        if stored.id != job.id:
            shutil.rmtree(folder, ignore_errors=True)  # the same request came first from elsewhere
        return stored

    def _work(self) -> None:
        """See that a supervisor is alive while anything is open, and that it has the secrets that are at hand here."""
        if self._starter.missing() and self._anything_open():
            self._starter.start()
        self._handing.again()

    def _anything_open(self) -> bool:
        with self._db.read() as db:
            return records.anything_open(db)

    def ps(self, everything: bool) -> list[Answer]:
        """Live jobs, or all, the newest first."""
        self._work()
        now = self._clock.now()
        with self._db.read() as db:
            found = records.jobs(db, open_only=not everything)
            silent = [out_of_contact(job, records.leases(db, job=job.id)) for job in found]
            return [ps_row(job, self._book(db, job), now) for job in silent]

    def show(self, job: str) -> Answer:
        """The show object."""
        self._work()
        with self._db.read() as db:
            return self._show(db, find_job(db, job))

    def _show(self, db: Connection, job: Job) -> Answer:
        book, events, folder = self._book(db, job), records.events(db, job=job.id), self._settings.jobs / job.id
        attempts, leases = records.attempts(db, job.id), records.leases(db, job=job.id)
        shown = show_object(
            out_of_contact(job, leases), book, attempts, records.checkpoints(db, job.id), events, folder,
            holder(self._settings.lock),
        )  # fmt: skip
        budget = budgets.budget(db, job.settings["budget"]) if job.settings.get("budget") else None
        return {
            **shown, "trace": rehearsed.told(job, book, events, folder), "limits": limits_of(job, leases, budget),
            "next": next_step(job, attempts, leases, budget, book.now),
        }  # fmt: skip

    def report(self, job: str) -> Answer:
        """All that a job's report tells."""
        with self._db.read() as db:
            found = find_job(db, job)
            attempts, events = records.attempts(db, found.id), records.events(db, job=found.id)
            shown, cost = self._show(db, found), self._cost(db, found, None)
        series = told_of(found, attempts, events, self._settings.jobs / found.id)
        return {"show": shown, "cost": cost, "series": series, "made_at": instant(self._clock.now())}

    def _book(self, db: Connection, job: Job, currency: str | None = None) -> Book:
        return book_of(job, records.events(db, job=job.id), self._clock.now(), currency)

    def log_chunk(self, job: str, offset: int) -> tuple[bytes, int, bool]:
        """Log bytes of all attempts, one after the other."""
        self._work()
        with self._db.read() as db:
            found = find_job(db, job)
        start, data = 0, b""
        for path in _logs(self._settings.jobs / found.id / "logs"):
            size = path.stat().st_size
            if offset < start + size and len(data) < CHUNK:
                with path.open("rb") as file:
                    file.seek(max(0, offset - start))
                    data += file.read(CHUNK - len(data))
            start += size
        return data, offset + len(data), found.state in JOB_ENDED and offset + len(data) >= start

    def wait(self, job: str, timeout: float | None, on_change: Callable[[Answer], None] | None) -> Answer:
        """Follow a job to its end."""
        with self._db.read() as db:
            id_ = find_job(db, job).id
        deadline = None if timeout is None else self._clock.monotonic() + timeout
        seen: tuple[Any, ...] | None = None
        while True:
            self._work()
            self._starter.require_one()
            with self._db.read() as db:
                found = find_job(db, id_)
                now = (found.state, found.progress, found.attempt, records.last_event(db, id_))
                shown = self._show(db, found) if now != seen or found.state in JOB_ENDED else None
            if shown is not None and found.state in JOB_ENDED:
                return shown
            if shown is not None and on_change is not None:
                on_change(shown)
            seen = now
            if deadline is not None and self._clock.monotonic() >= deadline:
                raise TimedOut("wait-timeout", job=id_, seconds=f"{timeout:g}")
            self._clock.sleep(LOOK_SECONDS)

    def stop(self, job: str) -> Answer:
        """Wish a job's end, and wait for it."""
        with self._db.write() as db:
            found = find_job(db, job)
            if found.state not in JOB_ENDED:
                now = self._clock.now()
                records.update_job(db, found, replace(found, wanted=False))
                records.append_event(db, now, f"user-{os.getuid()}", "stop-asked", found.id, job=found.id)
                records.wake(db, schema.job, found.id, now)
        return self.wait(found.id, None, None)

    def extend(self, job: str, limits: Limits) -> Answer:
        """Set limits, and see that somebody acts on them."""
        with self._db.write() as db:
            id_ = extend(db, job, limits, rates_of(self._settings), f"user-{os.getuid()}", self._clock.now())
        return self.show(id_)

    def visit(self, job: str, ports: bool) -> Answer:
        """A way to where the job works."""
        return visiting.visit(self._inside, job, ports)

    def fetch(self, job: str, to: Path | None) -> Answer:
        """The job's outputs, copied to where they are wanted."""
        return visiting.fetch(self._inside, job, to)

    def calibrate(self, submit: Submit, steps: int, on_change: Callable[[Answer], None]) -> Answer:
        """Measure a few steps of the job here."""
        from tradewind.app.sizes.calibrating import calibrate

        return calibrate(self, self._db, self._settings, self._clock, submit, steps, on_change)

    def explain(self, id_: str, everything: bool) -> Answer:
        """One job or lease explained."""
        self._work()
        with self._db.read() as db:
            told = explained.explain(db, id_, everything, self._clock.now())
        return {**told, "supervisor": holder(self._settings.lock)}

    def leases(self, everything: bool) -> Answer:
        """Open leases, or all, beside what every place lists."""
        self._work()
        return rented.listed(self._inside, everything)

    def sweep(self, end: bool) -> Answer:
        """What no open lease or live job explains; ended when asked, by the supervisor, which is seen to."""
        found = self._inside.clouds.discover()  # machines of ours may be where no row of this home names an account
        told = rented.unexplained(self._inside, found.faults)
        going = end_orphans(self._inside.leasing) if end else ()
        return {**told, **rented.until_ended(self._inside, going, self._work)}

    def cost(self, job: str | None, rehearsals: bool, currency: str | None) -> Answer:
        """What jobs cost, the newest first."""
        with self._db.read() as db:
            found = [find_job(db, job)] if job else [
                each for each in records.jobs(db) if rehearsals or not each.rehearsal
            ]  # fmt: skip
            told = [self._cost(db, each, currency) for each in found]
        return {"jobs": told, "open_leases": open_count(self.leases(False))}

    def _cost(self, db: Connection, job: Job, currency: str | None) -> Answer:
        book = self._book(db, job, currency)
        attempts = records.attempts(db, job.id)
        chosen = (job.plan or {}).get("chosen")
        money = book.costs.to_json() if book.costs else {
            "lines": [], "total": [], "total_in": None, "on_demand_total": None, "saved": None,
        }  # fmt: skip
        return {
            **money, "job": job.id, "rehearsal": job.rehearsal,
            "lost_seconds": round(sum(each.lost_seconds or 0.0 for each in attempts), 3),
            "predicted": {"hours": chosen["hours"], "cost": chosen["cost"]} if chosen else None,
        }  # fmt: skip


def _logs(folder: Path) -> list[Path]:
    paths = folder.glob("attempt-*.log") if folder.exists() else ()
    return sorted(paths, key=lambda path: int(path.stem.removeprefix("attempt-")))
