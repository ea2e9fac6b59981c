"""Security groups of the Alibaba Cloud of the lab, and who their rules let in."""

from __future__ import annotations

import ipaddress
import json
from typing import Any

from lab.alibaba_account import Account, dry, missing, page, plays, second, tags, wanted
from lab.alibaba_things import ecs_tags
from lab.engine import Call, Refused, Told
from lab.estate import Thing, new_id

_RULE = ("IpProtocol", "PortRange", "SourceCidrIp", "SourceGroupId", "Policy")


@plays("ecs:CreateSecurityGroup", "VpcId", "SecurityGroupName", "SecurityGroupType", "Description", "Tag")
def create_security_group(account: Account, call: Call) -> Told:
    """A group that lets nobody in yet."""
    vpc = account.things.get("vpc", call.asked.get("VpcId"), call.region)
    if vpc is None:
        raise missing("VpcId", "InvalidVpcId.NotFound")
    told = {
        "VpcId": vpc.id, "SecurityGroupName": call.asked.get("SecurityGroupName", ""), "SecurityGroupType": "normal",
        "Description": call.asked.get("Description", ""), "CreationTime": second(account.now()),
    }  # fmt: skip
    group = account.things.add("sg", call.region, told, tags(call.asked), {vpc.id})
    group.told["rules"] = []
    return {"SecurityGroupId": group.id}


@plays("ecs:DescribeSecurityGroups", "SecurityGroupId", "SecurityGroupIds", "SecurityGroupName", "VpcId", "Tag")
def describe_security_groups(account: Account, call: Call) -> Told:
    """Those that match."""
    asked = call.asked
    ids = json.loads(asked["SecurityGroupIds"]) if "SecurityGroupIds" in asked else None
    found = [
        each
        for each in account.things.of("sg", call.region)
        if wanted(asked, each.tags)
        and (ids is None or each.id in ids)
        and asked.get("SecurityGroupId") in (None, each.id)
        and all(asked.get(name) in (None, each.told[name]) for name in ("VpcId", "SecurityGroupName"))
    ]
    shown, paging = page(call, found, lambda each: each.number)
    dry(call)
    rows = [{"SecurityGroupId": each.id, **_plain(each), "Tags": ecs_tags(each)} for each in shown]
    return {"RegionId": call.region, "SecurityGroups": {"SecurityGroup": rows}, **paging}


@plays("ecs:DescribeSecurityGroupAttribute", "SecurityGroupId", "Direction", "NicType", "Attribute")
def describe_security_group_attribute(account: Account, call: Call) -> Told:
    """A group with its rules."""
    group = _group(account, call)
    rules = [] if call.asked.get("Direction") == "egress" else group.told["rules"]
    return {
        "RegionId": call.region, "SecurityGroupId": group.id, "VpcId": group.told["VpcId"],
        "SecurityGroupName": group.told["SecurityGroupName"], "Permissions": {"Permission": rules}, "NextToken": "",
    }  # fmt: skip


@plays("ecs:AuthorizeSecurityGroup", "SecurityGroupId", "Permissions", *_RULE, "Priority", "Description", "NicType")
def authorize_security_group(account: Account, call: Call) -> Told:
    """Let somebody in; whom it lets in already it goes on letting in."""
    group = _group(account, call)
    given = [_checked(each) for each in call.asked.get("Permissions", [call.asked])]
    dry(call)
    for rule in given:
        if not any(_same(rule, each) for each in group.told["rules"]):
            made = {"SecurityGroupRuleId": new_id("sgr"), "Direction": "ingress", "CreateTime": second(account.now())}
            group.told["rules"].append({**rule, **made})
    return {}


@plays(
    "ecs:RevokeSecurityGroup", "SecurityGroupId", "SecurityGroupRuleId", "Permissions", *_RULE, "Priority", "NicType"
)
def revoke_security_group(account: Account, call: Call) -> Told:
    """Let somebody in no longer, by the rule's id or by what it says."""
    group, ids = _group(account, call), call.asked.get("SecurityGroupRuleId")
    given = [] if ids else [_checked(each) for each in call.asked.get("Permissions", [call.asked])]
    dry(call)
    group.told["rules"] = [
        each
        for each in group.told["rules"]
        if each["SecurityGroupRuleId"] not in (ids or []) and not any(_same(rule, each) for rule in given)
    ]
    return {}


@plays("ecs:DeleteSecurityGroup", "SecurityGroupId")
def delete_security_group(account: Account, call: Call) -> Told:
    """A group that nothing is in."""
    group = _group(account, call)
    if account.things.users(group.id):
        raise Refused(403, "DependencyViolation", "There is still instance(s) in the specified security group.")
    dry(call)
    account.things.remove(group)
    return {}


def _group(account: Account, call: Call) -> Thing:
    group = account.things.get("sg", call.asked["SecurityGroupId"], call.region)
    if group is None:
        raise missing("SecurityGroupId", "InvalidSecurityGroupId.NotFound")
    return group


def _checked(rule: dict[str, Any]) -> dict[str, str]:
    """A rule as it is kept."""
    kept = {
        "Policy": "Accept",
        "Priority": "1",
        **{name: str(rule[name]) for name in (*_RULE, "Priority") if name in rule},
    }
    kept = {**kept, "IpProtocol": kept.get("IpProtocol", "").upper(), "Policy": kept["Policy"].capitalize()}
    if kept["IpProtocol"] not in {"TCP", "UDP", "ICMP", "GRE", "ALL"}:
        raise Refused(400, "InvalidIpProtocol.ValueNotSupported", "The specified IpProtocol is not supported.")
    first, _, last = kept.get("PortRange", "").partition("/")
    if not (first.lstrip("-").isdigit() and last.lstrip("-").isdigit() and int(first) <= int(last)):
        raise Refused(400, "InvalidPortRange.Malformed", "The specified PortRange is not valid.")
    if "SourceCidrIp" in kept:
        try:
            kept["SourceCidrIp"] = str(ipaddress.ip_network(kept["SourceCidrIp"]))
        except ValueError:
            raise Refused(400, "InvalidSourceCidrIp.Malformed", "The specified SourceCidrIp is not valid.") from None
    elif "SourceGroupId" not in kept:
        raise Refused(400, "MissingParameter.Source", "One of SourceCidrIp and SourceGroupId must be given.")
    return kept


def _same(one: dict[str, str], other: dict[str, str]) -> bool:
    return all(one.get(name) == other.get(name) for name in _RULE)


def _plain(group: Thing) -> Told:
    return {name: value for name, value in group.told.items() if name != "rules"}
