"""An Alibaba Cloud account looked at without renting: credentials, rights, quota, clock, network; and its policy."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from alibaba_ground import BEIJING, ELSE, OWNER, Ground, WallClock, alibaba, alone, order
from lab.alibaba import rights
from lab.alibaba_spec import described
from lab.signatures import SECRET, sign_in

from tradewind.clouds.alibaba.client import Api
from tradewind.clouds.alibaba.policy import ACTIONS, CHANGES, MAKES, document
from tradewind.clouds.alibaba.provider import connect
from tradewind.ports.cloud import Checked, CloudSettings, Provider
from tradewind.ports.compute import CloudFault, Query


@pytest.fixture
def ground(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Ground]:
    with alibaba(monkeypatch, tmp_path) as made:
        yield made


def of(provider: Provider, code: str, region: str = BEIJING) -> list[Checked]:
    return [each for each in provider.check(region) if each.code == code]


def right(provider: Provider, action: str) -> Checked:
    (found,) = (each for each in of(provider, "right") if each.facts["action"] == action)
    return found


def lonely() -> Provider:
    return connect(CloudSettings(endpoints={"sts": "http://127.0.0.1:9"}), OWNER, WallClock(), lambda: "")


def test_regions_are_all_turned_on(ground: Ground) -> None:
    told = ground.provider().regions()
    assert {each.name for each in told} == set(ground.account.market.zones)
    assert all(each.enabled for each in told)


def test_an_account_that_lacks_nothing_is_told_who_it_is_and_what_it_may(ground: Ground) -> None:
    told = ground.provider().check(BEIJING)
    assert {each.verdict for each in told} == {"ok"}
    (identity,) = (each for each in told if each.code == "identity")
    assert identity.facts["who"].startswith("acs:ram::")
    assert identity.facts["how"] == "environment"
    assert {each.code for each in told} == {"identity", "clock", "region", "network", "right", "quota"}
    assert ground.account.fleet.all(BEIJING) == []


@pytest.mark.parametrize(
    "action",
    [
        "ecs:RunInstances",
        "ecs:DescribeInstances",
        "ecs:DescribeSecurityGroups",
        "vpc:CreateVpc",
        "vpc:DescribeVSwitches",
    ],
)
def test_a_right_that_is_missing_is_named(ground: Ground, action: str) -> None:
    ground.account.denied.add(action)
    found = right(ground.provider(), action)
    assert (found.verdict, "Forbidden.RAM" in str(found.words)) == ("missing", True)


def test_what_a_policy_may_give_on_things_of_ours_alone_is_unknown_when_refused(ground: Ground) -> None:
    ground.account.denied.add("ecs:DeleteInstances")
    assert right(ground.provider(), "ecs:DeleteInstances").verdict == "unknown"


def test_a_launch_that_lacks_a_network_still_shows_that_the_right_is_there(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with alibaba(monkeypatch, tmp_path, default_network=False) as bare:
        found = right(bare.provider(), "ecs:RunInstances")
        assert (found.verdict, "VSwitchId" in str(found.words)) == ("warning", True)
        bare.account.denied.add("ecs:RunInstances")
        assert right(bare.provider(), "ecs:RunInstances").verdict == "missing"


def test_an_account_without_money_or_a_name_is_told_in_the_clouds_words(ground: Ground) -> None:
    ground.account.arrears = True
    (found,) = of(ground.provider(), "account")
    assert (found.verdict, "NotEnoughBalance" in str(found.words)) == ("missing", True)
    ground.account.arrears, ground.account.unnamed = False, True
    told = of(ground.provider(), "account")
    assert {each.verdict for each in told} == {"missing"}
    assert any("RealNameAuthentication" in str(each.words) for each in told)


def test_a_quota_of_none_is_missing_and_says_where_to_ask(ground: Ground) -> None:
    ground.account.market.quota[BEIJING, True] = 0
    told = {each.facts["purchase"]: each for each in of(ground.provider(), "quota")}
    assert (told["spot"].verdict, told["spot"].facts["has"], told["on_demand"].verdict) == ("missing", "0", "ok")
    assert told["spot"].facts["ask"].startswith("https://")


@pytest.mark.parametrize(("ahead_s", "verdict"), [(0, "ok"), (120, "warning"), (-120, "warning")])
def test_a_clock_that_is_a_little_off_is_told(ground: Ground, ahead_s: float, verdict: str) -> None:
    ground.control.set("alibaba", clock_skew_s=-ahead_s)
    (found,) = of(ground.provider(), "clock")
    assert found.verdict == verdict
    assert abs(int(found.facts["seconds"]) - ahead_s) <= 3


def test_a_clock_that_signatures_are_refused_by_is_told_with_by_how_much(ground: Ground) -> None:
    ground.control.set("alibaba", clock_skew_s=-3600)
    told = {each.code: each for each in ground.provider().check(BEIJING)}
    assert set(told) == {"identity", "clock"}
    assert (told["clock"].verdict, abs(int(told["clock"].facts["seconds"]) - 3600) <= 3) == ("missing", True)


def test_a_network_is_looked_for_as_the_settings_say(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [each.verdict for each in of(ground.provider(), "network")] == ["ok"]
    assert of(ground.provider(network="private"), "network") == []
    subnet = ground.account.things.of("vsw", BEIJING)[0].id
    given = ground.provider(network="given", subnets=(subnet, "vsw-none"), groups=("sg-none",))
    assert {each.facts["id"]: each.verdict for each in of(given, "network")} == {
        subnet: "ok", "vsw-none": "missing", "sg-none": "missing",
    }  # fmt: skip
    for each in ground.account.things.of("vpc", BEIJING):
        ground.account.things.remove(each)
    assert [each.verdict for each in of(ground.provider(), "network")] == ["warning"]


def test_a_region_that_is_none_is_missing(ground: Ground) -> None:
    (found,) = of(ground.provider(), "region", "cn-nowhere")
    assert (found.verdict, found.facts["region"]) == ("missing", "cn-nowhere")


# --- credentials ---


def test_wrong_credentials_are_told_in_the_clouds_words(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    sign_in("alibaba", monkeypatch, secret="another")
    (found,) = ground.provider().check(BEIJING)
    assert (found.code, found.verdict) == ("identity", "missing")
    assert "SignatureDoesNotMatch" in str(found.words)
    with pytest.raises(CloudFault) as met:
        ground.provider().cloud(BEIJING).find(Query(owner=OWNER))
    assert met.value.kind == "auth"


def test_expired_credentials_are_told_as_that(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    from alibabacloud_credentials.utils import auth_util

    ground.lab.dialect.tokens["session"] = ground.clock.now()
    monkeypatch.setattr(auth_util, "environment_security_token", "session")
    (found,) = ground.provider().check(BEIJING)
    assert (found.verdict, "InvalidSecurityToken.Expired" in str(found.words)) == ("missing", True)


def test_half_of_credentials_are_told_by_what_they_lack(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from alibabacloud_credentials.utils import auth_util

    alone(monkeypatch, tmp_path)
    monkeypatch.setenv("ALIBABA_CLOUD_ACCESS_KEY_ID", "AKID")
    monkeypatch.setattr(auth_util, "environment_access_key_id", "AKID")
    assert lonely().credentials() == "environment"
    (found,) = lonely().check(BEIJING)
    assert (found.verdict, "accessKeySecret" in str(found.words)) == ("missing", True)


def test_no_credentials_are_none_and_nothing_is_asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    alone(monkeypatch, tmp_path)
    assert lonely().credentials() is None
    with pytest.raises(CloudFault) as met:
        lonely().regions()
    assert (met.value.kind, met.value.sent) == ("auth", "no")


def test_a_profile_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    alone(monkeypatch, tmp_path)
    folder = tmp_path / ".alibabacloud"
    folder.mkdir()
    (folder / "credentials.ini").write_text(
        f"[default]\ntype = access_key\naccess_key_id = AKID\naccess_key_secret = {SECRET}\n"
    )
    assert lonely().credentials() == "profile default"


def test_an_account_is_opened_without_a_word_to_anybody_and_without_the_sdk(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "import tradewind.clouds.alibaba.provider\n"
        "sdks = ('alibabacloud', 'darabonba', 'Tea', 'requests')\n"
        "assert not [name for name in sys.modules if name.startswith(sdks)]\n"
        "sys.modules['alibabacloud_tea_openapi'] = None\n"
        "from tradewind.ports.cloud import CloudSettings\n"
        "try: tradewind.clouds.alibaba.provider.connect(CloudSettings(), 'o', None, None)\n"
        "except ModuleNotFoundError as error: print('missing', error.name)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.stdout.strip() == "missing alibabacloud_tea_openapi", run.stderr


# --- policy ---


def test_the_policy_lets_only_what_is_ours_be_made_and_changed(ground: Ground) -> None:
    told = ground.provider(role="trainer").policy()
    assert told == document(OWNER, "trainer")
    look, make, change, untagged, hand = told["Statement"]
    assert "Condition" not in look
    assert "Condition" not in untagged
    assert untagged["Action"] == ["vpc:CreateSnatEntry"]
    assert make["Condition"] == {"StringEquals": {"acs:RequestTag/tradewind:owner": [OWNER]}}
    assert change["Condition"] == {"StringEquals": {"acs:ResourceTag/tradewind:owner": [OWNER]}}
    assert (make["Action"], change["Action"]) == (sorted(MAKES), sorted(CHANGES))
    assert (hand["Action"], hand["Resource"]) == (["ram:PassRole"], "acs:ram:*:*:role/trainer")
    assert len(document(OWNER)["Statement"]) == 4


def test_by_the_policy_nothing_is_ended_that_another_installation_started(ground: Ground) -> None:
    _, theirs = ground.rented(owner=ELSE)
    ground.account.policy = ground.provider().policy()
    api = Api(ground.lab.endpoints, ground.clock.now)
    for action, query in (("DeleteInstances", {"InstanceId.1": theirs}), ("StopInstance", {"InstanceId": theirs})):
        place = {"RegionId": BEIJING} if action == "DeleteInstances" else {}
        with pytest.raises(CloudFault) as met:
            api.ask("ecs", BEIJING, action, **query, **place)
        assert met.value.kind == "auth"
    assert [each.id for each in ground.account.fleet.all(BEIJING)] == [theirs]


def test_every_action_of_the_policy_is_a_published_operation() -> None:
    published = {f"{service}:{operation}" for (_, operation), (service, _) in described().items()}
    assert published >= ACTIONS


def test_renting_needs_all_of_the_policy_and_nothing_else(ground: Ground) -> None:
    provider = ground.provider(network="private", role="trainer")
    ground.account.roles.add("trainer")
    ground.account.policy = provider.policy()
    provider.regions()
    provider.check(BEIJING)
    network, cloud = provider.network(BEIJING), provider.cloud(BEIJING)
    reached = ground.made(network, order(instance_type="private")).ids[0]
    network.admit(reached, "198.51.100.1/32")
    ready = cloud.complete(order(network=reached, instance_type="ecs.g7.large"))
    cloud.quote(ready)
    machine = cloud.launch(cloud.complete(order(network=reached))).ids[0]
    cloud.find(Query(owner=OWNER))
    cloud.extend(machine, ground.clock.now())
    cloud.console(machine)
    cloud.stop(machine)
    cloud.resize(machine, "ecs.gn7e-c16g1.4xlarge")
    cloud.start(machine)
    cloud.leftovers(Query(owner=OWNER, lease=ready.lease))
    for _ in range(2):  # what is not there carries no tag, so that its end is refused
        cloud.end((machine, "d-none", "eni-none", "eip-none"))
    network.end((reached,))
    assert network.find(Query(owner=OWNER)).instances == ()
    asked = rights(ground.lab.asked())
    assert asked <= ACTIONS
    assert ACTIONS - asked == {"ecs:DescribeSpotPriceHistory"}  # asked by the prices alone
