"""Machine types of Compute Engine read into our values. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from tradewind.clouds.answers import Odd, listed, named, text, whole
from tradewind.clouds.gcp.shapes_data import N1_PAIRS
from tradewind.domain.market import ListedMachine

# Machine types with GPUs of their own, and those N1 that take some; g4 is left out: its type tells no share of a GPU.
FILTER = 'name eq "(a2|a3|a4|a4x|g2)-.+|n1-standard-(4|8|16|32|64)"'

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
        yield _machine(told, name, kind, whole(each, "guestAcceleratorCount"))
    if not accelerators and name.startswith("n1-standard-"):
        for _, kind, count in (pair for pair in N1_PAIRS if f"n1-standard-{pair[0]}" == name):
            yield _machine(told, f"{name}+{kind}:{count}", kind, count)


def _machine(told: Mapping[str, Any], name: str, kind: str, count: int) -> ListedMachine:
    architecture = text(told, "architecture") if "architecture" in told else "X86_64"
    if architecture not in _ARCHITECTURES:
        raise Odd(f"its architecture is {architecture!r}")
    return ListedMachine(
        cloud="gcp", instance_type=name, gpu=kind, gpus=Decimal(count), cpus=whole(told, "guestCpus"),
        memory_gib=whole(told, "memoryMb") / 1024, arch=_ARCHITECTURES[architecture],
    )  # fmt: skip
