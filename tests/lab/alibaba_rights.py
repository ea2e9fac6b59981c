"""What a call at the lab's Alibaba Cloud does, as RAM policies name it: actions, resources, tags."""

from __future__ import annotations

from collections.abc import Iterator

from lab.alibaba_account import ACCOUNT_ID, Account
from lab.engine import Call
from lab.rights import Deed

_ONE, _SEVERAL = (
    {"DiskId": "d", "NetworkInterfaceId": "eni", "SecurityGroupId": "sg", "VpcId": "vpc", "VSwitchId": "vsw",
     "NatGatewayId": "ngw", "AllocationId": "eip"},
    {"InstanceId", "ResourceId"},
)  # fmt: skip
_MAKES = ("RunInstances", "CreateVpc", "CreateVSwitch", "CreateNatGateway", "CreateSecurityGroup", "AllocateEipAddress")


def deeds(account: Account, call: Call) -> Iterator[Deed]:
    """What must be allowed for a call: it, on each thing that it changes; and handing a machine its role."""
    given = {f"acs:RequestTag/{each['Key']}": each.get("Value", "") for each in call.asked.get("Tag", [])}
    where = f"acs:{call.service}:{call.region}:{ACCOUNT_ID}:"
    changed = dict(_changed(account, call))
    for id_, tags in changed.items():
        yield Deed(call.name, where + id_, given | {f"acs:ResourceTag/{key}": value for key, value in tags.items()})
    if not changed:
        yield Deed(call.name, where + "*", given)
    if role := call.asked.get("RamRoleName"):
        yield Deed("ram:PassRole", f"acs:ram:*:{ACCOUNT_ID}:role/{role}", {"acs:Service": "ecs.aliyuncs.com"})


def _changed(account: Account, call: Call) -> Iterator[tuple[str, dict[str, str]]]:
    """The things that a call changes, which are there, and their tags. What is made has none yet."""
    if call.operation in _MAKES or call.operation.startswith("Describe"):
        return
    for name, value in call.asked.items():
        for id_ in value if isinstance(value, list) else [value]:
            if name in _SEVERAL and (rented := account.fleet.get(id_, call.region)):
                yield id_, rented.tags
            kinds = [_ONE[name]] if name in _ONE else _ONE.values() if name in _SEVERAL else []
            for thing in [account.things.get(kind, id_, call.region) for kind in kinds]:
                if thing:
                    yield id_, thing.tags
