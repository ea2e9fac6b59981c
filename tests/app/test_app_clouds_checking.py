"""What is told of every cloud: whatever its state, and what was looked at in each region, once."""

from __future__ import annotations

from pathlib import Path

import pytest
from cloud_double import FINE, OddProvider
from clouds_world import providers_in, sky
from contracts import CLOUD, CLOUDS, check
from doubles import SimClock

from tradewind.app.clouds.checking import OwnClouds, may_launch, state_of
from tradewind.cli.findings import of_cloud
from tradewind.domain.errors import BadInput, CloudRefused, NotConfigured
from tradewind.ports.cloud import Checked
from tradewind.ports.compute import CloudFault

NO_RIGHT = Checked("right", "missing", {"action": "ec2:RunInstances", "region": "us-west-2"}, "not authorized")
NO_QUOTA = Checked("quota", "missing", {"name": "P", "purchase": "spot", "region": "us-east-1", "has": "0"})


def own(home: Path, text: str = "") -> OwnClouds:
    return OwnClouds(providers_in(home, text), SimClock())


def test_every_cloud_is_told_of_whatever_its_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sky(monkeypatch, OddProvider(checked={"us-west-2": (*FINE, NO_RIGHT)}))
    told = own(tmp_path, "alibaba: {}\n").list()
    check([of_cloud(each, "en") for each in told], CLOUDS)
    assert {each["cloud"]: each["state"] for each in told} == {
        "alibaba": "extra-missing", "aws": "ready", "azure": "prices-only", "gcp": "prices-only",
        "huawei": "prices-only", "tencent": "prices-only",
    }  # fmt: skip
    aws = next(each for each in told if each["cloud"] == "aws")
    assert aws["regions"] == [{"region": "us-east-1", "may_launch": True}, {"region": "us-west-2", "may_launch": False}]
    assert (aws["credentials"], aws["settings"], aws["error"]) == ("environment", False, None)
    assert [each["verdict"] for each in aws["checks"]] == ["ok", "ok", "missing"]  # who one is is told once
    alibaba = told[0]
    assert (alibaba["settings"], alibaba["error"]["code"]) == (True, "extra-missing")


def test_without_credentials_and_where_a_cloud_refuses_the_state_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    away = CloudFault("auth", "the token has expired", sent="yes")
    sky(monkeypatch, OddProvider(away=away), OddProvider("alibaba", found=None))
    told = {each["cloud"]: each for each in own(tmp_path).list()}
    assert (told["aws"]["state"], told["alibaba"]["state"]) == ("refused", "no-credentials")
    assert told["aws"]["error"]["facts"] == {"cloud": "aws", "kind": "auth", "words": "the token has expired"}
    with pytest.raises(CloudRefused, match="cloud-not-asked"):
        own(tmp_path).check("aws", None)
    with pytest.raises(NotConfigured, match="credentials-missing"):
        own(tmp_path).check("alibaba", None)


def test_one_region_is_checked_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    provider = OddProvider(checked={"us-west-2": (*FINE, NO_RIGHT)})
    sky(monkeypatch, provider)
    told = own(tmp_path).check("aws", "us-west-2")
    check(of_cloud(told, "zh"), CLOUD)
    assert (told["state"], provider.asked) == ("lacking", ["regions", "check us-west-2"])
    assert own(tmp_path).policy("aws") == {"Version": "2012-10-17", "Statement": []}


@pytest.mark.parametrize(("cloud", "error", "code"), [
    ("azure", NotConfigured, "cloud-not-rentable"), ("awz", BadInput, "cloud-unknown"),
])  # fmt: skip
def test_what_cannot_be_checked_is_an_error(tmp_path: Path, cloud: str, error: type[Exception], code: str) -> None:
    with pytest.raises(error, match=code):
        own(tmp_path).check(cloud, None)
    with pytest.raises(error, match=code):
        own(tmp_path).policy(cloud)


@pytest.mark.parametrize("text", ["", "aws: {regions: us-esat-1}\n"])
def test_a_region_that_the_cloud_does_not_have_is_told_with_the_nearest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    provider = OddProvider()
    sky(monkeypatch, provider)
    with pytest.raises(BadInput) as fault:
        own(tmp_path, text).check("aws", None if text else "us-esat-1")
    assert (fault.value.code, fault.value.facts["nearest"]) == ("region-unknown", "us-east-1, us-west-2")
    assert provider.asked == ["regions"]  # and nothing was checked
    provider.away = CloudFault("auth", "expired", sent="yes")
    assert own(tmp_path, text).check("aws", "us-esat-1")["regions"]  # it cannot be told: the checks say why


@pytest.mark.parametrize(("checks", "may"), [
    (FINE, True), ((), None), ((*FINE, NO_RIGHT), False), ((*FINE, NO_QUOTA), False),
    ((*FINE, NO_QUOTA, Checked("quota", "ok", {"name": "G"})), True),
    ((*FINE, Checked("network", "unknown")), None),
    ((*FINE, Checked("right", "unknown", {"action": "ec2:StopInstances"})), True),
    ((*FINE, Checked("right", "unknown", {"action": "ec2:RunInstances (spot)"})), None),
    ((*FINE, Checked("clock", "warning", {"seconds": "40"})), True),
])  # fmt: skip
def test_whether_machines_can_be_rented(checks: tuple[Checked, ...], may: bool | None) -> None:
    assert may_launch(checks) is may


def test_a_cloud_is_ready_where_one_may_launch_anywhere() -> None:
    assert [state_of(each) for each in ([True, False], [False, None], [False], [None])] == [
        "ready", "unknown", "lacking", "unknown",
    ]  # fmt: skip
