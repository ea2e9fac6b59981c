"""A month of an installation: many jobs over many days, a seed of faults, kills at chance times; and its table."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from functools import partial

from odd.faults import CLOUD_KINDS, NODE_KINDS, ByChance
from odd.keeper import Keeper
from odd.place import Place
from odd.points import Watch
from odd.runs import Script
from odd.sight import see
from odd.world import Killed, World
from tradewind.domain.states import LEASE_CLOSED
from tradewind.store import records

PRICE_PER_SECOND = Decimal("0.001")  # the offer's 3.60 CNY an hour
SHARES = {**dict.fromkeys((*CLOUD_KINDS, *NODE_KINDS), 0.05), "launch": 0.25, "machine": 0.25}  # of calls meet a fault
TOGETHER = 5  # jobs submitted at once
KILLS_A_BATCH = 0.5
EFFECTS_AHEAD = 40  # a kill falls on one of the next so many effects
LOOK_EVERY = 100  # steps between two looks at all laws: the whole history is held against them each time


@dataclass
class Month:
    """A month to be lived: ``jobs`` of it begin evenly over ``days``."""

    place: Place
    jobs: int
    days: float
    seed: int

    def live(self) -> tuple[list[str], str]:
        """What was against the laws, and the table."""
        faults = ByChance(self.seed, SHARES, {**CLOUD_KINDS, **NODE_KINDS})
        return self.live_in(World(self.place, faults, seed=self.seed))

    def live_in(self, world: World) -> tuple[list[str], str]:
        """The same in a world that was made for it."""
        chance = random.Random(self.seed)
        watch, keeper = Watch(world), Keeper(world)
        watch.put_on()
        kills = _Kills(world, watch, chance)
        world.stepped = partial(_look_sometimes, world, keeper)
        for first in range(0, self.jobs, TOGETHER):
            kills.maybe(KILLS_A_BATCH)
            for number in range(first, min(first + TOGETHER, self.jobs)):
                kills.through(partial(self._submit, world, number))
            kills.through(partial(world.go_on, self.days * 86_400 * TOGETHER / self.jobs))
        kills.through(partial(world.settle, 20_000))
        keeper.rest()
        return list(keeper.found), table(world, kills.dealt, sum("leaked" in each for each in keeper.found))

    def _submit(self, world: World, number: int) -> None:
        steps = 3 + number % 40
        script = Script(steps, fails_at=2 if number % 11 == 0 else None)
        cap = 60_000 if number % 13 == 0 else 2_000_000  # millionths of the currency; a second costs 1,000
        world.submit(f"job-{number}", script, cap, max_lifetime_s=3600)
        if number % 17 == 0:
            world.stop(f"job-{number}")


def _look_sometimes(world: World, keeper: Keeper) -> None:
    if world.steps % LOOK_EVERY == 0:
        keeper.look()


@dataclass
class _Kills:
    """Kills of the process at chance effects."""

    world: World
    watch: Watch
    chance: random.Random
    dealt: int = 0

    def maybe(self, share: float) -> None:
        """Perhaps light a fuse."""
        if self.chance.random() < share:
            self.watch.light(self.chance.randrange(EFFECTS_AHEAD), "kill")

    def through(self, act: Callable[[], object]) -> None:
        """Do something, however often it is killed."""
        while True:
            try:
                act()
                return
            except Killed:
                self.dealt += 1
                self.world.restart(away_s=5)


def table(world: World, kills: int, leaked: int) -> str:
    """What the month was, in lines."""
    sight = see(world)
    with world.db.read() as db:
        jobs = Counter(job.state.value for job in records.jobs(db))
        leases = records.leases(db)
    reasons = Counter(lease.end_reason.value if lease.end_reason else lease.state.value.lower() for lease in leases)
    billed = sum(((line.until or sight.wall) - line.since for line in sight.lines()), timedelta(0))
    truth = sum((each.until - each.since for each in world.cloud.ours()), timedelta(0))
    made = Counter(each.order.token for each in world.cloud.ours())
    doubled = sum(count - 1 - world.cloud.doubled[token] for token, count in made.items() if count > 1)
    met = Counter(f"{fault.op} {fault.what}" for fault in world.schedule.met)
    repeats = sum(world.cloud.doubled.values())
    lines = [
        ("jobs", _told(jobs)), ("leases", _told(reasons)), ("faults", f"{sum(met.values())}: {_told(met)}"),
        ("kills", str(kills)), ("machines", f"{len(world.cloud.ours())}, {repeats} of them repeats"),
        ("billed", f"{_money(billed)} CNY for {billed}"), ("the cloud's own bill", f"{_money(truth)} CNY for {truth}"),
        ("leaked", str(leaked)), ("made twice", str(doubled)),
        ("open", str(sum(lease.state not in LEASE_CLOSED for lease in leases))),
    ]  # fmt: skip
    return "\n".join(f"{name:<22}{value}" for name, value in lines)


def _told(counted: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counted.most_common())


def _money(span: timedelta) -> str:
    return f"{Decimal(span.total_seconds()) * PRICE_PER_SECOND:.2f}"
