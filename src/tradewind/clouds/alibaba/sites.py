"""Where in a region a machine is put: a zone that has it in stock, and the VSwitch there."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tradewind.clouds.alibaba.client import Api
from tradewind.clouds.alibaba.instances import owner_of, to_tags
from tradewind.clouds.alibaba.requests import to_stock_query
from tradewind.clouds.answers import amount, listed, published, text
from tradewind.ports.cloud import CloudSettings
from tradewind.ports.compute import CloudFault, Order

_STOCKED = ("WithStock", "ClosedWithStock")  # the second is sold until it is used up: it is there now


@dataclass(frozen=True, slots=True)
class Site:
    """A VSwitch and its zone."""

    zone: str
    subnet: str


class Sites:
    """The sites of one region, in the network that the settings say."""

    def __init__(self, api: Api, region: str, settings: CloudSettings) -> None:
        self._api = api
        self._region = region
        self._settings = settings

    def choose(self, order: Order) -> Site:
        """One of the zones that have the machine and a VSwitch; for another token perhaps another one of them.

        Raises:
            CloudFault: ``capacity``, no zone has both; ``invalid``, the zone that is asked for has no VSwitch.
        """
        if order.zone is not None and order.subnet is not None:
            return Site(order.zone, order.subnet)
        sites = sorted(self._all(order), key=lambda site: (site.zone, site.subnet))
        zones = {order.zone} if order.zone is not None else self._stocked(order)
        fit = [site for site in sites if site.zone in zones and order.subnet in (None, site.subnet)]
        if fit:
            return fit[uuid.UUID(order.token).int % len(fit)]
        have = ", ".join(sorted({site.zone for site in sites})) or "no zone"
        if order.zone is not None:
            words = f"this network has no VSwitch in {order.zone}: it has them in {have}"
            raise CloudFault("invalid", words, sent="yes")
        raise CloudFault(
            "capacity", f"{order.instance_type} is in stock in no zone with a VSwitch ({have})", sent="yes"
        )

    def groups(self, order: Order) -> tuple[str, ...]:
        """The security groups that a machine is in.

        Raises:
            CloudFault: ``invalid``: there is none; ECS would take its own, which lets the world in.
        """
        groups = order.groups or self._found_groups(order)
        if not groups:
            raise CloudFault("invalid", f"no security group of this network is in {self._region}", sent="yes")
        return groups

    def _found_groups(self, order: Order) -> tuple[str, ...]:
        if self._settings.network == "given" or order.network is None:
            return self._settings.groups
        if order.network.startswith("sg-"):
            return (order.network,)
        with published("DescribeSecurityGroups"):
            ours = [row for row in self._security_groups(VpcId=order.network) if owner_of(to_tags(row)) == order.owner]
            return tuple(sorted(text(row, "SecurityGroupId") for row in ours))

    def _stocked(self, order: Order) -> set[str]:
        answer = self._api.ask("ecs", self._region, "DescribeAvailableResource", **to_stock_query(order))
        with published("DescribeAvailableResource"):
            return {
                text(zone, "ZoneId")
                for zone in listed(answer, "AvailableZones", "AvailableZone")
                for kind in listed(zone, "AvailableResources", "AvailableResource")
                for resource in listed(kind, "SupportedResources", "SupportedResource")
                if text(resource, "Value") == order.instance_type and text(resource, "Status") == "Available"
                and resource.get("StatusCategory", "WithStock") in _STOCKED
            }  # fmt: skip

    def _all(self, order: Order) -> Iterator[Site]:
        if self._settings.network == "given":
            for subnet in self._settings.subnets:
                yield from self._vswitches(VSwitchId=subnet)
            return
        yield from self._vswitches(VpcId=self._vpc(order.network))

    def _vswitches(self, **query: str) -> Iterator[Site]:
        """Those that have an address left; in a VPC only the cloud's default ones and ours: others are others'."""
        for row in self._api.numbered("vpc", self._region, "DescribeVSwitches", "VSwitches", "VSwitch", **query):
            with published("DescribeVSwitches"):
                usable = "VSwitchId" in query or row.get("IsDefault") or owner_of(to_tags(row))
                if usable and text(row, "Status") == "Available" and amount(row, "AvailableIpAddressCount"):
                    yield Site(text(row, "ZoneId"), text(row, "VSwitchId"))

    def _vpc(self, network: str | None) -> str:
        """The VPC of the network of ours, whose id is the VPC's own or its security group's."""
        if network is None:
            raise CloudFault("invalid", f"there is no network of ours in {self._region}", sent="yes")
        if network.startswith("vpc-"):
            return network
        with published("DescribeSecurityGroups"):
            for row in self._security_groups(SecurityGroupId=network):
                return text(row, "VpcId")
        raise CloudFault("invalid", f"there is no security group {network} in {self._region}", sent="yes")

    def _security_groups(self, **query: str) -> Iterator[Any]:
        path = ("SecurityGroups", "SecurityGroup")
        return self._api.rows("ecs", self._region, "DescribeSecurityGroups", *path, **query)
