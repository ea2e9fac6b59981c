"""The import contracts name every room, allow what the rooms need, and catch everything else."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from configparser import ConfigParser
from itertools import permutations
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "tradewind"

OUTSIDE = {"domain", "ports", "wire"}
DECIDE = {"domain"}
KEEP = {"domain", "store"}
MAY_IMPORT: dict[str, set[str]] = {
    "domain": set(),
    "wire": set(),
    "ports": {"domain"},
    "sizing": DECIDE,
    "planning": DECIDE,
    "compliance": DECIDE,
    "doctor": DECIDE,
    "store": {"domain"},
    "catalog": KEEP,
    "ledger": KEEP,
    "leasing": {"domain", "ports", "store"},
    "telemetry": {"domain", "ports", "wire", "store"},
    "jobs": {"domain", "ports", "wire", "store", "leasing", "planning", "doctor", "ledger"},
    "clouds": OUTSIDE,
    "nodes": OUTSIDE,
    "engines": OUTSIDE,
    "tracing": OUTSIDE,
    "agent": {"wire"},
    "training": {"wire"},
    "words": {"domain"},
    "cli": {"domain", "app", "words"},
    "server": {"domain", "app", "words"},
}
MAY_IMPORT["app"] = set(MAY_IMPORT) - {"cli", "server", "words"}
FORBIDDEN = sorted(pair for pair in permutations(MAY_IMPORT, 2) if pair[1] not in MAY_IMPORT[pair[0]])

EFFECTS = [("planning", "time"), ("sizing", "random"), ("domain", "socket"), ("doctor", "sqlite3"), ("jobs", "time")]


def lint(folder: Path) -> tuple[int, str]:
    """Exit status and words of lint-imports on the sources in ``folder``, each chain on one line."""
    run = subprocess.run(
        [str(Path(sys.executable).with_name("lint-imports")), "--config", str(ROOT / ".importlinter"), "--no-cache"],
        cwd=folder,
        env={"PYTHONPATH": str(folder), "COLUMNS": "500", "LANG": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=False,
    )
    return run.returncode, run.stdout + run.stderr


@pytest.fixture
def rooms(tmp_path: Path) -> Path:
    """A copy of the house in which every room is empty, the ones to come as well."""
    for room in MAY_IMPORT:
        write(tmp_path, f"{room}/__init__.py", "")
    write(tmp_path, "__init__.py", "")
    return tmp_path


def write(folder: Path, name: str, text: str) -> None:
    path = folder / "tradewind" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_every_package_is_a_room_of_the_table() -> None:
    packages = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    assert packages <= set(MAY_IMPORT)


def test_every_package_stands_in_the_contract_of_shelves() -> None:
    contracts = ConfigParser()
    contracts.read(ROOT / ".importlinter")
    shelves = contracts["importlinter:contract:shelves"]["layers"]
    named = {room.strip("() ") for line in shelves.split("\n") for room in line.split("|")} - {""}
    assert named == set(MAY_IMPORT)


def test_what_the_rooms_need_is_allowed(rooms: Path) -> None:
    for room, others in MAY_IMPORT.items():
        text = "".join(f"import tradewind.{other}\n" for other in sorted(others))
        write(rooms, f"{room}/needs.py", text)
    status, told = lint(rooms)
    assert status == 0, told


def test_every_other_import_is_caught_and_named(rooms: Path) -> None:
    for room, other in FORBIDDEN:
        write(rooms, f"{room}/reaches_{other}.py", f"from tradewind import {other}\n")
    status, told = lint(rooms)
    assert status == 1
    missed = [f"{a} -> {b}" for a, b in FORBIDDEN if f"tradewind.{a}.reaches_{b} -> tradewind.{b} " not in told]
    assert missed == []


@pytest.mark.parametrize(("room", "module"), EFFECTS)
def test_an_effect_in_the_core_is_caught(rooms: Path, room: str, module: str) -> None:
    write(rooms, f"{room}/effect.py", f"import {module}\n")
    status, told = lint(rooms)
    assert status == 1
    assert f"tradewind.{room} is not allowed to import {module}" in told


def test_one_cloud_may_not_import_another(rooms: Path) -> None:
    write(rooms, "clouds/aws/__init__.py", "")
    write(rooms, "clouds/local/__init__.py", "import tradewind.clouds.aws\n")
    status, told = lint(rooms)
    assert status == 1
    assert "tradewind.clouds.local -> tradewind.clouds.aws" in told


def test_a_package_in_no_contract_is_caught(rooms: Path) -> None:
    write(rooms, "attic/__init__.py", "")
    status, told = lint(rooms)
    assert status == 1
    assert "tradewind.attic" in told


def test_the_package_itself_is_empty() -> None:
    assert (SOURCE / "__init__.py").read_text().strip() == ""


def imported(path: Path) -> Iterator[str]:
    """Top-level names of the absolute imports in a file, late ones too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module.split(".")[0]


@pytest.mark.parametrize("room", ["domain", "wire", "ports", "agent"])
def test_a_room_that_travels_or_carries_all_others_needs_the_standard_library_only(room: str) -> None:
    files = sorted((SOURCE / room).rglob("*.py"))
    strange = {(path.name, name) for path in files for name in imported(path)}
    assert {(file, name) for file, name in strange if name not in sys.stdlib_module_names} <= {
        (path.name, "tradewind") for path in files
    }


CLOCKS = {"now", "utcnow", "today", "time", "monotonic", "perf_counter", "time_ns"}
CLOCKLESS = ["domain", "sizing", "planning", "compliance", "doctor", "ledger", "catalog", "leasing", "jobs", "store"]


def clock_reads(path: Path) -> Iterator[str]:
    """Places where a file asks the computer's clock: ``datetime.now()``, ``date.today()``, ``time.time()`` …"""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CLOCKS:
            owner = node.func.value
            if isinstance(owner, ast.Name) and owner.id in {"datetime", "date", "time"}:
                yield f"{path.relative_to(SOURCE)}:{node.lineno}"


@pytest.mark.parametrize("room", CLOCKLESS)
def test_the_core_takes_its_instants_as_arguments(room: str) -> None:
    assert [place for path in (SOURCE / room).rglob("*.py") for place in clock_reads(path)] == []
