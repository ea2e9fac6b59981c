"""Which image a machine boots, and the disk that it takes. The choice is pure; `Images` asks.

Sources: AWS DLAMI guide, "Finding the ID of a DLAMI", and its release notes of 2026 (names of parameters, which GPUs
the open driver drives); Canonical, "Find Ubuntu images on AWS" (parameter names).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tradewind.clouds.answers import listed, pick, published, text, whole
from tradewind.clouds.aws.client import Api, retold
from tradewind.clouds.aws.kept import Kept
from tradewind.ports.clock import Clock
from tradewind.ports.compute import CloudFault

_GPU_IMAGE = "/aws/service/deeplearning/ami/{arch}/base-oss-nvidia-driver-gpu-ubuntu-24.04/latest/ami-id"
_CPU_IMAGE = "/aws/service/canonical/ubuntu/server/24.04/stable/current/{arch}/hvm/ebs-gp3/ami-id"
_DEBIAN = {"x86_64": "amd64", "arm64": "arm64"}  # Canonical words architectures so
_BEFORE_TURING = frozenset({"K80", "M60", "V100", "P100"})  # the open kernel modules do not drive them
_WORK_GB = 50  # beside the image, as plans reckon with
_HOLDS_S = 3600.0


@dataclass(frozen=True)
class Machine:
    """What an instance type has that its image depends on. ``gpu``: ``NVIDIA A100``; None: none."""

    instance_type: str
    arch: str
    gpu: str | None


@dataclass(frozen=True)
class Image:
    """An image: its architecture, the name of the disk that it boots from, and how large that is at least."""

    id: str
    arch: str
    root: str
    gb: int


def to_machine(told: Mapping[str, Any]) -> Machine:
    """One element of ``InstanceTypes``.

    Raises:
        Odd: not of the published shape.
    """
    gpus = listed(told, "GpuInfo", "Gpus") if "GpuInfo" in told else []
    arm = "arm64" in listed(told, "ProcessorInfo", "SupportedArchitectures")
    gpu = f"{text(gpus[0], 'Manufacturer')} {text(gpus[0], 'Name')}" if gpus else None
    return Machine(text(told, "InstanceType"), "arm64" if arm else "x86_64", gpu)


def to_image(told: Mapping[str, Any]) -> Image:
    """One element of ``Images``.

    Raises:
        Odd: not of the published shape, or without the disk that it boots from.
    """
    root = text(told, "RootDeviceName")
    disks = {each["DeviceName"]: each for each in listed(told, "BlockDeviceMappings") if "Ebs" in each}
    return Image(
        text(told, "ImageId"), text(told, "Architecture"), root, whole(pick(disks, root), "Ebs", "VolumeSize")
    )  # fmt: skip


def parameter_for(machine: Machine) -> str:
    """The public parameter that names the official image: with the GPU's driver, or without GPUs plain Ubuntu.

    Raises:
        CloudFault: ``invalid``: AWS has no image with a driver for it.
    """
    if machine.gpu is None:
        return _CPU_IMAGE.format(arch=_DEBIAN[machine.arch])
    maker, _, name = machine.gpu.partition(" ")
    if maker != "NVIDIA" or name.split()[0] in _BEFORE_TURING:
        words = (
            f"AWS has no current image that drives the {machine.gpu} of {machine.instance_type}: name one as `image`"
        )
        raise CloudFault("invalid", words, sent="no")
    return _GPU_IMAGE.format(arch=machine.arch)


def disk_gb(image: Image, wanted: int | None) -> int:
    """GB of the disk that a machine boots from: as wanted, at least the image's own; else that and room to work."""
    return max(wanted, image.gb) if wanted else image.gb + _WORK_GB


class Images:
    """Machine types and images of one region, asked at most once an hour each."""

    def __init__(self, api: Api, region: str, clock: Clock) -> None:
        self._api = api
        self._region = region
        self._machines = Kept[Machine](clock, _HOLDS_S)
        self._names = Kept[str](clock, _HOLDS_S)
        self._images = Kept[Image](clock, _HOLDS_S)

    def machine(self, instance_type: str) -> Machine:
        """What this type has.

        Raises:
            CloudFault: ``invalid``, there is no such type here; or it cannot be asked.
        """
        return self._machines.get(instance_type, lambda: self._ask_machine(instance_type))

    def official(self, machine: Machine) -> Image:
        """The official image for a machine."""
        parameter = parameter_for(machine)
        return self.image(self._names.get(parameter, lambda: self._ask_parameter(parameter)), machine)

    def image(self, id_: str, machine: Machine) -> Image:
        """An image, if this machine can boot it.

        Raises:
            CloudFault: ``invalid``, there is no such image here, or it is of another architecture.
        """
        image = self._images.get(id_, lambda: self._ask_image(id_))
        if image.arch != machine.arch:
            words = f"image {id_} is for {image.arch}, {machine.instance_type} is {machine.arch}"
            raise CloudFault("invalid", words, sent="no")
        return image

    def _ask_machine(self, instance_type: str) -> Machine:
        asked = [{"Name": "instance-type", "Values": [instance_type]}]
        rows = self._api.rows(self._region, "describe_instance_types", "InstanceTypes", Filters=asked)
        with published("DescribeInstanceTypes"):
            for told in rows:
                return to_machine(told)
        raise CloudFault("invalid", f"there is no machine type {instance_type} in {self._region}", sent="yes")

    def _ask_parameter(self, name: str) -> str:
        answer = self._api.ask("ssm", self._region, "get_parameter", Name=name)
        with published("GetParameter"):
            return text(answer, "Parameter", "Value")

    def _ask_image(self, id_: str) -> Image:
        try:
            answer = self._api.ask("ec2", self._region, "describe_images", ImageIds=[id_])
        except CloudFault as fault:
            if fault.kind != "not_found":
                raise
            raise retold(fault, "invalid") from fault
        with published("DescribeImages"):
            told = listed(answer, "Images")
            return to_image(told[0] if told else {})
