"""AWS of the lab as a ground of the suite."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from lab.aws_front import AwsFront
from lab.aws_model import CREDENTIALS
from lab.engine import Call
from lab_account import PLACES
from renting import OWNER, RentingGround

from tradewind.clouds.aws.client import Api
from tradewind.clouds.aws.prices import AwsPrices
from tradewind.ports.compute import Order
from tradewind.ports.prices import Prices


class AwsGround(RentingGround):
    """AWS."""

    at = PLACES["aws"]
    front: AwsFront
    secret = CREDENTIALS.secret_key
    too_many = (b"<Response><Errors><Error><Code>RequestLimitExceeded</Code><Message>Slower.</Message></Error></Errors>"
                b"<RequestID>1</RequestID></Response>")  # fmt: skip
    # What goes along with a call, and is never called.
    implied = frozenset({"ec2:CreateTags", "iam:CreateServiceLinkedRole"})

    def sent(self, operation: str) -> int:
        return sum(f"Action={operation}&".encode() in each.body for each in self.stub.log)

    def sign_in(self, secret: str) -> None:
        self.patch.setenv("AWS_SECRET_ACCESS_KEY", secret)

    def sign_in_by_file(self) -> None:
        file = self.place / "credentials"
        file.write_text(f"[default]\naws_access_key_id = {CREDENTIALS.access_key}\n"
                        f"aws_secret_access_key = {CREDENTIALS.secret_key}\n")  # fmt: skip
        self.patch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(file))
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            self.patch.delenv(name)

    def nonsense(self) -> object:
        api = Api(self.front.endpoints, self.clock)
        api.session.events.register("before-call.ec2.DescribeInstances", _add_nonsense)
        return api.ask("ec2", self.at.region, "describe_instances")

    def right_to(self, operation: str) -> str:
        return f"ec2:{operation}"

    def history(self) -> Prices:
        return AwsPrices(Api(self.front.endpoints, self.clock))

    def rights_used(self) -> set[str]:
        return {each.name.replace("service-quotas", "servicequotas") for each in self.front.engine.calls}

    def leave_parts(self) -> list[str]:
        ask, region = self.front.account.moto.ask, self.at.region
        order = self.order("gone")
        tags = [{"Key": key, "Value": value} for key, value in order.tags.items()]

        def tagged(kind: str) -> dict[str, Any]:
            return {"TagSpecifications": [{"ResourceType": kind, "Tags": tags}]}

        request = {"SpotInstanceRequestId": "sir-00000001", "State": "open", "Type": "one-time", "Tags": tags}
        self.front.account.requests[region, "sir-00000001"] = request
        return [
            ask(region, "CreateVolume", AvailabilityZone=f"{region}a", Size=8, **tagged("volume"))["VolumeId"],
            ask(region, "CreateNetworkInterface", SubnetId=order.subnet, **tagged("network-interface"))
            ["NetworkInterface"]["NetworkInterfaceId"],
            ask(region, "AllocateAddress", **tagged("elastic-ip"))["AllocationId"],
            "sir-00000001",
        ]  # fmt: skip

    def more_than_two_pages(self) -> int:
        self.front.account.page_size = 4
        return 10

    def thousands(self) -> int:
        self.front.account.page_size = 400
        return 1200  # moto's take longer the more there are

    def many(self, count: int) -> list[str]:
        self.front.account.quotas[self.at.region, "L-DB2E81BA"] = 4 * count
        return super().many(count)

    def parts(self) -> list[str]:
        kinds = {"SecurityGroups": "GroupId", "Subnets": "SubnetId", "RouteTables": "RouteTableId", "Vpcs": "VpcId",
                 "InternetGateways": "InternetGatewayId", "NatGateways": "NatGatewayId",
                 "Addresses": "AllocationId"}  # fmt: skip
        return [
            each[id_name] for rows, id_name in kinds.items() for each in self._told(rows)
            if {"Key": "tradewind:owner", "Value": OWNER} in each.get("Tags", []) and each.get("State") != "deleted"
        ]  # fmt: skip

    def parts_of(self, kind: str) -> list[str]:
        if kind == "default":
            return ["sg"]
        zones = len(self.front.account.zones(self.at.region))
        return ["vpc", "sg", "igw", "nat", "eipalloc", "rtb", "rtb", *["subnet"] * (zones + 1)]

    def let_in(self) -> list[tuple[str, int, int, str]]:
        return [
            (rule["IpProtocol"], rule["FromPort"], rule["ToPort"], source["CidrIp"])
            for each in self._told("SecurityGroups") if each["GroupId"] in self.parts()
            for rule in each["IpPermissions"] for source in rule["IpRanges"]
        ]  # fmt: skip

    def _told(self, rows: str) -> list[dict[str, Any]]:
        return list(self.front.account.moto.ask(self.at.region, f"Describe{rows}")[rows])

    def disks(self) -> list[str]:
        return [each["VolumeId"] for each in self._volumes()]

    def stays(self, gb: int) -> None:
        (at,) = (each["Attachments"][0] for each in self._volumes() if each["Size"] == gb)
        mapping = {"DeviceName": at["Device"], "Ebs": {"DeleteOnTermination": False}}
        self.front.account.moto.ask(
            self.at.region, "ModifyInstanceAttribute", InstanceId=at["InstanceId"], BlockDeviceMappings=[mapping]
        )

    def _volumes(self) -> list[dict[str, Any]]:
        return self._told("Volumes")

    def protect(self, id_: str) -> None:
        self.front.account.protected.add(id_)

    def cap(self, launch: Call) -> str | None:
        told: str | None = launch.asked["InstanceMarketOptions"]["SpotOptions"].get("MaxPrice")
        return told

    def as_cap(self, amount: str) -> str:
        return amount

    def price(self, order: Order) -> Decimal:
        region, account = self.at.region, self.front.account
        spot = account.spot_price(region, order.zone or "", order.instance_type)
        told = spot if order.purchase == "spot" else account.price(region, order.instance_type)
        assert told is not None
        return told


def _add_nonsense(params: dict[str, Any], **_: object) -> None:
    """Something that the SDK would not send, into a request that it is about to sign."""
    params["body"]["Nonsense"] = "1"
