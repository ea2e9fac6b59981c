"""The dry runs by which rights are found out, and what their answers say. Pure.

Where a right is only given on things with our tag, and the trial is of nobody's, a refusal says nothing: unknown.
Source: EC2 API reference, common parameters: DryRun; rights are looked at before the thing itself is looked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tradewind.clouds.aws import tags
from tradewind.clouds.aws.images import Machine
from tradewind.ports.cloud import Checked
from tradewind.ports.compute import CloudFault

SMALL = Machine("t3.micro", "x86_64", None)
_ALLOWED = "DryRunOperation"
_OF_THE_ACCOUNT = frozenset({"Blocked", "OptInRequired", "PendingVerification"})
_MACHINE = "i-00000000000000000"
_GROUP = "sg-00000000000000000"
_SSH = [{"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22, "IpRanges": [{"CidrIp": "192.0.2.1/32"}]}]

_LOOKS = (
    "describe_addresses", "describe_availability_zones", "describe_images", "describe_instance_type_offerings",
    "describe_instance_types", "describe_instances", "describe_network_interfaces", "describe_security_groups",
    "describe_spot_instance_requests", "describe_spot_price_history", "describe_subnets", "describe_volumes",
)  # fmt: skip
_CHANGES: Mapping[str, Mapping[str, Any]] = {  # asked of a thing that is nobody's
    "terminate_instances": {"InstanceIds": [_MACHINE]},
    "stop_instances": {"InstanceIds": [_MACHINE]},
    "start_instances": {"InstanceIds": [_MACHINE]},
    "modify_instance_attribute": {"InstanceId": _MACHINE, "InstanceType": {"Value": SMALL.instance_type}},
    "get_console_output": {"InstanceId": _MACHINE},
    "delete_volume": {"VolumeId": "vol-00000000000000000"},
    "delete_network_interface": {"NetworkInterfaceId": "eni-00000000000000000"},
    "release_address": {"AllocationId": "eipalloc-00000000000000000"},
    "cancel_spot_instance_requests": {"SpotInstanceRequestIds": ["sir-00000000"]},
    "authorize_security_group_ingress": {"GroupId": _GROUP, "IpPermissions": _SSH},
    "revoke_security_group_ingress": {"GroupId": _GROUP, "IpPermissions": _SSH},
    "delete_security_group": {"GroupId": _GROUP},
}


@dataclass(frozen=True)
class Trial:
    """One dry run. ``named``: what to call it; ``ours``: the right may be given on things with our tag alone."""

    operation: str
    asked: Mapping[str, Any]
    named: str
    ours: bool = False


def trials(owner: str, image: str | None) -> Iterator[Trial]:
    """All of them. ``image``: what a small machine would boot; None: not known, so no launch is tried."""
    marked = {tags.OWNER: owner, tags.LEASE: "check", tags.TOKEN: "check"}
    for operation in _LOOKS:
        yield Trial(operation, {}, _action(operation))
    if image:
        machine = {"ImageId": image, "InstanceType": SMALL.instance_type, "MinCount": 1, "MaxCount": 1}
        made = ("instance", "volume", "network-interface")
        yield Trial("run_instances", machine | {"TagSpecifications": tags.on(marked, *made)}, "ec2:RunInstances")
        spot = {
            "TagSpecifications": tags.on(marked, *made, "spot-instances-request"),
            "InstanceMarketOptions": {"MarketType": "spot"},
        }
        yield Trial("run_instances", machine | spot, "ec2:RunInstances (spot)")
    group = {"GroupName": "tradewind-check", "Description": "never made: a dry run"}
    yield Trial(
        "create_security_group", group | {"TagSpecifications": tags.on(marked, "security-group")},
        "ec2:CreateSecurityGroup",
    )  # fmt: skip
    for operation, asked in _CHANGES.items():
        yield Trial(operation, asked, _action(operation), ours=True)


def judged(fault: CloudFault | None, trial: Trial, region: str) -> Checked:
    """What came of a dry run; no fault: it was allowed."""
    facts = {"action": trial.named, "region": region}
    if fault is None or fault.code == _ALLOWED:
        return Checked("right", "ok", facts)
    if trial.ours and fault.kind == "not_found":
        return Checked("right", "ok", facts)
    if trial.ours and fault.kind == "auth" and fault.code not in _OF_THE_ACCOUNT:
        return Checked("right", "unknown", facts, fault.words)
    return refused(fault, facts)


def refused(fault: CloudFault, facts: Mapping[str, str]) -> Checked:
    """What a refusal says of a right; any other fault says nothing of it."""
    if fault.code in _OF_THE_ACCOUNT:
        return Checked("account", "missing", {}, fault.words)
    return Checked("right", "missing" if fault.kind == "auth" else "unknown", facts, fault.words)


def _action(operation: str) -> str:
    return "ec2:" + "".join(word.capitalize() for word in operation.split("_"))
