"""What the clouds of the lab have in common: machines and what becomes of them, things, pages, a market."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from lab.control import Control, Fault
from lab.estate import Things, after, carries
from lab.fleet import Fleet, Phase, Rented
from lab.machines import Guest, NoHypervisor
from lab.market import MachineType, Market

NOW = datetime(2026, 11, 22, 8, 0, tzinfo=UTC)


@dataclass
class Time:
    at: datetime = NOW

    def __call__(self) -> datetime:
        return self.at


@dataclass
class Place:
    """A fleet without a cloud, its control, its time, and what ended."""

    time: Time = field(default_factory=Time)
    control: Control = field(default_factory=Control)
    machines: NoHypervisor = field(default_factory=NoHypervisor)
    ended: list[tuple[str, str | None]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.fleet = Fleet("small", self.machines, self.control, self.time, self._end)
        self.control.register("small", self.fleet)

    def _end(self, rented: Rented) -> None:
        self.ended.append((rented.id, rented.why))

    def launch(self, id_: str, *, hard_end: datetime | None = None, fault: Fault | None = None) -> Rented:
        guest = Guest(id_, "alibaba", b"", region="r", zone="r-1", instance_type="t")
        return self.fleet.launch(guest, spot=True, tags={}, hard_end=hard_end, told={}, fault=fault)

    def pass_(self, seconds: float) -> None:
        self.time.at += timedelta(seconds=seconds)
        self.fleet.settle()


@pytest.fixture
def place() -> Place:
    return Place()


def test_a_machine_goes_through_its_phases_in_the_clouds_own_time(place: Place) -> None:
    place.control.set("small", state_delay_s=10)
    rented = place.launch("i-1")
    seen = []
    for seconds in (0, 5, 5):
        place.pass_(seconds)
        seen.append(rented.phase(place.time()))
    place.fleet.stop(rented, frees_compute=True)
    place.pass_(10)
    seen.append(rented.phase(place.time()))
    place.fleet.start(rented)
    place.pass_(10)
    place.fleet.end(rented)
    place.fleet.end(rented)
    seen.append(rented.phase(place.time()))
    place.pass_(10)
    assert seen == [Phase.PENDING, Phase.STARTING, Phase.RUNNING, Phase.STOPPED, Phase.ENDING]
    assert (place.ended, place.fleet.all("r")) == ([("i-1", "ours")], [])


def test_a_machine_ends_at_its_hard_end_and_by_a_reclaim_whichever_is_first(place: Place) -> None:
    place.launch("i-1", hard_end=NOW + timedelta(seconds=60))
    place.launch("i-2", hard_end=NOW + timedelta(seconds=60))
    place.launch("i-3")
    place.control.reclaim("i-2", 30)
    place.control.reclaim("i-3")
    place.pass_(31)
    place.pass_(30)
    assert place.ended == [("i-3", "reclaimed"), ("i-2", "reclaimed"), ("i-1", "expired")]


def test_nobody_says_why_a_machine_vanished_and_no_cloud_knows_a_strangers(place: Place) -> None:
    place.launch("i-1")
    place.launch("i-2", fault=Fault("vanishes", seconds=5))
    place.launch("i-3", fault=Fault("async-failure"))
    place.control.vanish("i-1")
    place.pass_(5)
    assert place.ended == [("i-1", None), ("i-3", "capacity"), ("i-2", None)]
    with pytest.raises(KeyError):
        place.control.reclaim("i-none")


def test_a_machine_that_powers_itself_off_is_stopped(place: Place) -> None:
    rented = place.launch("i-1")
    place.machines.power_off("i-1")
    place.pass_(0)
    assert (rented.phase(place.time()), place.control.instances()[0]["state"]) == (Phase.STOPPED, "stopped")


def test_a_boot_fault_reaches_the_machine(place: Place) -> None:
    place.launch("i-1", fault=Fault("boots-never"))
    assert not place.machines.alive("i-1")


def test_things_go_when_their_time_is_over_and_tell_who_uses_them() -> None:
    time = Time()
    things = Things(time)
    net = things.add("net", "r", {})
    switch = things.add("switch", "r", {}, {"owner": "me"}, {net.id})
    assert things.users(net.id) == [switch]
    things.remove(switch, timedelta(seconds=10))
    assert things.users(net.id) == [switch]
    time.at += timedelta(seconds=10)
    assert (things.users(net.id), things.get("switch", switch.id, "")) == ([], None)
    assert carries(switch.tags, {"owner": None}) and not carries(switch.tags, {"owner": "you"})


def test_pages_are_not_shifted_by_what_goes_in_between() -> None:
    rows = list(range(1, 8))
    first, token = after(rows, int, None, 3)
    rows.remove(2)
    rows.remove(4)
    second, last = after(rows, int, token, 3)
    assert (first, second, last) == ([1, 2, 3], [5, 6, 7], "")


def test_a_market_knows_prices_by_region_zone_and_time() -> None:
    kind = MachineType("t", 8, 30, Decimal(10))
    market = Market("CNY", {"t": kind}, {"r": {"r-1": ("t",), "r-2": ()}})
    assert (market.offers("r", "t"), market.left("r-1", "t")) == (["r-1"], None)
    assert market.spot_price("r", "r-1", "t", NOW) == Decimal("3.0")
    market.spot["r-1", "t"] = [(NOW, Decimal(2)), (NOW + timedelta(hours=1), Decimal(4))]
    prices = [market.spot_price("r", "r-1", "t", NOW + timedelta(minutes=30 * n)) for n in range(3)]
    assert prices == [2, 2, 4]
    market.quota["r", True] = 16
    assert market.within_quota("r", spot=True, running=["t"], wanted="t", count=1)
    assert not market.within_quota("r", spot=True, running=["t"], wanted="t", count=2)
    assert market.within_quota("r", spot=False, running=["t"] * 9, wanted="t", count=9)
