"""What an order needs before it is sent: a place, an image, disks. Asked, never made; what is given stays."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from tradewind.clouds.alibaba.client import Api
from tradewind.clouds.alibaba.images import WORK_GB, Images
from tradewind.clouds.alibaba.requests import cloud_end
from tradewind.clouds.alibaba.sites import Sites
from tradewind.ports.clock import Clock
from tradewind.ports.cloud import CloudSettings
from tradewind.ports.compute import Disk, Order


class Completion:
    """Completing the orders of one region."""

    def __init__(self, api: Api, region: str, settings: CloudSettings, clock: Clock) -> None:
        self._api = api
        self._settings = settings
        self._images = Images(api, region, clock)
        self._sites = Sites(api, region, settings)

    def complete(self, order: Order) -> Order:
        """The whole order.

        Raises:
            CloudFault: ``invalid``, there is no such type, image or network here; ``capacity``, no zone has the type.
        """
        settings = self._settings
        shape = self._images.shape(order.instance_type)
        named = order.image or settings.image
        image = self._images.named(named) if named else self._images.official(shape)
        site = self._sites.choose(order)
        first, *further = order.disks or (Disk(settings.disk_gb or image.gb + WORK_GB),)
        disks = (replace(first, gb=max(first.gb, image.gb)), *further)
        return replace(
            order, zone=site.zone, subnet=site.subnet, groups=self._sites.groups(order), image=image.id,
            public_ip=order.public_ip or has_public_address(settings), role=order.role or settings.role,
            disks=tuple(replace(disk, kms_key=disk.kms_key or settings.kms_key) for disk in disks),
            cloud_end=cloud_end(datetime.fromisoformat(order.hard_end), self._api.now()).isoformat(),
        )  # fmt: skip


def has_public_address(settings: CloudSettings) -> bool:
    """Whether machines get an address by which they are reached from elsewhere."""
    return settings.network == "default" or (settings.network == "given" and settings.public_address)
