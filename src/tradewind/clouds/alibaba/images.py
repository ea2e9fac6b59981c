"""Which image a machine boots: the one that is set, else the cloud's own by the machine's role."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from tradewind.clouds.alibaba.client import Api
from tradewind.clouds.answers import Odd, amount, listed, pick, published, text
from tradewind.ports.clock import Clock
from tradewind.ports.compute import CloudFault

KEPT_S = 3600.0  # the cloud's own images change by the month
WORK_GB = 50  # beside the image, as plans reckon with
_UBUNTU = {"X86": "acs:ubuntu_22_04_x64", "ARM": "acs:ubuntu_22_04_arm64"}
_ARCHITECTURES = {"X86": "x86_64", "ARM": "arm64"}
_DRIVER = re.compile(r"nvidia|gpu|cuda", re.IGNORECASE)  # official images say by their name that the driver is in them


@dataclass(frozen=True, slots=True)
class Shape:
    """What of a machine type decides on its image; ``role``: ``gpu``, ``cpu``; ``architecture``: ``X86``, ``ARM``."""

    instance_type: str
    role: str
    architecture: str


@dataclass(frozen=True, slots=True)
class Image:
    """An image, and the smallest disk in GiB that it boots from."""

    id: str
    gb: int


class Images:
    """The images of one region; what was found is kept for an hour, what a type is for good."""

    def __init__(self, api: Api, region: str, clock: Clock) -> None:
        self._api = api
        self._region = region
        self._clock = clock
        self._shapes: dict[str, Shape] = {}
        self._kept: dict[Shape, tuple[Image, float]] = {}

    def shape(self, instance_type: str) -> Shape:
        """What a machine type is.

        Raises:
            CloudFault: ``invalid``: there is no such type.
        """
        if instance_type not in self._shapes:
            answer = self._api.ask(
                "ecs", self._region, "DescribeInstanceTypes", **{"InstanceTypes.1": instance_type}
            )  # fmt: skip
            with published("DescribeInstanceTypes"):
                shapes = map(_to_shape, listed(answer, "InstanceTypes", "InstanceType"))
                self._shapes |= {shape.instance_type: shape for shape in shapes}
        if instance_type not in self._shapes:
            raise CloudFault("invalid", f"there is no machine type {instance_type}", sent="yes")
        return self._shapes[instance_type]

    def named(self, id_: str) -> Image:
        """An image by its id.

        Raises:
            CloudFault: ``invalid``: there is none.
        """
        for row in self._listed(ImageId=id_):
            with published("DescribeImages"):
                return _to_image(row)
        raise CloudFault("invalid", f"there is no image {id_} in {self._region}", sent="yes")

    def official(self, shape: Shape) -> Image:
        """The cloud's own: with the driver for a GPU, Ubuntu for the rest.

        Raises:
            CloudFault: ``invalid``: there is none.
        """
        kept = self._kept.get(shape)
        if kept is None or self._clock.monotonic() - kept[1] > KEPT_S:
            image = self._with_driver(shape) if shape.role == "gpu" else self._ubuntu(shape)
            kept = self._kept[shape] = image, self._clock.monotonic()
        return kept[0]

    def _ubuntu(self, shape: Shape) -> Image:
        family = _UBUNTU[shape.architecture]
        answer = self._api.ask(
            "ecs", self._region, "DescribeImageFromFamily", RegionId=self._region, ImageFamily=family
        )  # fmt: skip
        if not answer.get("Image"):
            raise CloudFault("invalid", f"{self._region} has no image of the family {family}", sent="yes")
        with published("DescribeImageFromFamily"):
            return _to_image(pick(answer, "Image"))

    def _with_driver(self, shape: Shape) -> Image:
        """The newest with a driver that boots on this type, of Ubuntu if there is one."""
        rows = self._listed(
            ImageOwnerAlias="system", OSType="linux", Status="Available", InstanceType=shape.instance_type,
            Architecture=_ARCHITECTURES[shape.architecture], IsSupportCloudinit="true",
        )  # fmt: skip
        with published("DescribeImages"):
            fit = [row for row in rows if _DRIVER.search(text(row, "ImageName"))]
            if not fit:
                words = f"{self._region} has no official image with a GPU driver for {shape.instance_type}: name one"
                raise CloudFault("invalid", words, sent="yes")
            return _to_image(
                max(fit, key=lambda row: ("ubuntu" in row["ImageName"].lower(), text(row, "CreationTime")))
            )

    def _listed(self, **query: str) -> list[Any]:
        return list(self._api.numbered("ecs", self._region, "DescribeImages", "Images", "Image", **query))


def _to_shape(row: Any) -> Shape:
    architecture = row.get("CpuArchitecture", "X86")
    if architecture not in _ARCHITECTURES:
        raise Odd(f"CpuArchitecture is {architecture!r}")
    role = "gpu" if row.get("GPUSpec") or amount(row, "GPUAmount") else "cpu"
    return Shape(text(row, "InstanceTypeId"), role, architecture)


def _to_image(row: Any) -> Image:
    return Image(text(row, "ImageId"), int(amount(row, "Size")))
