"""Ways of a job through an odd world, as acts that can be begun again after the process was killed in one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import sqlalchemy as sa

from odd.faults import Fault, Planned
from odd.keeper import Keeper
from odd.place import Place
from odd.points import COMMIT, Blow, Mode, Point, Side, Watch
from odd.runs import Script
from odd.world import OFFER, Killed, Restless, World
from tradewind.domain.errors import Unavailable
from tradewind.domain.states import JOB_ENDED, JobState
from tradewind.store import schema

Act = Callable[[World], object]
_STATE = sa.select(schema.job.c.state).where(schema.job.c.id == "job-1")
PLENTY = 10_000_000  # millionths; the offer costs 1,000 a second
SCARCE = 150_000
POOLS = [{"offer": {**OFFER, "region": region, "purchase": purchase}, "step_seconds": 1.0}
         for region, purchase in (("r", "spot"), ("s", "spot"), ("r", "on_demand"))]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Scenario:
    """What the cloud does, what the user does, and how the job ends: in one of ``ends``; with no blow in the first.

    ``sited``: over a network that is rented with the first machine; ``private``: over one that is made of many parts.
    """

    name: str
    faults: tuple[Fault, ...]
    acts: tuple[Act, ...]
    ends: tuple[JobState, ...]
    sited: bool = False
    private: bool = False


def until(*states: JobState) -> Act:
    """Live until the job is in one of the states, or ended."""

    def act(world: World) -> None:
        while (state := state_of(world)) not in states and state not in JOB_ENDED:
            world.move()

    return act


def state_of(world: World) -> JobState | None:
    """The job's state; None when it is not in the store."""
    with world.db.read() as db:
        return db.execute(_STATE).scalar()


def _forget(world: World) -> None:
    if state_of(world) is not None:
        world.forget()


def attended(*states: JobState) -> Act:
    """As ``until``, with a user who hands over the job's secrets whenever it waits for them."""

    def act(world: World) -> None:
        while (state := state_of(world)) not in states and state not in JOB_ENDED:
            if state is JobState.WAITING and world.room.secrets.missing("job-1", ("HF_TOKEN",)):
                world.give(HF_TOKEN="canary")
            world.move()

    return act


_SUBMIT: Act = partial(World.submit, cap=PLENTY)
_SETTLE: Act = World.settle
_J = JobState

PREEMPTED = Scenario(
    "preempted", (Fault("machine", 1, "reclaim", 40.0), Fault("machine", 2, "agent-dies", 25.0)),
    (_SUBMIT, until(_J.RUNNING), World.restart, _SETTLE), (_J.SUCCEEDED,),
)  # fmt: skip
STOPPED = Scenario(
    "stopped", (), (_SUBMIT, until(_J.RUNNING), World.stop, _SETTLE), (_J.STOPPED,)
)  # fmt: skip
REFUSED = Scenario(
    "refused", tuple(Fault("launch", nth, "capacity") for nth in (1, 2, 3)), (_SUBMIT, _SETTLE),
    (_J.FAILED, _J.SUCCEEDED),
)  # fmt: skip
OVER_BUDGET = Scenario(
    "over-budget", (), (partial(World.submit, cap=SCARCE, script=Script(steps=60)), _SETTLE), (_J.EXPIRED,)
)  # fmt: skip
ADOPTED = Scenario(
    "adopted", (), (partial(World.submit, cap=PLENTY, max_lifetime_s=400), until(_J.RUNNING), _forget, _SETTLE), (),
)  # fmt: skip
STEERED = Scenario(
    "steered", (Fault("launch", 1, "capacity"), Fault("machine", 1, "reclaim", 40.0)),
    (partial(World.submit, cap=PLENTY, pools=POOLS, total_steps=Script().steps), _SETTLE), (_J.SUCCEEDED,),
)  # fmt: skip
SECRETIVE = Scenario(
    "secretive", (Fault("machine", 1, "reclaim", 40.0),),
    (partial(World.submit, cap=PLENTY, secrets=("HF_TOKEN",)), attended(_J.RUNNING), World.restart, attended(),
     _SETTLE), (_J.SUCCEEDED,),
)  # fmt: skip
SITED = Scenario(
    "sited", (Fault("machine", 2, "reclaim", 40.0),), (_SUBMIT, until(_J.RUNNING), World.restart, _SETTLE),
    (_J.SUCCEEDED,), sited=True,
)  # fmt: skip
SCENARIOS = (SITED, PREEMPTED, STOPPED, REFUSED, OVER_BUDGET, ADOPTED, STEERED, SECRETIVE)


@dataclass(frozen=True, slots=True)
class Played:
    """How a scenario went: the points that it came by, the job's state, and what was against the laws."""

    world: World
    points: list[Point]
    state: JobState | None
    breaches: tuple[str, ...]


def play(scenario: Scenario, place: Place, blow: Blow | None = None, *, afresh: bool = False) -> Played:
    """A scenario in a world of its own; see :func:`live`."""
    return live(World(place, Planned(list(scenario.faults)), sited=scenario.sited), scenario, blow, afresh=afresh)


def live(world: World, scenario: Scenario, blow: Blow | None = None, *, afresh: bool = False) -> Played:
    """A scenario from beginning to rest, with one blow; ``afresh``: a process that starts opens the database anew."""
    watch, keeper = Watch(world, blow), Keeper(world)
    watch.put_on()
    restless: list[str] = []
    try:
        for act in scenario.acts:
            while not _done(world, act, afresh):
                pass
    except Restless as fault:
        restless.append(f"restless: {fault}")
    keeper.rest()
    state = state_of(world)
    ended = [] if not scenario.ends or state in scenario.ends else [f"the job ended {state}"]
    return Played(world, watch.points, state, (*restless, *ended, *keeper.found))


def blows(points: list[Point], mode: Mode, *, whole: bool = False) -> list[Blow]:
    """A blow of a mode at each point; ``whole``: on each side of it where the sides differ.

    Killed before a point is killed after the one before it. Time passes in a call before its answer is used, at a
    commit before it begins: inside of it the database is not free for another.
    """
    if mode in ("lose", "repeat"):
        return [Blow(point, mode) for point in points]
    sides: dict[bool, tuple[Side, ...]] = {True: ("before", "after"), False: ("after",)}
    if mode == "kill":
        return [Blow(point, mode, side) for point in points for side in sides[whole]]
    return [Blow(point, mode, side) for point in points
            for side in (sides[True] if whole else ("before",) if point.op == COMMIT else ("after",))]  # fmt: skip


def _done(world: World, act: Act, afresh: bool) -> bool:
    """Whether an act came to its end; killed in it, another process starts, and its user tries again."""
    try:
        act(world)
    except Killed:
        world.restart(away_s=5, afresh=afresh)
        return False
    except Unavailable:  # the user was told to try again
        return False
    return True
