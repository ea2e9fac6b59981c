"""What a call at the lab's AWS does, as IAM policies name it: actions, resources, tags.

Source: Service Authorization Reference, "Actions, resources, and condition keys for Amazon EC2" (read 2026-11).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lab.aws_account import Account
from lab.aws_moto import ACCOUNT
from lab.engine import Call
from lab.rights import Deed

# What an id begins with: what the thing is called in resources.
_KINDS = {
    "i": "instance", "vol": "volume", "eni": "network-interface", "sg": "security-group", "subnet": "subnet",
    "vpc": "vpc", "igw": "internet-gateway", "rtb": "route-table", "nat": "natgateway", "eipalloc": "elastic-ip",
    "sir": "spot-instances-request", "ami": "image",
}  # fmt: skip
_MAKES = {
    "CreateSecurityGroup": "security-group", "CreateVpc": "vpc", "CreateSubnet": "subnet",
    "CreateInternetGateway": "internet-gateway", "CreateRouteTable": "route-table", "CreateNatGateway": "natgateway",
    "AllocateAddress": "elastic-ip", "CreateVolume": "volume", "CreateNetworkInterface": "network-interface",
}  # fmt: skip
_PREFIXES = {"service-quotas": "servicequotas"}  # where rights have another name for a service


def deeds(account: Account, call: Call) -> Iterator[Deed]:
    """What must be allowed for a call: it on each thing that it makes, uses or changes; tagging; giving a role."""
    action = f"{_PREFIXES.get(call.service, call.service)}:{call.operation}"
    made = list(_made(call))
    for kind in made:
        tags = _facts("RequestTag", _requested(call.asked, kind))
        yield Deed(action, _arn(call.region, kind, "*"), tags)
        if tags:
            yield Deed("ec2:CreateTags", _arn(call.region, kind, "*"), tags | {"ec2:CreateAction": call.operation})
    named = [] if call.operation.startswith("Describe") else [*_ids(call.asked), *_associated(account, call)]
    for id_ in named:
        tags_there = _tags(account, call.region, id_)
        if tags_there is not None:
            kind = _KINDS[id_.partition("-")[0]]
            yield Deed(action, _arn(call.region, kind, id_), _facts("ResourceTag", tags_there))
    if not made and not named:
        yield Deed(action, "*")
    if profile := call.asked.get("IamInstanceProfile"):
        name = profile.get("Name") or profile["Arn"].rpartition("/")[2]
        yield Deed("iam:PassRole", f"arn:aws:iam::{ACCOUNT}:role/{name}", {"iam:PassedToService": "ec2.amazonaws.com"})


def _made(call: Call) -> Iterator[str]:
    if call.operation == "RunInstances":
        yield from ("instance", "volume", "network-interface")
        if "InstanceMarketOptions" in call.asked:
            yield "spot-instances-request"
    elif call.operation in _MAKES:
        yield _MAKES[call.operation]


def _requested(asked: dict[str, Any], kind: str) -> dict[str, str]:
    specified = [each for each in asked.get("TagSpecifications", []) if each["ResourceType"] == kind]
    return {tag["Key"]: tag["Value"] for each in specified for tag in each["Tags"]}


def _facts(what: str, tags: dict[str, str]) -> dict[str, str]:
    return {f"aws:{what}/{key}": value for key, value in tags.items()}


def _arn(region: str, kind: str, id_: str) -> str:
    return f"arn:aws:ec2:{region}:{'' if kind == 'image' else ACCOUNT}:{kind}/{id_}"


def _ids(value: Any) -> list[str]:
    """The ids of things anywhere in the parameters."""
    if isinstance(value, dict):
        return [id_ for name, each in value.items() if name != "ClientToken" for id_ in _ids(each)]
    if isinstance(value, list):
        return [id_ for each in value for id_ in _ids(each)]
    known = isinstance(value, str) and value.partition("-")[0] in _KINDS and "-" in value
    return [value] if known else []


def _associated(account: Account, call: Call) -> list[str]:
    """The route table of an association that is named instead of it."""
    if "AssociationId" not in call.asked:
        return []
    wanted = [{"Name": "association.route-table-association-id", "Values": [call.asked["AssociationId"]]}]
    tables = account.moto.ask(call.region, "DescribeRouteTables", Filters=wanted)["RouteTables"]
    return [each["RouteTableId"] for each in tables]


def _tags(account: Account, region: str, id_: str) -> dict[str, str] | None:
    """The tags of a thing; None: there is none, and that is what will be said."""
    if id_.startswith("i-"):
        over = account.over.get(id_)
        rented = account.fleet.get(id_, region) or (over[0] if over else None)
        return rented.tags if rented else None
    if id_.startswith("sir-"):
        rows = account.requests.get((region, id_), {}).get("Tags")
    else:
        asked = [{"Name": "resource-id", "Values": [id_]}]
        rows = account.moto.ask(region, "DescribeTags", Filters=asked)["Tags"]
    return None if rows is None else {each["Key"]: each["Value"] for each in rows}
