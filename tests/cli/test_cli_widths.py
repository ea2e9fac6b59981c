"""Nothing is wider than the terminal: every drawing and page of help at 60, 80 and 120 columns, in both languages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from cli_scenes import SCENES, played
from cli_world import Inside, Shell
from rich.cells import cell_len

from tradewind.cli.index import CATALOG, CLOUDS, COMMANDS, MACHINES
from tradewind.cli.terminal import spelled

HELP = [[], ["help"], *([name, "--help"] for name in COMMANDS), *(["catalog", name, "--help"] for name in CATALOG),
        *(["machines", name, "--help"] for name in MACHINES),
        *(["clouds", name, "--help"] for name in CLOUDS)]  # fmt: skip
# What is to be copied as it stands is not broken here: a path, a command. Sentences on stderr are the terminal's.
CHINESE = "\u3000"  # the first of its stops
UNBROKEN = re.compile(r"^\s*(?:\S+[:：])?\s*[!-~]+$|tradewind wait job-")


def too_wide(text: str, width: int) -> list[str]:
    return [line for line in text.splitlines() if cell_len(line) > width and not UNBROKEN.search(line)]


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_page_of_help_is_wider_than_the_terminal(tmp_path: Path, width: int, lang: str) -> None:
    shell = Shell(Inside(tmp_path))
    shell.env["COLUMNS"] = str(width)
    wide = {}
    for words in HELP:
        told = shell(*words, "--lang", lang)
        assert (told.code, told.err) == (0, ""), words
        wide[" ".join(words)] = too_wide(told.out, width)
    assert {name: lines for name, lines in wide.items() if lines} == {}


@pytest.mark.parametrize(
    ("width", "lang"),
    [
        (60, "en"),
        (60, "zh"),
        *(pytest.param(columns, lang, marks=pytest.mark.long) for columns in (80, 120) for lang in ("en", "zh")),
    ],
)
def test_no_drawing_is_wider_than_the_terminal_and_every_sign_has_a_spelling(
    tmp_path: Path, width: int, lang: str
) -> None:
    wide, unspelled = {}, set[str]()
    for scene in SCENES:
        told = played(tmp_path, scene, {"COLUMNS": str(width)}, lang)
        assert [line for line in told.out.splitlines() if line != line.rstrip()] == [], scene
        wide[str(scene)] = [told.err] if told.code == 1 else too_wide(told.out, width)
        unspelled |= {letter for letter in spelled(told.out) if not letter.isascii() and not letter.isalpha()}
    assert {name: lines for name, lines in wide.items() if lines} == {}
    assert {letter for letter in unspelled if lang == "en" or letter < CHINESE} == set()
