"""click's classes with our words: help by code in the reader's language, commands loaded when called for.

Help texts: ``command-NAME``, ``command-NAME-more``, ``option-NAME`` and ``argument-NAME`` in the words of help; with
``-of-COMMAND`` behind it what an option means for one command alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, TypeVar

import click

from tradewind import words
from tradewind.cli.index import COMMANDS, GROUPS
from tradewind.cli.world import World

F = TypeVar("F", bound=Callable[..., Any])
HELP_WIDTH = 100


def lang_of(ctx: click.Context) -> str:
    """The language of the command line that is being read."""
    world = ctx.find_object(World)
    return world.lang if world else "en"


class Worded(click.Command):
    """A command whose help is in ``words``."""

    def get_short_help_str(self, limit: int = 45) -> str:
        """One line for the group's list; the language is that of the context in force."""
        return words.helped(f"command-{self.name}", lang_of(click.get_current_context()))

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """``Usage: …`` in the reader's language."""
        prefix = words.helped("usage", lang_of(ctx)) + " "
        formatter.write_usage(ctx.command_path, " ".join(self.collect_usage_pieces(ctx)), prefix)

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """What the command does, and what to know about it."""
        for code in (f"command-{self.name}", f"command-{self.name}-more"):
            text = words.helped(code, lang_of(ctx))
            if text:
                formatter.write_paragraph()
                with formatter.indentation():
                    formatter.write_text(text)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Arguments and options with their help."""
        lang = lang_of(ctx)
        arguments = [(param.human_readable_name, _helped(f"argument-{param.name}", self.name, lang))
                     for param in self.get_params(ctx) if isinstance(param, click.Argument)]  # fmt: skip
        options = [record for param in self.get_params(ctx) if (record := _option_record(ctx, param, lang))]
        for heading, rows in (("arguments", arguments), ("options", options)):
            if rows:
                with formatter.section(words.helped(heading, lang)):
                    formatter.write_dl(rows)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """An example where there is one."""
        text = words.helped(f"command-{self.name}-example", lang_of(ctx))
        if text:
            formatter.write_paragraph()
            with formatter.indentation():
                for line in text.splitlines():
                    formatter.write(f"{'':{formatter.current_indent}}{line}\n")


def _option_record(ctx: click.Context, param: click.Parameter, lang: str) -> tuple[str, str] | None:
    if not isinstance(param, click.Option) or param.hidden:
        return None
    record = param.get_help_record(ctx)
    if record is None:
        return None
    return record[0], _helped(f"option-{max(param.opts, key=len).lstrip('-')}", ctx.command.name, lang)


def _helped(code: str, command: str | None, lang: str) -> str:
    """The help of an argument or option: what it means for this command, else what it means for all."""
    return words.helped(f"{code}-of-{command}", lang) or words.helped(code, lang)


class Several(Worded, click.Group):
    """A command with commands of its own, each imported when it is called: ``command`` of its module in ``where``."""

    names: tuple[str, ...] = ()
    where: str = ""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every command, in the order of the help."""
        return list(self.names)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, imported now; None for any other name."""
        if cmd_name not in self.names:
            return None
        found: click.Command = import_module(f"{self.where}.{cmd_name}").command
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click's, but an unknown command is an error of ours that names the nearest."""
        if args and not args[0].startswith("-") and args[0] not in self.names:
            from difflib import get_close_matches

            from tradewind.domain.errors import BadInput

            near = ", ".join(get_close_matches(args[0], self.names, 2))
            raise BadInput("command-unknown", name=args[0], nearest=near, command=ctx.command_path)
        return super().resolve_command(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Its commands first, then options."""
        lang = lang_of(ctx)
        with formatter.section(words.helped("commands", lang)):
            formatter.write_dl([(name, words.helped(f"command-{self.name}-{name}", lang)) for name in self.names])
        Worded.format_options(self, ctx, formatter)


class Root(Several):
    """``tradewind`` itself: commands in groups."""

    names = COMMANDS
    where = "tradewind.cli.commands"

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Groups of commands first, then options."""
        lang = lang_of(ctx)
        for group, names in GROUPS.items():
            if names:
                with formatter.section(words.helped(f"group-{group}", lang)):
                    formatter.write_dl([(name, words.helped(f"command-{name}", lang)) for name in names])
        Worded.format_options(self, ctx, formatter)


def group(name: str, names: tuple[str, ...], where: str) -> click.Group:
    """A command that has commands of its own, called ``names``, in the package ``where``; alone it tells them."""

    def alone(ctx: click.Context) -> int:
        world = ctx.find_object(World)
        assert world is not None
        if ctx.invoked_subcommand is None:
            world.out.write(ctx.get_help() + "\n")
        return 0

    made = Several(name, callback=click.pass_context(alone), context_settings=SETTINGS, invoke_without_command=True)
    made.names, made.where = names, where
    return made


def worded(name: str) -> Callable[[Callable[..., Any]], click.Command]:
    """A worded command; its function gets the World first and returns the exit code."""

    def make(function: Callable[..., Any]) -> click.Command:
        made: click.Command = click.command(name, cls=Worded, context_settings=SETTINGS)(click.pass_obj(function))
        return made

    return make


SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"], "max_content_width": HELP_WIDTH}


def with_json(function: F) -> F:
    """``--json``: one JSON value on stdout, prose on stderr. ``main`` has set the world by it, errors included."""
    return click.option("--json", "json", is_flag=True, expose_value=False)(function)


def split(values: Sequence[str]) -> tuple[str, ...]:
    """``("a,b", "c")`` as ``("a", "b", "c")``: an option may be repeated or hold a comma list."""
    return tuple(part.strip() for value in values for part in value.split(",") if part.strip())
