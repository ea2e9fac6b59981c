"""Laws of the repository: size of files, room pages, changelog fragments, links, and that it speaks of itself only."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from generate import made

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "tradewind"
MADE = {".git", ".venv", "__pycache__", "build", "dist", "node_modules"}
TEXT = {".py", ".md", ".toml", ".yaml", ".yml", ".txt", ".ini", ".mako", ".sh", ".cfg", ".json", ""}

ROOMS = sorted(path.parent for path in SOURCE.glob("*/__init__.py"))


def whole(text: str) -> str:
    """``text`` without the marks that keep this file from breaking its own law."""
    return text.replace("¦", "")


ELSEWHERE = {
    "a path of one computer": whole(r"(?<![\w.})\]/])/¦(?:work|root|opt|(?:home|Users)/(?!ada/)\w+)/"),
    "a folder beside the checkout": whole(r"\.\./¦shared"),
    "a package registry's host": whole(r"\bpypi¦\.org|python¦hosted\.org|registry\.npm¦js\.org"),
    "how the work was organised": whole(r"(?i)sub-?¦agent\b|before-¦stop|\bthe ¦CEO\b|\bcoding ¦agent|\bas an ¦AI\b"),
    "a tracker's number": whole(r"(?i)\bissue ¦#?\d|\bPR ¦#\d|\bticket ¦#?\d"),
}
LEFT_OPEN = whole(r"\b(?:TO¦DO|FIX¦ME|XX¦X|Not¦ImplementedError)\b|pragma: no ¦cover")


def files(*suffixes: str, under: Path = ROOT) -> Iterator[Path]:
    """Files with one of ``suffixes`` (all text when none is named), without what is made from others."""
    for path in sorted(under.iterdir()):
        if path.is_dir() and not path.is_symlink():
            if path.name not in MADE and not path.name.endswith((".egg-info", "_cache")) and path.name != ".hypothesis":
                yield from files(*suffixes, under=path)
        elif path.is_file() and path.suffix in (suffixes or TEXT):
            yield path


MADE_PAGES = {ROOT / name for name in (*made.PAGES, *made.PARTS)}  # from the sources: as long as there is to tell


def lines_of(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)
def test_every_room_has_a_page_of_one_screen(room: Path) -> None:
    page = room / "README.md"
    assert page.is_file(), f"{room.name} has no README.md"
    assert lines_of(page) <= 80


def test_no_file_is_too_long_to_find_ones_way() -> None:
    limits = {SOURCE: 500, ROOT / "tests": 700, ROOT / "benchmarks": 500, ROOT / "docs": 500}
    long = {
        f"{path.relative_to(ROOT)}: {lines_of(path)}"
        for folder, limit in limits.items()
        for path in files(".py", ".md", under=folder)
        if not path.stem.endswith("_data") and path not in MADE_PAGES and lines_of(path) > limit
    }
    assert long == set()


@pytest.mark.parametrize("what", ELSEWHERE)
def test_the_project_speaks_of_itself_only(what: str) -> None:
    assert found(ELSEWHERE[what], files()) == []


def test_nothing_is_left_open_in_the_sources() -> None:
    assert found(LEFT_OPEN, files(".py", under=SOURCE)) == []


def found(pattern: str, paths: Iterator[Path]) -> list[str]:
    search = re.compile(pattern).search
    return [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()[:120]}"
        for path in paths
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if search(line)
    ]


@pytest.mark.parametrize(
    ("what", "line"),
    [
        ("a path of one computer", "open('/ro¦ot/x')"),
        ("a folder beside the checkout", "see ../sh¦ared/x"),
        ("a package registry's host", "https://py¦pi.org/simple"),
        ("how the work was organised", "the sub¦agent wrote"),
        ("a tracker's number", "see is¦sue #12"),
    ],
)
def test_the_patterns_of_that_law_find_what_they_are_for(what: str, line: str) -> None:
    assert re.search(ELSEWHERE[what], whole(line))


FRAGMENTS = sorted(path for path in (ROOT / "changelog.d").iterdir() if path.name != "README.md")


@pytest.mark.parametrize("fragment", FRAGMENTS, ids=lambda path: path.name)
def test_a_changelog_fragment_is_one_sentence_for_the_user(fragment: Path) -> None:
    assert re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*\.(?:added|changed|fixed|removed|security)\.md", fragment.name)
    sentence = fragment.read_text(encoding="utf-8").strip()
    assert "\n\n" not in sentence
    assert re.fullmatch(r"[A-Z`\"].{20,400}\.", sentence, flags=re.DOTALL), "one sentence that ends with a full stop"


LINK = re.compile(r"\[[^\]]*\]\((?!https?:|mailto:|#)([^)#\s]+)")


@pytest.mark.parametrize("page", list(files(".md")), ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    targets = LINK.findall(page.read_text(encoding="utf-8"))
    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_the_licence_is_the_verbatim_text() -> None:
    import hashlib

    # Source: www.apache.org/licenses/LICENSE-2.0.txt, 11,358 bytes; the same text as Debian's common-licenses.
    digest = "cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30"
    assert hashlib.sha256((ROOT / "LICENSE").read_bytes()).hexdigest() == digest


def skeleton(name: str) -> list[str]:
    """Levels of the headings and the commands of a page, in order."""
    text = (ROOT / name).read_text(encoding="utf-8")
    outside = re.split(r"^```.*?^```", text, flags=re.DOTALL | re.MULTILINE)
    inside = re.findall(r"^```.*?^```", text, flags=re.DOTALL | re.MULTILINE)
    levels = [heading for part in outside for heading in re.findall(r"^#+(?= )", part, flags=re.MULTILINE)]
    return levels + [command for block in inside for command in re.findall(r"^\$ .*$", block, flags=re.MULTILINE)]


def test_the_two_readmes_are_in_step() -> None:
    english = skeleton("README.md")
    assert english, "README.md has neither headings nor commands"
    assert english == skeleton("README.zh-CN.md")
