"""Where a submit may run, on which account, and at what stakes: with and without machines of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from clouds_world import sky
from doubles import SimClock
from machine_world import gpu, machine

from tradewind.app import jobfile
from tradewind.app.control import Embedded
from tradewind.app.interface import Submit
from tradewind.app.machines.registry import Registry
from tradewind.app.settings import Settings
from tradewind.app.submission import job_of, limited
from tradewind.app.views.jobs import machine_of
from tradewind.domain.errors import BadInput, NotConfigured, NotFound, NothingFits
from tradewind.domain.money import parse_money
from tradewind.domain.records import Job

MODEL = """\
model: {preset: resnet50}
training: {batch_size: 64, precision: bf16, samples: 8189, epochs: 3}
"""
SHELL = {"PATH": "/my/bin", "HOME": "/home/ada"}
FREE = machine("free", gpu(0), gpu(1))
DEAR = machine("dear", gpu(0), gpu(1), price=parse_money("4 USD"))
PLAIN = machine("plain")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Embedded:
    """The control plane of a home with a free machine, a priced one, and one without GPUs."""
    settings = Settings(tmp_path_factory.mktemp("home"))
    for each in (FREE, DEAR, PLAIN):
        Registry(settings.machines).write(each)
    return Embedded(settings, SimClock())


@pytest.fixture(autouse=True)
def no_clouds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever accounts the user of this computer has."""
    sky(monkeypatch)


def submit_of(text: str = "", **more: Any) -> Submit:
    source = f"name: j\nrun: python train.py\nenv: {{A: b}}\n{text}"
    return Submit(path=None, workload=jobfile.parse(source, "job.yaml"), source=source, env=SHELL, **more)


def job(made: Embedded, submit: Submit) -> Job:
    """The job as it would be stored."""
    return job_of(submit, made.plan_for(submit), SimClock().now(), None, made._unplanned(submit))


def test_without_machines_a_paid_run_is_planned_over_everything_and_has_nowhere_to_go(tmp_path: Path) -> None:
    made, submit = Embedded(Settings(tmp_path), SimClock()), submit_of(MODEL)
    found = made.plan_for(submit)
    assert found is not None
    assert found["chosen"]["offer"]["cloud"] != "machines"
    for asked in (made.stakes, made.submit):
        with pytest.raises(NotConfigured, match="no-cloud-configured"):
            asked(submit)


def test_with_machines_a_paid_run_is_planned_on_them_alone(made: Embedded) -> None:
    submit = submit_of(MODEL)
    found = made.plan_for(submit)
    assert found is not None
    assert {each["offer"]["cloud"] for each in (found["chosen"], *found["fallbacks"])} == {"machines"}
    stored = job(made, submit)
    assert stored.account == "machines:free"
    assert {pool["account"] for pool in stored.settings["pools"]} == {"machines:free"}  # nobody was asked for money
    assert made.stakes(submit) is None
    assert (stored.rehearsal, stored.settings["run"], stored.settings["time_scale"]) == (False, "python train.py", 1)
    assert stored.settings["env"] == {"A": "b"}  # the shell's paths mean nothing there
    assert "preempt_at" not in stored.settings


def test_a_run_is_here_or_on_a_machine(made: Embedded) -> None:
    with pytest.raises(BadInput, match="local-and-on"):
        made.submit(submit_of(local=True, on="free"))


def test_clouds_that_are_named_and_not_configured_are_not_replaced_by_machines(made: Embedded) -> None:
    submit = submit_of(MODEL + "placement: {clouds: [aws]}\n")
    found = made.plan_for(submit)
    assert found is not None
    assert found["chosen"]["offer"]["cloud"] == "aws"
    with pytest.raises(NotConfigured):
        made.stakes(submit)


def test_a_rehearsal_is_planned_over_everything_wherever_it_runs(made: Embedded) -> None:
    text = MODEL + "placement: {clouds: [aws]}\nrehearse: {run: python small.py}\n"
    here, there = submit_of(text, rehearse=True), submit_of(text, rehearse=True, on="free")
    plans = [made.plan_for(each) for each in (here, there)]
    assert [each and each["chosen"]["offer"]["cloud"] for each in plans] == ["aws", "aws"]
    assert [job(made, each).account for each in (here, there)] == ["rehearsal", "rehearsal:free"]
    assert [machine_of(job(made, each)) for each in (here, there)] == [None, "free"]
    assert job(made, there).settings["run"] == "python small.py"
    assert [job(made, each).settings["env"].get("PATH") for each in (here, there)] == ["/my/bin", None]
    assert made.stakes(there) is None


def test_on_a_named_machine_the_plan_is_of_that_machine(made: Embedded) -> None:
    submit = submit_of(MODEL + "placement: {clouds: [aws]}\n", on="dear")
    found = made.plan_for(submit)
    assert found is not None
    assert {each["offer"]["region"] for each in (found["chosen"], *found["fallbacks"])} == {"dear"}
    stakes, price = made.stakes(submit), found["chosen"]["offer"]["price_per_hour"]
    assert stakes is not None
    assert (stakes["price_per_hour"], stakes["hours"]) == (price, found["chosen"]["hours"]["high"])
    dearest = 4.0 if found["fallbacks"] else float(price["amount"])
    assert float(stakes["at_most"]["amount"]) == pytest.approx(dearest * 1.5 * stakes["hours"], rel=1e-4)
    assert job(made, submit).account == "machines:dear"


@pytest.mark.parametrize(("name", "text", "told"), [
    ("plain", MODEL, "cpu"), ("free", "", "2x-RTX-4090"), ("free", "resources: {accelerators: any}\n", "1x-RTX-4090"),
])  # fmt: skip
def test_what_cannot_be_predicted_is_run_there_without_a_plan(made: Embedded, name: str, text: str, told: str) -> None:
    submit = submit_of(text, on=name)
    assert made.plan_for(submit) is None
    assert made.stakes(submit) is None
    stored = job(made, submit)
    assert (stored.settings["offer"]["instance_type"], stored.account) == (told, f"machines:{name}")
    assert stored.settings["pools"][0]["offer"]["billing"]["minimum_s"] == 1.0


def test_a_priced_machine_without_a_plan_costs_at_most_what_its_hard_end_allows(made: Embedded) -> None:
    stakes = made.stakes(submit_of("resources: {accelerators: any}\nschedule: {max_duration: 3h}\n", on="dear"))
    assert stakes == {"price_per_hour": {"amount": "2.00", "currency": "USD"}, "hours": None,
                      "at_most": {"amount": "6.00", "currency": "USD"}}  # fmt: skip


def test_a_machine_that_is_not_there_too_small_or_elsewhere_is_refused(made: Embedded) -> None:
    cases: list[tuple[str, Submit, type[BadInput]]] = [
        ("machine-not-added", submit_of(on="nowhere"), NotFound),
        ("machine-too-small", submit_of("resources: {accelerators: 'any:4'}\n", on="free"), BadInput),
        ("machine-elsewhere", submit_of("placement: {residency: CN}\n", on="free"), BadInput),
    ]
    for code, submit, kind in cases:
        with pytest.raises(kind) as fault:
            made.stakes(submit)
        assert fault.value.code == code


def test_a_model_that_does_not_fit_on_the_machine_is_not_run_there(made: Embedded) -> None:
    large = "model: {parameters: 7e10}\ntraining: {batch_size: 64, samples: 100, epochs: 1}\n"
    submit = submit_of(large, on="free")
    found = made.plan_for(submit)
    assert found is not None
    assert found["chosen"] is None
    with pytest.raises(NothingFits):
        made.stakes(submit)


def test_a_limit_makes_a_budget_where_something_is_paid_and_none_where_nothing_is(made: Embedded) -> None:
    for name, budgeted in (("free", False), ("dear", True)):
        submit = submit_of("budget: {limit: 30 CNY}\n", on=name)
        assert bool(job(made, submit).settings["budget"]) is budgeted
        assert limited(submit).budget.limit == parse_money("30 CNY")
