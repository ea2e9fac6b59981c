"""The page about the job file names every key that is read, and its example is one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tradewind.app import jobfile
from tradewind.app.jobfile.models import JobFile, Section

PAGE = (Path(__file__).parents[2] / "docs" / "job-file.md").read_text(encoding="utf-8")


def keys(section: type[Section]) -> list[str]:
    """Every key below ``section``, those of its mappings and of mappings in lists too."""
    return [
        name
        for field, info in section.model_fields.items()
        for name in (field, *(key for inner in sections(info.annotation) for key in keys(inner)))
    ]


def sections(annotation: object) -> list[type[Section]]:
    if isinstance(annotation, type) and issubclass(annotation, Section):
        return [annotation]
    return [inner for part in getattr(annotation, "__args__", ()) for inner in sections(part)]


@pytest.mark.parametrize("key", sorted(set(keys(JobFile))))
def test_the_page_names_the_key(key: str) -> None:
    assert re.search(rf"[`.{{ ]{key}[`.,:}}]", PAGE)


def test_the_example_is_a_job_file() -> None:
    examples = re.findall(r"^```yaml\n(.*?)^```", PAGE, flags=re.DOTALL | re.MULTILINE)
    assert [jobfile.parse(text, "docs/job-file.md").name for text in examples] == ["resnet50-flowers"]
