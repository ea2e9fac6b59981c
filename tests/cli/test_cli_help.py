"""Help: every command has words, examples that its own parser takes, and options that stand under one heading."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from cli_world import Inside, Shell

from tradewind import words
from tradewind.cli import reader
from tradewind.cli.index import COMMANDS, GROUPS
from tradewind.cli.main import root
from tradewind.cli.sections import SECTIONS


def walked(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """The command and all below it, each with the words that lead to it."""
    yield path, command
    if isinstance(command, click.Group):
        ctx = click.Context(command)
        for name in command.list_commands(ctx):
            below = command.get_command(ctx, name)
            assert below is not None
            yield from walked(below, (*path, name))


ALL = list(walked(root))


def examples(command: click.Command, lang: str) -> list[str]:
    return words.helped(f"command-{command.name}-example", lang).splitlines()


def parsed(line: str) -> click.Context:
    """The context of the command that a line calls, its arguments and options read, and nothing run."""
    program, *given = shlex.split(line.partition(" > ")[0].partition(" >> ")[0])
    assert program == "tradewind"
    rest = reader.taken(given).rest
    rest = rest[1:] if rest[:1] == ["help"] else rest
    ctx = root.make_context("tradewind", list(rest)) if rest else click.Context(root)
    while isinstance(ctx.command, click.Group) and rest:
        name, command, rest = ctx.command.resolve_command(ctx, rest)
        assert command is not None
        ctx = command.make_context(name, [*rest, "--help"] if given[0] == "help" else list(rest), parent=ctx)
    return ctx


@pytest.mark.parametrize(("path", "command"), ALL, ids=[" ".join(path) or "tradewind" for path, _ in ALL])
def test_every_command_says_what_it_does_and_shows_examples_that_work(
    path: tuple[str, ...], command: click.Command
) -> None:
    for lang in words.LANGUAGES:
        assert words.helped(f"command-{command.name}", lang), lang
        lines = examples(command, lang)
        assert lines, f"no example of {command.name} in {lang}"
        for line in lines:
            try:
                parsed(line)
            except click.exceptions.Exit:  # --help of another command
                assert line.startswith("tradewind help")
        shown = [line.split()[1 : 1 + len(path)] for line in lines]
        assert list(path) in shown or isinstance(command, click.Group)


def test_an_example_that_would_not_work_is_found() -> None:
    for line in ("tradewind plan job.yaml --no-such", "tradewind wait", "tradewind plan job.yaml --objective x"):
        with pytest.raises(click.UsageError):
            parsed(line)


def test_every_option_has_words_and_stands_under_one_heading() -> None:
    for path, command in ALL:
        names = {str(param.name) for param in command.params}
        sections = SECTIONS.get(str(command.name), {})
        told = [name for options in sections.values() for name in options]
        assert set(told) <= names and len(told) == len(set(told)), path
        for lang in words.LANGUAGES:
            assert [each for each in sections if not words.helped(f"section-{each}", lang)] == []
    known = {str(command.name) for _, command in ALL}
    assert set(SECTIONS) <= known


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(Inside(tmp_path / "home"))


@pytest.mark.parametrize("lang", words.LANGUAGES)
def test_alone_it_says_what_to_do_first_on_one_screen(shell: Shell, lang: str) -> None:
    shell.env["COLUMNS"] = "60"
    told = shell("--lang", lang)
    assert (told.code, told.err) == (0, "")
    lines = told.out.splitlines()
    assert len(lines) <= 24
    first = next(line for line in lines if line.startswith("  tradewind "))
    assert first == "  tradewind init"
    listed = [line.split()[0] for line in lines if line.split()[:1] and line.split()[0] in _groups(lang)]
    assert listed == _groups(lang) and len(listed) == 5
    assert [name for name in COMMANDS if not re.search(rf"\b{name}\b", told.out)] == ["completion"]


def _groups(lang: str) -> list[str]:
    return [words.helped(f"group-{name}", lang) for name in GROUPS]


def test_what_is_to_be_done_first_works() -> None:
    for line in words.helped("first-steps", "en").splitlines():
        parsed(line.split("  # ")[0])


def test_help_of_a_command_may_be_asked_for_either_way(shell: Shell) -> None:
    assert shell("help", "catalog", "show").out == shell("catalog", "show", "--help").out
    assert shell("help").out == shell("--help").out == shell("-h").out
    assert shell("help", "plam").code == 2


def test_an_option_and_its_value_stay_on_one_line(shell: Shell) -> None:
    shell.env["COLUMNS"] = "60"
    told = shell("offers", "--help").out
    lines = [line.strip() for line in told[told.index("Examples") :].splitlines()]
    assert 'tradewind offers --gpu L4 --max-price "1 USD" \\' in lines
    assert "--currency CNY" in lines
    joined = " ".join(line.removesuffix(" \\") for line in lines)
    assert all(each in joined for each in words.helped("command-offers-example", "en").splitlines())


def test_plain_help_has_no_columns(shell: Shell) -> None:
    told = shell("wait", "--help", "--plain").out
    assert "--timeout 30s: give up after this time: 30s, 10m" in told
    assert not re.search(r"\S {2,}\S", told)


def test_the_version_names_python_too(shell: Shell) -> None:
    told = shell("--version")
    assert told.code == 0
    assert re.fullmatch(r"tradewind \d+\.\d+\.\d+\S* \(Python 3\.\d+\.\d+\)\n", told.out)


def test_an_unknown_command_is_told_the_nearest(shell: Shell) -> None:
    told = shell("plann", "--json")
    assert (told.code, told.json()["error"]["code"]) == (2, "command-unknown")
    assert "plan" in told.json()["error"]["why"]
