"""A job that this computer cannot run, rehearsed by a stand-in for its command; many machines, rehearsed by one."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from tradewind.app import jobfile
from tradewind.app.interface import Submit
from tradewind.app.pools import rehearsed_pool
from tradewind.app.sizes import lessons
from tradewind.app.submission import remarks
from tradewind.domain.money import Money


def submit(**file: Any) -> Submit:
    told = {"run": "python train.py", "training": {"batch_size": 512, "samples": 1_024_000, "epochs": 1}, **file}
    workload = jobfile.load(told)
    return Submit(path=None, workload=workload, source="", rehearse=True, preempt_at=workload.rehearse.preempt_at)


def said(asked: Submit, steps: int | None) -> list[dict[str, Any]]:
    settings: dict[str, Any] = {"total_steps": steps, "pools": []}
    return [each for each in remarks(asked, settings, ()) if each["code"] == "stand-in"]


@pytest.mark.parametrize(
    ("rehearse", "steps", "facts"),
    [
        ({"run": "python train.py --tiny", "steps": 50}, 50, {"steps": "50", "of": "2,000"}),
        ({"run": "|\n".join(["python tiny.py", "echo done"])}, 2000, {}),
    ],
)
def test_what_stands_in_is_told_with_its_share_of_the_steps(
    rehearse: dict[str, Any], steps: int, facts: dict[str, str]
) -> None:
    (told,) = said(submit(rehearse=rehearse), steps)
    assert told["facts"] == {"run": rehearse["run"].splitlines()[0], **facts}


def test_a_job_that_is_rehearsed_by_itself_needs_no_word() -> None:
    assert said(submit(rehearse={"steps": 50}), 50) == []


def test_how_long_it_takes_here_is_told_before_it_begins() -> None:
    expected = {"hours": {"value": 0.02}, "measured": {"at": "2026-11-22T09:00:00Z", "job": "job-1"}}
    told = remarks(submit(), {"total_steps": 9, "pools": [], "expected": expected}, ())
    assert {"code": "takes-here", "facts": {"seconds": "72", "date": "2026-11-22"}} in told
    assert "takes-here" not in [each["code"] for each in remarks(submit(), {"total_steps": 9, "expected": None}, ())]


def test_steps_of_a_stand_in_teach_nothing_of_the_job() -> None:
    itself, tiny = submit().workload, submit(rehearse={"run": "python train.py --tiny"}).workload
    assert lessons.rehearsed(itself) == lessons.subject(itself) == lessons.subject(tiny)
    assert lessons.rehearsed(tiny) != lessons.subject(tiny)
    other = submit(rehearse={"run": "python train.py --small"}).workload
    assert lessons.rehearsed(other) != lessons.rehearsed(tiny)


def test_one_lease_of_a_rehearsal_stands_for_all_machines_of_its_plan() -> None:
    price, dearer = {"amount": "1.61612", "currency": "USD"}, {"amount": "3.673", "currency": "USD"}
    billing = {"granularity_s": 1.0, "minimum_s": 60.0, "on_demand_price_per_hour": dearer}
    rented = rehearsed_pool({"offer": {"gpus": 4, "price_per_hour": price, "billing": billing}, "nodes": 2})
    assert Money.from_json(rented["offer"]["price_per_hour"]).amount == Decimal("3.23224")
    assert rented["offer"]["billing"]["on_demand_price_per_hour"]["amount"] == "7.346"
    free = {"price_per_hour": None, "billing": {**billing, "on_demand_price_per_hour": None}}
    assert rehearsed_pool({"offer": free, "nodes": 8})["offer"]["price_per_hour"] is None
