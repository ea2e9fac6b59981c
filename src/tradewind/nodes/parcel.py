"""What travels to a node beside the work: the agent as one file, and the library that a training loop uses.

Both are made from the installed sources, and the same sources give the same bytes.
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent
# Zip files know no earlier date.
_DATE = (1980, 1, 1, 0, 0, 0)
_MAIN = "import sys\n\nfrom tradewind.agent.__main__ import main\n\nsys.exit(main())\n"


def build_agent(into: Path) -> Path:
    """``agent.pyz`` in the folder ``into``: agent and wire, run by any Python from 3.8."""
    return _zip(into / "agent.pyz", ("agent", "wire"), {"__main__.py": _MAIN})


def build_library(into: Path) -> Path:
    """``library.zip`` in the folder ``into``: ``tradewind.training`` and ``.wire``, to be unpacked on PYTHONPATH."""
    return _zip(into / "library.zip", ("training", "wire"), {})


def _zip(path: Path, rooms: tuple[str, ...], extra: dict[str, str]) -> Path:
    """Stored, not compressed: compressed bytes differ between versions of zlib."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    with zipfile.ZipFile(draft, "w", zipfile.ZIP_STORED) as archive:
        for name, text in sorted({**extra, **dict(_sources(rooms))}.items()):
            entry = zipfile.ZipInfo(name, _DATE)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, text)
    draft.replace(path)
    return path


def _sources(rooms: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    yield "tradewind/__init__.py", (_PACKAGE / "__init__.py").read_text(encoding="utf-8")
    for room in rooms:
        for path in sorted((_PACKAGE / room).rglob("*.py")):
            yield f"tradewind/{path.relative_to(_PACKAGE).as_posix()}", path.read_text(encoding="utf-8")
