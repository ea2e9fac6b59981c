"""Handing the secrets of jobs to the supervisor: when a job is submitted, and again when a supervisor lost them."""

from __future__ import annotations

from collections.abc import Mapping

from tradewind.app.secrets import at_hand
from tradewind.app.secrets_socket import ask
from tradewind.app.settings import Settings
from tradewind.ports.clock import Clock
from tradewind.store import records, schema
from tradewind.store.database import Database

START_SECONDS = 10.0  # a supervisor that is being started listens within about a second
EVERY_SECONDS = 3.0  # how often a follower looks whether something is missing
LOOK_SECONDS = 0.05


class Handing:
    """What this process has of jobs' secrets: given at a submit, in its environment ``env``, or in a keyring."""

    def __init__(self, settings: Settings, db: Database, clock: Clock, env: Mapping[str, str]) -> None:
        self._link = settings.socket
        self._db = db
        self._clock = clock
        self._env = env
        self._given: dict[str, Mapping[str, str]] = {}
        self._again_at: float | None = None

    def hold(self, job: str, values: Mapping[str, str]) -> None:
        """Keep what was submitted with a job; it is handed over at the next look."""
        if values:
            self._given[job] = values
            self._again_at = None

    def again(self) -> None:
        """Hand over what open jobs miss and this process has. Asked for all the time, it looks now and then.

        At the first look a supervisor that was just started is waited for, since this process may end after it; a job
        that is not given its secrets says so and waits for them.
        """
        now, first = self._clock.monotonic(), self._again_at is None
        if self._again_at is not None and now < self._again_at:
            return
        self._again_at = now + EVERY_SECONDS
        with self._db.read() as db:
            wanted = records.secrets_wanted(db)
        missing = ask(self._link, {"missing": wanted}) if wanted else {}
        if missing is None:  # nobody listens yet, so nobody has any
            missing = wanted
        found = {job: self._given.get(job) or at_hand(names, self._env) for job, names in missing.items()}
        values = {job: dict(each) for job, each in found.items() if each}
        if values:
            self._hand(values, START_SECONDS if first else 0.0)

    def _hand(self, values: Mapping[str, Mapping[str, str]], patience_s: float) -> None:
        deadline = self._clock.monotonic() + patience_s
        while ask(self._link, {"give": values}) is None:
            if self._clock.monotonic() >= deadline:
                return
            self._clock.sleep(LOOK_SECONDS)
        with self._db.write() as db:
            for job in values:
                records.wake(db, schema.job, job, self._clock.now())
