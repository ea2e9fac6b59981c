"""Every command in the pages exists: its subcommand and options are known to the real CLI, its files are here.

Commands stand in fenced ``console`` blocks, on lines that begin with ``$``, or between backquotes in a sentence. The
demo is run whole by a test of its own.
"""

from __future__ import annotations

import functools
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "README.zh-CN.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "src").rglob("README.md")),
    *sorted((ROOT / "examples").rglob("*.md")),
]
OTHER_PROGRAMS = {"cd", "git", "pip", "python", "jq", "export", "cat", "source", ".venv/bin/pre-commit", "ls", "kill"}
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", flags=re.DOTALL | re.MULTILINE)
GROUPS = ("catalog", "machines")  # commands that have commands of their own
TRADEWIND = Path(sys.executable).with_name("tradewind")


def blocks(page: Path) -> Iterator[tuple[str, str]]:
    """Language and text of each fenced block of a page; none when there is no such page."""
    if page.is_file():
        yield from FENCE.findall(page.read_text(encoding="utf-8"))


def commands(page: Path) -> Iterator[list[str]]:
    """The words of each command of a page: one list a program, pipes taken apart, environment settings left out."""
    for language, text in blocks(page):
        if language == "console":
            for line in re.findall(r"^\$ (.*)$", text.replace("\\\n", " "), flags=re.MULTILINE):
                yield from filter(None, split(shlex.split(line, comments=True)))
    if page.is_file():
        prose = FENCE.sub("", page.read_text(encoding="utf-8"))
        for line in re.findall(r"`(tradewind [a-z-][^`\n]*)`", prose):
            yield [word for word in shlex.split(line) if word != "…"]


def split(words: list[str]) -> Iterator[list[str]]:
    part: list[str] = []
    for word in words:
        if word in {"|", "&&", ";"}:
            yield part
            part = []
        elif part or not re.fullmatch(r"[A-Z_]+=.*", word):
            part.append(word)
    yield part


@functools.cache
def help_of(*subcommand: str) -> str:
    """The help in English, as a wide terminal shows it."""
    with tempfile.TemporaryDirectory() as home:
        run = subprocess.run(
            [str(TRADEWIND), *subcommand, "--help"],
            env={"TRADEWIND_HOME": home, "COLUMNS": "200", "LANG": "C.UTF-8", "PATH": os.environ["PATH"]},
            capture_output=True,
            text=True,
            check=False,
        )
    assert run.returncode == 0, f"tradewind {' '.join(subcommand)} --help: …{run.stderr[-200:]}"
    return run.stdout


def knows(text: str, option: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", text) is not None


def options(words: list[str]) -> list[str]:
    return [word.split("=")[0] for word in words if re.match(r"--?[a-zA-Z]", word)]


def check_tradewind(words: list[str]) -> None:
    valued = {i + 1 for i, word in enumerate(words) if word == "--lang"}
    at = next((i for i, word in enumerate(words) if not word.startswith("-") and i not in valued), len(words))
    assert [each for each in options(words[:at]) if not knows(help_of(), each)] == []
    if at < len(words):
        below = words[at] in GROUPS and words[at + 1 :][:1]
        text = help_of(words[at], *(below or ()))
        assert [each for each in options(words[at:]) if not knows(text, each)] == []


def check_make(words: list[str]) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = [word for word in words if "=" not in word]
    assert [each for each in targets if not re.search(rf"^{re.escape(each)}:", makefile, flags=re.MULTILINE)] == []
    settings = [word.split("=")[0] for word in words if "=" in word]
    assert [each for each in settings if not re.search(rf"^{each} \?=", makefile, flags=re.MULTILINE)] == []


DOCUMENTED = sorted({tuple(command) for page in PAGES for command in commands(page)})


@pytest.mark.parametrize("command", DOCUMENTED, ids=" ".join)
def test_a_documented_command_exists(command: tuple[str, ...]) -> None:
    program, *words = command
    if program == "tradewind":
        check_tradewind(words)
    elif program == "make":
        check_make(words)
    else:
        assert program in OTHER_PROGRAMS
    named = [word for word in words if re.search(r"^[\w./-]+/[\w.-]+\.(?:yaml|py|md)$", word)]
    assert [each for each in named if not (ROOT / each).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_stand_in_console_blocks_only(page: Path) -> None:
    elsewhere = [text for language, text in blocks(page) if language != "console"]
    assert [text for text in elsewhere if re.search(r"^\$ |^(?:tradewind|make) ", text, flags=re.MULTILINE)] == []


def test_an_unknown_option_and_target_are_found() -> None:
    with pytest.raises(AssertionError):
        check_tradewind(["run", "job.yaml", "--no-such-option"])
    with pytest.raises(AssertionError):
        check_tradewind(["no-such-command"])
    with pytest.raises(AssertionError):
        check_tradewind(["catalog", "no-such-command"])
    with pytest.raises(AssertionError):
        check_tradewind(["catalog", "gpus", "--near", "Beijing"])
    with pytest.raises(AssertionError):
        check_tradewind(["machines", "remove", "gpu-box", "--price", "2 CNY"])
    with pytest.raises(AssertionError):
        check_make(["no-such-target"])
