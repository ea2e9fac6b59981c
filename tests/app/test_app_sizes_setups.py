"""Guides' set-ups and stated needs: each is a whole job or a whole need with sources; verdicts follow the costs."""

from __future__ import annotations

from datetime import date
from types import SimpleNamespace
from typing import Any

import pytest

from tradewind.app import jobfile
from tradewind.app.market import catalog_of
from tradewind.app.settings import Settings
from tradewind.app.sizes import needs, setups
from tradewind.app.sizes.setups_data import GUIDES, NEEDS
from tradewind.domain.gpus import data_sheet
from tradewind.sizing import presets

TODAY = date(2026, 11, 21)


@pytest.mark.parametrize("name", GUIDES)
def test_a_set_up_is_a_whole_job_with_a_machine_and_a_source(name: str) -> None:
    workload = setups.workload(name)
    assert workload.model and workload.model.reference
    assert presets.find(workload.model.reference.partition(":")[2])
    assert workload.training.total_steps
    gpu, gpus = setups.guide_machine(name)
    assert data_sheet(gpu) and gpus >= 1
    assert all(GUIDES[name][key] for key in ("about", "about_zh", "source", "as_of"))


@pytest.mark.parametrize(
    ("holds", "guided", "ratio", "verdict"),
    [
        (False, None, None, "too-small"), (True, None, None, "not-for-rent"), (True, "way", None, "unknown"),
        (True, "way", 1.0, "sensible"), (True, "way", 1.49, "sensible"), (True, "way", 1.5, "dear"),
    ],
)  # fmt: skip
def test_verdicts(holds: bool, guided: str | None, ratio: float | None, verdict: str) -> None:
    way: Any = SimpleNamespace(to_json=lambda: {"offer": "x"})
    told = setups.verdict("small-cv", holds, way if guided else None, way, ratio)
    assert (told["verdict"], told["plan"]) == (verdict, {"offer": "x"})


@pytest.mark.parametrize("name", NEEDS)
def test_every_stated_figure_has_a_source(name: str) -> None:
    told = needs.stated(name)
    assert {line["what"] for line in told["lines"]} == {"gpu_memory_gib", "cpus", "memory_gib", "storage_gb"}
    assert all(line["source"] and line["as_of"] for line in told["lines"])


@pytest.mark.parametrize("name", NEEDS)
def test_the_machines_have_what_is_needed(name: str, tmp_path: Any) -> None:
    told = needs.needed(setups.workload(name), name, catalog_of(Settings(tmp_path)), TODAY)
    wanted = told["needs"]
    assert told["fits"] == [] and told["machines"]
    for machine in told["machines"]:
        assert machine["gpu_memory_gib"] is None or machine["gpu_memory_gib"] >= wanted["gpu_memory_gib"] * 0.9
        assert machine["cpus"] >= wanted["cpus"] and machine["memory_gib"] >= wanted["memory_gib"]
        assert machine["price_per_hour"] and machine["purchase"] == "on_demand"
    amounts = [float(machine["price_per_hour"]["amount"]) for machine in told["machines"]
               if machine["price_per_hour"]["currency"] == "USD"]  # fmt: skip
    assert amounts == sorted(amounts)


def test_resources_alone_are_needs(tmp_path: Any) -> None:
    workload = jobfile.load({"run": "x", "resources": {"accelerators": "A10:2..4", "cpus": "8+", "disk_gb": 300}})
    told = needs.needed(workload, None, catalog_of(Settings(tmp_path)), TODAY)
    assert told["gpus"] == ["A10"] and told["storage"]["size_gb"] == 300
    assert {line["what"] for line in told["needs"]["lines"]} == {"gpus", "cpus", "storage_gb"}
    assert {machine["gpu"] for machine in told["machines"]} == {"A10"}
    assert all(2 <= machine["gpus"] <= 4 and machine["cpus"] >= 8 for machine in told["machines"])
