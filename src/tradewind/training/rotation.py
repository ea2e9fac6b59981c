"""Which checkpoints may go: a pure decision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable, List, Optional


@dataclass(frozen=True)
class Found:
    """A checkpoint folder.

    Attributes:
        step: in its name.
        save: which save of the job it was, from 1 (0: not told); None when its manifest is unreadable.
    """

    step: int
    save: Optional[int]


def doomed(found: Iterable[Found], committed: int, keep_last: int, milestone_every: int) -> List[int]:
    """The steps to remove once the checkpoint of step ``committed`` is safe, oldest first.

    Kept: that one and everything newer, the ``keep_last`` newest complete ones up to it, and every
    ``milestone_every``-th save (0: no milestones). Torn folders older than it are of no use and go.
    """
    older = sorted((one for one in found if one.step < committed), key=lambda one: one.step)
    complete = [one for one in older if one.save is not None]
    window = {one.step for one in complete[-(keep_last - 1) :]} if keep_last > 1 else set()
    return [one.step for one in older if one.step not in window and not _is_milestone(one, milestone_every)]


def _is_milestone(one: Found, milestone_every: int) -> bool:
    return bool(one.save and milestone_every and one.save % milestone_every == 0)
