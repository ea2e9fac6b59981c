"""Ways out of the networks of the Alibaba Cloud of the lab: NAT gateways, addresses, and who leaves by which."""

from __future__ import annotations

from lab.alibaba_account import Account, dry, flag, missing, page, plays, second, tags, wanted
from lab.alibaba_network import PAGE, check_free, shown_tags, status, the
from lab.engine import Call, Refused, Told
from lab.estate import Thing


@plays(
    "vpc:CreateNatGateway", "VpcId", "VSwitchId", "NatType", "NetworkType", "InternetChargeType", "InstanceChargeType",
    "EipBindMode", "Name", "Description", "Tag",
)  # fmt: skip
def create_nat_gateway(account: Account, call: Call) -> Told:
    """A gateway on a switch, which takes a while."""
    vpc, asked = the(account, call, "vpc", "VpcId", "InvalidVpcId.NotFound"), call.asked
    vswitch = the(account, call, "vsw", "VSwitchId", "InvalidVSwitchId.NotFound")
    if status(account, vswitch) != "Available" or asked.get("NatType") != "Enhanced":
        raise Refused(400, "OperationFailed.NatGateway", "The vSwitch is not ready, or the type is no longer sold.")
    told = {"VpcId": vpc.id, "Name": asked.get("Name", ""), "NatType": "Enhanced", "InstanceChargeType": "PostPaid"}
    nat = account.things.add("ngw", call.region, told, tags(asked), {vpc.id, vswitch.id})
    nat.told.update(SnatTableIds={"SnatTableId": [f"stb-{nat.id}"]}, CreationTime=second(account.now()))
    return {"NatGatewayId": nat.id, "SnatTableIds": nat.told["SnatTableIds"]}


@plays("vpc:DescribeNatGateways", "NatGatewayId", "VpcId", "Tag", "Name", "Status")
def describe_nat_gateways(account: Account, call: Call) -> Told:
    """Those that match, each with its addresses."""
    asked = call.asked
    found = [
        each
        for each in account.things.of("ngw", call.region)
        if wanted(asked, each.tags)
        and asked.get("NatGatewayId") in (None, each.id)
        and all(asked.get(name) in (None, each.told[name]) for name in ("VpcId", "Name"))
        and asked.get("Status") in (None, status(account, each, "Creating"))
    ]
    shown, paging = page(call, found, lambda each: each.number, PAGE)
    dry(call)
    rows = [
        {"NatGatewayId": each.id, "RegionId": each.region, "Status": status(account, each, "Creating"), **each.told,
         "IpLists": {"IpList": [
             {"AllocationId": one.id, "IpAddress": one.told["IpAddress"]}
             for one in account.things.users(each.id) if one.kind == "eip"
         ]}, "Tags": {"Tag": [{"TagKey": key, "TagValue": value} for key, value in each.tags.items()]}}
        for each in shown
    ]  # fmt: skip
    return {"NatGateways": {"NatGateway": rows}, **paging}


@plays("vpc:DeleteNatGateway", "NatGatewayId", "Force")
def delete_nat_gateway(account: Account, call: Call) -> Told:
    """A gateway that nothing hangs on; by force with its entries, and its addresses set free."""
    nat = the(account, call, "ngw", "NatGatewayId", "InvalidNatGatewayId.NotFound")
    if not flag(call.asked, "Force"):
        check_free(account, nat)
    for each in account.things.users(nat.id):
        if each.kind == "snat":
            account.things.remove(each)
        else:
            _set_free(each)
    account.things.remove(nat, account.delay())
    return {}


@plays(
    "vpc:AllocateEipAddress",
    "Bandwidth",
    "InternetChargeType",
    "InstanceChargeType",
    "Name",
    "Description",
    "Tag",
    "ISP",
)
def allocate_eip_address(account: Account, call: Call) -> Told:
    """An address."""
    asked = call.asked
    number = len(account.things.of("eip", call.region)) + 1
    told = {
        "IpAddress": f"203.0.113.{number}", "Bandwidth": asked.get("Bandwidth", "5"), "InstanceId": "",
        "InstanceType": "", "ChargeType": "PostPaid", "AllocationTime": second(account.now()),
        "InternetChargeType": asked.get("InternetChargeType", "PayByBandwidth"), "Name": asked.get("Name", ""),
    }  # fmt: skip
    eip = account.things.add("eip", call.region, told, tags(asked))
    return {"AllocationId": eip.id, "EipAddress": told["IpAddress"]}


@plays(
    "vpc:DescribeEipAddresses",
    "AllocationId",
    "EipAddress",
    "Status",
    "Tag",
    "AssociatedInstanceId",
    "AssociatedInstanceType",
)
def describe_eip_addresses(account: Account, call: Call) -> Told:
    """Those that match."""
    asked = call.asked
    found = [
        each
        for each in account.things.of("eip", call.region)
        if wanted(asked, each.tags)
        and ("AllocationId" not in asked or each.id in asked["AllocationId"].split(","))
        and asked.get("EipAddress") in (None, each.told["IpAddress"])
        and asked.get("Status") in (None, _eip_status(each))
        and asked.get("AssociatedInstanceId") in (None, each.told["InstanceId"])
        and asked.get("AssociatedInstanceType") in (None, each.told["InstanceType"])
    ]
    shown, paging = page(call, found, lambda each: each.number, 100)
    dry(call)
    rows = [
        {
            "AllocationId": each.id,
            "RegionId": each.region,
            "Status": _eip_status(each),
            **each.told,
            "Tags": shown_tags(each),
        }
        for each in shown
    ]
    return {"EipAddresses": {"EipAddress": rows}, **paging}


@plays("vpc:AssociateEipAddress", "AllocationId", "InstanceId", "InstanceType", "InstanceRegionId", "Mode")
def associate_eip_address(account: Account, call: Call) -> Told:
    """An address on a gateway that is ready."""
    eip = the(account, call, "eip", "AllocationId", "InvalidAllocationId.NotFound")
    nat = the(account, call, "ngw", "InstanceId", "InvalidInstanceId.NotFound")
    if call.asked.get("InstanceType") != "Nat" or status(account, nat) != "Available":
        raise Refused(400, "IncorrectInstanceStatus", "The instance does not support this operation in its status.")
    if eip.within:
        raise _eip_in_use()
    eip.within.add(nat.id)
    eip.told.update(InstanceId=nat.id, InstanceType="Nat")
    return {}


@plays("vpc:UnassociateEipAddress", "AllocationId", "InstanceId", "InstanceType", "Force")
def unassociate_eip_address(account: Account, call: Call) -> Told:
    """An address set free."""
    _set_free(the(account, call, "eip", "AllocationId", "InvalidAllocationId.NotFound"))
    return {}


@plays("vpc:ReleaseEipAddress", "AllocationId")
def release_eip_address(account: Account, call: Call) -> Told:
    """An address that is on nothing."""
    eip = the(account, call, "eip", "AllocationId", "InvalidAllocationId.NotFound")
    if eip.within:
        raise _eip_in_use()
    account.things.remove(eip)
    return {}


@plays("vpc:CreateSnatEntry", "SnatTableId", "SourceVSwitchId", "SourceCIDR", "SnatIp", "SnatEntryName")
def create_snat_entry(account: Account, call: Call) -> Told:
    """What leaves a switch leaves by this address of the gateway."""
    nat = _by_table(account, call, call.asked["SnatTableId"])
    if not any(each.told.get("IpAddress") == call.asked.get("SnatIp") for each in account.things.users(nat.id)):
        raise Refused(400, "InvalidSnatIp.NotInNatGateway", "The address is not bound to the NAT gateway.")
    told = {
        "NatGatewayId": nat.id, "SnatTableId": call.asked["SnatTableId"], "SnatIp": call.asked["SnatIp"],
        "SourceVSwitchId": call.asked.get("SourceVSwitchId", ""), "SourceCIDR": call.asked.get("SourceCIDR", ""),
    }  # fmt: skip
    return {"SnatEntryId": account.things.add("snat", call.region, told, within={nat.id}).id}


@plays("vpc:DescribeSnatTableEntries", "SnatTableId", "NatGatewayId", "SnatEntryId")
def describe_snat_table_entries(account: Account, call: Call) -> Told:
    """Those that match."""
    asked = call.asked
    found = [
        each
        for each in account.things.of("snat", call.region)
        if asked.get("SnatEntryId") in (None, each.id)
        and all(asked.get(name) in (None, each.told[name]) for name in ("SnatTableId", "NatGatewayId"))
    ]
    shown, paging = page(call, found, lambda each: each.number, PAGE)
    rows = [{"SnatEntryId": each.id, "Status": "Available", **each.told} for each in shown]
    return {"SnatTableEntries": {"SnatTableEntry": rows}, **paging}


@plays("vpc:DeleteSnatEntry", "SnatTableId", "SnatEntryId")
def delete_snat_entry(account: Account, call: Call) -> Told:
    """One of them."""
    account.things.remove(the(account, call, "snat", "SnatEntryId", "InvalidSnatEntryId.NotFound"))
    return {}


def _by_table(account: Account, call: Call, table: str) -> Thing:
    for each in account.things.of("ngw", call.region):
        if table in each.told["SnatTableIds"]["SnatTableId"]:
            return each
    raise missing("SnatTableId", "InvalidSnatTableId.NotFound")


def _set_free(eip: Thing) -> None:
    eip.within.clear()
    eip.told.update(InstanceId="", InstanceType="")


def _eip_in_use() -> Refused:
    return Refused(400, "IncorrectEipStatus", "Current elastic IP status does not support this operation.")


def _eip_status(eip: Thing) -> str:
    return "InUse" if eip.within else "Available"
