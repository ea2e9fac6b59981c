"""How EC2 tells of a machine: what moto noted, with the state, the addresses and the reason that it really has."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from lab.aws_account import Account
from lab.fleet import Phase, Rented

STATES: dict[Phase, tuple[int, str]] = {
    Phase.PENDING: (0, "pending"), Phase.STARTING: (0, "pending"), Phase.RUNNING: (16, "running"),
    Phase.STOPPING: (64, "stopping"), Phase.STOPPED: (80, "stopped"), Phase.ENDING: (32, "shutting-down"),
    Phase.ENDED: (48, "terminated"),
}  # fmt: skip
# Why it ended: code and words of the reason, and what stands before the time in the reason of the transition.
_REASONS = {
    "ours": ("Client.UserInitiatedShutdown", "User initiated shutdown", "User initiated"),
    "itself": ("Client.InstanceInitiatedShutdown", "Instance initiated shutdown", ""),
    "reclaimed": ("Server.SpotInstanceTermination", "Spot instance termination", "Server.SpotInstanceTermination"),
    "capacity": ("Server.InsufficientInstanceCapacity", "Server error on launch", "Server error"),
}
_REMEMBERED = timedelta(hours=1)
_ADDRESSES = ("PublicIpAddress", "PublicDnsName", "PrivateIpAddress")


def seen(account: Account, region: str) -> dict[str, tuple[Rented, datetime | None]]:
    """The machines that the list has by now, and since when those that are over are."""
    living: dict[str, tuple[Rented, datetime | None]] = {each.id: (each, None) for each in account.fleet.listed(region)}
    since = account.now() - _REMEMBERED
    return living | {
        id_: (rented, at) for id_, (rented, at) in account.over.items()
        if rented.guest.region == region and at >= since
    }  # fmt: skip


def state(phase: Phase) -> dict[str, Any]:
    """``State`` of a machine."""
    code, name = STATES[phase]
    return {"Code": code, "Name": name}


def shown(told: dict[str, Any], rented: Rented, phase: Phase, at: datetime) -> dict[str, Any]:
    """moto's ``Instance`` as it is; ``at``: when it ended, or now."""
    extras = rented.told
    told = {name: value for name, value in told.items() if name not in (*_ADDRESSES, "StateReason")}
    told |= {"State": state(phase), "ImageId": extras["image"], "InstanceType": rented.machine_type}
    told["LaunchTime"] = rented.launched_at
    told["Placement"] = {**told["Placement"], "AvailabilityZoneId": extras["zone_id"]}
    told["StateTransitionReason"] = ""
    if extras["request"]:
        told["SpotInstanceRequestId"] = extras["request"]
    if phase is not Phase.ENDED:
        told["PrivateIpAddress"] = rented.address
    if phase is Phase.RUNNING and extras["public"]:
        told["PublicIpAddress"] = rented.address
    if phase in (Phase.STOPPING, Phase.STOPPED, Phase.ENDING, Phase.ENDED):
        told |= _reason(rented, at)
    return told


def _reason(rented: Rented, at: datetime) -> dict[str, Any]:
    code, words, transition = _REASONS[rented.why or "ours"]
    if rented.why == "capacity":
        code = rented.told["failure"]
    when = f"{transition} ({at:%Y-%m-%d %H:%M:%S} GMT)" if transition else ""
    return {"StateReason": {"Code": code, "Message": f"{code}: {words}"}, "StateTransitionReason": when}
