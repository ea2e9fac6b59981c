"""From a plan and a trace to what is stored with the job, and to the fate of each machine that it rents."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from doubles import START

from tradewind.app import jobfile
from tradewind.app.fates import fate_of
from tradewind.app.interface import Submit
from tradewind.app.pools import pools_of
from tradewind.app.replaying import kept_trace
from tradewind.app.submission import job_of, lay_out, remarks
from tradewind.catalog.traces import trace as read_trace
from tradewind.clouds.rehearsal.compute import Worn
from tradewind.clouds.rehearsal.replay import Replay
from tradewind.clouds.rehearsal.script import Script
from tradewind.domain.errors import BadInput, NotFound
from tradewind.domain.records import Job
from tradewind.jobs.situation import situation_of
from tradewind.leasing.budget import affordable, cost_of
from tradewind.planning.simulation import start_ticks
from tradewind.store import records
from tradewind.store.database import Database

TRACE = "v100-2023-02-dev"  # four zones
FILE = "name: j\nrun: x\nschedule: {deadline: 12h}\n"


def offer(cloud: str, zone: str, purchase: str, price: str, currency: str = "USD") -> dict[str, Any]:
    return {
        "cloud": cloud, "region": zone[:-1], "zone": zone, "instance_type": "t4", "gpu": "T4", "form": "PCIe",
        "gpu_known": True, "gpus": 1, "gpu_memory_gib": 16, "cpus": 8, "memory_gib": 32, "network_gbps": None,
        "rdma": None, "nvlink": None, "purchase": purchase, "price_per_hour": {"amount": price, "currency": currency},
        "price_status": "fresh", "as_of": "2026-11", "source": "s", "carbon_g_per_kwh": None,
    }  # fmt: skip


def way(*told: str) -> dict[str, Any]:
    return {"offer": offer(*told), "nodes": 1, "fit": {"step_seconds": {"value": 0.5}}, "hours": {"value": 6.0}}


def plan(*fallbacks: dict[str, Any]) -> dict[str, Any]:
    return {"plan_id": "p", "chosen": way("aws", "us-east-2a", "spot", "0.30"), "fallbacks": list(fallbacks),
            "on_demand_price_per_hour": {"amount": "1.00", "currency": "USD"}}  # fmt: skip


FALLBACKS = (
    way("alibaba", "cn-beijing-b", "spot", "2.10", "CNY"), way("gcp", "us-west1-a", "spot", "0.40"),
    way("aws", "us-east-2a", "on_demand", "1.00"), way("gcp", "us-east1-b", "spot", "0.50"),
    way("azure", "eastus-1", "spot", "0.60"),
)  # fmt: skip


def submit(file: str = FILE, **more: Any) -> Submit:
    return Submit(path=None, workload=jobfile.parse(file, "job.yaml"), source=file, rehearse=True, **more)


def worn(pool: dict[str, Any]) -> Worn:
    known = pool["offer"]
    return Worn("", known["region"], known["zone"], known["instance_type"], known["purchase"])


def stored(folder: Path, job: Job) -> Database:
    db = Database(folder / "db.sqlite")
    with db.write() as connection:
        records.insert(connection, job)
    return db


def test_pools_are_the_chosen_way_and_its_fallbacks_with_prices_to_compare() -> None:
    pools = pools_of(plan(*FALLBACKS), None, None)
    assert [pool["offer"]["cloud"] for pool in pools] == ["aws", "alibaba", "gcp", "aws", "gcp", "azure"]
    assert pools[0]["price"] == 0.30
    assert 0.2 < pools[1]["price"] < 0.5  # 2.10 CNY in dollars
    assert {pool["zone"] for pool in pools} == {None}
    assert pools[0]["offer"]["billing"]["on_demand_price_per_hour"]["amount"] == "1.00"
    assert all(pool["step_seconds"] == 0.5 and pool["notice_s"] >= 0 and pool["hazard"] > 0 for pool in pools)


def test_the_policy_compares_prices_as_the_plan_ranked_them() -> None:
    """A spot price of years ago may have doubled: it must not beat the one that the plan chose for being newer."""
    old = way("azure", "eastus-1", "spot", "0.20")
    old["offer"]["price_status"] = "old"
    chosen, stale = pools_of(plan(old), None, None)
    assert (chosen["rank_price"], stale["rank_price"]) == (0.30, 0.40)
    assert (stale["price"], stale["offer"]["price_per_hour"]["amount"]) == (0.20, "0.20")  # billed as listed
    told = situation_of(job_of(submit(), plan(old), START), [], [], None, START)
    assert [pool.price for pool in told.pools] == [0.30, 0.40]


def test_a_pool_in_another_currency_is_held_against_the_budget_at_the_dated_rate() -> None:
    first, other, *_ = pools_of(plan(*FALLBACKS), None, None)
    assert first["offer"]["billing"]["rate"] is None
    rate = other["offer"]["billing"]["rate"]
    assert (rate["base"], rate["quote"], bool(rate["as_of"])) == ("CNY", "USD", True)
    hour = timedelta(hours=1)
    assert abs(cost_of(other["offer"], hour) / 1e6 - other["price"]) < 1e-5  # held in dollars
    assert cost_of(first["offer"], hour) == 300_000
    held = affordable(other["offer"], cost_of(other["offer"], hour))
    assert held is not None
    assert abs(held - hour) < timedelta(seconds=1)


def test_zones_of_the_trace_stand_for_spot_pools_in_their_order() -> None:
    zones = read_trace(TRACE).zones
    pools = pools_of(plan(*FALLBACKS), read_trace(TRACE), None)
    assert [pool["zone"] for pool in pools] == [zones[0], zones[1], zones[2], None, zones[3]]  # none is left for azure
    assert pools[3]["purchase"] == "on_demand"


def test_a_seed_and_a_deadline_choose_the_window() -> None:
    def start(**more: Any) -> int:
        told: dict[str, Any] = job_of(submit(trace=TRACE, **more), plan(), START).settings["trace"]
        return int(told["start_tick"])

    assert start(seed=3) == start(seed=3) == start_ticks(read_trace(TRACE), 12.0, 3)[0]
    assert len({start(seed=seed) for seed in range(8)}) > 4
    speeds = [job_of(submit(trace=TRACE, trace_speed=speed), plan(), START).settings["trace"]["speed"]
              for speed in (None, 600.0)]  # fmt: skip
    assert speeds == ["auto", 600.0]


def test_injected_preemptions_replace_the_trace_and_that_is_said() -> None:
    file = FILE + 'rehearse: {preempt_at: ["25%"]}\n'
    points = submit(file).workload.rehearse.preempt_at
    for given in (submit(file, trace=TRACE), submit(trace=TRACE, preempt_at=points)):
        settings = job_of(given, plan(), START).settings
        assert (settings["trace"], settings["preempt_at"]) == (None, ["25%"])
        assert remarks(given, settings, ()) == [{"code": "trace-replaced", "facts": {"points": "25%"}}]
    none = submit(file, trace=TRACE, preempt_at=())
    settings = job_of(none, plan(), START).settings
    assert settings["trace"]["name"] == TRACE
    assert settings["preempt_at"] == []
    assert remarks(none, settings, ()) == []


def test_a_trace_that_has_nothing_to_say_is_remarked() -> None:
    on_demand = plan() | {"chosen": way("aws", "us-east-2a", "on_demand", "1.00")}
    for given, of, code in (
        (submit(trace=TRACE), on_demand, "trace-without-spot"),
        (submit(), plan(), "not-preempted"),
    ):
        assert [each["code"] for each in remarks(given, job_of(given, of, START).settings, ())] == [code]


def test_a_file_of_the_users_is_kept_with_the_job(tmp_path: Path) -> None:
    (tmp_path / "w").mkdir()
    own = tmp_path / "mine.csv"
    own.write_text("# tick_seconds: 600\nzone,tick,available,spot_price,od_price\na,0,1,0.3,1\na,5,0,,\n")
    given = submit(trace=str(own))
    job = job_of(given, plan(), START)
    lay_out(replace(given, path=tmp_path / "w" / "job.yaml"), job.settings, tmp_path / "job", tmp_path / "home")
    own.unlink()
    assert kept_trace(job.settings["trace"], tmp_path / "job").zones == ("a",)


@pytest.mark.parametrize("preempt_at", [None, ()])
def test_a_trace_that_cannot_be_read_stops_the_submit(tmp_path: Path, preempt_at: Any) -> None:
    (tmp_path / "bad.csv").write_text("nothing")
    with pytest.raises(BadInput):
        job_of(submit(trace=str(tmp_path / "bad.csv"), preempt_at=preempt_at), plan(), START)
    with pytest.raises(NotFound, match="trace-unknown"):
        job_of(submit(trace="v100", preempt_at=preempt_at), plan(), START)


def test_a_machine_meets_the_fate_of_its_pools_zone(tmp_path: Path) -> None:
    job = job_of(submit(trace=TRACE, trace_speed=600.0, seed=3), plan(*FALLBACKS), START)
    db, pools = stored(tmp_path, job), job.settings["pools"]

    def fate(wears: Worn) -> Script | Replay | None:
        return fate_of(db, tmp_path, replace(wears, job=job.id))

    told = fate(worn(pools[1]))
    assert isinstance(told, Replay)
    assert (told.zone, told.start_tick) == (1, job.settings["trace"]["start_tick"])
    assert told.elapsed(START + timedelta(minutes=1)) == timedelta(hours=10)
    assert told.notice == timedelta(seconds=pools[1]["notice_s"])
    assert fate(worn(pools[3])) is None  # on demand
    assert fate(replace(worn(pools[0]), instance_type="another")) is None
    assert fate_of(db, tmp_path, replace(worn(pools[0]), job="another")) is None


def test_an_injected_preemption_has_the_notice_of_the_machine_it_takes(tmp_path: Path) -> None:
    file = FILE + 'rehearse: {preempt_at: ["25%"]}\n'
    job = job_of(submit(file), plan(*FALLBACKS), START)
    job.settings["pools"][1]["notice_s"] = 7.0
    told = fate_of(stored(tmp_path, job), tmp_path, replace(worn(job.settings["pools"][1]), job=job.id))
    assert isinstance(told, Script)
    assert told.notice == timedelta(seconds=7)
