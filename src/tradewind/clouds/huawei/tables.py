"""What ECS tells of its flavours, as values. Pure: answers in, machines out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from tradewind.clouds.answers import Odd, amount, listed, pick, text
from tradewind.domain.gpus import data_sheet, resolve
from tradewind.domain.market import ListedMachine

CLOUD = "huawei"
SOLD = frozenset({"normal", "promotion", "obt", "sellout"})  # of what is sold out, the price is still the price
_AZ_STATUS = re.compile(r"\((\w+)\)")  # "az0(normal), az1(sellout)"
_PROFILE = re.compile(r"^(?P<gpu>.+)[_-](?P<gib>\d+)q$", re.IGNORECASE)  # "m60_1q": slices of 1 GiB


def to_machines(flavor: Any) -> Iterator[ListedMachine]:
    """An element of ListFlavors as a machine; nothing for one without an accelerator.

    Raises:
        Odd: something is missing or not of the published form.
    """
    extra = _extra(flavor)
    told = _accelerator(extra)
    if told is None:
        return
    gpu, gpus, memory_gib = told
    yield ListedMachine(
        cloud=CLOUD, instance_type=text(flavor, "id"), gpu=gpu, gpus=gpus, gpu_memory_gib=memory_gib,
        cpus=int(amount(flavor, "vcpus")), memory_gib=float(amount(flavor, "ram")) / 1024,
        network_gbps=float(amount(extra, "quota:max_rate")) / 1000 if "quota:max_rate" in extra else None,
        local_nvme_gb=_local_gb(extra.get("quota:nvme_ssd")),
        arch="arm64" if extra.get("ecs:instance_architecture") == "arm64" else "x86_64",
    )  # fmt: skip


def sold(flavor: Any, way: str) -> bool:
    """Whether a flavour is sold in ``way`` (``demand``, ``period``) in any zone.

    A zone's word goes before the region's, no word is yes.
    """
    extra = _extra(flavor)
    charged, in_region, in_zones = (
        str(extra.get(f"cond:operation:{word}") or "") for word in ("charge", "status", "az")
    )  # fmt: skip
    statuses = {in_region or "normal", *_AZ_STATUS.findall(in_zones)}
    return bool(statuses & SOLD) and (not charged or way in charged)


def _extra(flavor: Any) -> Mapping[str, Any]:
    extra = pick(flavor, "os_extra_specs")
    if not isinstance(extra, Mapping):
        raise Odd("os_extra_specs is no object")
    return extra


def _accelerator(extra: Mapping[str, Any]) -> tuple[str, Decimal | None, float | None] | None:
    """Name, how many, and GiB of each: from the card's list, else from the older fields of pass-through and slices."""
    for field in ("info:gpus", "info:asic_accelerators"):
        if extra.get(field):
            return _card(field, extra[field])
    specs, alias = extra.get("pci_passthrough:gpu_specs"), extra.get("pci_passthrough:alias")
    if specs:
        name, mode, count = _fields(specs, 3)
        return _slice(name, count) if mode == "virt" else (name, count, None)
    if alias:
        name, count = _fields(alias, 2)
        return name, count, None
    return None


def _card(field: str, told: Any) -> tuple[str, Decimal, float | None]:
    try:
        cards = json.loads(told) if isinstance(told, str) else told
    except ValueError:
        raise Odd(f"{field} is {told!r}") from None
    card, *others = listed({field: cards}, field) or [None]
    if others:
        raise Odd(f"{field} names {1 + len(others)} kinds")
    name, count = text(card, "name"), amount(card, "count")
    return name, count, float(amount(card, "memory_mb")) / 1024 if card.get("memory_mb") else None


def _slice(profile: str, count: Decimal) -> tuple[str, Decimal | None, float | None]:
    """A share by memory, where the data sheet of the card is known by the name alone."""
    named = _PROFILE.match(profile)
    if not named:
        return profile, None, None
    known = resolve(named["gpu"])
    sheet = data_sheet(*known) if known else None
    share = round(count * int(named["gib"]) / Decimal(sheet.memory_gib), 4).normalize() if sheet else None
    return named["gpu"], share, float(named["gib"])


def _fields(told: Any, n: int) -> Any:
    """``name:…:count`` with the count as a number."""
    *names, count = str(told).split(":")
    if len(names) != n - 1:
        raise Odd(f"{told!r} has not {n} fields")
    return *names, amount({"count": count}, "count")


def _local_gb(told: Any) -> float | None:
    """The size in ``type:spec:size:safeFormat``."""
    parts = str(told).split(":")
    return float(parts[2]) if told and len(parts) == 4 and parts[2].isdigit() else None
