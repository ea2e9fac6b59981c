"""Alibaba Cloud of the lab as a ground of the suite."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from lab.alibaba import AlibabaCloud, rights
from lab.engine import Call
from lab.signatures import KEY_ID, SECRET, sign_in
from lab_account import PLACES
from renting import OWNER, RentingGround

from tradewind.clouds.alibaba.client import Api
from tradewind.clouds.alibaba.prices import AlibabaPrices
from tradewind.ports.compute import Order
from tradewind.ports.prices import Prices


class AlibabaGround(RentingGround):
    """Alibaba Cloud."""

    at = PLACES["alibaba"]
    front: AlibabaCloud
    secret = SECRET
    too_many = b'{"Code": "Throttling.Api", "Message": "Slower.", "RequestId": "1"}'

    def sent(self, operation: str) -> int:
        return sum(each.headers.get("x-acs-action") == operation for each in self.stub.log)

    def sign_in(self, secret: str) -> None:
        sign_in("alibaba", self.patch, secret)

    def sign_in_by_file(self) -> None:
        from alibabacloud_credentials.utils import auth_util

        file = self.place / "credentials"
        file.write_text(f"[default]\nenable = true\ntype = access_key\naccess_key_id = {KEY_ID}\n"
                        f"access_key_secret = {SECRET}\n")  # fmt: skip
        self.patch.setenv("ALIBABA_CLOUD_CREDENTIALS_FILE", str(file))
        self.patch.setattr(auth_util, "environment_credentials_file", str(file))
        for name in ("environment_access_key_id", "environment_access_key_secret"):
            self.patch.setattr(auth_util, name, None)
        for name in ("ALIBABA_CLOUD_ACCESS_KEY_ID", "ALIBABA_CLOUD_ACCESS_KEY_SECRET"):
            self.patch.delenv(name)

    def nonsense(self) -> object:
        api = Api(self.front.endpoints, self.clock.now)
        return api.ask("ecs", self.at.region, "DescribeInstances", RegionId=self.at.region, Nonsense="1")

    def right_to(self, operation: str) -> str:
        return f"ecs:{operation}"

    def history(self) -> Prices:
        return AlibabaPrices(Api(self.front.endpoints, self.clock.now), self.clock.now)

    def rights_used(self) -> set[str]:
        return rights(self.front.engine.calls)

    def leave_parts(self) -> list[str]:
        things, region, order = self.front.account.things, self.at.region, self.order("gone")
        idle = {"Status": "Available", "InstanceId": "", "ZoneId": order.zone, "CreationTime": "2026-11-21T08:00:00Z"}
        disk = {**idle, "Type": "data", "Size": 8, "Category": "cloud_essd", "Encrypted": True, "KMSKeyId": "",
                "DiskChargeType": "PostPaid", "DeleteWithInstance": False, "ImageId": ""}  # fmt: skip
        card: dict[str, Any] = {**idle, "Type": "Secondary", "VSwitchId": order.subnet, "VpcId": "",
                                "PrivateIpAddress": "", "SecurityGroupIds": {"SecurityGroupId": []},
                                "DeleteOnRelease": False}  # fmt: skip
        return [things.add(kind, region, told, order.tags).id for kind, told in (("d", disk), ("eni", card))]

    def more_than_two_pages(self) -> int:
        return 230  # a page has a hundred

    def parts(self) -> list[str]:
        things = self.front.account.things
        return [
            each.id for kind in ("sg", "vsw", "vpc", "ngw", "eip") for each in things.of(kind, self.at.region)
            if each.tags.get("tradewind:owner") == OWNER
        ]  # fmt: skip

    def parts_of(self, kind: str) -> list[str]:
        zones = self.front.account.market.zones[self.at.region]
        return ["sg"] if kind == "default" else ["vpc", "sg", "ngw", "eip", *["vsw"] * len(zones)]

    def let_in(self) -> list[tuple[str, int, int, str]]:
        api = Api(self.front.endpoints, self.clock.now)
        place = {"RegionId": self.at.region, "Direction": "ingress"}
        found = [
            rule for each in self.parts() if each.startswith("sg-")
            for rule in api.ask("ecs", self.at.region, "DescribeSecurityGroupAttribute", SecurityGroupId=each, **place)
            ["Permissions"]["Permission"]
        ]  # fmt: skip
        ports = [[int(each) for each in rule["PortRange"].split("/")] for rule in found]
        return [
            (rule["IpProtocol"].lower(), first, last, rule["SourceCidrIp"])
            for rule, (first, last) in zip(found, ports, strict=True)
        ]

    def disks(self) -> list[str]:
        return [each.id for each in self.front.account.things.of("d", self.at.region)]

    def stays(self, gb: int) -> None:
        for each in self.front.account.things.of("d", self.at.region):
            each.told["DeleteWithInstance"] = each.told["Size"] != gb

    def protect(self, id_: str) -> None:
        self.there(id_).told["DeletionProtection"] = "true"

    def cap(self, launch: Call) -> str | None:
        return launch.asked.get("SpotPriceLimit")

    def as_cap(self, amount: str) -> str:
        return amount[: amount.index(".") + 4]  # three decimals, never more than was allowed

    def price(self, order: Order) -> Decimal:
        market, region, kind = self.front.account.market, self.at.region, order.instance_type
        if order.purchase == "spot":
            return market.spot_price(region, order.zone or "", kind, self.clock.now())
        return market.price(region, kind)
