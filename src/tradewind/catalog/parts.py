"""What a snapshot is made of, and how its name speaks for its content."""

from __future__ import annotations

import zlib
from pathlib import Path

DATA = Path(__file__).parent / "data"
FILES = ("instances.csv", "prices.csv", "regions.csv", "sources.csv", "specialists.csv", "tariffs.csv")
REFRESHED, OWN = "refreshed", "own"  # folders of what is laid over the shipped files


def shipped_files(data: Path) -> list[Path]:
    """The files of ``FILES`` in their order; each may be packed as ``NAME.gz``, as a wheel's prices are."""
    return [path if (path := data / name).exists() else data / f"{name}.gz" for name in FILES]


def overlay_files(overlays: Path | None) -> list[Path]:
    """The files laid over the shipped ones: refreshed first, then own prices, each in the order of their names."""
    if overlays is None:
        return []
    return [path for folder in (REFRESHED, OWN) for path in sorted((overlays / folder).glob("*.csv"))]


def content_key(content: bytes) -> str:
    """The part of a snapshot's name that speaks for its content."""
    return f"{zlib.crc32(content):08x}"


def is_whole(path: Path) -> bool:
    """Whether a snapshot's content is the one that its name promises."""
    try:
        return path.name.endswith(f"-{content_key(path.read_bytes())}.sqlite")
    except OSError:  # gone, or not ours to read: another will be built
        return False
