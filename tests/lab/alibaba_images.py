"""The images of the Alibaba Cloud of the lab: system images of two families, the newest of each usable."""

from __future__ import annotations

from typing import Any

from lab.alibaba_account import Account, missing, page, plays
from lab.engine import Call, Told


def _row(number: int, id_: str, name: str, family: str, made: str, architecture: str = "x86_64", gb: int = 20) -> Told:
    return {
        "number": number,
        "told": {
            "ImageId": id_, "ImageName": name, "ImageFamily": family, "CreationTime": f"{made}T02:00:00Z", "Size": gb,
            "Architecture": architecture, "OSType": "linux", "OSName": "Ubuntu 22.04 64 bit", "Platform": "Ubuntu",
            "ImageOwnerAlias": "system", "Status": "Available", "Usage": "none", "IsSupportCloudinit": True,
            "IsSupportIoOptimized": True,
        },
    }  # fmt: skip


def _plain(number: int, name: str, family: str, made: str, architecture: str = "x86_64") -> Told:
    file = f"{name}_20G_alibase_{made.replace('-', '')}.vhd"
    return _row(number, file, file, family, made, architecture)


def _driver(number: int, driver: str, made: str) -> Told:
    day = made.replace("-", "")
    return _row(number, f"m-2zegpu{day}", f"ubuntu_22_04_x64_20G_nvidia_{driver}_alibase_{day}.vhd", "", made, gb=40)


_ROWS = [
    _plain(1, "ubuntu_22_04_x64", "acs:ubuntu_22_04_x64", "2026-01-15"),
    _plain(2, "ubuntu_22_04_x64", "acs:ubuntu_22_04_x64", "2026-10-10"),
    _plain(3, "ubuntu_22_04_arm64", "acs:ubuntu_22_04_arm64", "2026-10-10", "arm64"),
    _driver(4, "550", "2026-06-01"),
    _driver(5, "570", "2026-09-01"),
    _plain(6, "aliyun_3_x64", "acs:alibaba_cloud_linux_3_2104_lts_x64", "2026-09-01"),
]
_FIELDS = ("ImageFamily", "Architecture", "ImageOwnerAlias", "OSType", "Status", "Usage")


def image(id_: str | None, family: str | None) -> Told:
    """One image by its id, or the newest of a family."""
    found = [
        row["told"]
        for row in _ROWS
        if row["told"]["ImageId"] == id_ or (family and row["told"]["ImageFamily"] == family)
    ]
    if not found:
        raise missing("ImageId", "InvalidImageId.NotFound")
    return max(found, key=lambda told: str(told["CreationTime"]))


@plays(
    "ecs:DescribeImages", "ImageFamily", "Architecture", "ImageOwnerAlias", "OSType", "Status", "Usage", "ImageId",
    "ImageName", "InstanceType", "IsSupportCloudinit", "IsSupportIoOptimized",
)  # fmt: skip
def describe_images(account: Account, call: Call) -> Told:
    """Those that match; of ``ImageName`` with stars, ``ImageId`` with commas."""
    asked = call.asked
    ids = asked["ImageId"].split(",") if "ImageId" in asked else None
    found = [
        row
        for row in _ROWS
        if all(asked.get(name) in (None, row["told"][name]) for name in _FIELDS)
        and (ids is None or row["told"]["ImageId"] in ids)
        and _named(row["told"]["ImageName"], asked.get("ImageName", "*"))
    ]
    shown, told = page(call, found, lambda row: int(row["number"]))
    return {"RegionId": call.region, "Images": {"Image": [row["told"] for row in shown]}, **told}


@plays("ecs:DescribeImageFromFamily", "ImageFamily")
def describe_image_from_family(account: Account, call: Call) -> Told:
    """The newest of a family; without one, nothing is told of it."""
    family = call.asked["ImageFamily"]
    if not any(row["told"]["ImageFamily"] == family for row in _ROWS):
        return {}
    return {"Image": image(None, family)}


def _named(name: str, wanted: Any) -> bool:
    """Whether a name is the one wanted, which may begin and end with a star."""
    middle = str(wanted).strip("*")
    if not str(wanted).startswith("*") and not name.startswith(middle):
        return False
    return middle in name and (str(wanted).endswith("*") or name.endswith(middle))
