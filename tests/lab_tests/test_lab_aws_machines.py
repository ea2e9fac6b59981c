"""Machines of the AWS of the lab: launched, listed, ended, stopped, changed, asked by boto3."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from lab.aws_front import AwsFront
from lab.control import BootFault, Control, Fault, Kind
from lab.machines import NoHypervisor

from lab_tests.aws_asking import LOST, REGION, TYPE, ZONE, Asking


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
    with AwsFront(machines, control, clock=clock) as cloud:
        yield Asking(cloud)


@pytest.fixture(scope="module")
def busy() -> Iterator[Asking]:
    """A cloud that many tests launch at, each by a token of its own."""
    with AwsFront(NoHypervisor(), Control()) as cloud:
        yield Asking(cloud)


def launched(ask: Asking, token: str) -> int:
    """How many machines there are of a token."""
    return len(ask.machines(Filters=[{"Name": "tag:tradewind:token", "Values": [token]}]))


def test_a_machine_is_told_as_it_was_ordered(ask: Asking) -> None:
    told = ask("ec2:run_instances", **ask.order("t-1", spot=True))["Instances"][0]
    assert (told["State"]["Name"], told.get("PublicIpAddress")) == ("pending", None)
    told = ask.machines(Filters=[{"Name": "tag:tradewind:token", "Values": ["t-1"]}])[told["InstanceId"]]
    assert (told["State"]["Name"], told["InstanceType"], told["InstanceLifecycle"]) == ("running", TYPE, "spot")
    assert told["Placement"]["AvailabilityZoneId"] == ZONE
    assert told["PublicIpAddress"] == told["PrivateIpAddress"]
    assert {each["Key"]: each["Value"] for each in told["Tags"]} == {"tradewind:owner": "me", "tradewind:token": "t-1"}
    asked = {"Filters": [{"Name": "tag:tradewind:token", "Values": ["t-1"]}]}
    assert [each["Size"] for each in ask("ec2:describe_volumes", **asked)["Volumes"]] == [100]
    assert len(ask("ec2:describe_network_interfaces", **asked)["NetworkInterfaces"]) == 1
    requests = ask("ec2:describe_spot_instance_requests", **asked)["SpotInstanceRequests"]
    assert [each["SpotInstanceRequestId"] for each in requests] == [told["SpotInstanceRequestId"]]


def test_a_machine_without_a_public_address_tells_none(ask: Asking) -> None:
    interface = {"DeviceIndex": 0, "SubnetId": ask.subnet(), "AssociatePublicIpAddress": False}
    id_ = ask.launch("t-1", NetworkInterfaces=[interface])
    told = ask.machines()[id_]
    assert "PublicIpAddress" not in told
    assert told["PrivateIpAddress"].startswith("127.77.")


def test_user_data_arrives_as_it_was_sent(ask: Asking, machines: NoHypervisor) -> None:
    text = "#!/bin/sh\necho 等保\n"
    id_ = ask.launch("t-1", UserData=text)
    guest, _ = machines.guests[id_]
    assert guest.user_data == text.encode()
    assert (guest.shutdown, guest.token_required, guest.gpu, guest.gpus) == ("terminate", True, "Tesla T4", 1)


def test_one_token_makes_one_machine(ask: Asking) -> None:
    order = ask.order("t-1")
    with ThreadPoolExecutor(4) as pool:
        told = list(pool.map(lambda _: ask("ec2:run_instances", **order), range(4)))
    assert len({each["Instances"][0]["InstanceId"] for each in told}) == 1
    assert len(ask.machines()) == 1
    assert ask.no("ec2:run_instances", **(order | {"InstanceType": "g5.xlarge"})) == "IdempotentParameterMismatch"


@pytest.mark.parametrize("changes, code", [
    ({"UserData": "x" * 16385}, "InvalidParameterValue"),
    ({"ImageId": "ami-12345678"}, "InvalidAMIID.NotFound"),
    ({"InstanceType": "g9.none"}, "InvalidParameterValue"),
    ({"InstanceType": "p5.48xlarge", "Placement": {"AvailabilityZoneId": "use1-az3"}}, "InvalidParameterValue"),
    ({"IamInstanceProfile": {"Name": "nobody"}}, "InvalidParameterValue"),
    ({"DryRun": True}, "DryRunOperation"),
    ({"InstanceMarketOptions": {"MarketType": "spot", "SpotOptions": {"MaxPrice": "0.01"}}}, "SpotMaxPriceTooLow"),
    ({"InstanceMarketOptions": {"MarketType": "spot", "SpotOptions": {"SpotInstanceType": "persistent"}}},
     "InvalidParameterCombination"),
])  # fmt: skip
def test_what_moto_lets_pass_is_refused(busy: Asking, changes: dict[str, Any], code: str) -> None:
    assert busy.no("ec2:run_instances", **busy.order("refused", **changes)) == code
    assert launched(busy, "refused") == 0


def test_what_is_sold_out_or_over_the_quota_is_refused(ask: Asking) -> None:
    ask.cloud.account.stock[ZONE, TYPE] = 1
    first = ask.launch("t-1")
    assert ask.no("ec2:run_instances", **ask.order("t-2")) == "InsufficientInstanceCapacity"
    ask("ec2:terminate_instances", InstanceIds=[first])
    ask.launch("t-2")
    ask.cloud.account.stock.clear()
    ask.cloud.account.quotas[REGION, "L-DB2E81BA"] = 4
    assert ask.no("ec2:run_instances", **ask.order("t-3")) == "VcpuLimitExceeded"
    ask.cloud.account.quotas[REGION, "L-3819A6DF"] = 3
    assert ask.no("ec2:run_instances", **ask.order("t-4", spot=True)) == "MaxSpotInstanceCountExceeded"


@pytest.mark.parametrize("kind, code, made", [
    ("capacity", "InsufficientInstanceCapacity", False), ("quota", "VcpuLimitExceeded", False),
    ("money", "Blocked", False), ("auth", "UnauthorizedOperation", False), ("throttle", "RequestLimitExceeded", False),
    ("price-cap", "SpotMaxPriceTooLow", False), ("error-before", "InternalError", False),
    ("error-after", "InternalError", True), ("lost-answer", LOST, True), ("dropped", LOST, False),
])  # fmt: skip
def test_a_launch_meets_a_fault(busy: Asking, kind: Kind, code: str, made: bool) -> None:
    busy.cloud.control.add(Fault(kind, "aws", "RunInstances"))
    order = busy.order(kind)
    assert busy.no("ec2:run_instances", **order) == code
    assert launched(busy, kind) == made
    assert busy("ec2:run_instances", **order)["Instances"]
    assert launched(busy, kind) == 1


def test_a_dry_run_is_no_launch_that_a_fault_counts(ask: Asking, control: Control) -> None:
    control.add(Fault("capacity", "aws", "RunInstances"))
    assert ask.no("ec2:run_instances", **ask.order("t-1", DryRun=True)) == "DryRunOperation"
    assert ask.no("ec2:run_instances", **ask.order("t-1")) == "InsufficientInstanceCapacity"


def test_a_fault_is_met_in_its_zone_alone(ask: Asking, control: Control) -> None:
    control.add(Fault("capacity", "aws", "RunInstances", zone=ZONE, times=0))
    assert ask.no("ec2:run_instances", **ask.order("t-1")) == "InsufficientInstanceCapacity"
    elsewhere = {"DeviceIndex": 0, "SubnetId": ask.subnet("use1-az2")}
    assert ask.launch("t-1", NetworkInterfaces=[elsewhere], Placement={"AvailabilityZoneId": "use1-az2"})


def test_what_is_launched_is_listed_late_and_known_late(ask: Asking, control: Control, clock: Clock) -> None:
    control.set("aws", list_lag_s=30)
    id_ = ask.launch("t-1")
    assert ask.machines() == {}
    assert ask.no("ec2:terminate_instances", InstanceIds=[id_]) == "InvalidInstanceID.NotFound"
    clock.pass_(seconds=31)
    assert set(ask.machines()) == {id_}


def test_states_change_as_slowly_as_they_are_told_to(ask: Asking, control: Control, clock: Clock) -> None:
    control.set("aws", state_delay_s=20)
    id_ = ask.launch("t-1")
    assert ask.state(id_) == "pending"
    clock.pass_(seconds=21)
    assert ask.state(id_) == "running"
    ask("ec2:terminate_instances", InstanceIds=[id_])
    assert ask.state(id_) == "shutting-down"
    clock.pass_(seconds=21)
    assert ask.state(id_) == "terminated"


def test_disks_and_interfaces_go_with_their_machine_unless_they_were_to_stay(ask: Asking) -> None:
    disk = {"DeviceName": "/dev/sdf", "Ebs": {"VolumeSize": 50, "DeleteOnTermination": False}}
    ids = [ask.launch("t-1"), ask.launch("t-2", BlockDeviceMappings=[*ask.order("")["BlockDeviceMappings"], disk])]
    ask("ec2:terminate_instances", InstanceIds=ids)
    assert [each["Size"] for each in ask("ec2:describe_volumes")["Volumes"]] == [50]
    assert ask("ec2:describe_network_interfaces")["NetworkInterfaces"] == []
    told = ask.machines()[ids[0]]
    assert (told["State"]["Name"], told["StateReason"]["Code"]) == ("terminated", "Client.UserInitiatedShutdown")
    assert told["StateTransitionReason"].startswith("User initiated (20")
    assert ask("ec2:terminate_instances", InstanceIds=ids)["TerminatingInstances"]  # it can be said again


def test_one_unknown_machine_fails_the_end_of_all(ask: Asking) -> None:
    id_ = ask.launch("t-1")
    ids = [id_, "i-0123456789abcdef0"]
    assert ask.no("ec2:terminate_instances", InstanceIds=ids) == "InvalidInstanceID.NotFound"
    assert ask.no("ec2:terminate_instances", InstanceIds=["nonsense"]) == "InvalidInstanceID.Malformed"
    assert ask.state(id_) == "running"


def test_a_machine_that_is_protected_does_not_end(ask: Asking) -> None:
    id_ = ask.launch("t-1")
    ask("ec2:modify_instance_attribute", InstanceId=id_, DisableApiTermination={"Value": True})
    assert ask.no("ec2:terminate_instances", InstanceIds=[id_]) == "OperationNotPermitted"
    ask("ec2:modify_instance_attribute", InstanceId=id_, DisableApiTermination={"Value": False})
    ask("ec2:terminate_instances", InstanceIds=[id_])
    assert ask.state(id_) == "terminated"


def test_a_stopped_machine_becomes_another_type_and_an_ended_one_nothing_any_more(
    ask: Asking, machines: NoHypervisor
) -> None:
    id_ = ask.launch("t-1")
    larger = {"InstanceId": id_, "InstanceType": {"Value": "g4dn.2xlarge"}}
    assert ask.no("ec2:modify_instance_attribute", **larger) == "IncorrectInstanceState"
    ask("ec2:stop_instances", InstanceIds=[id_])
    assert (ask.state(id_), machines.alive(id_)) == ("stopped", False)
    ask("ec2:modify_instance_attribute", **larger)
    ask("ec2:start_instances", InstanceIds=[id_])
    assert (ask.machines()[id_]["InstanceType"], machines.alive(id_)) == ("g4dn.2xlarge", True)
    ask("ec2:terminate_instances", InstanceIds=[id_])
    for change in ("ec2:stop_instances", "ec2:start_instances"):
        assert ask.no(change, InstanceIds=[id_]) == "IncorrectInstanceState"
    spot = ask.launch("t-2", spot=True)
    assert ask.no("ec2:stop_instances", InstanceIds=[spot]) == "UnsupportedOperation"


def test_a_machine_that_powers_itself_off_is_told_so(ask: Asking, machines: NoHypervisor) -> None:
    ended, stopped = ask.launch("t-1"), ask.launch("t-2", InstanceInitiatedShutdownBehavior="stop")
    for each in (ended, stopped):
        machines.power_off(each)
    told = ask.machines()
    assert [told[each]["State"]["Name"] for each in (ended, stopped)] == ["terminated", "stopped"]
    assert told[ended]["StateReason"]["Code"] == "Client.InstanceInitiatedShutdown"


def test_a_spot_machine_is_reclaimed_after_a_notice_and_without_one(
    ask: Asking, control: Control, clock: Clock, machines: NoHypervisor
) -> None:
    told, untold = ask.launch("t-1", spot=True), ask.launch("t-2", spot=True)
    control.reclaim(told, 120)
    control.reclaim(untold)
    assert machines.notices[told].told == {"terminate": clock() + timedelta(seconds=120)}
    assert (ask.state(told), ask.state(untold)) == ("running", "terminated")
    clock.pass_(seconds=121)
    found = ask.machines()[told]
    assert (found["State"]["Name"], machines.alive(told)) == ("terminated", False)
    assert found["StateReason"]["Code"] == "Server.SpotInstanceTermination"
    with pytest.raises(KeyError):
        control.reclaim("i-0123456789abcdef0")


def test_a_machine_that_vanishes_is_listed_no_more(ask: Asking, control: Control) -> None:
    id_ = ask.launch("t-1")
    control.vanish(id_)
    assert ask.machines() == {}
    assert control.instances() == []


@pytest.mark.parametrize("kind", ["boots-never", "boots-without-ssh", "host-key-changes"])
def test_a_launch_may_come_to_nothing(busy: Asking, kind: BootFault) -> None:
    busy.cloud.control.add(Fault(kind, "aws", "RunInstances"))
    id_ = busy.launch(kind)
    machines = busy.cloud.machines
    assert isinstance(machines, NoHypervisor)
    assert machines.guests[id_][0].fault == kind
    assert busy.state(id_) == "running"  # as clouds say of machines that never come up


def test_what_ended_is_forgotten_after_an_hour(ask: Asking, clock: Clock) -> None:
    id_ = ask.launch("t-1")
    ask("ec2:terminate_instances", InstanceIds=[id_])
    clock.pass_(minutes=59)
    assert ask.state(id_) == "terminated"
    clock.pass_(minutes=2)
    assert ask.machines() == {}


def test_what_was_accepted_may_fail_later(ask: Asking, control: Control, clock: Clock) -> None:
    control.add(Fault("async-failure", "aws", "RunInstances", seconds=10))
    control.add(Fault("async-failure", "aws", "RunInstances", nth=2, seconds=10, code="Client.InternalError"))
    ids = [ask.launch("t-1"), ask.launch("t-2")]
    clock.pass_(seconds=11)
    told = ask.machines()
    codes = [told[each]["StateReason"]["Code"] for each in ids]
    assert codes == ["Server.InsufficientInstanceCapacity", "Client.InternalError"]
    assert ask("ec2:describe_volumes")["Volumes"] == []


def test_a_list_has_pages_and_one_that_ends_between_shifts_none(ask: Asking) -> None:
    ask.cloud.account.page_size = 5
    ids = [ask.launch(f"t-{number}") for number in range(12)]
    asked = {"Filters": [{"Name": "tag:tradewind:owner", "Values": ["me"]}], "MaxResults": 1000}
    first = ask("ec2:describe_instances", **asked)
    ask("ec2:terminate_instances", InstanceIds=ids[:1])
    assert len(first["Reservations"]) == 5
    assert list(ask.machines(**asked)) == ids


def test_what_it_wrote_to_its_console_is_told(ask: Asking, machines: NoHypervisor) -> None:
    id_ = ask.launch("t-1")
    assert "Output" not in ask("ec2:get_console_output", InstanceId=id_)
    machines.consoles[id_] = b"Welcome"
    assert ask("ec2:get_console_output", InstanceId=id_)["Output"] == "Welcome"  # boto3 decodes it


def test_a_spot_price_above_the_cap_refuses_and_one_below_does_not(ask: Asking) -> None:
    ask.cloud.account.spot[ZONE, TYPE] = Decimal("0.3")
    capped: dict[str, Any] = {"InstanceMarketOptions": {"MarketType": "spot", "SpotOptions": {"MaxPrice": "0.29"}}}
    assert ask.no("ec2:run_instances", **ask.order("t-1", **capped)) == "SpotMaxPriceTooLow"
    ask.cloud.account.spot[ZONE, TYPE] = Decimal("0.29")
    assert ask.launch("t-1", **capped)
