"""click's classes with our words: help by code in the reader's language, commands loaded when called for.

Help texts: ``command-NAME``, ``command-NAME-more``, ``command-NAME-example`` (one command a line), ``option-NAME`` and
``argument-NAME`` in the words of help; with ``-of-COMMAND`` behind it what an option means for one command alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tradewind import words
from tradewind.cli.help_page import WIDEST, Page
from tradewind.cli.index import BESIDE, COMMANDS, GROUPS
from tradewind.cli.sections import ALL, FIRST, SECTIONS, section_of
from tradewind.cli.world import World

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

F = TypeVar("F", bound=Callable[..., Any])


def lang_of(ctx: click.Context) -> str:
    """The language of the command line that is being read."""
    world = ctx.find_object(World)
    return world.lang if world else "en"


class Reading(click.Context):
    """click's, with pages of help for the width and language of the world's reader."""

    def make_formatter(self) -> click.HelpFormatter:
        """A page for this reader."""
        world = self.find_object(World)
        return Page(world.columns(world.out), world.plain) if world else Page(WIDEST)


class Worded(click.Command):
    """A command whose help is in ``words``."""

    context_class = Reading

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
        """Arguments, then options by sections, and last what every command takes."""
        lang, name = lang_of(ctx), str(self.name)
        sections: dict[str, list[tuple[str, str]]] = {"arguments": [], FIRST: []}
        sections |= {f"section-{each}": [] for each in SECTIONS.get(name, {})}
        sections[ALL] = [(f"--{each}", words.helped(f"option-{each.partition(' ')[0]}", lang)) for each in TAKEN]
        for param in self.get_params(ctx):
            if isinstance(param, click.Argument):
                told = _helped(f"argument-{param.name}", name, lang)
                sections["arguments"].append((param.human_readable_name, told))
            elif record := _option_record(ctx, param, lang):
                everywhere = not EVERYWHERE.isdisjoint(param.opts)
                sections[ALL if everywhere else section_of(name, str(param.name))].append(record)
        for heading, rows in sections.items():
            if rows:
                with formatter.section(words.helped(heading, lang)):
                    formatter.write_dl(rows)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Examples, one command a line."""
        text = words.helped(f"command-{self.name}-example", lang_of(ctx))
        assert isinstance(formatter, Page)
        with formatter.section(words.helped("examples", lang_of(ctx))):
            for line in text.splitlines():
                formatter.write_command(line)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """click's, with the help of options."""
        lang, items = lang_of(ctx), super().shell_complete(ctx, incomplete)
        for item in items:
            if item.value.startswith("--"):
                item.help = _helped(f"option-{item.value[2:].removeprefix('no-')}", self.name, lang)
        return items


EVERYWHERE = frozenset({"--json", "--help"})
TAKEN = ("lang en|zh", "plain")  # by ``reader``, before click sees the command line


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
        unknown = args and not args[0].startswith("-") and args[0] not in self.names
        if unknown and not ctx.resilient_parsing:  # nobody is told of an error while they type
            from difflib import get_close_matches

            from tradewind.domain.errors import BadInput

            near = ", ".join(get_close_matches(args[0], self.names, 2))
            raise BadInput("command-unknown", name=args[0], nearest=near, command=ctx.command_path)
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Its commands, none of them imported for that, and options."""
        from click.shell_completion import CompletionItem

        told = {name: self._told(name, lang_of(ctx)) for name in self.names if name.startswith(incomplete)}
        options = super().shell_complete(ctx, incomplete) if incomplete.startswith("-") else []
        return [*(CompletionItem(name, help=text) for name, text in told.items()), *options]

    def _told(self, name: str, lang: str) -> str:
        return words.helped(f"command-{self.name}-{name}", lang) or words.helped(f"command-{name}", lang)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Its commands first, then options."""
        lang = lang_of(ctx)
        with formatter.section(words.helped("commands", lang)):
            formatter.write_dl([(name, self._told(name, lang)) for name in self.names])
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
        with formatter.section(words.helped("group-beside", lang)):
            formatter.write_dl([(name, words.helped(f"command-{name}", lang)) for name in BESIDE])
        Worded.format_options(self, ctx, formatter)


def group(
    name: str, names: tuple[str, ...], where: str, answer: Callable[[World], int] | None = None
) -> click.Group:  # fmt: skip
    """A command that has commands of its own, called ``names``, in the package ``where``; alone it tells them.

    With ``answer`` it is a command as well, which takes ``--json``.
    """

    def alone(ctx: click.Context) -> int:
        world = ctx.find_object(World)
        assert world is not None
        if ctx.invoked_subcommand is None and answer is not None:
            return answer(world)
        if ctx.invoked_subcommand is None:
            world.out.write(ctx.get_help() + "\n")
        return 0

    made = Several(name, callback=click.pass_context(alone), context_settings=SETTINGS, invoke_without_command=True)
    made.names, made.where = names, where
    return with_json(made) if answer else made


def worded(name: str) -> Callable[[Callable[..., Any]], click.Command]:
    """A worded command; its function gets the World first and returns the exit code."""

    def make(function: Callable[..., Any]) -> click.Command:
        made: click.Command = click.command(name, cls=Worded, context_settings=SETTINGS)(click.pass_obj(function))
        return made

    return make


SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"]}


def with_json(function: F) -> F:
    """``--json``: one JSON value on stdout, prose on stderr. ``main`` has set the world by it, errors included."""
    return click.option("--json", "json", is_flag=True, expose_value=False)(function)


def split(values: Sequence[str]) -> tuple[str, ...]:
    """``("a,b", "c")`` as ``("a", "b", "c")``: an option may be repeated or hold a comma list."""
    return tuple(part.strip() for value in values for part in value.split(",") if part.strip())
