"""The demo's job on two clouds: taken twice, to another zone and to another cloud, finished, paid, released."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from lab_home import Rented, renting
from product import cut

EPOCHS, STEPS_AN_EPOCH = 14, 23
PACE_S = 0.05  # a step takes longer than that: however busy this computer is, there is time to take the machine
WISH = 'resources: {accelerators: "T4:1"}\nbudget: {limit: 20 CNY}\n'
CHEAP, TYPE = Decimal("0.50"), "ecs.gn6i-c4g1.xlarge"  # CNY an hour: less than AWS's spot machines
ZONES = ("cn-beijing-h", "cn-beijing-k", "cn-beijing-l")


def job_in(folder: Path) -> Path:
    path = cut(folder / "job", EPOCHS)
    plain = "".join(line for line in path.read_text().splitlines(keepends=True) if not line.startswith("rehearse"))
    path.write_text(plain + WISH)
    script = path.with_name("train.py")
    paced = script.read_text().replace("        step += 1\n", f"        step += 1\n        time.sleep({PACE_S})\n")
    assert paced.count(f"time.sleep({PACE_S})") == 1
    script.write_text(paced)
    return path


def taken_twice(rented: Rented, path: Path) -> tuple[str, list[dict[str, Any]]]:
    """The job to its end, and the leases of its machines in order."""
    job = rented.cli.detach(path)
    first = rented.machine(job, 1, 20)
    rented.reclaim(first)
    second = rented.machine(job, 2, 20)
    rented.reclaim(second, sold_out=True)
    rented.cli("wait", job)
    ended = [each for each in rented.cli.json("leases", "--all") if each["job"] == job and each["paid_from"]]
    return job, ended


@pytest.mark.early
def test_a_job_is_taken_on_aws_twice_and_ends_on_alibaba_and_nothing_is_left(tmp_path: Path) -> None:
    with renting(tmp_path) as rented:
        went_over(rented, job_in(tmp_path), "aws", "alibaba")
        silent_of_secrets(rented, tmp_path)


@pytest.mark.early
def test_and_the_other_way_round(tmp_path: Path) -> None:
    """Nobody publishes spot prices of Alibaba Cloud: these are the user's own, and the cloud's when it is asked."""
    rows = [f"alibaba,cn-beijing,{zone},{TYPE},spot,{CHEAP},CNY" for zone in ZONES]
    prices = tmp_path / "prices.csv"
    prices.write_text("\n".join(["cloud,region,zone,instance_type,purchase,price_per_hour,currency", *rows, ""]))
    with renting(tmp_path) as rented:
        long_ago = datetime(2026, 1, 1, tzinfo=UTC)
        rented.lab.alibaba.account.market.spot.update({(zone, TYPE): [(long_ago, CHEAP)] for zone in ZONES})
        added = rented.cli("catalog", "add", str(prices))
        assert added.code == 0, added.err
        went_over(rented, job_in(tmp_path), "alibaba", "aws")


def went_over(rented: Rented, path: Path, there: str, then: str) -> None:
    """Spot in one zone, spot in another, then at the other cloud; all of it accounted for and given back."""
    job, leases = taken_twice(rented, path)
    assert [each["cloud"] for each in leases] == [there, there, then]
    first, second, _ = leases
    assert [each["purchase"] for each in (first, second)] == ["spot", "spot"]
    assert first["zone"] != second["zone"]
    assert {each["end_reason"] for each in (first, second)} == {"reclaimed"}
    ended_well(rented, job)
    paid_in_two_currencies(rented, job)
    released(rented)


def ended_well(rented: Rented, job: str) -> None:
    """It went on from where it was each time, repeated nothing, and its outputs are home."""
    shown = rented.cli.show(job)
    assert (shown["state"], shown["exit_code"]) == ("SUCCEEDED", 0)
    assert [each["outcome"] for each in shown["attempts"]] == ["interrupted", "interrupted", "succeeded"]
    for before, after in zip(shown["attempts"], shown["attempts"][1:], strict=False):
        assert after["resumed_step"] >= before["last_checkpoint_step"] > 0
        assert after["repeated_steps"] == 0  # each notice left time to save
    assert shown["progress"]["step"] == EPOCHS * STEPS_AN_EPOCH
    assert shown["metrics"]["test_accuracy"] > 0.9
    assert shown["outputs"]["files"] == ["out/metrics.json", "out/weights.pt"]
    assert all((Path(shown["outputs"]["path"]) / name).stat().st_size for name in shown["outputs"]["files"])
    noticed = [each for each in shown["events"] if each["kind"] == "notice-seen"]
    assert len(noticed) == 2


def paid_in_two_currencies(rented: Rented, job: str) -> None:
    """Each machine in its cloud's currency, and the sum in one, at a dated rate."""
    (told,) = rented.cli.json("cost", job)["jobs"]
    currencies = [line["money"]["currency"] for line in told["lines"] if line["money"]]
    assert sorted(set(currencies)) == ["CNY", "USD"]
    assert sorted(each["currency"] for each in told["total"]) == ["CNY", "USD"]
    assert told["total_in"]["rate_date"]
    assert Decimal(told["total_in"]["money"]["amount"]) > 0


def released(rented: Rented) -> None:
    """No machine runs and none is paid; the networks go when they are not wanted any more."""
    assert rented.live() == []
    rented.cli.json("sweep", "--end")
    rented.until(lambda: rented.cli.json("leases") == [])
    swept = rented.cli.json("sweep")
    assert all(each["complete"] for each in swept["checked"])
    assert swept["found"] == []


def silent_of_secrets(rented: Rented, folder: Path) -> None:
    """No credential stands in any file of the home."""
    environment = rented.lab.environment()
    secrets = [value.encode() for name, value in environment.items() if "SECRET" in name]
    assert len(secrets) >= 2
    for path in (each for each in folder.rglob("*") if each.is_file() and not each.is_symlink()):
        content = path.read_bytes()
        assert not any(secret in content for secret in secrets), path
