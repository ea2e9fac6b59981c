"""Accounts follow the user's machines while a process runs; one that was removed is an empty place."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from doubles import SimClock
from machine_world import Host, machine, open_lab

from tradewind.app.accounts import Accounts
from tradewind.app.inside import Inside
from tradewind.domain.money import parse_money
from tradewind.leasing.intent import Wish, intend
from tradewind.leasing.sweep import look
from tradewind.ports.compute import CloudFault, HardEnd, Order, Query
from tradewind.ports.transport import Unreachable

OFFER = {"cloud": "machines", "region": "box", "zone": None, "instance_type": "cpu", "purchase": "on_demand", "gpus": 0}


def lease_on(inside: Inside, account: str) -> None:
    """A lease of that account."""
    now = inside.clock.now()
    with inside.db.write() as db:
        intend(db, Wish("job-1", 1, account, OFFER, inside.clock.now() - now, HardEnd.PROCESSES_ONLY), "me", now)


def test_machines_come_and_go_while_a_process_runs(tmp_path: Path) -> None:
    inside, lab = open_lab(tmp_path, SimClock())
    accounts = inside.leasing.accounts
    assert isinstance(accounts, Accounts)
    assert list(accounts) == ["local", "rehearsal"]
    inside.registry.write(machine("box"))
    assert list(accounts) == ["local", "rehearsal", "machines:box"]
    assert "machines:box" in accounts
    assert "machines:other" not in accounts
    assert "local" in accounts
    assert accounts["machines:box"] is accounts["machines:box"]  # made once
    assert accounts["machines:box"].compute.name == "machines"
    inside.registry.retire("box", inside.clock.now())
    assert list(accounts) == ["local", "rehearsal"]
    assert accounts.retired() == {"machines:box", "rehearsal:box"}
    assert lab.forgotten == ["box.lab.org"]
    with pytest.raises(KeyError):
        accounts["machines:never"]
    with pytest.raises(KeyError):
        accounts["aws"]


def test_a_rehearsals_account_is_listed_once_a_lease_names_it(tmp_path: Path) -> None:
    inside, _ = open_lab(tmp_path, SimClock())
    inside.registry.write(machine("box"))
    accounts = inside.leasing.accounts
    assert accounts["rehearsal:box"].compute.name == "rehearsal"
    assert accounts["rehearsal:box"].transport is accounts["machines:box"].transport
    assert "rehearsal:box" not in list(accounts)
    assert "rehearsal:box" not in accounts
    lease_on(inside, "rehearsal:box")
    assert list(accounts) == ["local", "rehearsal", "machines:box", "rehearsal:box"]


def test_another_way_to_a_machine_closes_the_old_one_and_another_price_does_not(tmp_path: Path) -> None:
    inside, lab = open_lab(tmp_path, SimClock())
    inside.registry.write(machine("box"))
    first = inside.leasing.accounts["machines:box"]
    inside.registry.write(replace(machine("box"), price=parse_money("1 USD")))
    second = inside.leasing.accounts["machines:box"]
    assert second is not first
    assert (second.transport, lab.forgotten) == (first.transport, [])
    inside.registry.write(replace(machine("box"), port=2222))
    assert inside.leasing.accounts["machines:box"].transport is not first.transport
    assert lab.forgotten == ["box.lab.org"]


def test_a_removed_machine_is_an_empty_place_and_a_damaged_record_is_not(tmp_path: Path) -> None:
    inside, _ = open_lab(tmp_path, SimClock())
    inside.registry.write(machine("box"))
    inside.registry.retire("box", inside.clock.now())
    gone = inside.leasing.accounts["machines:box"]
    listing = gone.compute.find(Query())
    assert (listing.instances, listing.complete, gone.compute.leftovers(Query())) == ((), True, ())
    gone.compute.end(["machine-1"])
    order = Order("t", "l", "o", "machines", "box", None, "cpu", "on_demand", "2026-11-21T08:00:00+00:00")
    with pytest.raises(CloudFault) as fault:
        gone.compute.launch(order)
    assert (fault.value.kind, fault.value.sent) == ("invalid", "yes")
    (tmp_path / "machines" / "torn.json").write_text("{")
    with pytest.raises(KeyError):
        inside.leasing.accounts["machines:torn"]


def test_a_sweep_tells_of_every_machine_and_of_removed_ones_no_more(tmp_path: Path) -> None:
    inside, lab = open_lab(tmp_path, SimClock())
    for name in ("box", "away"):
        inside.registry.write(machine(name))
        lease_on(inside, f"machines:{name}")
    lab.hosts["box.lab.org"] = Host()
    lab.hosts["away.lab.org"] = Host(away=Unreachable("nobody there", "timed-out"))
    told = {each.account: each.complete for each in look(inside.leasing).checked}
    assert told == {"local": True, "rehearsal": True, "machines:box": True, "machines:away": False}
    inside.registry.retire("away", inside.clock.now())
    assert [each.account for each in look(inside.leasing).checked] == ["local", "rehearsal", "machines:box"]


def test_neither_ssh_nor_an_sdk_is_imported_before_there_is_a_machine_or_a_cloud(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path\n"
        "from tradewind.app.clock import SystemClock; from tradewind.app.inside import open_inside\n"
        "from tradewind.app.settings import Settings\n"
        f"inside = open_inside(Settings(Path({str(tmp_path)!r})), SystemClock())\n"
        "list(inside.leasing.accounts); inside.leasing.accounts.retired()\n"
        "print(sorted({'asyncssh', 'cryptography', 'boto3', 'botocore', 'Tea'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
