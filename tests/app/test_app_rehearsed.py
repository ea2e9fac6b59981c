"""The report of a rehearsal on a trace: its simulated bills against ones reckoned by hand."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from doubles import START

from tradewind.app.rehearsed import told
from tradewind.app.views.book import book_of
from tradewind.domain.records import Event, Job
from tradewind.domain.states import JobState

TEMPO, SCALE = 600.0, 60.0  # an hour of the plan takes 6 s here, which are billed as 6 minutes


def pool(zone: str | None, price: str, minimum_s: float = 0.0) -> dict[str, Any]:
    purchase = "spot" if zone else "on_demand"
    offer = {
        "cloud": "aws", "region": "r", "zone": zone, "instance_type": "t", "gpu": "T4", "gpus": 1, "purchase": purchase,
        "price_per_hour": {"amount": price, "currency": "USD"},
        "billing": {"granularity_s": 1.0, "minimum_s": minimum_s},
    }  # fmt: skip
    return {"offer": offer, "purchase": purchase, "nodes": 1, "price": float(price), "step_seconds": 1.0, "hazard": 1.0,
            "notice_s": 120.0, "zone": zone}  # fmt: skip


def rehearsal(folder: Path, ticks: str, *pools: dict[str, Any], **more: Any) -> Job:
    """A job of 100 steps, 0.12 s each here: two hours of the plan. Its one start took 0.6 s: six minutes of that."""
    (folder / "trace").mkdir()
    rows = "".join(f"a,{tick},{up},,\n" for tick, up in enumerate(ticks))
    (folder / "trace" / "own.csv").write_text(f"# tick_seconds: 600\nzone,tick,available,spot_price,od_price\n{rows}")
    settings = {
        "offer": pools[0]["offer"], "pools": list(pools), "time_scale": SCALE, "total_steps": 100, "notice_s": 120.0,
        "deadline": (START + timedelta(hours=12)).isoformat(),
        "trace": {"name": "own", "file": "own.csv", "seed": 0, "start_tick": 0, "hours": 12.0, "speed": TEMPO},
    }  # fmt: skip
    measures = {"train_s": 12.0, "steps": 100, "starts": [0.6], "time_scale": SCALE}
    job = Job(id="j", name="j", state=JobState.SUCCEEDED, wanted=True, rehearsal=True, account="rehearsal", workload={},
              plan=None, settings=settings, submitted_at=START, state_since=START, wake_at=None, measures=measures,
              progress={"step": 100, "total_steps": 100}, ended_at=START + timedelta(seconds=14.4))  # fmt: skip
    return replace(job, **more)


def report(folder: Path, job: Job, *events: Event) -> dict[str, Any]:
    answer = told(job, book_of(job, events, START), events, folder)
    assert answer is not None
    return answer


def event(kind: str, cause: str, fault: str | None = None) -> Event:
    return Event(1, START, "leasing", kind, "lease-1", "j", None, None, cause, {"kind": fault} if fault else {})


def test_without_an_outage_both_bills_are_the_work_and_one_start(tmp_path: Path) -> None:
    answer = report(tmp_path, rehearsal(tmp_path, "1" * 100, pool("a", "1.00"), pool(None, "3.00")))
    hours = 2.1  # of the plan: 2.1 × 3600 / 600 = 12.6 s here, billed as 756 s
    assert answer["predicted"] == {
        "cost": {"amount": "0.21", "currency": "USD"}, "hours": hours, "preemptions": 0, "missed": False,
    }  # fmt: skip
    assert answer["on_demand_only"]["cost"] == {"amount": "0.63", "currency": "USD"}
    assert answer["on_demand_only"]["hours"] == hours
    assert (answer["hours"], answer["deadline_hours"], answer["tempo"]) == (2.4, 12.0, TEMPO)


def test_every_machine_is_billed_by_itself(tmp_path: Path) -> None:
    """Up for an hour, down for one tick: two machines, each for less than the least that is billed."""
    job = rehearsal(tmp_path, "1" * 6 + "0" + "1" * 93, pool("a", "1.00", minimum_s=3600), pool(None, "9.00"))
    answer = report(tmp_path, job)
    assert answer["predicted"]["preemptions"] == 1
    assert answer["predicted"]["cost"] == {"amount": "2.00", "currency": "USD"}


def test_what_is_too_late_on_demand_is_a_miss(tmp_path: Path) -> None:
    job = rehearsal(tmp_path, "0" * 100, pool("a", "1.00"), pool(None, "3.00"))
    late = replace(job, settings={**job.settings, "deadline": (START + timedelta(hours=1)).isoformat()})
    answer = report(tmp_path, late)
    assert answer["predicted"]["missed"] and answer["on_demand_only"]["missed"]
    assert answer["on_demand_only"]["hours"] == pytest.approx(2.1)
    assert answer["on_demand_only"]["cost"] == {"amount": "0.63", "currency": "USD"}


@pytest.mark.parametrize(
    "more",
    [
        {"state": JobState.RUNNING, "ended_at": None}, {"state": JobState.FAILED},
        {"measures": {}},  # nothing was measured
    ],
)  # fmt: skip
def test_before_there_is_something_to_compare_nothing_is_predicted(tmp_path: Path, more: dict[str, Any]) -> None:
    answer = report(tmp_path, rehearsal(tmp_path, "1" * 100, pool("a", "1.00"), pool(None, "3.00"), **more))
    assert answer["predicted"] is None and answer["on_demand_only"] is None
    assert answer["zones"][0]["zone"] == "a"
    assert "billing" not in answer["zones"][0]["offer"]


def test_without_a_pool_on_demand_nothing_is_predicted(tmp_path: Path) -> None:
    assert report(tmp_path, rehearsal(tmp_path, "1" * 100, pool("a", "1.00")))["predicted"] is None


def test_what_the_trace_took_and_refused_is_counted(tmp_path: Path) -> None:
    events = (event("lease-notice", "trace own a at +1.0 h"), event("lease-refused", "capacity: …", "capacity"),
              event("lease-refused", "auth: …", "auth"))  # fmt: skip
    answer = report(tmp_path, rehearsal(tmp_path, "1" * 100, pool("a", "1.00"), pool(None, "3.00")), *events)
    assert (answer["preemptions"], answer["refused"]) == (1, 1)


def test_a_job_without_a_trace_has_no_such_report(tmp_path: Path) -> None:
    job = rehearsal(tmp_path, "1", pool("a", "1.00"))
    plain = replace(job, settings={**job.settings, "trace": None})
    assert told(plain, book_of(plain, (), START), (), tmp_path) is None
