"""Completing what is typed: which words may stand where the cursor is, as lines that a shell's script reads.

A line has three parts with tabs between: ``plain``, ``file`` or ``dir``; the word, empty for the latter two, which the
shell completes by itself; and what the word means.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import click
from click.shell_completion import CompletionItem, ShellComplete

from tradewind import words
from tradewind.cli import reader
from tradewind.cli.shape import TAKEN
from tradewind.cli.world import World

BREAKS = ":="  # where bash ends a word, as well as at blanks
_SPECIAL = re.compile(r"[^\w@%+=:,./~-]")
_SETTING = re.compile(r"\w+=")


class Line(NamedTuple):
    """A command line up to the cursor: its whole words after the program's name, and the one that is being typed."""

    words: list[str]
    incomplete: str


def read(text: str) -> Line:
    """The line as the shell would split it; a quote may still be open, and settings may stand before the program."""
    lexer = shlex.shlex(text, posix=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    parts: list[str] = []
    try:
        parts.extend(lexer)
        begun = bool(parts) and not text[-1].isspace()
    except ValueError:
        parts.append(lexer.token)
        begun = True
    incomplete = parts.pop() if begun else ""
    program = next((at for at, part in enumerate(parts) if not _SETTING.match(part)), len(parts))
    return Line(parts[program + 1 :], incomplete)


def answer(world: World, root: click.Command, shell: str, text: str) -> str:
    """Lines for what may stand at the end of ``text``."""
    line = read(text)
    shown = (_for(shell, line.incomplete, item) for item in _items(world, root, line))
    return "".join(f"{kind}\t{value}\t{told}\n" for kind, value, told in shown)


def _items(world: World, root: click.Command, line: Line) -> Iterable[CompletionItem]:
    if line.words[-1:] == ["--lang"]:
        return [CompletionItem(each) for each in words.LANGUAGES if each.startswith(line.incomplete)]
    given = reader.taken(line.words).rest
    if given[:1] == ["help"]:
        given = given[1:]
    completed = ShellComplete(root, {"obj": world}, "tradewind", "").get_completions(given, line.incomplete)
    return [*completed, *_of_all(world, line.incomplete)]


def _of_all(world: World, incomplete: str) -> Iterator[CompletionItem]:
    """Options that every command takes."""
    for name in (each.partition(" ")[0] for each in TAKEN):
        if incomplete.startswith("-") and f"--{name}".startswith(incomplete):
            yield CompletionItem(f"--{name}", help=words.helped(f"option-{name}", world.lang))


def _for(shell: str, incomplete: str, item: CompletionItem) -> tuple[str, str, str]:
    """The item as that shell puts it in: bash replaces only what follows its last break of a word."""
    value = "" if item.type != "plain" else str(item.value)
    if shell == "bash":
        value = value[max(incomplete.rfind(sign) for sign in BREAKS) + 1 :]
        value = _SPECIAL.sub(lambda sign: "\\" + sign[0], value)
    return item.type, value, " ".join((item.help or "").split())
