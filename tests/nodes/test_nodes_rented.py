"""The transport to rented machines, over machines of the lab that boot with our user-data: sshd, agent and all."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from lab.hypervisor import Hypervisor
from rented_bench import Rent, Rented, hypervisor, order, renting
from road_bench import PACE, until
from sshd import blackhole

from tradewind.nodes.ssh import meeting
from tradewind.nodes.ssh.handover import Pins as Keys
from tradewind.nodes.ssh.pins import Pins
from tradewind.ports.transport import Unreachable
from tradewind.wire import journal


@pytest.fixture(scope="module")
def machines() -> Iterator[Hypervisor]:
    with hypervisor() as made:
        yield made


@pytest.fixture
def rent(machines: Hypervisor, tmp_path: Path) -> Iterator[Rent]:
    with renting(tmp_path, machines) as made:
        yield made


def folder(rented: Rented) -> str:
    kept = rented.pins.read(rented.order.token)
    assert kept is not None and kept.folder is not None
    return kept.folder


# -- from the order to a job on the machine


def test_a_machine_runs_a_job_until_its_cloud_takes_it_and_ends_itself_when_nobody_comes(
    rent: Rent, machines: Hypervisor
) -> None:
    rented = rent(gpus=2, has_gpus=2)
    rented.reached()
    taken = json.loads(rented.run(f"cat {folder(rented)}/instance.json"))
    assert (taken["token"], [each["index"] for each in taken["gpus"]]) == (rented.order.token, [0, 1])
    assert taken["hard_end"] == pytest.approx(datetime.fromisoformat(rented.order.hard_end).timestamp(), abs=1.0)
    assert rented.transport.store(rented.instance, Path()) == f"{folder(rented)}/store"
    machines.notice(rented.id, datetime.now(UTC), "rebalance")
    machines.notice(rented.id, at := datetime.now(UTC) + timedelta(seconds=60))
    rented.start("sleep 60", setup="sleep 60", after_exit_seconds=1.0)
    rented.another_process()
    told = rented.told(journal.RUN_ENDED)
    assert (told[journal.RUN_ENDED]["why"], told[journal.REBALANCE]["source"]) == ("notice", "aws")
    assert told[journal.NOTICE]["deadline"] == int(at.timestamp())
    assert rented.off.wait(20.0), "it powers itself off"


def test_a_machine_that_nobody_reaches_ends_at_its_hard_end(rent: Rent) -> None:
    assert rent(lives_s=0.0).off.wait(20.0)


@pytest.mark.long
def test_the_machine_ends_with_a_host_key_of_its_own_whatever_breaks_on_the_way(
    rent: Rent, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[Keys] = []
    cut = [Unreachable("cut", "cut"), None, Unreachable("cut", "cut")]  # before a pin is kept, and before the next

    def pin(self: Pins, token: str, pins: Keys) -> None:
        fault = cut.pop(0) if cut else None
        if fault is not None:
            raise fault
        kept.append(pins)
        known = self.read(token)
        assert known is not None
        self.write(token, replace(known, pins=pins))

    monkeypatch.setattr(Pins, "pin", pin)
    rented = rent()
    rented.reached()
    assert not cut and [len(each) for each in kept] == [2, 1]
    [own], one_time = kept[-1], kept[0][0]
    there = rented.run("ssh-keygen -y -f /etc/ssh/ssh_host_ed25519_key")
    assert there.split()[:2] == own.split() != one_time.split()
    assert one_time.split()[1] not in rented.run("cat /etc/ssh/ssh_host_*_key.pub")


def test_a_machine_with_another_host_key_is_not_talked_to(rent: Rent, machines: Hypervisor) -> None:
    rented = rent()
    rented.reached()
    machines.change_host_key(rented.id)

    def refused() -> bool:
        rented.another_process()
        return rented.fault() == "host-key-changed"

    until(refused, "the refusal")


@pytest.mark.long
def test_a_machine_with_fewer_gpus_than_ordered_is_refused(rent: Rent) -> None:
    rented = rent(gpus=2, has_gpus=1)
    until(lambda: rented.fault() == "gpus-missing", "the refusal")
    with pytest.raises(Unreachable, match="GPUs asked for: 2, that may be used here: 1"):
        rented.transport.reach(rented.instance)


def test_what_was_taken_is_gone_when_the_machine_was_restarted(rent: Rent) -> None:
    rented = rent()
    rented.reached()
    rented.run("setsid sh -c 'sleep 0.1; reboot' >/dev/null 2>&1 & exit 0")
    until(lambda: rented.fault() == "gone", "the restart")


# -- what needs no machine


def test_who_is_not_known_or_has_no_address_is_not_asked(rent: Rent) -> None:
    rented = rent(boots=False)
    assert rented.fault() == "no-address"
    rented.instance = replace(rented.instance, address="127.0.0.1")
    with pytest.raises(Unreachable, match="was not reached yet"):
        rented.transport.hear(rented.instance, 0, 0, 1)
    rented.pins.let_go(lambda _: False)
    assert rented.fault() == "host-key-unknown"


def test_a_machine_that_is_silent_is_told_of_once_a_minute(rent: Rent, monkeypatch: pytest.MonkeyPatch) -> None:
    rented = rent(boots=False, pace=replace(PACE, connect_s=0.2))
    with blackhole() as (host, port):
        monkeypatch.setattr(meeting, "_PORT", port)
        rented.instance = replace(rented.instance, address=host)
        assert [rented.fault(), rented.fault()] == ["timed-out", "timed-out"]
    assert rented.silent == [rented.instance]


def test_what_is_kept_is_for_its_owner_alone_and_lasts_as_long_as_the_lease(tmp_path: Path) -> None:
    pins, one, other = Pins(tmp_path / "nodes"), order(gpus=0.5), order()
    private = pins.begin(one)
    pins.begin(other)
    [path] = (tmp_path / "nodes").glob(f"{one.token}*")
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    kept = pins.read(one.token)
    assert kept is not None and kept.pins == (kept.one_time,) and not kept.handed_over and kept.gpus == 1
    assert private not in path.read_text() and "PRIVATE" in private
    asked = kept.asked(10.0)
    assert asked["order"]["hard_end"] == datetime.fromisoformat(one.hard_end).timestamp() + 10
    assert {name: asked["order"][name] for name in ("token", "lease", "tags")} == {
        "token": one.token, "lease": one.lease, "tags": one.tags,
    }  # fmt: skip
    pins.pin(one.token, ("another",))
    changed = pins.read(one.token)
    assert changed is not None and changed.handed_over and replace(changed, pins=kept.pins) == kept
    pins.let_go(lambda token: token == one.token)
    assert pins.read(one.token) == changed and pins.read(other.token) is None
    path.write_text("{")
    assert pins.read(one.token) is None
    with pytest.raises(KeyError):
        pins.pin(one.token, ())
