"""A rehearsal takes machines away when its script says, once each, whatever is restarted."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from doubles import OddCloud, SimClock
from hypothesis import given
from hypothesis import strategies as st

from tradewind.clouds.rehearsal.compute import RehearsalCompute
from tradewind.clouds.rehearsal.script import Script, due
from tradewind.domain.workload import PreemptAt
from tradewind.ports.compute import Order, Query

NOTICE = timedelta(seconds=120)


def script(step: int, seconds: float = 0.0, *points: PreemptAt) -> Script:
    return Script(
        points or (PreemptAt(share=0.25), PreemptAt(share=0.6)), NOTICE, step, 100, seconds, training=step > 0
    )


@dataclass
class Taker(OddCloud):
    """An odd cloud that can be asked to take a machine away."""

    taken: list[tuple[str, datetime, str]] = field(default_factory=list)

    def reclaim(self, id_: str, deadline: datetime, cause: str) -> None:
        if self.machines[id_].reclaim_at is None:
            self.taken.append((id_, deadline, cause))
            self.set(id_, reclaim_at=deadline)


def order(token: str) -> Order:
    return Order(token=token, lease=f"lease-{token}", owner="me", cloud="aws", region="r", zone=None, instance_type="t",
                 purchase="spot", hard_end="2026-11-22T08:00:00+00:00", tags={"tradewind:job": "job-1"})  # fmt: skip


def test_each_point_takes_one_machine_even_after_a_restart(tmp_path: Path) -> None:
    clock, now = SimClock(), script(10)
    cloud = Taker(clock)
    rehearsal = RehearsalCompute(cloud, tmp_path, clock, lambda worn: now)
    rehearsal.launch(order("a"))
    rehearsal.find(Query())
    assert cloud.taken == []
    now = script(25)
    assert rehearsal.find(Query()).instances[0].reclaim_at == clock.now() + NOTICE
    rehearsal = RehearsalCompute(cloud, tmp_path, clock, lambda worn: now)  # the supervisor was killed
    rehearsal.find(Query())
    cloud.end(["m-0"])
    clock.sleep(1)
    cloud.machines["m-9"] = replace(cloud.make(order("b")), id="m-9")
    cloud.machines.pop("m-0", None)
    rehearsal.find(Query())
    assert [(id_, cause) for id_, _, cause in cloud.taken] == [("m-0", "injected at 25%")]
    now = script(60)
    rehearsal.find(Query())
    assert cloud.taken[-1][0::2] == ("m-9", "injected at 60%")


def test_what_was_written_but_not_told_is_told(tmp_path: Path) -> None:
    clock = SimClock()
    cloud = Taker(clock)
    cloud.make(order("a"))
    (tmp_path / "job-1.json").write_text('["m-0"]')  # killed between the writing and the telling
    RehearsalCompute(cloud, tmp_path, clock, lambda worn: script(30)).find(Query())
    assert len(cloud.taken) == 1


@pytest.mark.parametrize(
    ("now", "happened", "expected"),
    [
        (script(24), 0, False), (script(25), 0, True), (script(25), 1, False), (script(60), 1, True),
        (script(100), 2, False), (script(0), 0, False),
        (script(5, 14.9, PreemptAt(seconds=15)), 0, False), (script(5, 15.0, PreemptAt(seconds=15)), 0, True),
    ],
)  # fmt: skip
def test_a_point_is_due_by_steps_or_by_seconds_of_training(now: Script, happened: int, expected: bool) -> None:
    assert due(now, happened) is expected


def test_a_point_that_was_passed_waits_for_the_next_attempt_to_train() -> None:
    passed = script(70)
    assert due(passed, 1)
    assert not due(replace(passed, training=False), 1)


def test_the_seconds_of_a_script_that_tells_no_steps_count_since_it_runs() -> None:
    began = SimClock().now()
    now = replace(script(0, 10.0, PreemptAt(seconds=15)), training=True, since=began)
    assert not due(now.at(began + timedelta(seconds=4)), 0)
    assert due(now.at(began + timedelta(seconds=5)), 0)


@given(st.integers(1, 100), st.integers(1, 100), st.integers(0, 2))
def test_what_is_due_stays_due(step: int, later: int, happened: int) -> None:
    assert not due(script(step), happened) or due(script(max(step, later)), happened)
