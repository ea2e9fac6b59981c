"""Machines of the Alibaba Cloud of the lab: launched, listed, ended, stopped, changed, asked by the cloud's own SDK."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from lab.alibaba import AlibabaCloud
from lab.alibaba_asking import LOST, REGION, TYPE, ZONE, Asking, ids
from lab.control import Control, Fault, Kind
from lab.machines import NoHypervisor


class Clock:
    """The cloud's time, which a test moves on."""

    def __init__(self) -> None:
        self.at = datetime.now(UTC)

    def __call__(self) -> datetime:
        return self.at

    def pass_(self, **time: float) -> None:
        self.at += timedelta(**time)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def control() -> Control:
    return Control()


@pytest.fixture
def machines() -> NoHypervisor:
    return NoHypervisor()


@pytest.fixture
def ask(clock: Clock, control: Control, machines: NoHypervisor) -> Iterator[Asking]:
    with AlibabaCloud(machines, control, clock=clock) as cloud:
        yield Asking(cloud)


def test_a_machine_is_told_as_it_was_ordered(ask: Asking) -> None:
    spot = {"SpotStrategy": "SpotWithPriceLimit", "SpotPriceLimit": "4.5", "SpotDuration": "0"}
    disk = {"DataDisk__1__Size": "200", "DataDisk__1__DeleteWithInstance": "true", "DataDisk__1__Encrypted": "true"}
    id_ = ask.launch("t-1", **spot, **disk, InternetMaxBandwidthOut="100", HttpTokens="required")
    told = ask.machines()[id_]
    assert (told["Status"], told["ZoneId"], told["InstanceType"]) == ("Running", ZONE, TYPE)
    assert (told["SpotStrategy"], told["SpotPriceLimit"], told["SpotDuration"]) == ("SpotWithPriceLimit", 4.5, 0)
    assert told["PublicIpAddress"]["IpAddress"] == told["VpcAttributes"]["PrivateIpAddress"]["IpAddress"]
    assert {each["TagKey"]: each["TagValue"] for each in told["Tags"]["Tag"]}["tradewind:token"] == "t-1"
    disks = ask("ecs:DescribeDisks", InstanceId=id_)["Disks"]["Disk"]
    assert [(each["Type"], each["Size"], each["Encrypted"]) for each in disks] == [
        ("system", 40, False),
        ("data", 200, True),
    ]
    assert all({"TagKey": "tradewind:owner", "TagValue": "o-1"} in each["Tags"]["Tag"] for each in disks)


def test_what_runs_at_the_first_boot_arrives_byte_by_byte(ask: Asking) -> None:
    text = bytes(range(256)) * 128  # 32 KiB, the most
    id_ = ask.launch("t-1", UserData=base64.b64encode(text).decode())
    [rented] = ask.cloud.account.fleet.all(REGION)
    assert (rented.id, rented.guest.user_data) == (id_, text)
    assert ask.no("ecs:RunInstances", **ask.order("t-2", UserData=base64.b64encode(text + b"x").decode())) == (
        "InvalidUserData.SizeExceeded"
    )


def test_the_same_token_makes_one_machine_and_another_order_with_it_is_refused(ask: Asking) -> None:
    order = ask.order("t-1")
    with ThreadPoolExecutor(4) as threads:
        told = list(threads.map(lambda _: ask("ecs:RunInstances", **order)["InstanceIdSets"], range(4)))
    assert all(each == told[0] for each in told)
    assert len(ask.machines()) == 1
    assert ask.no("ecs:RunInstances", **{**order, "InternetMaxBandwidthOut": "5"}) == "IdempotentParameterMismatch"


def test_a_machine_takes_its_time_to_be_listed_to_start_and_to_end(ask: Asking, control: Control, clock: Clock) -> None:
    control.set("alibaba", list_lag_s=30, state_delay_s=20)
    id_ = ask.launch("t-1")
    assert ask.machines() == {}
    assert ask.no("ecs:DeleteInstances", InstanceId__1=id_, Force="true") == "IncorrectInstanceStatus.Initializing"
    clock.pass_(seconds=31)
    seen = [ask.machines()[id_]["Status"]]
    assert ask.no("ecs:DeleteInstances", InstanceId__1=id_) == "IncorrectInstanceStatus"
    ask.end(id_)
    seen.append(ask.machines()[id_]["Status"])
    clock.pass_(seconds=20)
    assert (seen, ask.machines()) == (["Running", "Stopping"], {})
    assert ask.no("ecs:DeleteInstances", InstanceId__1=id_, Force="true") == "InvalidInstanceId.NotFound"


@pytest.mark.parametrize(("passed", "status"), [(0, "Pending"), (11, "Starting"), (21, "Running")])
def test_a_machine_is_pending_then_starting_then_running(
    ask: Asking, control: Control, clock: Clock, passed: float, status: str
) -> None:
    control.set("alibaba", state_delay_s=20)
    id_ = ask.launch("t-1")
    clock.pass_(seconds=passed)
    assert ask.machines()[id_]["Status"] == status


def test_pages_lose_and_double_nothing_while_machines_end_in_between(ask: Asking) -> None:
    ask("ecs:RunInstances", **ask.order("t-1", Amount="100"))
    ask("ecs:RunInstances", **ask.order("t-2", Amount="70"))
    all_ids = [each.id for each in ask.cloud.account.fleet.all(REGION)]
    seen: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        told = ask("ecs:DescribeInstances", MaxResults="50", **cursor)
        seen += [each["InstanceId"] for each in told["Instances"]["Instance"]]
        if not told["NextToken"]:
            break
        cursor = {"NextToken": told["NextToken"]}
        ask.end(seen[0]) if len(seen) == 50 else None
    assert seen == all_ids
    assert ask.machines(InstanceIds=ids([])) == {}
    assert list(ask.machines(InstanceIds=ids(all_ids[1:3]))) == all_ids[1:3]


def test_one_bad_id_keeps_a_whole_batch_from_ending(ask: Asking) -> None:
    id_ = ask.launch("t-1")
    assert ask.no("ecs:DeleteInstances", InstanceId__1=id_, InstanceId__2="i-none", Force="true") == (
        "InvalidInstanceId.NotFound"
    )
    assert list(ask.machines()) == [id_]


def test_a_protected_machine_does_not_end(ask: Asking) -> None:
    id_ = ask.launch("t-1", DeletionProtection="true")
    assert ask.no("ecs:DeleteInstances", InstanceId__1=id_, Force="true") == "InvalidOperation.DeletionProtection"


def test_what_was_not_to_go_with_a_machine_stays_behind(ask: Asking) -> None:
    second = {"NetworkInterface__1__VSwitchId": ask.subnet(ZONE), "NetworkInterface__1__DeleteOnRelease": "false"}
    id_ = ask.launch("t-1", DataDisk__1__Size="100", DataDisk__1__DeleteWithInstance="false", **second)
    ask.end(id_)
    [disk] = ask("ecs:DescribeDisks")["Disks"]["Disk"]
    [interface] = ask("ecs:DescribeNetworkInterfaces")["NetworkInterfaceSets"]["NetworkInterfaceSet"]
    assert (disk["Type"], disk["Status"], interface["Status"]) == ("data", "Available", "Available")
    ask("ecs:DeleteDisk", DiskId=disk["DiskId"])
    ask("ecs:DeleteNetworkInterface", NetworkInterfaceId=interface["NetworkInterfaceId"])
    assert ask("ecs:DescribeDisks")["Disks"]["Disk"] == []


def test_a_hard_end_is_at_least_half_an_hour_away_and_really_ends_the_machine(ask: Asking, clock: Clock) -> None:
    def at(**ahead: float) -> str:
        return f"{clock.at + timedelta(**ahead):%Y-%m-%dT%H:%M:%SZ}"

    for wrong in (at(minutes=29), "2026-11-22T10:00Z", at(days=4 * 365)):
        assert (
            ask.no("ecs:RunInstances", **ask.order("t-0", AutoReleaseTime=wrong)) == "InvalidAutoReleaseTime.Malformed"
        )
    first, second = ask.launch("t-1", AutoReleaseTime=at(minutes=40)), ask.launch("t-2", AutoReleaseTime=at(minutes=40))
    ask("ecs:ModifyInstanceAutoReleaseTime", InstanceId=second, AutoReleaseTime=at(hours=3))
    clock.pass_(minutes=41)
    assert list(ask.machines()) == [second]
    ask("ecs:ModifyInstanceAutoReleaseTime", InstanceId=second)
    clock.pass_(hours=4)
    assert ask.machines()[second]["AutoReleaseTime"] == ""
    assert first not in ask.machines()


def test_a_reclaim_is_announced_in_the_list_and_to_the_machine_and_then_done(
    ask: Asking, control: Control, clock: Clock, machines: NoHypervisor
) -> None:
    id_ = ask.launch("t-1", SpotStrategy="SpotAsPriceGo")
    control.reclaim(id_, 300)
    assert ask.machines()[id_]["OperationLocks"]["LockReason"] == [{"LockReason": "Recycling"}]
    assert ask.machines(LockReason="Recycling").keys() == {id_}
    assert machines.notices[id_].told["terminate"] == clock.at + timedelta(seconds=300)
    clock.pass_(seconds=300)
    assert ask.machines() == {}
    assert not machines.alive(id_)


def test_a_machine_that_turns_itself_off_is_stopped_and_goes_on_costing(ask: Asking, machines: NoHypervisor) -> None:
    id_ = ask.launch("t-1")
    machines.power_off(id_)
    told = ask.machines()[id_]
    assert (told["Status"], told["StoppedMode"]) == ("Stopped", "KeepCharging")


def test_a_stopped_machine_gives_back_its_place_only_when_it_is_asked_to(ask: Asking) -> None:
    stock = ask.cloud.account.market.stock
    stock[ZONE, TYPE] = 1
    id_ = ask.launch("t-1")
    assert ask.no("ecs:RunInstances", **ask.order("t-2")) == "OperationDenied.NoStock"
    ask("ecs:StopInstance", InstanceId=id_)
    assert stock[ZONE, TYPE] == 0
    ask("ecs:StartInstances", InstanceId__1=id_)
    ask("ecs:StopInstances", InstanceId__1=id_, StoppedMode="StopCharging")
    assert ask.machines()[id_]["StoppedMode"] == "StopCharging"
    other = ask.launch("t-3")
    assert ask.no("ecs:StartInstance", InstanceId=id_) == "OperationDenied.NoStock"
    ask.end(other)
    ask("ecs:StartInstance", InstanceId=id_)
    assert stock[ZONE, TYPE] == 0
    ask.end(id_)
    assert stock[ZONE, TYPE] == 1


def test_only_a_stopped_machine_that_is_not_spot_becomes_another(ask: Asking) -> None:
    id_, spot = ask.launch("t-1"), ask.launch("t-2", SpotStrategy="SpotAsPriceGo")
    assert ask.no("ecs:ModifyInstanceSpec", InstanceId=id_, InstanceType="ecs.g7.large") == "IncorrectInstanceStatus"
    ask("ecs:StopInstances", InstanceId__1=id_, InstanceId__2=spot, StoppedMode="StopCharging")
    assert ask.no("ecs:ModifyInstanceSpec", InstanceId=spot, InstanceType="ecs.g7.large") == (
        "InvalidInstanceChargeType.ValueNotSupported"
    )
    ask("ecs:ModifyInstanceSpec", InstanceId=id_, InstanceType="ecs.g7.large")
    assert ask.machines()[id_]["Cpu"] == 2


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ({"SpotStrategy": "SpotWithPriceLimit", "SpotPriceLimit": "2.859"},
         "InvalidSpotPriceLimit.LowerThanPublicPrice"),
        ({"SpotStrategy": "SpotWithPriceLimit", "SpotPriceLimit": "9.1234"}, "InvalidSpotPriceLimit"),
        ({"SpotStrategy": "SpotWithPriceLimit"}, "InvalidSpotPriceLimit"),
        ({"SpotStrategy": "Cheap"}, "InvalidSpotStrategy"),
        ({"InstanceType": "ecs.none"}, "InvalidInstanceType.ValueNotSupported"),
        ({"InstanceType": "ecs.gn6v-c8g1.2xlarge"}, "InvalidResourceType.NotSupported"),
        ({"ImageFamily": "acs:none"}, "InvalidImageId.NotFound"),
        ({"VSwitchId": "vsw-none"}, "InvalidVSwitchId.NotFound"),
        ({"ZoneId": "cn-beijing-k"}, "InvalidVSwitchId.NotFound"),
        ({"SecurityGroupIds__1": "sg-none"}, "InvalidSecurityGroupId.NotFound"),
        ({"RegionId": "cn-none"}, "InvalidRegionId.NotFound"),
        ({"UserData": "not base64"}, "InvalidUserData.Base64FormatInvalid"),
        ({"Tag__1__Key": "acs:mine"}, "InvalidTagKey.Malformed"),
        ({"Tag__2__Key": "tradewind:owner"}, "Duplicate.TagKey"),
        ({"SystemDisk__Category": "floppy"}, "InvalidSystemDiskCategory.ValueNotSupported"),
        ({"SystemDisk__KMSKeyId": "key-none"}, "InvalidParameter.KMSKeyId.CMKUnauthorized"),
        ({"ClientToken": "x" * 65}, "InvalidClientToken.ValueNotSupported"),
        ({"DryRun": "true"}, "DryRunOperation"),
    ],
)  # fmt: skip
def test_an_order_that_cannot_be_carried_out_is_refused_in_the_clouds_words(
    ask: Asking, asked: dict[str, str], code: str
) -> None:
    assert ask.no("ecs:RunInstances", **{**ask.order("t-1"), **asked}) == code
    assert ask.cloud.account.fleet.all("") == []


def test_a_spot_order_says_where(ask: Asking) -> None:
    order = {key: value for key, value in ask.order("t-1").items() if key != "VSwitchId"}
    assert ask.no("ecs:RunInstances", **order, SpotStrategy="SpotAsPriceGo") == "InvalidSpotParam.EmptyZoneID"


def test_a_machine_without_a_group_is_objected_to_and_may_be_tried(ask: Asking) -> None:
    order = {key: value for key, value in ask.order("t-1").items() if key != "SecurityGroupIds__1"}
    assert ask.no("ecs:RunInstances", **order, DryRun="true") == "DryRunOperation"
    assert ask.no("ecs:RunInstances", **order) == "InvalidParameter"
    [objection] = ask.cloud.engine.stub.objections
    assert "lets the world in" in objection
    ask.cloud.engine.stub.objections.clear()


def test_more_than_twenty_tags_are_too_many(ask: Asking) -> None:
    more = {f"Tag__{number}__Key": f"k{number}" for number in range(3, 22)}
    assert ask.no("ecs:RunInstances", **ask.order("t-1", **more)) == "NumberExceed.Tags"


def test_an_account_may_lack_money_a_name_a_quota(ask: Asking) -> None:
    account = ask.cloud.account
    account.market.quota[REGION, True] = 8
    ask.launch("t-1", SpotStrategy="SpotAsPriceGo")
    assert ask.no("ecs:RunInstances", **ask.order("t-2", SpotStrategy="SpotAsPriceGo")) == "QuotaExceed.ElasticQuota"
    ask.launch("t-3")  # on demand has a quota of its own
    account.arrears = True
    assert ask.no("ecs:RunInstances", **ask.order("t-4")) == "InvalidAccountStatus.NotEnoughBalance"
    account.unnamed = True
    assert ask.no("ecs:RunInstances", **ask.order("t-5")) == "RealNameAuthenticationError"


def test_who_may_not_list_is_told_that_there_is_nothing_and_a_dry_run_tells(ask: Asking) -> None:
    ask.launch("t-1")
    assert ask.no("ecs:DescribeInstances", DryRun="true") == "DryRunOperation"
    ask.cloud.account.denied |= {"ecs:DescribeInstances", "ecs:RunInstances"}
    assert ask.machines() == {}
    assert ask.no("ecs:DescribeInstances", DryRun="true") == "Forbidden.RAM"
    assert ask.no("ecs:RunInstances", **ask.order("t-2")) == "Forbidden.RAM"


@pytest.mark.parametrize(
    ("kind", "code", "made"),
    [
        ("capacity", "OperationDenied.NoStock", 0), ("quota", "QuotaExceed.ElasticQuota", 0),
        ("money", "InvalidAccountStatus.NotEnoughBalance", 0), ("auth", "Forbidden.RAM", 0),
        ("throttle", "Throttling.User", 0), ("price-cap", "InvalidSpotPriceLimit.LowerThanPublicPrice", 0),
        ("error-before", "ServiceUnavailable", 0), ("dropped", LOST, 0), ("gateway-page", LOST, 0),
        ("error-after", "ServiceUnavailable", 1), ("lost-answer", LOST, 1),
    ],
)  # fmt: skip
def test_every_fault_of_the_lab_is_met_before_or_after_the_effect(
    ask: Asking, control: Control, kind: Kind, code: str, made: int
) -> None:
    order = ask.order("t-1")
    control.add(Fault(kind, "alibaba", "RunInstances"))
    assert ask.no("ecs:RunInstances", **order) == code
    assert len(ask.machines()) == made
    ask("ecs:RunInstances", **order)
    assert len(ask.machines()) == 1


@pytest.mark.parametrize("kind", ["async-failure", "vanishes"])
def test_a_machine_that_was_accepted_may_be_gone_later(ask: Asking, control: Control, clock: Clock, kind: Kind) -> None:
    control.add(Fault(kind, "alibaba", "RunInstances", seconds=60))
    id_ = ask.launch("t-1")
    assert id_ in ask.machines()
    clock.pass_(seconds=60)
    assert ask.machines() == {}
    assert ask("ecs:DescribeDisks")["Disks"]["Disk"] == []


def test_a_spot_machine_costs_what_the_market_says(ask: Asking, clock: Clock) -> None:
    ask.cloud.account.market.spot[ZONE, TYPE] = [(clock.at - timedelta(days=1), Decimal("1.2"))]
    ask.cloud.account.market.spot[ZONE, TYPE].append((clock.at + timedelta(hours=1), Decimal("5")))
    capped = {"SpotStrategy": "SpotWithPriceLimit", "SpotPriceLimit": "2"}
    id_ = ask.launch("t-1", **capped)
    ask("ecs:StopInstance", InstanceId=id_)
    clock.pass_(hours=1)
    assert ask.no("ecs:StartInstance", InstanceId=id_) == "OperationDenied.SpotPriceLowerThanPublicPrice"
    asked = {"InstanceType": TYPE, "ZoneId": ZONE, "SpotStrategy": "SpotAsPriceGo"}
    told = ask("ecs:DescribePrice", ResourceType="instance", PriceUnit="Hour", **asked)["PriceInfo"]["Price"]
    machine = next(each for each in told["DetailInfos"]["DetailInfo"] if each["Resource"] == "instanceType")
    assert (told["Currency"], machine["TradePrice"], machine["OriginalPrice"]) == ("CNY", 5.0, 9.5326)
    history = ask("ecs:DescribeSpotPriceHistory", InstanceType=TYPE, NetworkType="vpc", ZoneId=ZONE)
    assert [each["SpotPrice"] for each in history["SpotPrices"]["SpotPriceType"]] == [1.2, 5.0]
