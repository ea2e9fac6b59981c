"""``tradewind size``: what the model needs, on each GPU asked for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tradewind.cli.given import counts
from tradewind.cli.shape import split, with_json, worded

if TYPE_CHECKING:
    from tradewind.cli.world import World
    from tradewind.domain.workload import Workload

TRAINING = ("batch_size", "precision", "optimizer")


@worded("size")
@click.argument("file", required=False, type=click.Path(path_type=Path), metavar="[JOB.yaml]")
@click.option("--model", metavar="REF")
@click.option("--gpu", multiple=True, metavar="NAME")
@click.option("--gpus", metavar="N|A..B")
@click.option("--nodes", type=click.IntRange(1), metavar="N")
@click.option("--micro-batch", metavar="N|auto")
@click.option("--batch-size", type=click.IntRange(1), metavar="N")
@click.option("--precision", metavar="P")
@click.option("--optimizer", metavar="O")
@with_json
def command(world: World, file: Path | None, gpu: tuple[str, ...], gpus: str | None, nodes: int | None,
            micro_batch: str | None, **flags: Any) -> int:  # fmt: skip
    """Size the workload with the flags over it, and draw or print the answer."""
    from tradewind.app.queries import SizeOverrides

    overrides = SizeOverrides(split(gpu), counts(gpus), nodes, _micro_batch(micro_batch))
    answer = world.inside.size(workload_of(file, flags), overrides)
    if world.json:
        world.answer(answer)
    else:
        from tradewind.cli.draw.needs import size

        world.draw(size, answer)
    return 0


def workload_of(job: Path | None, flags: dict[str, Any]) -> Workload:
    """The job file's workload, or an empty one, with the flags obeyed; read as a job file, for the same faults.

    Raises:
        BadInput: neither a file nor ``--model`` (``size-of-nothing``), or what a job file may not hold.
    """
    from tradewind.app import jobfile
    from tradewind.domain.errors import BadInput

    if job is None and flags["model"] is None:
        raise BadInput("size-of-nothing")
    file: dict[str, Any] = {"name": "size", "run": "true"} if job is None else jobfile.dump(jobfile.read(job)[0])
    if flags["model"] is not None:
        file["model"] = _model(flags["model"])
    given = {key: flags[key] for key in TRAINING if flags[key] is not None}
    return jobfile.load({**file, "training": {**file.get("training", {}), **given}})


def _model(reference: str) -> dict[str, Any]:
    source, colon, name = reference.partition(":")
    if source == "params" and colon:
        try:
            return {"parameters": float(name)}
        except ValueError:
            return {"parameters": name}
    return {source: name} if colon else {"preset": reference}


def _micro_batch(text: str | None) -> int | None:
    if text is None or text == "auto":
        return None
    exact = counts(text)
    assert exact is not None
    return exact[0]
