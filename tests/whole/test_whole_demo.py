"""The demo in full: planned, preempted twice, resumed, accounted for, nothing left behind."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import contracts
import pytest
import transcript
from product import EXAMPLE, REPO, Cli


@pytest.mark.early
def test_the_demo(cli: Cli) -> None:
    done = cli("run", str(EXAMPLE), "--rehearse", "--yes")
    assert done.code == 0, done.out + done.err
    _check_what_is_told(done.out)
    transcript.check(REPO / "README.md", done.out, cli.home)
    everything = cli.json("ps", "--all")
    contracts.check(everything, contracts.PS)
    assert cli.json("ps") == []
    job = everything[0]["job"]
    shown = cli.json("show", job)
    contracts.check(shown, contracts.SHOW)
    _check_run(shown)
    leases = cli.json("leases", "--all")
    contracts.check(leases, contracts.LEASES)
    assert cli.json("leases") == []
    assert [each["state"] for each in leases] == ["RELEASED"] * 3
    assert [each["end_reason"] for each in leases] == ["reclaimed", "reclaimed", "done"]
    cost = cli.json("cost", "--rehearsals")
    contracts.check(cost, contracts.COST)
    _check_money(shown, leases, cost)
    assert cli.json("cost") == {"jobs": [], "open_leases": 0}
    assert cli.quiet() == []
    assert list((cli.home / "instances").iterdir()) == []


@pytest.mark.long
def test_the_demo_in_chinese(cli: Cli) -> None:
    done = cli("run", str(EXAMPLE), "--rehearse", "--yes", "--lang", "zh")
    assert done.code == 0, done.out + done.err
    transcript.check(REPO / "README.zh-CN.md", done.out, cli.home)


def _check_what_is_told(out: str) -> None:
    lines = [line for line in out.splitlines() if line.strip()]
    assert lines[-1].strip() == "open leases: none"
    for word in ("590,890", "spot", "injected", "resumed", "on demand"):
        assert word in out.replace("on-demand", "on demand"), f"{word!r} is not told"


def _check_run(shown: dict[str, Any]) -> None:
    assert shown["state"] == "SUCCEEDED"
    assert shown["exit_code"] == 0
    assert shown["metrics"]["test_accuracy"] >= 0.985
    attempts = shown["attempts"]
    assert [each["outcome"] for each in attempts] == ["interrupted", "interrupted", "succeeded"]
    assert [each["repeated_steps"] for each in attempts] == [0, 0, 0]
    total = shown["progress"]["total_steps"]
    resumed = [each["resumed_step"] for each in attempts[1:]]
    assert attempts[0]["resumed_step"] is None
    assert resumed[0] >= 0.25 * total
    assert resumed[1] >= 0.60 * total
    assert [each["last_checkpoint_step"] for each in attempts[:2]] == resumed
    notices = [event["why"] for event in shown["events"] if event["kind"] == "lease-notice"]
    assert notices == ["injected at 25%", "injected at 60%"]
    contracts.check(shown["plan"], contracts.PLAN)
    offer = shown["plan"]["chosen"]["offer"]
    assert offer["purchase"] == "spot"
    assert offer["price_per_hour"] is not None
    assert len(shown["plan"]["alternatives"]) >= 3 or len(shown["plan"]["alternatives"]) + 1 >= 3
    outputs = Path(shown["outputs"]["path"])
    assert (outputs / "out" / "metrics.json").exists() or (outputs / "metrics.json").exists()


def _check_money(shown: dict[str, Any], leases: list[dict[str, Any]], cost: dict[str, Any]) -> None:
    job = cost["jobs"][0]
    lines = sum(Decimal(line["money"]["amount"]) for line in job["lines"])
    assert lines == Decimal(job["total"][0]["amount"]) == Decimal(shown["cost"]["amount"])
    assert Decimal(job["on_demand_total"]["amount"]) > lines
    assert cost["open_leases"] == 0
    assert {each["time_scale"] for each in leases} == {shown["time_scale"]}
    for lease, line in zip(leases, job["lines"], strict=True):
        assert line["lease"] == lease["lease"]
        assert lease["cost_so_far"] == line["money"]
