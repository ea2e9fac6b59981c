"""The list of decisions, from the titles of their pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "adr"


def table() -> str:
    """One row a decision."""
    return "\n".join(["| | decision | date |", "| --- | --- | --- |", *_rows()])


def _rows() -> Iterator[str]:
    for page in sorted(FOLDER.glob("[0-9]*.md")):
        title, _, date = page.read_text(encoding="utf-8").split("\n", 3)[:3]
        number, _, said = title.removeprefix("# ").partition(": ")
        yield f"| {number} | [{said[0].upper()}{said[1:]}]({page.name}) | {date} |"
