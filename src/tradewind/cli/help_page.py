"""Pages of help: lines of click's, wrapped by the columns that letters take, and the page of ``tradewind`` alone."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from tradewind import words
from tradewind.cli.draw.pen import width_of, wrapped
from tradewind.cli.index import GROUPS

if TYPE_CHECKING:
    from tradewind.cli.world import World

WIDEST = 100  # columns of a page: longer lines are not read well
NAMES = 26  # columns of what is explained; a longer name stands above its explanation
INDENT = 2
NO_BREAK = "\u00a0"
_TOGETHER = re.compile(r'--[\w-]+ (?:"[^"]*"|[^-\s]\S*)')  # an option and its value stay on one line


class Page(click.HelpFormatter):
    """click's, for letters that take two columns; where ``plain``, without columns and broken lines."""

    def __init__(self, width: int, plain: bool = False) -> None:
        super().__init__(width=width if plain else min(width, WIDEST))
        self.plain = plain

    def write_heading(self, heading: str) -> None:
        """The heading alone on its line."""
        self.write(f"{'':{self.current_indent}}{heading}\n")

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """``Usage: tradewind plan …``; what does not fit stands below, indented."""
        self._write_wrapped(f"{prefix}{prog} {args}", hanging=INDENT * 2)

    def write_text(self, text: str) -> None:
        """A paragraph."""
        self._write_wrapped(text)

    def write_command(self, line: str) -> None:
        """A command line; what does not fit goes on below, so that it can be copied as it stands."""
        whole = _TOGETHER.sub(lambda found: found[0].replace(" ", NO_BREAK), line)
        told = wrapped(whole, self.width - self.current_indent - INDENT * 2).replace(NO_BREAK, " ")
        blanks = " " * self.current_indent
        self.write(blanks + told.replace("\n", f" \\\n{blanks}{'':{INDENT * 2}}") + "\n")

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = NAMES, col_spacing: int = INDENT) -> None:
        """Names beside what they mean, or above it where they are long."""
        rows = list(rows)
        if self.plain:
            self.write("".join(f"{name}: {told}\n" for name, told in rows))
            return
        column = min(max(width_of(name) for name, _ in rows), col_max, self.width // 3) + col_spacing
        indent = self.current_indent + column
        for name, told in rows:
            lines = wrapped(told, self.width - indent).split("\n")
            if width_of(name) + col_spacing > column:
                self._write_wrapped(name, hanging=INDENT * 2)
            else:
                first = f"{'':{self.current_indent}}{name}{'':{column - width_of(name)}}{lines.pop(0)}"
                self.write(first.rstrip() + "\n")
            self.write("".join(f"{'':{indent}}{line}\n" for line in lines))

    def _write_wrapped(self, text: str, hanging: int = 0) -> None:
        lines = wrapped(text, self.width - self.current_indent - hanging).split("\n")
        between = f"\n{'':{self.current_indent + hanging}}"
        self.write(f"{'':{self.current_indent}}{between.join(lines)}\n")


def first_page(world: World) -> str:
    """What this is, what to do first, and which commands there are: the page of ``tradewind`` alone."""
    page = Page(world.columns(world.out), world.plain)

    def text(code: str) -> str:
        return words.helped(code, world.lang)

    page.write_text(text("command-tradewind"))
    with page.section(text("first-heading")):
        for step in text("first-steps").split("\n"):
            command, told = step.split("  # ")
            page.write_command(command)
            with page.indentation():
                page.write_text(told)
    with page.section(text("commands")):
        page.write_dl([(text(f"group-{group}"), "  ".join(names)) for group, names in GROUPS.items() if names])
    page.write_paragraph()
    page.write_text(text("first-more"))
    return page.getvalue()
