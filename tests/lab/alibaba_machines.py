"""Machines of the Alibaba Cloud of the lab: how they are listed, ended, stopped, started and changed."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from typing import Any

from lab.alibaba_account import Account, dry, flag, minute, missing, page, plays, second, wanted
from lab.alibaba_order import check_stock, release_time
from lab.engine import Call, Refused, Told
from lab.fleet import Phase, Rented

WORDS = {
    Phase.PENDING: "Pending", Phase.STARTING: "Starting", Phase.RUNNING: "Running", Phase.STOPPING: "Stopping",
    Phase.STOPPED: "Stopped", Phase.ENDING: "Stopping",
}  # fmt: skip


@plays(
    "ecs:DescribeInstances", "InstanceIds", "Tag", "Status", "ZoneId", "VpcId", "VSwitchId", "SecurityGroupId",
    "InstanceType", "InstanceChargeType", "LockReason",
)  # fmt: skip
def describe_instances(account: Account, call: Call) -> Told:
    """What the list shows by now; an empty list of ids finds nothing."""
    asked, rows = call.asked, account.fleet.listed(call.region)
    if "InstanceIds" in asked:
        ids = json.loads(asked["InstanceIds"])
        if len(ids) > 100:
            raise Refused(400, "InvalidParameter.InstanceIds", "The number of InstanceIds exceeds the limit of 100.")
        rows = [each for each in rows if each.id in ids]
    rows = [each for each in rows if wanted(asked, each.tags)]
    told = {each.id: _told(account, each) for each in rows}
    rows = [each for each in rows if _matches(asked, told[each.id])]
    shown, paging = page(call, rows, lambda each: each.number)
    dry(call)
    return {"Instances": {"Instance": [told[each.id] for each in shown]}, **paging}


@plays("ecs:DeleteInstances", "InstanceId", "Force", "ForceStop", "TerminateSubscription")
def delete_instances(account: Account, call: Call) -> Told:
    """All of them or, where one may not be, none."""
    rows = _several(account, call)
    for each in rows:
        phase = each.phase(account.now())
        if phase is Phase.PENDING:
            raise Refused(403, "IncorrectInstanceStatus.Initializing", "The specified instance is initializing.")
        if flag(each.told, "DeletionProtection"):
            raise Refused(
                403, "InvalidOperation.DeletionProtection", "The operation is not allowed due to deletion protection."
            )
        if phase is not Phase.STOPPED and not flag(call.asked, "Force"):
            raise _incorrect_status()
    dry(call)
    for each in rows:
        account.fleet.end(each)
    return {}


@plays("ecs:StopInstances", "InstanceId", "StoppedMode", "ForceStop")
def stop_instances(account: Account, call: Call) -> Told:
    """Stopped; with ``StopCharging`` they give back what others can rent."""
    rows = _several(account, call)
    if any(each.phase(account.now()) is not Phase.RUNNING for each in rows):
        raise _incorrect_status()
    dry(call)
    frees = call.asked.get("StoppedMode") == "StopCharging"
    for each in rows:
        account.fleet.stop(each, frees_compute=frees)
        if frees:
            account.market.take(each.guest.zone, each.machine_type, -1)
    return _changed(rows, "Running", "Stopping")


@plays("ecs:StartInstances", "InstanceId")
def start_instances(account: Account, call: Call) -> Told:
    """Started, if there is room for those that gave theirs back."""
    rows = _several(account, call)
    for each in rows:
        if each.phase(account.now()) is not Phase.STOPPED:
            raise _incorrect_status()
        if each.frees_compute:
            check_stock(account, each.guest.zone, each.machine_type, 1)
        _check_price(account, each)
    dry(call)
    for each in rows:
        if each.frees_compute:
            account.market.take(each.guest.zone, each.machine_type, 1)
        account.fleet.start(each)
    return _changed(rows, "Stopped", "Starting")


@plays("ecs:StopInstance", "InstanceId", "StoppedMode", "ForceStop")
def stop_instance(account: Account, call: Call) -> Told:
    """One of them."""
    stop_instances(account, _of_one(call))
    return {}


@plays("ecs:StartInstance", "InstanceId")
def start_instance(account: Account, call: Call) -> Told:
    """One of them."""
    start_instances(account, _of_one(call))
    return {}


@plays("ecs:ModifyInstanceSpec", "InstanceId", "InstanceType")
def modify_instance_spec(account: Account, call: Call) -> Told:
    """Another type, of a stopped machine that is no spot machine."""
    rented, wanted_type = _one(account, call), call.asked["InstanceType"]
    if rented.spot:
        raise Refused(
            403, "InvalidInstanceChargeType.ValueNotSupported", "The operation is not permitted for spot instances."
        )
    if rented.phase(account.now()) is not Phase.STOPPED:
        raise _incorrect_status()
    if rented.guest.zone not in account.market.offers(rented.guest.region, wanted_type):
        raise Refused(403, "InvalidInstanceType.ValueNotSupported", "The specified InstanceType is not supported.")
    check_stock(account, rented.guest.zone, wanted_type, 1)
    dry(call)
    if not rented.frees_compute:
        account.market.take(rented.guest.zone, rented.machine_type, -1)
        account.market.take(rented.guest.zone, wanted_type, 1)
    rented.machine_type = wanted_type
    return {}


@plays("ecs:ModifyInstanceAutoReleaseTime", "InstanceId", "AutoReleaseTime")
def modify_instance_auto_release_time(account: Account, call: Call) -> Told:
    """Another hard end; none when it is left out."""
    rented = _one(account, call)
    rented.hard_end = release_time(call.asked.get("AutoReleaseTime"), account.now())
    return {}


@plays("ecs:GetInstanceConsoleOutput", "InstanceId", "RemoveSymbols")
def get_instance_console_output(account: Account, call: Call) -> Told:
    """What it wrote, in base64."""
    rented = _one(account, call)
    written = base64.b64encode(account.fleet.console(rented)).decode()
    return {"InstanceId": rented.id, "ConsoleOutput": written, "LastUpdateTime": second(account.now())}


def _told(account: Account, rented: Rented) -> Told:
    """A machine as DescribeInstances tells it."""
    asked, kind = rented.told, account.market.types[rented.machine_type]
    phase, bandwidth = rented.phase(account.now()), int(asked.get("InternetMaxBandwidthOut", 0))
    locks = [{"LockReason": "Recycling"}] if rented.reclaim_at else []
    here = [rented.address]
    return {
        "InstanceId": rented.id, "InstanceName": asked.get("InstanceName", rented.id), "Status": WORDS[phase],
        "RegionId": rented.guest.region, "ZoneId": rented.guest.zone, "InstanceType": rented.machine_type,
        "ImageId": asked["ImageId"], "Cpu": kind.cpus, "Memory": int(kind.memory_gib * 1024), "GPUAmount": kind.gpus,
        "GPUSpec": kind.gpu, "CreationTime": minute(rented.launched_at), "StartTime": minute(rented.launched_at),
        "ExpiredTime": "2099-12-31T15:59Z", "AutoReleaseTime": minute(rented.hard_end),
        "InstanceChargeType": "PostPaid", "InstanceNetworkType": "vpc", "IoOptimized": True, "OSType": "linux",
        "SpotStrategy": asked.get("SpotStrategy", "NoSpot") if rented.spot else "NoSpot",
        "SpotPriceLimit": float(asked.get("SpotPriceLimit", 0)), "SpotDuration": int(asked.get("SpotDuration", 1)),
        "StoppedMode": _stopped_mode(rented, phase), "DeletionProtection": flag(asked, "DeletionProtection"),
        "InternetMaxBandwidthOut": bandwidth, "InternetChargeType": asked.get("InternetChargeType", "PayByTraffic"),
        "PublicIpAddress": {"IpAddress": here if bandwidth else []},
        "InnerIpAddress": {"IpAddress": []}, "EipAddress": {"AllocationId": "", "IpAddress": ""},
        "VpcAttributes": {
            "VpcId": asked["Subnet"].told["VpcId"], "VSwitchId": asked["Subnet"].id, "NatIpAddress": "",
            "PrivateIpAddress": {"IpAddress": here},
        },
        "SecurityGroupIds": {"SecurityGroupId": asked["SecurityGroupIds"]}, "OperationLocks": {"LockReason": locks},
        "MetadataOptions": {"HttpEndpoint": "enabled", "HttpTokens": asked.get("HttpTokens", "optional")},
        "Tags": {"Tag": [{"TagKey": key, "TagValue": value} for key, value in rented.tags.items()]},
    }  # fmt: skip


def _stopped_mode(rented: Rented, phase: Phase) -> str:
    if phase is not Phase.STOPPED:
        return "Not-applicable"
    return "StopCharging" if rented.frees_compute else "KeepCharging"


def _matches(asked: dict[str, Any], told: Told) -> bool:
    """Whether a machine is what the filters ask for."""
    plain = ("Status", "ZoneId", "InstanceType", "InstanceChargeType")
    return (
        all(asked.get(name, told[name]) == told[name] for name in plain)
        and all(asked.get(name) in (None, told["VpcAttributes"][name]) for name in ("VpcId", "VSwitchId"))
        and asked.get("SecurityGroupId") in (None, *told["SecurityGroupIds"]["SecurityGroupId"])
        and ("LockReason" not in asked or {"LockReason": asked["LockReason"]} in told["OperationLocks"]["LockReason"])
    )


def _several(account: Account, call: Call) -> list[Rented]:
    """The machines of ``InstanceId.n``; one that is not there refuses them all."""
    rows = [account.fleet.get(id_, call.region) for id_ in call.asked["InstanceId"]]
    found = [each for each in rows if each is not None]
    if len(found) < len(rows):
        raise missing("InstanceId", "InvalidInstanceId.NotFound")
    return found


def _one(account: Account, call: Call) -> Rented:
    """The machine of ``InstanceId``."""
    return _several(account, _of_one(call))[0]


def _of_one(call: Call) -> Call:
    return replace(call, asked={**call.asked, "InstanceId": [call.asked["InstanceId"]]})


def _changed(rows: list[Rented], before: str, now: str) -> Told:
    told = [
        {"InstanceId": each.id, "Code": "200", "Message": "success", "PreviousStatus": before, "CurrentStatus": now}
        for each in rows
    ]
    return {"InstanceResponses": {"InstanceResponse": told}}


def _check_price(account: Account, rented: Rented) -> None:
    """A spot machine starts again only while its limit is above the price."""
    limit = rented.told.get("SpotPriceLimit")
    price = account.market.spot_price(rented.guest.region, rented.guest.zone, rented.machine_type, account.now())
    if rented.spot and limit is not None and float(limit) < price:
        raise Refused(
            403, "OperationDenied.SpotPriceLowerThanPublicPrice", "The price limit is below the public price."
        )


def _incorrect_status() -> Refused:
    return Refused(
        403, "IncorrectInstanceStatus", "The current status of the resource does not support this operation."
    )
