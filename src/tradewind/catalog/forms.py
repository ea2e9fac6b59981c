"""Which form of a GPU a machine has, SXM or PCIe, as far as its source lets one tell."""

from __future__ import annotations

from collections.abc import Mapping, Set

from tradewind.domain.gpus import data_sheet

SXM_LINKS = frozenset({"NVSwitch", "mesh"})  # only SXM boards are wired to switches or to a mesh of more than a pair


def form_of(gpu: str, machine: Mapping[str, str], family_links: Set[str]) -> str | None:
    """``SXM``, ``PCIe`` or None where the GPU has but one form or nothing tells.

    A switch or mesh between the GPUs, in this type or in another of its family, means SXM; a bridge between pairs, or
    a note that says so, means PCIe. A family's small types show no link of their own, yet are cut from the same boards.

    Args:
        gpu: canonical id.
        machine: a row of instances.csv.
        family_links: kinds of link (first word of ``nvlink``) of all types of the family.
    """
    sheet = data_sheet(gpu)
    if sheet is None or sheet.form not in {"SXM", "PCIe"}:
        return None
    if "PCIe" in machine["notes"]:
        return "PCIe"
    if family_links & SXM_LINKS:
        return "SXM"
    return "PCIe" if "bridge" in family_links else None
