"""Every command in the pages exists: its subcommand and options are known to the real CLI, its files are here.

Commands stand in fenced ``console`` blocks, on lines that begin with ``$``, or between backquotes in a sentence. The
demo is run whole by a test of its own.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from tradewind.cli import reader
from tradewind.cli.main import root

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


def check_tradewind(words: list[str]) -> None:
    """Have the commands' own parsers read the words: each option is known where it stands and has its value."""
    command: click.Command = root
    context = click.Context(command, **command.context_settings)  # click keeps the help option that is first asked for
    left = reader.taken(words).rest
    left = left[1:] if left[:1] == ["help"] else left
    while True:
        _, left, _ = command.make_parser(context).parse_args(left)
        if not isinstance(command, click.Group) or not left:
            return
        name, *left = left
        below = command.get_command(context, name)
        assert below is not None, f"{' '.join(words)}: there is no {name}"
        command, context = below, click.Context(below, parent=context)


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


@pytest.mark.parametrize(
    "line", [
        "run job.yaml --no-such-option", "no-such-command", "catalog no-such-command", "catalog gpus --near Beijing",
        "machines remove gpu-box --price '2 CNY'", "plan job.yaml --deadline",
    ],
)  # fmt: skip
def test_what_the_commands_do_not_know_is_found(line: str) -> None:
    with pytest.raises((AssertionError, click.UsageError)):
        check_tradewind(shlex.split(line))


def test_an_unknown_target_is_found() -> None:
    with pytest.raises(AssertionError):
        check_make(["no-such-target"])
