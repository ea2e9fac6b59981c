"""What an account lets one do, found out without renting; credentials that are wrong, half, expired, and never told."""

from __future__ import annotations

import logging
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from aws_ground import CALLER, HOME, OWNER, Ground, WallClock, furnished, sign_in
from lab.aws_model import CREDENTIALS
from lab.control import Fault
from lab.stub import Reply, Stub

from tradewind.clouds.aws import policy
from tradewind.clouds.aws.provider import connect
from tradewind.ports.cloud import Checked, CloudSettings, Provider
from tradewind.ports.compute import CloudFault, Query

G_SPOT, P_ON_DEMAND = "L-3819A6DF", "L-417A185B"


def told(checked: tuple[Checked, ...], code: str) -> list[Checked]:
    return [each for each in checked if each.code == code]


def verdicts(checked: tuple[Checked, ...], code: str, fact: str) -> dict[str, str]:
    return {each.facts[fact]: each.verdict for each in told(checked, code)}


def test_an_account_that_may_do_everything_says_so_and_nothing_is_rented(ground: Ground) -> None:
    checked = ground.provider().check(HOME)
    assert {each.verdict for each in checked} == {"ok"}
    (identity,) = told(checked, "identity")
    assert identity.facts == {
        "account": "123456789012",
        "who": "arn:aws:iam::123456789012:user/lab",
        "how": "environment",
    }
    tried = set(verdicts(checked, "right", "action"))
    assert {"ec2:RunInstances", "ec2:RunInstances (spot)", "ec2:TerminateInstances", "ssm:GetParameter"} <= tried
    assert {each.partition(" ")[0] for each in tried} <= policy.ACTIONS
    assert ground.provider().cloud(HOME).find(Query(owner=OWNER)).instances == ()


def test_a_right_that_lacks_is_named_and_one_that_depends_on_a_tag_is_unknown(ground: Ground) -> None:
    ground.account.denied |= {
        "ec2:RunInstances", "ec2:DescribeVolumes", "ec2:TerminateInstances", "ssm:GetParameter",
        "pricing:GetProducts", "service-quotas:GetServiceQuota",
    }  # fmt: skip
    checked = ground.provider().check(HOME)
    rights = verdicts(checked, "right", "action")
    lacking = {"ec2:DescribeVolumes", "ssm:GetParameter", "pricing:GetProducts"}
    assert {action for action, verdict in rights.items() if verdict == "missing"} == lacking
    assert {action for action, verdict in rights.items() if verdict == "unknown"} == {"ec2:TerminateInstances"}
    assert {each.verdict for each in told(checked, "quota")} == {"unknown"}  # never zero, never enough
    assert "ec2:RunInstances" not in rights  # without its image it cannot be tried
    ground.account.denied.discard("ssm:GetParameter")
    again = verdicts(ground.provider().check(HOME), "right", "action")
    assert (again["ec2:RunInstances"], again["ec2:RunInstances (spot)"]) == ("missing", "missing")


def test_a_new_account_lacks_quota_and_is_told_where_to_ask(ground: Ground) -> None:
    ground.account.quotas |= {(HOME, P_ON_DEMAND): 0, (HOME, G_SPOT): 8}
    quotas = {
        (each.facts["name"], each.facts["purchase"]): each for each in told(ground.provider().check(HOME), "quota")
    }
    assert len(quotas) == 4
    none, some = quotas["P", "on_demand"], quotas["G and VT", "spot"]
    assert (none.verdict, none.facts["has"], none.facts["unit"]) == ("missing", "0", "vCPU")
    assert (
        none.facts["ask"] == f"https://{HOME}.console.aws.amazon.com/servicequotas/home/services/ec2/quotas/L-417A185B"
    )
    assert (some.verdict, some.facts["has"]) == ("ok", "8")


def test_what_the_account_itself_lacks_is_told_once_in_aws_s_words(ground: Ground) -> None:
    code = "PendingVerification"
    ground.control.add(Fault("auth", "aws", "RunInstances dry", times=2, code=code))
    checked = ground.provider().check(HOME)
    (lacking,) = told(checked, "account")
    assert (lacking.verdict, lacking.words) == (
        "missing",
        f"{code}: You are not authorized to perform this operation.",
    )
    assert "ec2:RunInstances" not in verdicts(checked, "right", "action")


@pytest.mark.parametrize(("off_s", "verdict"), [(0, "ok"), (100, "warning"), (-290, "warning"), (-600, "missing")])
def test_a_clock_that_is_off_is_told_with_its_seconds(ground: Ground, off_s: int, verdict: str) -> None:
    ground.account.disabled.add("eu-central-1")  # so that no more is asked there
    ground.clock.off = timedelta(seconds=off_s)
    (clock,) = told(ground.provider().check("eu-central-1"), "clock")
    assert clock.verdict == verdict
    assert int(clock.facts["seconds"]) == pytest.approx(off_s, abs=5)


def test_a_clock_that_is_refused_still_says_by_how_much(ground: Ground) -> None:
    ground.control.set("aws", clock_skew_s=3600)
    identity, clock = ground.provider().check(HOME)
    assert (identity.code, identity.verdict) == ("identity", "missing")
    assert clock.verdict == "missing"
    assert int(clock.facts["seconds"]) == pytest.approx(-3600, abs=5)
    with pytest.raises(CloudFault, match=r"clock: .* is 3\d+ s behind AWS's"):
        ground.provider().cloud(HOME).find(Query(owner=OWNER))


def test_a_region_that_is_not_turned_on_is_told_as_that(ground: Ground) -> None:
    ground.account.disabled.add("eu-central-1")
    provider = ground.provider()
    assert {each.name: each.enabled for each in provider.regions()}["eu-central-1"] is False
    (region,) = told(provider.check("eu-central-1"), "region")
    assert (region.verdict, region.words) == ("missing", "not-opted-in")
    with pytest.raises(CloudFault, match="auth"):
        provider.cloud("eu-central-1").find(Query(owner=OWNER))


def test_a_region_that_there_is_not_is_told_as_that_and_nothing_is_asked_there(ground: Ground) -> None:
    ground.control.add(Fault("auth", "aws", "DescribeRegions", code="InvalidParameterValue"))
    before = len(ground.control.recorded)
    (region,) = told(ground.provider().check("nowhere-1"), "region")
    assert region.verdict == "missing"
    assert ground.operations(before) == ["GetCallerIdentity", "DescribeRegions"]


def test_a_network_that_is_named_is_looked_for(ground: Ground) -> None:
    (subnet, *_) = ground.account.moto.ask(HOME, "DescribeSubnets")["Subnets"]
    given = ground.provider(network="given", subnets=(subnet["SubnetId"], "subnet-0ff"), groups=("sg-0ff",))
    assert verdicts(given.check(HOME), "network", "id") == {
        subnet["SubnetId"]: "ok", "subnet-0ff": "missing", "sg-0ff": "missing",
    }  # fmt: skip


# --- credentials ---


def provider_of(ground: Ground, patch: pytest.MonkeyPatch, folder: Path, **environment: str) -> Provider:
    """A provider with other credentials than the account's."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        patch.delenv(name, raising=False)
    sign_in(patch, folder, AWS_DEFAULT_REGION=HOME, **environment)
    return connect(CloudSettings(endpoints=ground.front.endpoints), OWNER, WallClock(), lambda: CALLER)


RIGHT = {"AWS_ACCESS_KEY_ID": CREDENTIALS.access_key, "AWS_SECRET_ACCESS_KEY": CREDENTIALS.secret_key}


@pytest.mark.parametrize(
    ("environment", "how", "words"),
    [
        (RIGHT | {"AWS_SECRET_ACCESS_KEY": "another"}, "environment", "SignatureDoesNotMatch"),
        (RIGHT | {"AWS_ACCESS_KEY_ID": "AKIDUNKNOWN"}, "environment", "InvalidClientTokenId"),
        (RIGHT | {"AWS_SESSION_TOKEN": "expired"}, "environment", "ExpiredToken"),
        ({"AWS_ACCESS_KEY_ID": "AKIDEXAMPLE"}, "environment", "missing: AWS_SECRET_ACCESS_KEY"),
        ({"AWS_PROFILE": "work"}, "profile work", "profile (work) could not be found"),
        ({}, None, "Unable to locate credentials"),
    ],
)
def test_credentials_that_are_wrong_say_what_is_wrong_in_aws_s_words(
    ground: Ground, monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
    environment: dict[str, str], how: str | None, words: str,
) -> None:  # fmt: skip
    provider = provider_of(ground, monkeypatch, tmp_path, **environment)
    assert provider.credentials() == how
    (identity,) = told(provider.check(HOME), "identity")
    assert (identity.verdict, words in str(identity.words)) == ("missing", True)
    with pytest.raises(CloudFault, match="auth"):
        provider.cloud(HOME).launch(furnished())


def test_a_profile_of_the_sdk_s_own_files_is_found_by_its_chain(
    ground: Ground, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "credentials").write_text(
        f"[work]\naws_access_key_id = {CREDENTIALS.access_key}\naws_secret_access_key = {CREDENTIALS.secret_key}\n"
    )
    provider = provider_of(ground, monkeypatch, tmp_path, AWS_PROFILE="work")
    assert provider.credentials() == "profile work"
    assert {each.name for each in provider.regions()} >= {HOME}


def test_no_secret_is_in_anything_that_is_written(ground: Ground, caplog: pytest.LogCaptureFixture) -> None:
    provider = ground.provider()
    written = [repr(provider), repr(provider.check(HOME)), repr(provider.policy())]
    caplog.set_level(logging.DEBUG)  # also what the SDK tells of each request
    ready, accepted = ground.rented()
    cloud = provider.cloud(HOME)
    written += [repr(cloud), repr(vars(cloud)), ready.to_json(), repr(accepted), repr(cloud.find(Query(owner=OWNER)))]
    ground.control.add(Fault("auth", "aws", "RunInstances"))
    with pytest.raises(CloudFault) as met:
        cloud.launch(ready)
    written += [repr(met.value), str(met.value), repr(met.value.__cause__), met.getrepr(style="long").__str__()]
    assert "RunInstances" in caplog.text
    assert CREDENTIALS.secret_key not in "".join([caplog.text, *written])


def test_a_proxy_of_the_environment_is_gone_through(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with Stub(lambda _: Reply(502)) as proxy:
        sign_in(monkeypatch, tmp_path, HTTP_PROXY=proxy.url, NO_PROXY="", AWS_DEFAULT_REGION=HOME, **RIGHT)
        settings = CloudSettings(endpoints={"ec2": "http://ec2.aws.test"})
        provider = connect(settings, OWNER, WallClock(), lambda: CALLER)
        with pytest.raises(CloudFault, match="unavailable"):
            provider.regions()
        assert [each.target for each in proxy.log] == ["http://ec2.aws.test/"]


def test_without_a_region_of_the_sdk_s_settings_ours_says_which_partition_it_is(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    sign_in(monkeypatch, tmp_path)
    monkeypatch.delenv("AWS_DEFAULT_REGION", raising=False)
    for regions, partition in ((("cn-north-1",), "aws-cn"), ((), "aws")):
        provider = connect(CloudSettings(regions=regions), OWNER, WallClock(), lambda: CALLER)
        changing = [each for each in provider.policy()["Statement"] if each["Sid"] == "ChangeOurs"]
        assert [each["Resource"] for each in changing] == [f"arn:{partition}:ec2:*:*:*/*"]


# --- the SDK ---


def test_the_sdk_is_imported_when_it_is_used_and_not_before() -> None:
    asks = "import sys, tradewind.clouds.aws.provider; print(*sorted({'boto3', 'botocore'} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", asks], capture_output=True, check=True, text=True)
    assert run.stdout.strip() == ""


def test_without_the_sdk_the_missing_module_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "boto3", None)
    with pytest.raises(ModuleNotFoundError) as met:
        connect(CloudSettings(), OWNER, WallClock(), lambda: CALLER)
    assert met.value.name == "boto3"
