"""``tradewind machines check``: what a machine is, who uses it, and what would trouble a job there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from tradewind.cli import completing
from tradewind.cli.shape import with_json, worded
from tradewind.domain.errors import CloudRefused, NotConfigured

if TYPE_CHECKING:
    from tradewind.cli.world import World


@worded("machines-check")
@click.argument("name", required=False, shell_complete=completing.of("machine"))
@with_json
def command(world: World, name: str | None) -> int:
    """Check one machine, or all; exit 4 when one does not answer, 3 when jobs cannot run on one.

    Raises:
        CloudRefused: the one that was named does not answer.
    """
    from tradewind.cli.draw.checked import checks
    from tradewind.cli.findings import of_check

    checked = world.inside.machines().check(name)
    if name is not None:
        _answered(checked)
    told = [of_check(each, world.lang) for each in checked]
    if world.json:
        world.answer({"machines": told})
    else:
        world.draw(checks, told)
    return _exit_code(told)


def _answered(checked: Sequence[dict[str, Any]]) -> None:
    for error in filter(None, (each["error"] for each in checked)):
        raise CloudRefused(error["code"], **error["facts"])


def _exit_code(checked: list[dict[str, Any]]) -> int:
    if any(each["error"] for each in checked):
        return CloudRefused.exit_code
    severities = {finding["severity"] for each in checked for finding in each["findings"]}
    return NotConfigured.exit_code if "fault" in severities else 0
