"""The site as it is built: every link leads somewhere, nothing is loaded from elsewhere, the search knows its words.

Built by the packages that `make docs` installs; without them these tests are skipped.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).parents[2]
PAGES = list((ROOT / "docs").rglob("*.md"))
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
LOADED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src"}

pytestmark = pytest.mark.long


def sphinx(source: Path, into: Path, *more: str) -> subprocess.CompletedProcess[str]:
    """The build of `make docs`."""
    pytest.importorskip("furo", reason="`make docs` installs what builds the pages")
    flags = re.search(r"sphinx-build (.*) -d \S+ \. \S+$", MAKEFILE, flags=re.MULTILINE)
    assert flags
    places = ["-d", str(into / "doctrees"), ".", str(into / "site")]
    command = [sys.executable, "-m", "sphinx", *flags[1].split(), *more, *places]
    return subprocess.run(command, cwd=source, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    into = tmp_path_factory.mktemp("pages")
    run = sphinx(ROOT, into)
    assert run.returncode == 0, run.stderr
    return into / "site"


class Seen(HTMLParser):
    """What a page links, loads, and can be jumped to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = {name: value or "" for name, value in attrs}
        self.anchors.add(told.get("id", ""))
        if tag == "a":
            self.links.append(told.get("href", ""))
        if tag in LOADED:
            self.loaded.append(told.get(LOADED[tag], ""))


def seen(site: Path) -> Iterator[tuple[Path, Seen]]:
    for path in sorted(site.rglob("*.html")):
        yield path, Seen(path.read_text(encoding="utf-8"))


def test_every_page_of_the_folder_is_built_and_named_beside_the_pages(site: Path) -> None:
    beside = Seen((site / "docs" / "index.html").read_text(encoding="utf-8")).links
    for page in PAGES:
        built = page.relative_to(ROOT).with_suffix(".html")
        assert (site / built).is_file()
        told = os.path.relpath(built, "docs")
        assert page.name == "index.md" or any(link.partition("#")[0] == told for link in beside), told


def test_every_link_between_pages_leads_to_a_page_and_a_place_in_it(site: Path) -> None:
    pages = dict(seen(site))
    for page, told in pages.items():
        for link in told.links:
            parts = urlsplit(link)
            if parts.scheme or not link:
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            assert target.is_file(), f"{page.relative_to(site)}: {link}"
            if parts.fragment and target in pages:
                assert unquote(parts.fragment) in pages[target].anchors, f"{page.relative_to(site)}: {link}"


def test_the_site_loads_nothing_from_elsewhere(site: Path) -> None:
    for page, told in seen(site):
        assert [each for each in told.loaded if urlsplit(each).scheme or each.startswith("//")] == [], page
    for style in site.rglob("*.css"):
        assert not re.search(r"@import|url\(\s*['\"]?(?:https?:)?//", style.read_text(encoding="utf-8")), style


def test_the_search_knows_english_and_chinese_words(site: Path) -> None:
    index = (site / "searchindex.js").read_text(encoding="utf-8")
    terms = json.loads(index[index.index("{") : index.rindex("}") + 1])["terms"]
    assert {"preempt", "deadlin", "抢占", "检查点", "截止时间"} <= set(terms)


def test_links_that_lead_outward_are_listed(site: Path) -> None:
    listed = (site / "links-outward.txt").read_text(encoding="utf-8").splitlines()
    in_pages = {link for page in PAGES for link in re.findall(r"\]\((https?://[^)\s]+)\)", page.read_text("utf-8"))}
    assert {line.partition("  ")[0] for line in listed} >= in_pages


def test_a_link_that_leads_nowhere_is_a_warning_with_which_no_build_succeeds(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    page = tmp_path / "docs" / "concepts.md"
    broken = ["[a](nowhere-1.md)", "[a](states.md#nowhere-2)", "[a](#nowhere-3)", "![a](nowhere-4.svg)"]
    page.write_text("\n".join([page.read_text(encoding="utf-8"), *broken, ""]), encoding="utf-8")
    run = sphinx(tmp_path, tmp_path / "out", "-D", "root_doc=docs/concepts")
    assert run.returncode == 1
    assert [each for each in ("nowhere-1", "nowhere-2", "nowhere-3", "nowhere-4") if each not in run.stderr] == []
