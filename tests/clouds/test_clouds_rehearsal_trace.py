"""A rehearsal on a trace refuses and takes machines as the zone that stands for their pool was, at any speed."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from doubles import START, OddCloud, SimClock
from hypothesis import given
from hypothesis import strategies as st

from tradewind.clouds.rehearsal.compute import RehearsalCompute, Worn
from tradewind.clouds.rehearsal.replay import Replay
from tradewind.domain.trace import SpotTrace
from tradewind.ports.compute import CloudFault, Instance, Order, Query

NOTICE = timedelta(seconds=30)
TICK = 600.0


@dataclass
class Taker(OddCloud):
    """An odd cloud that can be asked to take a machine away, and lists what a machine wears."""

    taken: list[tuple[str, datetime, str]] = field(default_factory=list)

    def make(self, order: Order) -> Instance:
        made = super().make(order)
        self.set(made.id, region=order.region, instance_type=order.instance_type, purchase=order.purchase)
        return self.machines[made.id]

    def reclaim(self, id_: str, deadline: datetime, cause: str) -> None:
        if self.machines[id_].reclaim_at is None:
            self.taken.append((id_, deadline, cause))
            self.set(id_, reclaim_at=deadline)


def trace(*zones: str) -> SpotTrace:
    """``"110"``: up, up, down."""
    available = tuple(bytes(int(each) for each in zone) for zone in zones)
    names = tuple(f"zone-{index}" for index in range(len(zones)))
    return SpotTrace("t", names, TICK, available, ((1.0,),) * len(zones), (3.0,) * len(zones))


def replay(of: SpotTrace, zone: int = 0, start: int = 0, speed: float = 1.0) -> Replay:
    return Replay(of, zone, start, lambda at: (at - START) * speed, NOTICE)


def order(token: str, purchase: str = "spot") -> Order:
    return Order(token=token, lease=f"lease-{token}", owner="me", cloud="aws", region="r", zone=None, instance_type="t",
                 purchase=purchase, hard_end="2026-11-22T08:00:00+00:00", tags={"tradewind:job": "job-1"})  # fmt: skip


@dataclass
class Market:
    """One job over a trace: spot machines are in its first zone, on-demand ones in none."""

    path: Path
    of: SpotTrace
    speed: float = 1.0
    clock: SimClock = field(default_factory=SimClock)

    def __post_init__(self) -> None:
        self.cloud = Taker(self.clock)
        self.compute = self.restarted()

    def restarted(self) -> RehearsalCompute:
        return RehearsalCompute(self.cloud, self.path, self.clock, self.fate)

    def fate(self, worn: Worn) -> Replay | None:
        assert worn.job == "job-1"
        return replay(self.of, speed=self.speed) if worn.purchase == "spot" else None

    def look(self) -> list[tuple[str, datetime, str]]:
        self.compute.find(Query())
        return self.cloud.taken


def test_what_runs_is_taken_when_its_zone_goes_down_and_can_be_had_when_it_is_up_again(tmp_path: Path) -> None:
    market = Market(tmp_path, trace("1101"))
    market.compute.launch(order("a"))
    market.clock.sleep(2 * TICK - 1)
    assert market.look() == []
    market.clock.sleep(1)
    assert market.look() == [("m-0", market.clock.now() + NOTICE, "trace t zone-0 at +0.3 h")]
    with pytest.raises(CloudFault, match=r"none to be had: trace t zone-0 at \+0\.3 h") as refused:
        market.compute.launch(order("b"))
    assert (refused.value.kind, refused.value.sent) == ("capacity", "yes")
    assert len(market.cloud.machines) == 1
    market.clock.sleep(TICK)
    market.compute.launch(order("b"))
    assert [id_ for id_, _, _ in market.look()] == ["m-0"]


def test_an_outage_between_two_looks_is_not_forgotten(tmp_path: Path) -> None:
    market = Market(tmp_path, trace("1011"), speed=600.0)
    market.compute.launch(order("a"))
    market.clock.sleep(2.5)  # 25 minutes of the trace: the second tick is over again
    assert [cause for _, _, cause in market.look()] == ["trace t zone-0 at +0.2 h"]


def test_an_outage_before_the_launch_takes_nothing(tmp_path: Path) -> None:
    market = Market(tmp_path, trace("1011"))
    market.clock.sleep(2 * TICK)
    market.compute.launch(order("a"))
    market.clock.sleep(TICK)
    assert market.look() == []


def test_on_demand_is_always_there(tmp_path: Path) -> None:
    market = Market(tmp_path, trace("0"))
    market.compute.launch(order("a", "on_demand"))
    market.clock.sleep(10 * TICK)
    assert market.look() == []


def test_a_restart_in_between_tells_nothing_twice(tmp_path: Path) -> None:
    market = Market(tmp_path, trace("10"))
    market.compute.launch(order("a"))
    market.clock.sleep(TICK)
    market.look()
    market.compute = market.restarted()  # the supervisor was killed
    market.clock.sleep(5)
    assert len(market.look()) == 1
    assert market.cloud.machines["m-0"].reclaim_at == START + timedelta(seconds=TICK) + NOTICE


def test_a_restart_before_it_was_told_forgets_nothing(tmp_path: Path) -> None:
    market = Market(tmp_path, trace("101"))
    market.compute.launch(order("a"))
    market.clock.sleep(2 * TICK)  # nobody looked while the zone was down
    market.compute = market.restarted()
    assert [cause for _, _, cause in market.look()] == ["trace t zone-0 at +0.2 h"]


def test_a_launch_that_was_made_is_answered_again_although_the_zone_is_down_now(tmp_path: Path) -> None:
    market = Market(tmp_path, trace("10"))
    market.compute.launch(order("a"))
    market.clock.sleep(TICK)
    market.compute.launch(order("a"))
    with pytest.raises(CloudFault):
        market.compute.launch(order("b"))


@given(
    st.lists(st.booleans(), min_size=1, max_size=12), st.integers(0, 30), st.integers(0, 40),
    st.floats(0, 20 * TICK), st.floats(0, 20 * TICK),
)  # fmt: skip
def test_down_is_what_the_ticks_say_even_beyond_the_traces_end(
    ticks: list[bool], start: int, speed: int, since: float, span: float
) -> None:
    of, begin = trace("".join("01"[up] for up in ticks)), START + timedelta(seconds=since)
    told = replay(of, start=start, speed=speed).down(begin, begin + timedelta(seconds=span))
    moments = (since + span * part / 2000 for part in range(2001))
    seen_down = any(not ticks[int(start + at * speed // TICK) % len(ticks)] for at in moments)
    assert told or not seen_down  # every moment that is down is in a tick that is found
    if told is None:
        return
    touched = range(int(start + since * speed // TICK) - 1, int(start + (since + span) * speed // TICK) + 2)
    assert any(not ticks[tick % len(ticks)] for tick in touched)
