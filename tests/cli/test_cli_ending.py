"""The end of a rehearsal: what was expected of this computer, and what a stand-in's figures are of."""

from __future__ import annotations

from typing import Any

import pytest
from cli_world import answer

from tradewind.cli.draw.ending import foreseen, stand_in
from tradewind.cli.draw.pen import Pen

EN, ZH = Pen("en", 100), Pen("zh", 100)
HERE = {"hours": 74 / 3600, "cost": {"amount": "0.00267", "currency": "USD"}}
EXPECTED = {
    "hours": {"value": 0.02, "low": 0.016, "high": 0.025, "level": 0.9, "source": "estimated", "as_of": "2026-11-20"},
    "cost": {"value": "0.0025", "low": "0.002", "high": "0.003", "level": 0.9, "source": "estimated",
             "as_of": "2026-11-20", "currency": "USD"},
    "machines": 3, "measured": {"at": "2026-11-20T09:00:00Z", "job": "job-1"},
}  # fmt: skip


def shown(**change: Any) -> dict[str, Any]:
    return {**answer("show"), "here": {"predicted": None, "actual": HERE}, **change}


def test_what_was_expected_stands_beside_what_it_took() -> None:
    text = foreseen(EN, shown(here={"predicted": EXPECTED, "actual": HERE}))
    assert "from steps measured on 2026-11-20: 1.2 (1.0–1.5) min of machines, $0.0025" in text
    assert text.endswith("it took 1.2 min, $0.0027")


def test_where_nothing_was_measured_before_nothing_was_expected() -> None:
    assert foreseen(EN, shown()).startswith("this computer's part was not predicted")
    assert foreseen(ZH, shown()).startswith("事先没有对本机的预计")


@pytest.mark.parametrize(
    "change",
    [{"state": "FAILED"}, {"measured_step_seconds": None}, {"here": None}, {"trace": {"name": "t"}}],
    ids=["failed", "no step", "not a rehearsal", "on a trace"],
)
def test_where_there_is_nothing_to_compare_nothing_is_said(change: dict[str, Any]) -> None:
    assert foreseen(EN, shown(**change)) == ""


def test_the_figures_of_a_stand_in_are_not_taken_for_the_jobs() -> None:
    workload = {**answer("show")["workload"], "rehearse": {"run": "python tiny.py\necho done", "steps": 50}}
    assert stand_in(EN, shown(workload=workload)).startswith("what ran here is `python tiny.py`: measured are")
    assert stand_in(ZH, shown(workload=workload)).startswith("这里运行的是 `python tiny.py`")
    assert stand_in(EN, shown()) == stand_in(EN, shown(workload=workload, rehearsal=False)) == ""
