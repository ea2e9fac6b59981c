"""Storms: whatever users, clouds, nodes, clocks and operators may do to one installation, in any order."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from odd.cloud import CAPABILITIES, REMEMBERS, SILENCE, idempotent
from odd.faults import CLOUD_KINDS, NODE_KINDS, Planned
from odd.keeper import Keeper
from odd.place import Copy, Place, sqlite
from odd.points import Mode, Watch
from odd.runs import Script
from odd.world import Killed, World
from tradewind.domain.errors import Unavailable

MOST_JOBS = 2
PLENTY, SCARCE = 10_000_000, 60_000  # millionths; a second costs 1,000
FAULTS = st.sampled_from([*CLOUD_KINDS, "machine", "machine", *NODE_KINDS]).flatmap(
    lambda op: st.tuples(st.just(op), st.sampled_from({**CLOUD_KINDS, **NODE_KINDS}[op]), st.integers(0, 10))
)  # an operation, what happens and how long at most, and for how many tenths of that
MODES: tuple[Mode, ...] = ("kill", "lose", "repeat", "delay")


class Storm(RuleBasedStateMachine):
    """One world. ``worlds`` counts those that came to rest with no law broken."""

    place: ClassVar[Callable[[], Place]] = sqlite
    worlds: ClassVar[int] = 0

    @initialize(
        native=st.booleans(), skew_s=st.sampled_from((0.0, 0.0, 600.0, -600.0)), faults=st.lists(FAULTS, max_size=6)
    )
    def begin(self, native: bool, skew_s: float, faults: list[tuple[str, tuple[str, float], int]]) -> None:
        self.schedule = Planned()
        caps = idempotent(CAPABILITIES) if native else CAPABILITIES
        self.world = World(type(self).place(), self.schedule, caps, skew_s=skew_s)
        self.watch, self.keeper = Watch(self.world), Keeper(self.world)
        self.watch.put_on()
        self.world.stepped = lambda: None  # the laws are held after each rule
        self.names: list[str] = []
        self.copy: tuple[datetime, Copy] | None = None
        for fault in faults:
            self.fault(fault, times=1)
        self.submit(plenty=True, fails=False, steps=5)

    @precondition(lambda self: len(self.names) < MOST_JOBS)
    @rule(plenty=st.booleans(), fails=st.booleans(), steps=st.integers(2, 6))
    def submit(self, plenty: bool, fails: bool, steps: int) -> None:
        name = f"job-{len(self.names) + 1}"
        self.names.append(name)
        script = Script(steps, fails_at=2 if fails else None)
        self.live(lambda: self.world.submit(name, script, PLENTY if plenty else SCARCE, max_lifetime_s=1800))

    @rule()
    def stop(self) -> None:
        self.live(lambda: self.world.stop(self.names[-1]))

    @rule(seconds=st.sampled_from((1, 40, 100)))
    def go_on(self, seconds: float) -> None:
        self.live(lambda: self.world.go_on(seconds))

    @rule(fault=FAULTS, times=st.integers(1, 3))
    def fault(self, fault: tuple[str, tuple[str, float], int], times: int) -> None:
        op, (what, most), tenths = fault
        for _ in range(times):
            self.schedule.next(op, what, tenths * most / 10)

    @rule(after=st.integers(0, 60), mode=st.sampled_from(MODES), before=st.booleans())
    def blow(self, after: int, mode: Mode, before: bool) -> None:
        self.watch.light(after, mode, "before" if before else "after")

    @rule(what=st.sampled_from(("vanish", "reclaim", "silence")), after=st.sampled_from((20, 50, 90)))
    def befall(self, what: str, after: float) -> None:
        self.go_on(after)
        now = self.world.time.now()
        for machine in self.world.cloud.alive()[:1]:
            if what == "vanish":
                self.world.cloud.vanish(machine, now)
            elif what == "reclaim":
                self.world.cloud.reclaim(machine)
            else:
                machine.silent = (now, now + SILENCE)

    @rule(seconds=st.sampled_from((3600.0, -3600.0)))
    def clock_jumps(self, seconds: float) -> None:
        self.live(lambda: self.world.jump(seconds))

    @rule(seconds=st.sampled_from((300.0, 2 * REMEMBERS.total_seconds())))
    def sleep(self, seconds: float) -> None:
        self.world.sleep(seconds)

    @rule()
    def killed(self) -> None:
        self.live(lambda: self.world.restart(away_s=5))

    @rule()
    def another_works(self) -> None:
        self.live(lambda: self.world.elsewhere(60))

    @rule()
    def backup(self) -> None:
        self.copy = self.world.backup()

    @precondition(lambda self: self.copy is not None)
    @rule()
    def restore(self) -> None:
        copy = self.copy
        if copy is not None:
            self.live(lambda: self.world.restore(copy))

    @rule()
    def forget(self) -> None:
        self.live(self.world.forget)

    @invariant()
    def the_laws_hold(self) -> None:
        if hasattr(self, "keeper"):
            self.keeper.look()
            self.told()

    def teardown(self) -> None:
        if not hasattr(self, "keeper") or self.keeper.found:
            return
        self.live(lambda: self.world.settle(1500))
        self.keeper.rest()
        self.told()
        type(self).worlds += 1

    def told(self) -> None:
        assert not self.keeper.found, "\n".join([*self.keeper.found, f"met: {self.schedule.met}"])

    def live(self, act: Callable[[], object]) -> None:
        """Do something; killed in it, another process starts; refused by the store, it is tried again."""
        for _ in range(3):
            try:
                act()
                return
            except Killed:
                self.world.restart(away_s=5)
            except Unavailable:
                continue
