"""``tradewind``: reads the command line, calls a command, and ends with its exit code whatever happens."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from typing import TextIO

import click

from tradewind import words
from tradewind.cli import faults
from tradewind.cli.inside import Embedded
from tradewind.cli.shape import SETTINGS, Root
from tradewind.cli.world import World
from tradewind.domain.errors import BadInput, TradewindError

INTERRUPTED = 130


@click.group("tradewind", cls=Root, context_settings=SETTINGS, invoke_without_command=True)
@click.option("--lang", metavar="en|zh", expose_value=False)  # read and taken out before click sees it
@click.option("--version", is_flag=True)
@click.pass_context
def root(ctx: click.Context, version: bool) -> int:
    """``tradewind`` without a command: its version, or its help."""
    world = ctx.find_object(World)
    assert world is not None
    if version:
        from importlib.metadata import version as version_of

        world.out.write(f"tradewind {version_of('tradewind')}\n")
        ctx.exit(0)
    elif ctx.invoked_subcommand is None:
        world.out.write(ctx.get_help() + "\n")
    return 0


def main() -> None:
    """The entry point of the ``tradewind`` program."""
    _never_fail_on_letters(sys.stdout, sys.stderr)
    world = World(os.environ, sys.stdin, sys.stdout, sys.stderr, Embedded(), program=sys.argv[0])
    try:
        code = run(sys.argv[1:], world)
        sys.stdout.flush()
    except (BrokenPipeError, SystemExit):  # the reader went away (``| head``); rich makes a SystemExit of it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    sys.exit(code)


def run(args: Sequence[str], world: World) -> int:
    """The exit code of one command line, carried out in ``world``."""
    world.lang = words.language(world.env)
    world.json = "--json" in args  # also for a command line that cannot be read
    try:
        rest, asked = take_language(args)
        world.lang = words.language(world.env, asked)
        return _called(rest, world)
    except TradewindError as error:
        return faults.told(world, error)
    except BrokenPipeError:
        raise
    except (KeyboardInterrupt, click.Abort):
        world.err.write("\n")
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001  the last place: people get a sentence and a file, not a traceback
        return faults.crashed(world, error)


def _called(args: list[str], world: World) -> int:
    try:
        with redirect_stdout(world.out):  # click prints its help there
            code = root.main(args, prog_name="tradewind", standalone_mode=False, obj=world)
    except click.UsageError as error:
        raise faults.usage(error) from None
    except click.ClickException as error:
        raise BadInput("command-line-unreadable", why=error.format_message(), command="tradewind") from None
    return int(code or 0)


def take_language(args: Sequence[str]) -> tuple[list[str], str | None]:
    """The command line without ``--lang X``, which may stand anywhere before ``--``, and the language asked for."""
    rest: list[str] = []
    asked: str | None = None
    words_left = iter(args)
    for word in words_left:
        if word == "--":
            return [*rest, word, *words_left], asked
        if word == "--lang":
            asked = next(words_left, "")
        elif word.startswith("--lang="):
            asked = word.removeprefix("--lang=")
        else:
            rest.append(word)
    return rest, asked


def _never_fail_on_letters(*streams: TextIO) -> None:
    """A terminal that cannot write ¥ or 中文 shows ? there."""
    for stream in streams:
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure:
            reconfigure(errors="replace")


if __name__ == "__main__":
    main()
