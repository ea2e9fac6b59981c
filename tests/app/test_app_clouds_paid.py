"""A paid run where clouds are configured: planned within them at today's prices, rented by their accounts."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from cloud_double import Answer, OddProvider, usd
from clouds_world import Sky, sky
from doubles import SimClock
from machine_world import gpu, machine

from tradewind.app import jobfile
from tradewind.app.control import Embedded
from tradewind.app.interface import Submit
from tradewind.app.machines.registry import Registry
from tradewind.app.settings import Settings
from tradewind.app.submission import job_of
from tradewind.domain.errors import CloudRefused, NotConfigured
from tradewind.domain.money import Money, parse_money
from tradewind.ports.cloud import Region
from tradewind.ports.compute import CloudFault, Order

WISH = "resources: {accelerators: 'T4:1'}\nschedule: {max_duration: 2h}\n"
BEIJING = OddProvider("alibaba", there=(Region("cn-beijing", True),))


def submit_of(text: str = WISH, **more: Any) -> Submit:
    source = f"name: j\nrun: python train.py\n{text}"
    return Submit(path=None, workload=jobfile.parse(source, "job.yaml"), source=source, **more)


def home_with(home: Path, text: str = "aws: {ssh_from: 127.0.0.1/32}\n") -> Embedded:
    (home / "clouds.yaml").write_text(text)
    return Embedded(Settings(home), SimClock())


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home for all of these, so that the catalog's snapshot is made once."""
    return tmp_path_factory.mktemp("home")


def ways(plan: dict[str, Any] | None) -> list[dict[str, Any]]:
    assert plan is not None
    return [each["offer"] for each in (plan["chosen"], *plan["fallbacks"]) if each]


def told(plan: dict[str, Any] | None, why: str) -> int:
    assert plan is not None
    return sum(each["count"] for each in plan["rejected"] if each["why"] == why)


def by_purchase(spot: str, on_demand: str = "0.60") -> Any:
    def price(order: Order) -> Money:
        return usd(spot if order.purchase == "spot" else on_demand)

    return price


@pytest.fixture
def aws(monkeypatch: pytest.MonkeyPatch) -> OddProvider:
    made = OddProvider(price=by_purchase("0.20"))
    sky(monkeypatch, made)
    return made


def test_a_paid_run_is_planned_where_one_may_rent_at_prices_of_today(home: Path, aws: OddProvider) -> None:
    control, submit = home_with(home), submit_of()
    plan = control.plan_for(submit)
    assert plan is not None
    offers = ways(plan)
    assert {(each["cloud"], each["region"]) for each in offers} <= {("aws", "us-east-1"), ("aws", "us-west-2")}
    assert {(each["price_status"], each["as_of"]) for each in offers} == {("fresh", "2026-11-21")}
    assert {each["price_per_hour"]["amount"] for each in offers if each["purchase"] == "spot"} <= {"0.20"}
    assert told(plan, "not-configured") > 1000
    assert "quota-not-asked cloud=aws" in plan["assumptions"]
    assert control.plan_for(submit) is plan  # what is shown is what is submitted
    assert aws.asked == ["regions"]


def test_the_job_rents_by_the_accounts_of_its_pools_with_a_cap_on_spot(home: Path, aws: OddProvider) -> None:
    control, submit = home_with(home), submit_of()
    job = job_of(submit, control.plan_for(submit), SimClock().now())
    pools = job.settings["pools"]
    assert job.account == pools[0]["account"] == f"aws:{pools[0]['offer']['region']}"
    assert {pool["nodes"] for pool in pools} == {1}
    spot = [pool for pool in pools if pool["purchase"] == "spot"]
    assert {pool["offer"]["billing"]["price_cap"] for pool in spot} == {"0.220000"}
    assert all(pool["offer"]["billing"]["price_cap"] is None for pool in pools if pool["purchase"] == "on_demand")
    stakes = control.stakes(submit)
    assert stakes is not None
    dearest = max(Decimal(str(pool["price"])) for pool in pools)
    assert Decimal(stakes["at_most"]["amount"]) >= dearest * 2  # every pool may be had for all of the hours


def test_the_cap_is_never_above_what_the_machine_costs_on_demand(home: Path, aws: OddProvider) -> None:
    aws.price = by_purchase("0.58")
    control, submit = home_with(home), submit_of(WISH + "budget: {purchase: spot}\n")
    plan = control.plan_for(submit)
    pool = job_of(submit, plan, SimClock().now()).settings["pools"][0]
    on_demand = (plan or {})["on_demand_price_per_hour"]
    cap = Decimal(pool["offer"]["billing"]["price_cap"])
    assert cap == max(min(Decimal("0.638"), Decimal(on_demand["amount"])), Decimal("0.58"))


def test_clouds_of_which_regions_have_the_same_name_are_kept_apart(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sky(monkeypatch, OddProvider(there=(Region("us-east-1", True),)), BEIJING)
    offers = ways(home_with(home).plan_for(submit_of("resources: {accelerators: 'any:1'}\n")))
    assert {(each["cloud"], each["region"]) for each in offers} <= {("aws", "us-east-1"), ("alibaba", "cn-beijing")}


def test_the_job_file_narrows_the_places_and_other_clouds_are_not_asked(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: Sky = sky(monkeypatch, OddProvider(), BEIJING)
    plan = home_with(home).plan_for(submit_of(WISH + "placement: {clouds: [aws], regions: [us-west-2]}\n"))
    assert {each["region"] for each in ways(plan)} == {"us-west-2"}
    assert [cloud for cloud, _ in made.opened] == ["aws"]


def test_with_machines_beside_clouds_both_are_planned_on(tmp_path: Path, aws: OddProvider) -> None:
    control = home_with(tmp_path)
    Registry(Settings(tmp_path).machines).write(machine("dear", gpu(0, "Tesla T4"), price=parse_money("9 USD")))
    both = ways(control.plan_for(submit_of()))
    assert both[0]["cloud"] == "aws"
    mine = ways(control.plan_for(submit_of(WISH + "placement: {clouds: [machines]}\n")))
    assert {each["cloud"] for each in mine} == {"machines"}


def test_without_a_store_spot_machines_are_rented_all_the_same(home: Path, aws: OddProvider) -> None:
    plan = home_with(home).plan_for(submit_of())
    assert plan is not None
    assert plan["chosen"]["offer"]["purchase"] == "spot"
    assert "spot-without-store" in plan["assumptions"]


@pytest.mark.parametrize("answer", [None, CloudFault("auth", "pricing:GetProducts", sent="yes")])
def test_a_price_that_is_not_told_leaves_dated_offers_and_drops_old_ones(
    home: Path, aws: OddProvider, answer: Answer
) -> None:
    aws.price = lambda order: answer
    plan = home_with(home).plan_for(submit_of())
    assert {each["price_status"] for each in ways(plan)} <= {"fresh", "dated"}


def test_a_cloud_that_refuses_is_told_before_anything_is_planned_or_rented(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sky(monkeypatch, OddProvider(away=CloudFault("auth", "expired", sent="yes")))
    control, submit = home_with(home), submit_of()
    for asked in (control.stakes, control.submit):
        with pytest.raises(CloudRefused) as fault:
            asked(submit)
        assert fault.value.facts == {"cloud": "aws", "kind": "auth", "words": "expired"}
    assert not list(Settings(home).jobs.glob("*"))


def test_a_cloud_that_cannot_be_asked_is_left_out_beside_one_that_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    away = OddProvider("alibaba", away=CloudFault("unavailable", "no answer", sent="maybe"))
    sky(monkeypatch, OddProvider(price=by_purchase("0.20")), away)
    control, submit = home_with(tmp_path), submit_of(WISH + "budget: {limit: 5 USD}\n")
    assert {each["cloud"] for each in ways(control.plan_for(submit))} == {"aws"}
    monkeypatch.setattr(control._starter, "missing", lambda: False)
    monkeypatch.setattr(control._starter, "require_one", lambda: None)
    accepted = control.submit(submit)
    assert {"code": "cloud-left-out", "facts": {"cloud": "alibaba"}} in accepted["remarks"]


def test_nothing_is_submitted_while_it_is_not_known_from_where_machines_are_reached(
    home: Path, aws: OddProvider
) -> None:
    control = home_with(home, "caller_address: http://127.0.0.1:1/\n")
    with pytest.raises(NotConfigured, match="caller-unknown"):
        control.submit(submit_of())
    assert not list(Settings(home).jobs.glob("*"))


def test_a_rehearsal_and_a_local_run_ask_no_cloud(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = sky(monkeypatch, OddProvider())
    control = home_with(home)
    assert control.plan_for(submit_of(rehearse=True)) is not None
    assert control.plan_for(submit_of(local=True)) is None
    assert control.ps(True) == []
    assert made.opened == []


def test_a_sweep_looks_wherever_one_may_rent_and_says_where_it_could_not(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    away = OddProvider("alibaba", away=CloudFault("unavailable", "no answer", sent="maybe"))
    sky(monkeypatch, OddProvider(there=(Region("us-east-1", True),)), away)
    control = home_with(home)
    assert [each["account"] for each in control.leases(False)["checked"]] == ["local", "rehearsal"]
    checked = {(each["account"], each["region"], each["complete"]) for each in control.sweep(False)["checked"]}
    assert checked == {
        ("local", None, True), ("rehearsal", None, True), ("aws:us-east-1", "us-east-1", True),
        ("aws:us-east-1:network", "us-east-1", True), ("alibaba", None, False),
    }  # fmt: skip


@pytest.mark.parametrize(("cloud", "code"), [
    ("azure", "cloud-not-rentable"), ("alibaba", "extra-missing"), ("aws", "credentials-missing"),
])  # fmt: skip
def test_a_cloud_that_the_job_file_names_says_itself_why_it_cannot_be_rented_from(
    home: Path, monkeypatch: pytest.MonkeyPatch, cloud: str, code: str
) -> None:
    sky(monkeypatch, OddProvider(found=None))
    submit = submit_of(f"resources: {{accelerators: 'any:1'}}\nplacement: {{clouds: [{cloud}]}}\n")
    with pytest.raises(NotConfigured, match=code):
        home_with(home).stakes(submit)
    plan = home_with(home).plan_for(submit)
    assert {each["cloud"] for each in ways(plan)} == {cloud}  # what there is, is shown all the same
