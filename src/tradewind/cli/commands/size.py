"""``tradewind size``: what the model needs, on each GPU asked for; or many such questions from a batch file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tradewind.cli import completing
from tradewind.cli.shape import with_json, worded

if TYPE_CHECKING:
    from tradewind.cli.world import World

AT_LEAST_ONE = click.IntRange(1)


@worded("size")
@click.argument("file", required=False, type=click.Path(path_type=Path), metavar="[JOB.yaml]")
@click.option("--model", metavar="REF", shell_complete=completing.of("model"))
@click.option("--task", metavar="T")
@click.option("--gpu", multiple=True, metavar="NAME", shell_complete=completing.of("gpu"))
@click.option("--gpus", metavar="N|A..B")
@click.option("--nodes", type=AT_LEAST_ONE, metavar="N")
@click.option("--micro-batch", metavar="N|auto")
@click.option("--batch-size", type=AT_LEAST_ONE, metavar="N")
@click.option("--image-size", metavar="N|CxHxW")
@click.option("--sequence", type=AT_LEAST_ONE, metavar="N")
@click.option("--classes", type=AT_LEAST_ONE, metavar="N")
@click.option("--precision", metavar="P", shell_complete=completing.of("precision"))
@click.option("--optimizer", metavar="O", shell_complete=completing.of("optimizer"))
@click.option("--strategy", metavar="S", shell_complete=completing.of("strategy"))
@click.option("--adapter", metavar="A")
@click.option("--activation-checkpointing", metavar="C", shell_complete=completing.of("checkpointing"))
@click.option("--attention", metavar="A")
@click.option("--compile/--no-compile", default=None)
@click.option("--channels-last/--no-channels-last", default=None)
@click.option("--max-batch", is_flag=False, flag_value="", metavar="[N,N,…]")
@click.option("--explain", is_flag=True, default=None)
@click.option("--no-trace", is_flag=True, default=None)
@click.option("--batch-file", metavar="F.jsonl|-")
@click.option("--workers", type=click.IntRange(1, 64), default=1, metavar="N")
@with_json
def command(world: World, file: Path | None, batch_file: str | None, workers: int, **flags: Any) -> int:
    """Size the workload with the flags over it, and draw or print the answer."""
    flags["gpu"] = flags["gpu"] or None
    if batch_file is not None:
        _alone(file, flags)
        return _batch(world, batch_file, workers)
    from tradewind.cli.tracing import telling

    workload, overrides = asked(file, flags)
    with telling(world) as tell:
        answer = world.inside.size(workload, overrides, tell)
    if world.json:
        world.answer(answer)
    else:
        from tradewind.cli.draw.sizes import size

        world.draw(size, answer)
    return 0


def asked(job: Path | None, flags: dict[str, Any]) -> tuple[Any, Any]:
    """The job file's workload, or an empty one, with the flags obeyed; and what only ``size`` takes.

    Raises:
        BadInput: neither a file nor ``--model`` (``size-of-nothing``), or what cannot be read.
    """
    from tradewind.app import jobfile
    from tradewind.app.sizes.flags import asked as read
    from tradewind.domain.errors import BadInput

    if job is None and flags["model"] is None:
        raise BadInput("size-of-nothing")
    base = jobfile.anchored(jobfile.read(job)[0], job) if job else None
    return read(flags, base=base)


def _alone(job: Path | None, flags: dict[str, Any]) -> None:
    """Nothing, when ``--batch-file`` stands alone: each row says everything itself.

    Raises:
        BadInput: ``batch-file-with-flags`` (names).
    """
    from tradewind.app.sizes.flags import as_option
    from tradewind.domain.errors import BadInput

    given = ([str(job)] if job else []) + [as_option(key) for key, value in flags.items() if value is not None]
    if given:
        raise BadInput("batch-file-with-flags", names=", ".join(given))


def _batch(world: World, name: str, workers: int) -> int:
    """One line of JSON an answer, in the order of the rows; 0 whatever the answers are."""
    from tradewind.cli.faults import as_json
    from tradewind.cli.tracing import telling

    with telling(world) as tell:
        for answered in world.inside.batch(_lines(world, name), name, workers, tell):
            told = {"error": as_json(answered.fault, world.lang)} if answered.fault else answered.answer or {}
            world.line({"row": answered.line, **told})
    return 0


def _lines(world: World, name: str) -> list[str]:
    from tradewind.domain.errors import BadInput, NotFound

    try:
        text = world.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8-sig")
        return text.removeprefix("\ufeff").split("\n")  # JSON may hold what else ends a line, such as U+2028
    except FileNotFoundError:
        raise NotFound("batch-file-missing", path=name) from None
    except (OSError, UnicodeDecodeError) as fault:
        raise BadInput("batch-file-unreadable", path=name, why=fault) from None
