"""The READMEs' transcript of the demo: shortened from what the demo prints, and compared by what does not change.

Numbers, names of jobs and what the catalog's prices decide differ from run to run; the words that begin each line do
not. ``TRADEWIND_GOLDEN=1`` writes the transcript in place of comparing it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

LEFT_OUT = "…"
_BLOCK = re.compile(r"^```text\n(.*?)^```", flags=re.DOTALL | re.MULTILINE)
_PROGRESS = re.compile(r" \d+/\d+ ?[(（]")
_NAMED = re.compile(r"\b(?:job|lease|plan)-[0-9a-z-]+")


def shortened(told: str, home: str) -> str:
    """What a reader needs to see: needs and plan, one preemption, the end with its money; the rest as ``…``.

    ``home`` is the installation's folder, shown as the usual one.
    """
    blocks = [block.strip("\n") for block in re.split(r"\n{2,}", told.replace(home, "~/.tradewind")) if block.strip()]
    first = next(i for i, block in enumerate(blocks) if _PROGRESS.search(block))
    last = next(i for i, block in enumerate(blocks) if block.startswith("✓"))
    course = "\n".join(blocks[first:last]).splitlines()
    kept = [*blocks[:2], LEFT_OUT, "\n".join(_one_preemption(course)), *blocks[last:]]
    return "\n\n".join(kept) + "\n"


def _one_preemption(course: list[str]) -> list[str]:
    """A line of progress, the first story of a preemption, the next line of progress.

    A story is its heading and the lines set in below it; between them stand lines of how the job goes meanwhile.
    """
    heading = next(i for i, line in enumerate(course) if i and line.startswith(" ")) - 1
    begins = re.split("[:：]", course[heading])[0]
    end = next((i for i, line in enumerate(course) if i > heading and line.startswith(begins)), len(course))
    last = max(i for i in range(heading, end) if course[i].startswith(" "))
    before, after = ([line for line in part if _PROGRESS.search(line)] for part in (course[:heading], course[last:]))
    story = [line for line in course[heading:end] if line.startswith((" ", begins))]
    return [*before[-1:], *story, *after[:1], LEFT_OUT]


def shape(transcript: str) -> list[str]:
    """How lines begin, up to their first figure or column, in the order of their first appearance."""
    begun = [
        re.split(r"\s{2,}|[\d$¥<(（]", _NAMED.sub("", line.strip()), maxsplit=1)[0] for line in transcript.splitlines()
    ]
    return list(dict.fromkeys(filter(None, (label.strip(" ·:,") for label in begun))))


def of(page: Path) -> str:
    """The transcript that a page shows."""
    found = _BLOCK.search(page.read_text(encoding="utf-8"))
    assert found, f"{page.name} has no transcript"
    return found.group(1)


def check(page: Path, told: str, home: Path) -> None:
    """Compare a page's transcript with one just printed, or write it there."""
    fresh = shortened(told, str(home))
    if os.environ.get("TRADEWIND_GOLDEN"):
        text = page.read_text(encoding="utf-8")
        page.write_text(text.replace(of(page), fresh), encoding="utf-8")
    assert shape(of(page)) == shape(fresh), f"{page.name} is old: TRADEWIND_GOLDEN=1 pytest tests/whole -k demo"
