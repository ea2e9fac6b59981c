"""Clouds as they are told and planned on over the real adapters and the lab's clouds; no machine boots here."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import pytest
from contracts import CLOUDS, check
from lab.alibaba import AlibabaCloud
from lab.aws_front import AwsFront
from lab.control import Control
from lab.machines import NoHypervisor

from tradewind.app import jobfile
from tradewind.app.clock import SystemClock
from tradewind.app.clouds import clouds_of
from tradewind.app.control import Embedded
from tradewind.app.interface import Submit
from tradewind.app.settings import Settings
from tradewind.cli.findings import of_cloud
from tradewind.domain.errors import BadInput

pytestmark = pytest.mark.long


@dataclass
class Two:
    """A home whose settings lead to the lab's clouds."""

    settings: Settings
    aws: AwsFront
    alibaba: AlibabaCloud


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Two]:
    control, machines = Control(), NoHypervisor()
    with ExitStack() as stack:
        aws = stack.enter_context(AwsFront(machines, control))
        alibaba = stack.enter_context(AlibabaCloud(machines, control))
        for name, value in {**aws.environment, **alibaba.environment}.items():
            monkeypatch.setenv(name, value)
        ends = {"aws": aws.endpoints, "alibaba": alibaba.endpoints}
        told = {cloud: {"ssh_from": "127.0.0.1/32", "endpoints": dict(each)} for cloud, each in ends.items()}
        (tmp_path / "clouds.yaml").write_text(json.dumps(told))
        yield Two(Settings(tmp_path), aws, alibaba)


def submit_of(text: str) -> Submit:
    source = f"run: python train.py\nschedule: {{max_duration: 1h}}\n{text}"
    return Submit(path=None, workload=jobfile.parse(source, "job.yaml"), source=source)


def test_clouds_tell_what_is_configured_allowed_and_missing(two: Two) -> None:
    two.aws.account.denied.add("ec2:RunInstances")
    two.alibaba.account.unnamed = True
    told = [of_cloud(each, "en") for each in clouds_of(two.settings).list()]
    check(told, CLOUDS)
    states = {each["cloud"]: (each["state"], each["credentials"]) for each in told}
    assert states["aws"] == states["alibaba"] == ("lacking", "environment")
    missing = {(each["code"], each["facts"].get("action")) for cloud in told for each in cloud["checks"]
               if each["verdict"] == "missing"}  # fmt: skip
    assert {("account", None), ("right", "ec2:RunInstances")} <= missing
    with pytest.raises(BadInput, match="region-unknown"):
        clouds_of(two.settings).check("alibaba", "cn-nowhere")


def test_a_plan_that_pays_has_prices_of_today_from_both_clouds(two: Two) -> None:
    two.aws.account.spot["use2-az1", "g4dn.xlarge"] = Decimal("0.0123")
    control = Embedded(two.settings, SystemClock())
    today = SystemClock().now().date().isoformat()
    plan = control.plan_for(submit_of("resources: {accelerators: 'T4:1'}\nplacement: {clouds: [aws]}\n"))
    assert plan is not None
    chosen = plan["chosen"]["offer"]
    assert (chosen["zone"], chosen["price_per_hour"]) == ("use2-az1", {"amount": "0.0123", "currency": "USD"})
    there = control.plan_for(submit_of("resources: {accelerators: 'A10:1'}\nplacement: {clouds: [alibaba]}\n"))
    assert there is not None
    ways = [each["offer"] for one in (plan, there) for each in (one["chosen"], *one["fallbacks"])]
    assert {(each["price_status"], each["as_of"]) for each in ways} == {("fresh", today)}
    assert there["chosen"]["offer"]["price_per_hour"]["currency"] == "CNY"
