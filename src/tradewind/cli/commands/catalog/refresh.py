"""``tradewind catalog refresh``: prices and machines anew, from the clouds' own interfaces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tradewind.cli import completing
from tradewind.cli.faults import sentences
from tradewind.cli.shape import split, with_json, worded
from tradewind.domain.errors import CloudRefused, NotConfigured

if TYPE_CHECKING:
    from tradewind.cli.world import World

Answer = dict[str, Any]


@worded("catalog-refresh")
@click.option("--cloud", multiple=True, metavar="CLOUD", shell_complete=completing.of("cloud"))
@with_json
def command(world: World, cloud: tuple[str, ...]) -> int:
    """Refresh; exit 4 when a cloud failed or was refused, 3 when none of those asked for is configured."""
    from tradewind.cli.progress import showing

    try:
        with showing(world) as tell:
            refreshed = world.inside.catalog().refresh(split(cloud), tell)
    except KeyboardInterrupt:
        world.err.write(world.say("refresh-cut-off") + "\n")
        raise
    told = [_with_sentences(each, world.lang) for each in refreshed]
    if world.json:
        world.answer({"clouds": told})
    else:
        from tradewind.cli.draw.refreshed import refreshed as drawing

        world.draw(drawing, told)
    return _exit_code([each["outcome"] for each in told], bool(cloud))


def _exit_code(outcomes: list[str], named: bool) -> int:
    """A cloud that is not configured is a fault only where it was named, or where none is."""
    if {"failed", "refused"} & set(outcomes):
        return CloudRefused.exit_code
    missing = outcomes.count("not_configured")
    return NotConfigured.exit_code if missing and (named or missing == len(outcomes)) else 0


def _with_sentences(each: Answer, lang: str) -> Answer:
    failed = [{**part, "error": sentences(part["error"], lang)} for part in each["parts_failed"]]
    errors = {key: sentences(each[key], lang) for key in ("error", "spot_error")}
    return {**each, **errors, "parts_failed": failed}
