"""Storms over the real product: kills, a stopped supervisor, a database that restarts, a disk that fills, a budget."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import psutil
import pytest
import test_whole_kills as kills
from cluster import cluster
from product import Cli, cut

Record = Callable[[str, object], None]
ENDED = {"SUCCEEDED", "FAILED", "EXPIRED", "STOPPED"}


def longer(folder: Path, epochs: int) -> Path:
    """The short job, planned as it is and training for longer than planned."""
    job = cut(folder, epochs=4)
    job.write_text(job.read_text().replace('DIGITS_EPOCHS: "4"', f'DIGITS_EPOCHS: "{epochs}"'))
    return job


def check_laws(cli: Cli, shown: dict[str, Any]) -> None:
    """Every lease of an ended job is closed and billed once, and nothing of it runs."""
    assert shown["state"] in ENDED, shown["state"]
    leases = {each["lease"]: each for each in cli.json("leases", "--all") if each["job"] == shown["job"]}
    assert all(each["state"] in ("RELEASED", "REFUSED") for each in leases.values())
    lines = cli.json("cost", shown["job"])["jobs"][0]["lines"]
    paid = [id_ for id_, each in leases.items() if each["paid_from"]]
    assert sorted(line["lease"] for line in lines) == sorted(paid)
    epochs = [each["epoch"] for each in shown["attempts"]]
    assert epochs == sorted(set(epochs))


@pytest.mark.long
def test_a_budget_ends_a_rehearsal_by_a_checkpoint(cli: Cli, tmp_path: Path) -> None:
    job = longer(tmp_path / "digits", epochs=200)
    words = ("--rehearse", "--yes", "--time-scale", "20", "--preempt-at", "1000s", "--max-cost", "0.01 USD", "--json")
    done = cli("run", str(job), *words)
    shown = done.json
    assert (done.code, shown["state"], shown["why"]) == (6, "EXPIRED", "budget"), done.err
    assert shown["checkpoints"]
    last = shown["attempts"][-1]["last_checkpoint_step"]
    assert last == shown["progress"]["step"]  # saved after it was asked to stop
    assert Decimal(shown["cost"]["amount"]) <= Decimal("0.01")
    assert [each["end_reason"] for each in cli.json("leases", "--all")] == ["budget"]
    check_laws(cli, shown)
    assert cli.quiet() == []


def test_a_second_supervisor_of_a_home_is_refused(cli: Cli, tmp_path: Path) -> None:
    job_file = tmp_path / "job.yaml"
    job_file.write_text("run: sleep 600\n")
    job = cli.detach(job_file, "--local")
    first = cli.until(job, lambda shown: shown["state"] == "RUNNING")["supervisor"]["pid"]
    second = subprocess.run([sys.executable, "-m", "tradewind.app.supervise"], env=cli.environment(), text=True,
                            capture_output=True, timeout=60, check=False)  # fmt: skip
    assert second.returncode != 0
    assert f"another supervisor is alive: {{'pid': {first}" in second.stderr
    assert psutil.pid_exists(first)
    cli("stop", job)


@pytest.fixture
def served(cli: Cli) -> Iterator[Cli]:
    url = cluster().fresh()
    cli.env["TRADEWIND_DATABASE"] = url
    yield cli
    for process in cli.processes():
        process.kill()
    cluster().drop(url)


@pytest.mark.long
def test_postgresql_restarted_in_the_middle_loses_nothing(served: Cli, short_job: Path) -> None:
    job = served.detach(short_job, "--local")
    for step in (10, 30):
        served.until(job, kills.training(step))
        cluster().restart("immediate")
    shown = kills.finished(served, job)
    assert len(shown["attempts"]) == 1  # the job never noticed


@pytest.mark.long
def test_postgresql_restarted_every_few_seconds_loses_nothing(
    served: Cli, tmp_path: Path, record_property: Record
) -> None:
    jobs = [served.detach(longer(tmp_path / f"digits-{n}", epochs=20), "--local") for n in range(2)]
    restarts = 0
    while not all(served.show(job)["state"] in ENDED for job in jobs):
        time.sleep(3)
        cluster().restart("immediate")
        restarts += 1
    record_property("table: PostgreSQL stopped at once and started again", f"{restarts} times under {len(jobs)} jobs")
    assert restarts >= 5
    for job in jobs:
        kills.finished(served, job)


@pytest.mark.long
def test_a_supervisor_stopped_for_longer_than_its_claims_goes_on(cli: Cli, tmp_path: Path) -> None:
    job = cli.detach(longer(tmp_path / "digits", epochs=60), "--local")
    pid = cli.until(job, kills.training(10))["supervisor"]["pid"]
    os.kill(pid, signal.SIGSTOP)
    time.sleep(40)  # claims run out after 30
    os.kill(pid, signal.SIGCONT)
    shown = kills.finished(cli, job)
    assert len(shown["attempts"]) == 1


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    disk = tmp_path / "disk"
    disk.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=96m", "tmpfs", str(disk)], check=False,
                          capture_output=True)  # fmt: skip
    if made.returncode:
        pytest.skip("a small disk cannot be mounted here; write errors are injected in tests/store")
    yield disk
    for _ in range(50):
        if subprocess.run(["umount", str(disk)], check=False, capture_output=True).returncode == 0:
            return
        time.sleep(0.2)


@pytest.mark.long
def test_a_disk_that_fills_stops_nothing_for_good(small_disk: Path, tmp_path: Path) -> None:
    cli = Cli(small_disk / "home")
    job = cli.detach(longer(tmp_path / "digits", epochs=30), "--local")
    shown = cli.until(job, kills.training(10))
    supervisor = shown["supervisor"]["pid"]
    filler = small_disk / "filler"
    with filler.open("wb") as file:
        try:
            while True:
                file.write(b"\0" * 65536)
                file.flush()
        except OSError:
            pass
    time.sleep(8)
    assert psutil.pid_exists(supervisor)
    filler.unlink()
    done = cli("wait", job, "--json").json
    assert done["state"] == "SUCCEEDED", done["events"][-8:]
    check_laws(cli, done)
    assert cli.json("leases") == []
    assert cli.quiet() == []


@pytest.mark.long
def test_a_storm_of_kills_leaves_nothing_lost_doubled_or_running(
    cli: Cli, tmp_path: Path, record_property: Record
) -> None:
    dice = random.Random(20261121)
    jobs = [cli.detach(longer(tmp_path / f"digits-{n}", epochs=60), "--rehearse") for n in range(3)]
    killed: dict[str, int] = {}
    deadline = time.monotonic() + 420
    while sum(killed.values()) < 36 and time.monotonic() < deadline:
        time.sleep(dice.uniform(0.3, 3.0))
        if all(each["state"] in ENDED for each in map(cli.show, jobs)):
            jobs.append(cli.detach(longer(tmp_path / f"digits-{len(jobs)}", epochs=60), "--rehearse"))
        kind, victim = _victim(cli, dice)
        if victim is not None:
            victim.kill()
            killed[kind] = killed.get(kind, 0) + 1
    shown = [cli("wait", job, "--json").json for job in jobs]
    ends = ", ".join(f"{each['state']} after {len(each['attempts'])} attempts" for each in shown)
    record_property("table: processes killed under rehearsals", f"{killed}; jobs: {ends}")
    assert sum(killed.values()) >= 30
    assert any(each["state"] == "SUCCEEDED" for each in shown)
    for each in shown:
        check_laws(cli, each)
    assert cli.json("leases") == []
    assert cli.json("sweep")["found"] == []
    assert cli.quiet() == []


def _victim(cli: Cli, dice: random.Random) -> tuple[str, psutil.Process | None]:
    """A process of the product: its supervisor most often, then an agent, a machine or a job."""
    kinds = {
        "supervisor": ("tradewind.app.supervise",), "agent": ("agent.pyz", "serve"),
        "machine": ("tradewind.clouds.local.machine",), "job": ("train.py",),
    }  # fmt: skip
    (kind,) = dice.choices(list(kinds), weights=(6, 4, 1, 1))
    found = kills.command_of(cli, *kinds[kind])
    return kind, dice.choice(found) if found else None
