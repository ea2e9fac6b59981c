"""The rooms of the source and who may import whom: the import contracts, with each room's own first sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from configparser import ConfigParser
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "tradewind"
SHELVES: dict[str, tuple[str, ...]] = {
    "values": ("domain", "wire", "ports"),
    "decide": ("sizing", "planning", "compliance", "doctor"),
    "keep": ("store", "catalog", "ledger"),
    "act": ("leasing", "jobs", "telemetry"),
    "outside": ("clouds", "nodes", "engines", "tracing"),
    "on node": ("agent", "training"),
    "people": ("app", "words", "cli", "server"),
}
TO_COME = {
    "compliance": "Controls, at the time of the plan and live.", "doctor": "Facts and logs → findings.",
    "telemetry": "Series, alert rules, exporters.", "engines": "Slurm, Ray and Kubernetes.",
    "server": "The control plane for a team.",
}  # fmt: skip


def table() -> str:
    """One row a room: its shelf, what it does, what it may import."""
    may = imports()
    lines = ["| shelf | room | what it does | may import |", "| --- | --- | --- | --- |"]
    for shelf, rooms in SHELVES.items():
        for place, room in enumerate(rooms):
            allowed = ", ".join(other for others in SHELVES.values() for other in others if other in may[room])
            cells = ("" if place else shelf, _name(room), _does(room), allowed or "nothing of ours")
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def imports() -> dict[str, set[str]]:
    """Room → the rooms that its contract lets it import."""
    may: dict[str, set[str]] = {room: set() for rooms in SHELVES.values() for room in rooms}
    for contract in _contracts("protected"):
        for importer in _rooms(contract["allowed_importers"]):
            may[importer] |= set(_rooms(contract["protected_modules"])) - {importer}
    return may


def effects() -> str:
    """What the core may not reach for: a line a contract."""
    return "\n".join(
        f"- {contract['name']}: *{', '.join(_rooms(contract['source_modules']))}* never import "
        + ", ".join(f"`{name}`" for name in contract["forbidden_modules"].split()) + "."
        for contract in _contracts("forbidden")
    )  # fmt: skip


def _contracts(kind: str) -> Iterator[dict[str, str]]:
    file = ConfigParser()
    file.read(ROOT / ".importlinter", encoding="utf-8")
    yield from (dict(file[name]) for name in file.sections() if file[name].get("type") == kind)


def _rooms(names: str) -> list[str]:
    return re.findall(r"^\*\.(\w+)$", names, flags=re.MULTILINE)


def _name(room: str) -> str:
    page = SOURCE / room / "README.md"
    return f"[{room}](../src/tradewind/{room}/README.md)" if page.is_file() else f"*{room}*"


def _does(room: str) -> str:
    """The first sentence of the room's page, two where it is short; of one that is not built yet, what it is for."""
    page = SOURCE / room / "README.md"
    if not page.is_file():
        return f"{TO_COME[room]} Not built yet."
    said = page.read_text(encoding="utf-8").split("\n\n")[1].replace("\n", " ")
    first, *rest = re.split(r"(?<=\.) ", said)
    return f"{first} {rest[0]}" if rest and len(first) < 30 else first
