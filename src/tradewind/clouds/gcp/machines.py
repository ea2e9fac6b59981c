"""Machine types of Compute Engine read into our values. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from tradewind.clouds.answers import Odd, listed, named, text, whole
from tradewind.clouds.gcp.shapes_data import N1_PAIRS
from tradewind.domain.market import ListedMachine

# Machine types with GPUs of their own, and those N1 that take some.
FILTER = 'name eq "(a2|a3|a4|a4x|g2|g4)-.+|n1-standard-(4|8|16|32|64)"'
_SHARE = re.compile(r"\b1/(\d+) NVIDIA")  # the count of a share is told as 1; its description tells the share
_CPUS_A_G4_GPU = 48

_ARCHITECTURES = {"X86_64": "x86_64", "ARM64": "arm64"}


def types_of(body: object) -> list[Any]:
    """The machine types of one page, each once although every zone that has it tells it.

    Raises:
        Odd: not of the published shape.
    """
    zones = [named(zone) for zone in named(body, "items").values()]
    types = [each for zone in zones if "machineTypes" in zone for each in listed(zone, "machineTypes")]
    return list({text(each, "name"): each for each in types}.values())


def to_machines(told: Mapping[str, Any]) -> Iterator[ListedMachine]:
    """The machines that a type stands for: itself with its GPUs, or an N1 with each number of GPUs we offer.

    Raises:
        Odd: not of the published shape.
    """
    name = text(told, "name")
    accelerators = listed(told, "accelerators") if "accelerators" in told else []
    if len(accelerators) > 1:
        raise Odd("it has accelerators of several kinds")
    for each in accelerators:
        kind = text(each, "guestAcceleratorType")
        yield _machine(told, name, kind, _gpus(told, name, whole(each, "guestAcceleratorCount")))
    if not accelerators and name.startswith("n1-standard-"):
        for _, kind, count in (pair for pair in N1_PAIRS if f"n1-standard-{pair[0]}" == name):
            yield _machine(told, f"{name}+{kind}:{count}", kind, Decimal(count))


def _gpus(told: Mapping[str, Any], name: str, count: int) -> Decimal:
    """How many GPUs, or which share of one.

    Raises:
        Odd: it must be a share, by its vCPUs, and does not tell which.
    """
    if share := _SHARE.search(str(told.get("description"))):
        return round(Decimal(count) / int(share[1]), 4).normalize()
    if name.startswith("g4-") and whole(told, "guestCpus") < _CPUS_A_G4_GPU * count:
        raise Odd("it does not tell its share of a GPU")
    return Decimal(count)


def _machine(told: Mapping[str, Any], name: str, kind: str, gpus: Decimal) -> ListedMachine:
    architecture = text(told, "architecture") if "architecture" in told else "X86_64"
    if architecture not in _ARCHITECTURES:
        raise Odd(f"its architecture is {architecture!r}")
    return ListedMachine(
        cloud="gcp", instance_type=name, gpu=kind, gpus=gpus, cpus=whole(told, "guestCpus"),
        memory_gib=whole(told, "memoryMb") / 1024, arch=_ARCHITECTURES[architecture],
    )  # fmt: skip
