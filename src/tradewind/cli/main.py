"""``tradewind``: reads the command line, calls a command, and ends with its exit code whatever happens."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout

import click

from tradewind import words
from tradewind.cli import broken, faults, reader
from tradewind.cli.help_page import first_page
from tradewind.cli.inside import Embedded
from tradewind.cli.shape import SETTINGS, Root
from tradewind.cli.terminal import legible
from tradewind.cli.world import World
from tradewind.domain.errors import BadInput, TradewindError


@click.group("tradewind", cls=Root, context_settings=SETTINGS, invoke_without_command=True)
@click.option("--version", is_flag=True)
@click.pass_context
def root(ctx: click.Context, version: bool) -> int:
    """``tradewind`` without a command: its version, or what to do first."""
    world = ctx.find_object(World)
    assert world is not None
    if version:
        world.out.write(_version() + "\n")
        ctx.exit(0)
    elif ctx.invoked_subcommand is None:
        world.out.write(first_page(world))
    return 0


def _version() -> str:
    """``tradewind 0.1.0 (Python 3.11.2)``."""
    from importlib.metadata import version as version_of

    python = ".".join(map(str, sys.version_info[:3]))
    return f"tradewind {version_of('tradewind')} (Python {python})"


def main() -> None:
    """The entry point of the ``tradewind`` program."""
    env = {**os.environ, **(reader.of_mac(os.environ) if sys.platform == "darwin" else {})}
    out, err = legible(sys.stdout, env), legible(sys.stderr, env)
    world = World(env, sys.stdin, out, err, Embedded(), program=sys.argv[0])
    try:
        code = run(sys.argv[1:], world)
    except (BrokenPipeError, SystemExit):  # the reader went away (``| head``); rich makes a SystemExit of it
        code = 0
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:  # nobody can be told more: neither that reader nor, on a full disk, a file
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    sys.exit(code)


def run(args: Sequence[str], world: World) -> int:
    """The exit code of one command line, carried out in ``world``."""
    world.lang = words.language(world.env)
    world.json = "--json" in args  # also for a command line that cannot be read
    try:
        asked = reader.taken(args)
        world.lang = words.language(world.env, asked.lang)
        world.plain = asked.plain or reader.always_plain(world.env)
        world.currency = None if world.json else reader.currency(world.env)
        code = _called(asked.rest, world)
        world.out.flush()
        return code
    except TradewindError as error:
        return faults.told(world, error)
    except BrokenPipeError:
        raise
    except (KeyboardInterrupt, click.Abort):
        return broken.interrupted(world)
    except Exception as error:  # noqa: BLE001  the last place: people get a sentence and a file, not a traceback
        return broken.ended(world, error)


def _called(args: list[str], world: World) -> int:
    if args[:1] == ["help"]:  # `tradewind help plan` is `tradewind plan --help`
        args = [*args[1:], "--help"]
    try:
        with redirect_stdout(world.out):  # click prints its help there
            code = root.main(args, prog_name="tradewind", standalone_mode=False, obj=world)
    except click.UsageError as error:
        raise faults.usage(error) from None
    except click.ClickException as error:
        raise BadInput("command-line-unreadable", why=error.format_message(), command="tradewind") from None
    return int(code or 0)


if __name__ == "__main__":
    main()
