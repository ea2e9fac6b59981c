"""Plans over the shipped snapshot: what a job file says, down to what the search is asked."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tradewind.app import jobfile, planned, questions
from tradewind.app.datasets import datasets_of
from tradewind.app.market import catalog_of
from tradewind.app.settings import Settings
from tradewind.app.sizes import lessons
from tradewind.app.sizes.lessons import Lesson
from tradewind.catalog.search import Query, search
from tradewind.domain.errors import BadInput, NothingFits
from tradewind.domain.offer import Purchase
from tradewind.domain.plan_json import plan_of
from tradewind.domain.records import Lease
from tradewind.domain.states import LeaseState
from tradewind.store import records
from tradewind.store.database import Database

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
RESNET = {
    "run": "python train.py", "model": {"preset": "resnet50"},
    "training": {"batch_size": 256, "precision": "bf16", "samples": 1_281_167, "epochs": 30, "sample_bytes": 110_000},
}  # fmt: skip


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return Settings(tmp_path_factory.mktemp("home"))


def answer(settings: Settings, job: dict[str, Any], **given: Any) -> dict[str, Any]:
    return questions.plan(settings, jobfile.load(job), NOW, **given)


def test_the_supply_holds_every_offer_and_makes_only_those_that_a_plan_may_take(settings: Settings) -> None:
    catalog_of(settings)  # builds it, where no test has before
    snapshot = catalog_of(settings)
    every = search(snapshot, Query(), NOW.date())
    supply = planned.supply_of(snapshot, NOW.date())
    taken = [each for each in every if each.purchase in {Purchase.SPOT, Purchase.ON_DEMAND}]
    assert sum(kind.count for kind in supply.kinds) == len(taken)
    assert supply.left_out == {"purchase": len(every) - len(taken)}
    assert planned.supply_of(catalog_of(settings), NOW.date()) is supply
    rejected = {each["why"]: each["count"] for each in answer(settings, RESNET)["rejected"]}
    assert sum(rejected.values()) < len(every)
    assert rejected["purchase"] == len(every) - len(taken) > 2000


def test_a_plan_reads_back_and_repeats(settings: Settings) -> None:
    found = answer(settings, RESNET)
    assert answer(settings, RESNET) == found
    assert plan_of(json.loads(json.dumps(found))).to_json() == found


def test_all_objectives_choose_on_the_front(settings: Settings) -> None:
    job = {**RESNET, "schedule": {"deadline": "30h"}, "budget": {"limit": "400 CNY"}}
    for objective in ("cost", "time", "carbon", "balanced"):
        found = answer(settings, job, objective=objective)
        assert [each["chosen"] for each in found["front"]].count(True) == 1
        assert found["points_currency"] == "CNY"
        assert found["chosen"]["hours"]["value"] <= 30


def test_nodes_are_open_unless_the_file_names_them(settings: Settings) -> None:
    wish = {"accelerators": "H100-80GB:16"}
    free = answer(settings, {**RESNET, "resources": wish})["chosen"]
    assert free["nodes"] * free["offer"]["gpus"] == 16
    assert free["nodes"] > 1
    assert free["offer"]["network_gbps"]
    held = answer(settings, {**RESNET, "resources": wish | {"nodes": 1}})
    assert held["chosen"] is None
    assert "resources.nodes" in {each["set"] for each in held["infeasible"]["changes"]}
    workload = jobfile.load({**RESNET, "resources": wish})
    assert workload.resources is not None
    assert (workload.resources.nodes, workload.resources.nodes_open) == (1, True)
    assert jobfile.load(jobfile.dump(workload)) == workload


def test_resources_alone_are_planned_and_nothing_at_all_is_not(settings: Settings) -> None:
    found = answer(settings, {"run": "x", "resources": {"accelerators": "A100-80GB:1..8"}})
    assert found["chosen"]["offer"]["gpu"] == "A100-80GB"
    assert (found["chosen"]["hours"], found["chosen"]["cost"], found["chosen"]["fit"]) == (None, None, None)
    with pytest.raises(NothingFits, match="needs-unknown"):
        answer(settings, {"run": "x"})


def test_what_was_calibrated_on_a_gpu_is_planned_on_it_and_a_processor_says_nothing(settings: Settings) -> None:
    job = {"run": "python calibrated.py", "training": {"batch_size": 8}}
    about = lessons.subject(jobfile.load(job))
    on_cpu = Lesson(about, None, "Xeon", 1, 8, 0.5, None, 30, "job-1", "2026-11-20T00:00:00Z")
    lessons.keep(settings.calibrations, on_cpu)
    with pytest.raises(NothingFits, match="needs-unknown") as caught:
        answer(settings, job)
    assert caught.value.facts == {"file": "JOB.yaml", "batch": "", "device": "Xeon"}
    lessons.keep(settings.calibrations, replace(on_cpu, gpu="T4", device="Tesla T4"))
    found = answer(settings, job)["chosen"]["offer"]
    assert (found["gpu"], found["gpus"]) == ("T4", 1)


def test_a_budget_in_a_currency_without_a_rate_is_no_limit_that_rejects_offers(settings: Settings) -> None:
    with pytest.raises(BadInput, match="currency-unknown") as caught:
        answer(settings, {**RESNET, "budget": {"limit": "300 THB"}})
    assert caught.value.facts["nearest"] == "CNY, EUR, USD"


def test_what_takes_longer_than_a_century_is_planned_without_a_date(settings: Settings) -> None:
    chosen = answer(settings, {**RESNET, "training": {"batch_size": 1, "samples": 10**15, "epochs": 9}})["chosen"]
    assert chosen["hours"]["value"] > 876_600
    assert Decimal(chosen["cost"]["value"]) > 10**8
    assert chosen["finish_by"] is None


def test_a_model_without_epochs_is_planned_by_the_step(settings: Settings) -> None:
    job = {**RESNET, "training": {"batch_size": 256, "precision": "bf16"}}
    found = answer(settings, job)
    assert found["chosen"]["hours"] is None
    assert found["chosen"]["fit"]["step_seconds"]["value"] > 0
    assert "length-unknown ranked=per-step" in found["assumptions"]


def test_checkpointing_is_proposed_where_the_file_rules_it_out(settings: Settings) -> None:
    job = {
        "run": "x", "model": {"preset": "llama-3.1-8b"}, "resources": {"accelerators": "A100-80GB:8", "nodes": 1},
        "training": {"batch_size": 64, "micro_batch": 8, "precision": "bf16", "sequence": 8192, "samples": 1000,
                     "epochs": 1, "activation_checkpointing": "none"},
    }  # fmt: skip
    told = answer(settings, job)["infeasible"]["changes"]
    assert {"set": "training.activation_checkpointing", "to": "full", "by": None} in told


def test_controls_that_nothing_checks_are_told(settings: Settings) -> None:
    found = answer(settings, {**RESNET, "compliance": ["mlps3"]})
    assert found["compliance"] == [{"control": "mlps3", "result": "unknown"}]
    assert "compliance-unchecked controls=mlps3" in found["assumptions"]


def data(**given: Any) -> dict[str, Any]:
    return {"source": "s3://bucket/flowers", "path": "/data"} | given


def test_data_are_read_from_the_job_file() -> None:
    job = {**RESNET, "data": [data(), {"source": "./here", "path": "/x"}]}
    (found,) = datasets_of(jobfile.load(job))
    assert (found.cloud, found.region, found.reads, found.copied, found.size_assumed) == ("aws", None, 1, True, True)
    assert found.gb == pytest.approx(140.9, abs=0.1)  # samples × sample_bytes
    told = [data(source="oss://b/x", region="cn-beijing", size_gb=12.5, mode="stream"), data()]
    near, far = datasets_of(jobfile.load({**RESNET, "data": told}))
    assert (near.cloud, near.region, near.gb, near.reads, near.copied) == ("alibaba", "cn-beijing", 12.5, 30, False)
    assert far.gb == found.gb
    both = datasets_of(jobfile.load({**RESNET, "data": [data(), data()]}))
    assert [each.gb for each in both] == [None, None]  # which of them the samples are is not known


def test_data_draw_the_plan_to_where_they_lie(settings: Settings) -> None:
    job = {**RESNET, "data": [data(region="us-east-1", size_gb=5000)]}
    found = answer(settings, job)
    assert found["chosen"]["offer"]["cloud"] == "aws"
    assert found["chosen"]["transfer"] is None or found["chosen"]["transfer"]["from"] == "aws us-east-1"
    assert jobfile.load(jobfile.dump(jobfile.load(job))) == jobfile.load(job)


def test_refusals_come_from_the_store_and_rehearsed_ones_say_nothing(tmp_path: Path) -> None:
    settings = Settings(tmp_path)
    assert planned.refusals_of(settings, NOW) == ()
    offer = {"cloud": "aws", "region": "us-east-1", "zone": None, "instance_type": "g6.xlarge", "purchase": "spot"}

    def lease(number: int, hours_ago: float, **given: Any) -> Lease:
        at = NOW - timedelta(hours=hours_ago)
        return replace(
            Lease(f"lease-{number}", f"token-{number}", "instance", LeaseState.REFUSED, "job-1", 1, "aws", offer, "{}",
                  True, at, at, at + timedelta(hours=9), "server_side", None, fault_kind="capacity"), **given
        )  # fmt: skip

    with Database(settings.database).write() as db:
        for row in (lease(1, 2), lease(2, 30), lease(3, 1, account="rehearsal"), lease(4, 3, fault_kind="quota"),
                    lease(5, 1, fault_kind="auth"), lease(6, 1, fault_kind=None)):  # fmt: skip
            records.insert(db, row)
    found = sorted(planned.refusals_of(settings, NOW), key=lambda each: each.kind)
    assert [(each.kind, each.at) for each in found] == [
        ("capacity", NOW - timedelta(hours=2)), ("quota", NOW - timedelta(hours=3)),
    ]  # fmt: skip
    assert (found[0].cloud, found[0].instance_type, found[0].purchase) == ("aws", "g6.xlarge", Purchase.SPOT.value)
