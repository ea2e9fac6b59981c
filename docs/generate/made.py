"""Which file of the repository is made from what: whole files, and parts of pages between two comments."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from generate import answers, commands, decisions, errors, job_file, rooms, schema, states

ROOT = Path(__file__).parents[2]
NOTE = "<!-- made by docs/generate: change what it is made from, then `make docs` -->\n"

WHOLE: Mapping[str, Callable[[], str]] = {
    "docs/job.schema.json": schema.schema,
    "src/tradewind/app/jobfile/job.schema.json": schema.schema,
    "docs/pictures/lease.svg": states.lease,
    "docs/pictures/job.svg": states.job,
}
PAGES: Mapping[str, tuple[Callable[[str], str], str]] = {
    "docs/job-file-keys.md": (job_file.page, "en"),
    "docs/zh/job-file-keys.md": (job_file.page, "zh"),
    "docs/cli.md": (commands.page, "en"),
    "docs/zh/cli.md": (commands.page, "zh"),
    "docs/errors.md": (errors.page, "en"),
    "docs/zh/errors.md": (errors.page, "zh"),
}
PARTS: Mapping[str, Mapping[str, Callable[[], str]]] = {
    "docs/architecture.md": {"rooms": rooms.table, "effects": rooms.effects},
    "docs/contracts.md": {"answers": answers.shapes},
    "docs/adr/README.md": {"decisions": decisions.table},
}


def made() -> Iterator[tuple[Path, str]]:
    """Each file with the text that it should have."""
    for name, whole in WHOLE.items():
        yield ROOT / name, whole()
    for name, (page, lang) in PAGES.items():
        yield ROOT / name, NOTE + page(lang).rstrip() + "\n"
    for name, parts in PARTS.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        for part, make in parts.items():
            text = put(text, part, make())
        yield ROOT / name, text


def put(page: str, name: str, text: str) -> str:
    """``page`` with ``text`` between its two comments of that name.

    Raises:
        ValueError: the page has no such comments.
    """
    start, end = f"<!-- made: {name} -->", "<!-- end -->"
    done, count = re.subn(rf"{start}.*?{end}", lambda _: f"{start}\n{text}\n{end}", page, count=1, flags=re.DOTALL)
    if not count:
        raise ValueError(f"the page has no {start}")
    return done


def behind() -> list[tuple[Path, str]]:
    """The files that are not in step, each with the text that it should have."""
    return [(path, text) for path, text in made() if not path.is_file() or path.read_text(encoding="utf-8") != text]
