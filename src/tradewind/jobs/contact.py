"""A node that does not answer: the reason that its job bears meanwhile, and whether it is worth waiting for. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from tradewind.domain.records import Job, Lease
from tradewind.domain.states import JobState, LeaseState
from tradewind.jobs.keeping import KEPT_OPEN, left_open_s
from tradewind.jobs.room import lost
from tradewind.ports.compute import Capabilities
from tradewind.ports.transport import Unreachable

SECRETS_MISSING, NO_SPACE, GONE = "secrets-missing", "no-space", "gone"  # codes of Unreachable with which we deal


def why_silent(fault: Unreachable) -> str:
    """That the node is not heard, as a reason."""
    return f"no-contact code={fault.code} said={str(fault)!r}"


def out_of_contact(job: Job, leases: Sequence[Lease]) -> Job:
    """The job with that reason, for those who tell of it, also while its own look still waits for an answer."""
    silent = [each for each in leases if each.state is LeaseState.SUSPECT and each.wanted]
    if job.why or not silent or job.state not in (JobState.PREPARING, JobState.RUNNING):
        return job
    return replace(job, why=why_silent(Unreachable(silent[-1].last_error or "it does not answer")))


def may_answer_yet(job: Job, lease: Lease, caps: Capabilities, fault: Unreachable, now: datetime) -> bool:
    """Whether the last words of an attempt are waited for, although its lease is lost, or its run has ended.

    Of a lost one only where silent machines come back, and no longer than one that ended is heard out; of one that
    lives as long as it is left open.
    """
    comes_back = math.isinf(caps.silence_s)
    if fault.code == GONE or not (comes_back or caps.keep_open_s is not None):
        return False
    if lost(lease):
        waited_s = now.timestamp() - lease.state_since.timestamp()
        return comes_back and lease.state is LeaseState.RELEASING and waited_s < caps.hear_out_s
    since = job.measures.get(KEPT_OPEN)
    return since is not None and now.timestamp() - float(since) < left_open_s(lease, caps)
