"""Machine images of the clouds: how each is looked up at run time. No id is kept: it differs by region and day."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

_FILE = Path(__file__).parent / "data" / "images.csv"


@dataclass(frozen=True, slots=True)
class Image:
    """A family of images.

    Attributes:
        lookup: how the newest of the family is found, in the cloud's own words.
        user: whom one logs in as; ``driver`` is whether a GPU driver is in it, as the source says.
        scope: GPUs or machines that it is for; empty: not said.
    """

    cloud: str
    kind: str
    name: str
    lookup: str
    user: str
    driver: str
    arch: str
    scope: str
    notes: str
    as_of: str
    source: str


def images(cloud: str, arch: str | None = None) -> tuple[Image, ...]:
    """What is known of a cloud's images, or of those for one processor (``x86_64``, ``arm64``); empty without any."""
    with _FILE.open(encoding="utf-8", newline="") as lines:
        return tuple(
            Image(cloud, row["kind"], row["name_or_family"], row["lookup"], row["default_user"], row["driver_included"],
                  row["arch"], row["gpu_scope"], row["notes"], row["as_of"], row["source"])
            for row in csv.DictReader(lines)
            if row["cloud"] == cloud and (arch is None or arch in row["arch"] or row["arch"] == "both")
        )  # fmt: skip
