"""What renting asks of a cloud's interfaces: requests by operation for a job, for each hour of one, for an idle hour.

Counted at the lab, which hears every request; leasing, sweeps and adapters are the product's, in virtual time.

    job           from its first order to its end: a network is made, a machine rented, watched for a minute and ended
    running hour  one job runs, nothing happens
    kept hour     no job, but the network is kept for the next one
    idle hour     nothing is rented
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from measure import tell

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from odd.faults import Planned
from odd.lab_cloud import LabCloud
from odd.lab_world import LabWorld
from odd.place import sqlite
from odd.runs import Script

from tradewind.domain.states import JobState
from tradewind.leasing.networks import IDLE_FOR
from tradewind.store import records

CLOUDS = ("aws", "alibaba")
A_MINUTE, MORE_THAN_AN_HOUR = Script(6), Script(500)  # steps of ten seconds


def main() -> None:
    """One line a cloud and span."""
    for at in CLOUDS:
        for span, asked in spans(at).items():
            tell(f"cloud-calls/{at}/{span}", "requests", asked.total(), None, operations=dict(asked.most_common()))


def spans(at: str) -> dict[str, Counter[str]]:
    """Requests by operation and span."""
    with LabWorld(sqlite(), Planned(), at=at, idle_for=IDLE_FOR) as world:
        world.submit("short", A_MINUTE)
        job = asked_while(world, lambda: until(world, "short", JobState.SUCCEEDED))
        kept = asked_while(world, lambda: world.go_on(3500.0))  # as long as a network is kept, less what may be late
        world.settle()
        idle = asked_while(world, lambda: world.go_on(3600.0))
        world.submit("long", MORE_THAN_AN_HOUR, max_lifetime_s=10_000)
        until(world, "long", JobState.RUNNING)
        running = asked_while(world, lambda: world.go_on(3600.0))
    return {"job": job, "running-hour": running, "kept-hour": kept, "idle-hour": idle}


def until(world: LabWorld, job: str, state: JobState) -> None:
    """Live until a job is so."""
    while True:
        with world.db.read() as db:
            found = records.job(db, job)
        if found is not None and found.state is state:
            return
        world.move()


def asked_while(world: LabWorld, act: Callable[[], object]) -> Counter[str]:
    """Requests by operation while something is done."""
    cloud = world.cloud
    assert isinstance(cloud, LabCloud)
    before = len(cloud.control.recorded)
    act()
    return Counter(each.operation for each in cloud.control.recorded[before:])


if __name__ == "__main__":
    main()
