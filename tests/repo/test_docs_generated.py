"""Pages and pictures that are made from the sources are in step with them, and lack nothing that is there."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest
from generate import errors, made, rooms, states

from tradewind import words
from tradewind.domain.errors import TradewindError
from tradewind.domain.states import JOB_TRANSITIONS, LEASE_TRANSITIONS, JobState

ROOT = Path(__file__).parents[2]


def test_what_is_made_from_the_sources_is_in_step_with_them() -> None:
    assert [str(path.relative_to(ROOT)) for path, _ in made.behind()] == [], "run: make docs"


def test_a_page_that_lost_the_place_for_what_is_made_is_told() -> None:
    assert made.put("a <!-- made: x -->\nold\n<!-- end --> b", "x", "new") == "a <!-- made: x -->\nnew\n<!-- end --> b"
    with pytest.raises(ValueError, match="made: y"):
        made.put("a page", "y", "new")


def test_every_page_has_its_place_beside_the_pages_and_on_the_first_one() -> None:
    beside = (ROOT / "docs" / "site" / "conf.py").read_text(encoding="utf-8")
    pages = [page.stem for page in (ROOT / "docs").glob("*.md") if page.stem != "index"]
    assert [page for page in pages if f'"docs/{page}"' not in beside] == []
    first = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    assert [page for page in pages if f"({page}.md)" not in first] == []


def test_every_room_has_its_shelf_and_its_contract() -> None:
    shelved = [room for shelf in rooms.SHELVES.values() for room in shelf]
    assert len(shelved) == len(set(shelved))
    assert {path.parent.name for path in rooms.SOURCE.glob("*/__init__.py")} <= set(shelved)
    allowed: dict[str, set[str]] = import_module("test_import_contracts").MAY_IMPORT
    assert rooms.imports() == allowed


@pytest.mark.parametrize("lang", words.LANGUAGES)
def test_every_error_stands_on_its_page_in_sentences_without_braces(lang: str) -> None:
    page = errors.page(lang)
    codes = set(re.findall(r"^### (\S+)$", page, flags=re.MULTILINE))
    assert len(codes) > 200
    for code in sorted(codes):
        assert words.error(TradewindError(code), lang).what != code, code
    assert not re.search(r"\{\w+\}|\[\[", page.replace('{"error": {"code"', ""))


def test_a_picture_has_every_state_and_an_arrow_for_every_way() -> None:
    lease, job = states.lease(), states.job()
    assert [state for state in LEASE_TRANSITIONS if f">{state}</text>" not in lease] == []
    assert [state for state in JOB_TRANSITIONS if f">{state}</text>" not in job] == []
    assert lease.count('class="way"') == sum(len(after) for after in LEASE_TRANSITIONS.values())
    to_stop = sum(JobState.STOPPING in after for after in JOB_TRANSITIONS.values())
    assert to_stop > 5
    assert job.count('class="way"') == sum(len(after) for after in JOB_TRANSITIONS.values()) - to_stop + 1
