"""The harness sees: the old way's leaks and doubles are found at named points, and so is each slip of the new one."""

from __future__ import annotations

import pytest
from odd import old_way
from odd.faults import Fault, Planned
from odd.old_way import Slip
from odd.place import sqlite
from odd.points import Blow, Mode, Point, Watch, Watched
from odd.scenarios import PREEMPTED, STOPPED, Scenario, play
from odd.world import World

from tradewind.ports.compute import Query

SUBMIT, SETTLE = PREEMPTED.acts[0], PREEMPTED.acts[-1]


def plain(*faults: Fault) -> Scenario:
    """A job that is submitted and runs to its end in a cloud with these faults."""
    return Scenario("plain", faults, (SUBMIT, SETTLE), ())


def found(monkeypatch: pytest.MonkeyPatch, slip: Slip, scenario: Scenario, blow: Blow | None = None) -> str:
    slip.make(monkeypatch)
    return "\n".join(play(scenario, sqlite(), blow).breaches)


def at_launch(mode: Mode) -> Blow:
    return Blow(Point("cloud.launch", 1), mode)


def test_without_a_slip_nothing_is_found() -> None:
    for fault in (Fault("end", 1, "ignored"), Fault("end", 1, "disks"), Fault("launch", 1, "refused-made")):
        assert play(plain(fault), sqlite()).breaches == ()
    for mode in ("kill", "lose", "repeat", "delay"):
        assert play(plain(), sqlite(), at_launch(mode)).breaches == ()


def test_the_old_way_makes_two_machines_when_it_is_killed_before_it_wrote_down_the_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told = found(monkeypatch, old_way.OLD_WAY, plain(), at_launch("kill"))
    assert "made twice: 2 machines for the token" in told
    assert "leaked: m-1 ran 7200 s after it was needed" in told
    assert "unbilled: m-1 ran 7200 s, no line tells of it" in told


def test_the_old_way_takes_a_lost_answer_for_a_refusal_and_leaks_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    told = found(monkeypatch, old_way.OLD_WAY, plain(), at_launch("lose"))
    assert "leaked: m-1 ran 7200 s after it was needed" in told
    assert "unbilled: m-1" in told


def test_the_old_way_believes_an_end_that_did_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    told = found(monkeypatch, old_way.OLD_WAY, plain(Fault("end", 1, "ignored")))
    assert "is released, m-1 runs" in told
    assert "leaked: m-1 ran" in told


@pytest.mark.parametrize(
    ("slip", "scenario", "blow", "law"),
    [
        (old_way.RESENDS, plain(), at_launch("lose"), "made twice"),
        (old_way.BELIEVES_THE_END, plain(Fault("end", 1, "slow", 50)), None, "is released, m-1 runs"),
        (old_way.SKIPS_LEFTOVERS, plain(Fault("end", 1, "disks")), None, "is released, the disk of m-1 lies around"),
        (old_way.FORGETS_THE_HOLD, plain(), None, "holds_given_back"),
        (old_way.SWEEPS_NOTHING, plain(Fault("launch", 1, "refused-made")), None, "leaked: m-1 ran 7200 s"),
        (old_way.COUNTS_AT_ONCE, plain(Fault("machine", 1, "vanish", 65)), None, "began before step 2"),
        (old_way.SAME_EPOCH, plain(Fault("machine", 1, "reclaim", 40)), None, "epoch 1 was started on 2 machines"),
    ],
    ids=["resends", "believes the end", "skips leftovers", "keeps the hold", "sweeps nothing", "early", "same epoch"],
)
def test_a_slip_is_found(
    monkeypatch: pytest.MonkeyPatch, slip: Slip, scenario: Scenario, blow: Blow | None, law: str
) -> None:
    assert law in found(monkeypatch, slip, scenario, blow)


@pytest.mark.parametrize(
    ("op", "law"), [("cloud.launch", "went from RUNNING to PENDING"), ("cloud.end", "job-1 ended 2 times")]
)
def test_a_late_result_that_is_written_all_the_same_is_found(
    monkeypatch: pytest.MonkeyPatch, op: str, law: str
) -> None:
    assert law in found(monkeypatch, old_way.IGNORES_THE_CLAIM, plain(), Blow(Point(op, 1), "delay"))


def test_every_method_of_a_port_and_every_commit_is_a_point() -> None:
    world = World(sqlite())
    watch = Watch(world)
    watch.put_on()
    account = world.room.leasing.accounts["odd"]
    assert isinstance(account.compute, Watched)
    assert account.compute.methods == {"launch", "find", "end", "leftovers", "notice_probe"}
    assert isinstance(account.transport, Watched)
    assert account.transport.methods >= {"reach", "start", "revive", "hear", "keep", "command", "fetch_outputs"}
    account.compute.find(Query(owner="me"))
    with world.room.db.read(), world.room.db.write():
        pass
    assert [str(each) for each in watch.points] == ["cloud.find#1 in ", "commit#1 in "]


def test_the_same_world_gives_the_same_points() -> None:
    first, second = (play(STOPPED, sqlite()).points for _ in range(2))
    assert [str(each) for each in first] == [str(each) for each in second]


def test_a_world_is_replayed_from_the_text_of_its_faults() -> None:
    faults = [Fault("launch", 1, "repeat-lost"), Fault("machine", 1, "silent", 30.0)]
    world = World(sqlite(), Planned(faults))
    world.submit()
    world.settle()
    again: list[Fault] = eval(repr(world.schedule.met), {"Fault": Fault})
    assert sorted(again, key=repr) == sorted(faults, key=repr)
