"""The report of a job as a file: where it was asked for, or among the job's files once the job has ended.

It is written by whoever looks at the job's end, for the sentences are theirs: a supervisor has no reader, and so no
language.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tradewind.domain.errors import BadInput

if TYPE_CHECKING:
    from tradewind.app.interface import ControlPlane
    from tradewind.cli.world import World

NAME = "report.html"


def write_report(world: World, control: ControlPlane, job: str, path: Path) -> None:
    """The page of a job in ``path``.

    Raises:
        NotFound: no such job.
        BadInput: ``page-unwritable`` (path, why).
    """
    from tradewind.cli.draw.pen import Pen
    from tradewind.cli.draw.report_page import report_page
    from tradewind.cli.world import PIPED_WIDTH

    page = report_page(Pen(world.lang, PIPED_WIDTH), control.report(job))
    try:
        path.write_text(page, encoding="utf-8", errors="replace")
    except OSError as fault:
        raise BadInput("page-unwritable", path=path, why=fault.strerror) from None


def keep_report(world: World, control: ControlPlane, job: str) -> str:
    """Put the report of an ended job among its files; the line that says where it is, or why it is not there."""
    path = world.inside.home() / "jobs" / job / NAME
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_report(world, control, job, path)
    except OSError as fault:
        return world.say("report-unwritten", path=path, why=fault.strerror)
    except BadInput as fault:
        return world.say("report-unwritten", **fault.facts)
    return world.say("report-written", path=path)
