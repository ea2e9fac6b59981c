"""What the end of a run means: finished, failed, or interrupted and worth another attempt. Pure."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any, Literal

from tradewind.domain.records import Attempt, Job
from tradewind.domain.states import JobState
from tradewind.wire.spec import CHECKPOINTED, OLDER_IS_VALID

KILLED = (137, 143)  # SIGKILL, SIGTERM from outside: a memory killer, an operator, a host that goes down
Verdict = Literal["succeeded", "failed", "interrupted", "expired"]


def judge(
    ended: dict[str, Any], attempt: Attempt, *, noticed: bool, limited: bool, left: bool = False, goes_on: bool = False
) -> Verdict:
    """What an ``run_ended`` record says of an attempt.

    ``limited``: it was asked to stop for a limit; ``left``: to go on elsewhere; ``goes_on``: see :func:`may_go_on`.

    After a notice every exit but 0 is an interruption: the machine was going away. So is the 0 of a plain script that
    SIGTERM reached before: scripts often end well when told to, and one that had just finished is soon done again. A
    job killed from outside, or one that asks for a restart, gets another attempt as long as this one made new steps; so
    a job that dies always at the same place ends.
    """
    exit_code, told_to = int(ended["exit"]), goes_on and ended.get("why") != "exit"
    if exit_code == 0 and not told_to:
        return "succeeded"
    if ended.get("why") == "hard-end" or limited:
        return "expired"
    if left or noticed or told_to or ended.get("why") == "notice":
        return "interrupted"
    if exit_code in (*KILLED, CHECKPOINTED, OLDER_IS_VALID) and made_steps(attempt):
        return "interrupted"
    return "failed"


def may_go_on(job: Job) -> bool:
    """Whether an exit of 0 after SIGTERM need not be the end: a plain script, and not known to be at its last step."""
    progress = job.progress or {}
    total = progress.get("total_steps")
    return bool(job.measures.get("unverified")) and not (total and int(progress["step"]) >= total)


def made_steps(attempt: Attempt) -> bool:
    """Whether the attempt got beyond where it started, repeated steps not counted."""
    if attempt.last_step is None:
        return False
    return attempt.last_step > (attempt.resumed_step or 0) + (attempt.repeated_steps or 0)


def finishing(job: Job, outcome: Literal["succeeded", "failed", "expired"], why: str | None, now: datetime) -> Job:
    """The job on its way to its end, the outcome stored."""
    return replace(job, state=JobState.FINISHING, state_since=now, outcome=outcome, why=why, wake_at=now)
