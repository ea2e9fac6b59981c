"""An order completed by what a region has now: image, zone, subnet, groups, disks. Asks, makes nothing."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tradewind.clouds.answers import published, text
from tradewind.clouds.aws import parts, tags
from tradewind.clouds.aws.client import Api
from tradewind.clouds.aws.images import Image, Images, disk_gb
from tradewind.clouds.aws.kept import Kept
from tradewind.ports.clock import Clock
from tradewind.ports.cloud import CloudSettings
from tradewind.ports.compute import CloudFault, Disk, Order, Query

_HOLDS_S = 3600.0
Subnets = Mapping[str, str]  # ids of subnets by their zone


def choose(zones: Sequence[str], token: str) -> str:
    """One of the zones, by the token: a retry, which has another, most likely meets another zone."""
    ordered = sorted(zones)
    return ordered[zlib.crc32(token.encode()) % len(ordered)]


class Completing:
    """Completes orders of one region, for what is asked of machines there."""

    def __init__(self, api: Api, region: str, owner: str, settings: CloudSettings, clock: Clock) -> None:
        self._api = api
        self._region = region
        self._owner = owner
        self._settings = settings
        self._images = Images(api, region, clock)
        self._offered = Kept[frozenset[str]](clock, _HOLDS_S)

    def complete(self, order: Order) -> Order:
        """What the order leaves open, filled in; what it says stays.

        Raises:
            CloudFault: ``invalid``: there is no such type, image or network here; ``capacity``: the type is not sold in
                that zone; or it cannot be asked.
        """
        machine = self._images.machine(order.instance_type)
        named = order.image or self._settings.image
        image = self._images.image(named, machine) if named else self._images.official(machine)
        subnets, groups = self._given(order) if order.network is None else self._ours(order.network)
        zone = order.zone or self._zone(order, subnets)
        if zone not in self._zones_of(order.instance_type):
            raise CloudFault("capacity", f"{order.instance_type} is not offered in {zone}", sent="yes")
        if not (order.subnet or zone in subnets):
            raise CloudFault("invalid", f"no subnet of the network lies in {zone}", sent="yes")
        return replace(
            order, zone=zone, image=image.id, subnet=order.subnet or subnets[zone], groups=order.groups or groups,
            public_ip=self._public, role=order.role or self._settings.role, disks=self._disks(order, image),
        )  # fmt: skip

    @property
    def _public(self) -> bool:
        kind = self._settings.network
        return kind == "default" or (kind == "given" and self._settings.public_address)

    def _zone(self, order: Order, subnets: Subnets) -> str:
        zones = self._zones_of(order.instance_type) & set(subnets)
        if not zones:
            words = f"no zone of {self._region} has both {order.instance_type} and a subnet"
            raise CloudFault("invalid", words, sent="yes")
        return choose(list(zones), order.token)

    def _disks(self, order: Order, image: Image) -> tuple[Disk, ...]:
        """The first holds the image; all are encrypted, by the settings' key where they name one."""
        first, *further = order.disks or (Disk(disk_gb(image, self._settings.disk_gb)),)
        boot = replace(first, gb=max(first.gb, image.gb), device=image.root)
        return tuple(replace(each, kms_key=each.kms_key or self._settings.kms_key) for each in (boot, *further))

    def _zones_of(self, instance_type: str) -> frozenset[str]:
        """Where the type is sold. That is no word on whether there is one just now, which AWS does not tell."""
        return self._offered.get(instance_type, lambda: self._ask_offered(instance_type))

    def _ask_offered(self, instance_type: str) -> frozenset[str]:
        rows = self._api.rows(
            self._region, "describe_instance_type_offerings", "InstanceTypeOfferings",
            LocationType="availability-zone-id", Filters=[{"Name": "instance-type", "Values": [instance_type]}],
        )  # fmt: skip
        with published("DescribeInstanceTypeOfferings"):
            return frozenset(text(each, "Location") for each in rows)

    # --- the network ---

    def _given(self, order: Order) -> tuple[Subnets, tuple[str, ...]]:
        """What the settings name."""
        named = [order.subnet] if order.subnet else list(self._settings.subnets)
        subnets = _by_zone(self._asked([{"Name": "subnet-id", "Values": named}])) if named else {}
        groups = order.groups or self._settings.groups
        if not subnets or not groups:
            words = f"there is no network to be in: subnets {named}, groups {list(groups)} in {self._region}"
            raise CloudFault("invalid", words, sent="no")
        return subnets, groups

    def _ours(self, network: str) -> tuple[Subnets, tuple[str, ...]]:
        """The security group of the network of ours, and the subnets of the VPC that it is in."""
        groups = parts.look(self._api, self._region, parts.GROUP, Query(), self._owner)
        group = next((each for each in groups if network in (each.id, each.told.get("VpcId"))), None)
        if group is None:
            raise CloudFault("invalid", f"the network {network} is not there in {self._region}", sent="yes")
        inside = list(self._asked([{"Name": "vpc-id", "Values": [group.told.get("VpcId", "")]}]))
        made = [each for each in inside if self._for_machines(each)]
        return _by_zone(made or [each for each in inside if each.get("DefaultForAz")]), (group.id,)

    def _for_machines(self, subnet: tags.Told) -> bool:
        """Whether we made it, and not for a gateway."""
        has = tags.read(subnet.get("Tags"))
        return tags.ours(has, self._owner) and has.get(tags.FOR) == "machines"

    def _asked(self, filters: list[dict[str, Any]]) -> Iterator[tags.Told]:
        return self._api.rows(self._region, "describe_subnets", "Subnets", Filters=filters)


def _by_zone(told: Iterable[tags.Told]) -> Subnets:
    with published("DescribeSubnets"):
        return {text(each, "AvailabilityZoneId"): text(each, "SubnetId") for each in told}
