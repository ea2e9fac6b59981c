"""The laws that hold at rest, when nothing is open any more; see ``odd.laws`` for those that hold always."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime, timedelta

from odd.laws import UNASKED, Law
from odd.machines import Machine
from odd.sight import Line, Sight
from tradewind.app.supervise import SWEEP_IDLE
from tradewind.domain.states import JOB_ENDED, LEASE_CLOSED


def nothing_runs(sight: Sight) -> Iterator[str]:
    """Leaked is none: no machine of ours runs, no disk of ours lies around."""
    for each in sight.cloud.alive():
        yield f"leaked: {each.id} of {each.order.lease} runs since {each.since} until {each.until}"
    for each in sight.cloud.ours():
        if each.disks:
            yield f"leaked: the disk of {each.id} lies around"


def nothing_outlived_its_purpose(sight: Sight) -> Iterator[str]:
    """A machine ends soon after its lease is unwanted; one that no lease wanted, soon after a sweep could find it."""
    folded = sight.folded
    for each in sight.cloud.ours():
        wanted = [row.id for row in sight.leases if row.cloud_id == each.id and row.end_reason not in UNASKED]
        told = [at for id_ in wanted if (at := folded[id_].unwanted_at) is not None]
        lost = [returned for made, returned in sight.forgot if made < each.until and each.since < returned]
        needed = max([each.since, *lost, *told])
        allowed = sight.lag if told else sight.lag + SWEEP_IDLE
        if each.until - needed > allowed:
            yield f"leaked: {each.id} ran {(each.until - needed).total_seconds():.0f} s after it was needed"


def all_rows_closed(sight: Sight) -> Iterator[str]:
    """At rest every lease is closed and every job ended."""
    for row in sight.leases:
        if row.state not in LEASE_CLOSED:
            yield f"{row.id} is {row.state}"
    for row in sight.jobs:
        if row.state not in JOB_ENDED:
            yield f"{row.id} is {row.state}"


def holds_given_back(sight: Sight) -> Iterator[str]:
    """With every lease closed nothing is held."""
    for each in sight.budgets:
        if each.held != 0:
            yield f"budget {each.id} still holds {each.held}"


def every_second_billed_once(sight: Sight) -> Iterator[str]:
    """Each machine's paid time is covered by the ledger, by one line at a time, and nothing else is."""
    lines: defaultdict[str, list[Line]] = defaultdict(list)
    for line in sight.lines():
        lines[line.machine].append(line)
    for machine in sight.cloud.ours():
        yield from _billed(sight, machine, sorted(lines.pop(machine.id, []), key=lambda line: line.since))
    for id_, extra in lines.items():
        yield f"billed, but never made: {id_} by {[line.lease for line in extra]}"


def _billed(sight: Sight, machine: Machine, lines: list[Line]) -> Iterator[str]:
    if not lines:
        if machine.until > machine.since and not _forgotten(sight, machine) and not _unseeable(sight, machine):
            ran = (machine.until - machine.since).total_seconds()
            yield f"unbilled: {machine.id} ran {ran:.0f} s, no line tells of it"
        return
    slack = timedelta(seconds=abs(sight.cloud.off_s) + 1) + machine.leeway
    reached = machine.since
    for line in lines:
        end = line.until or sight.wall
        if line.since - reached > slack and not _forgotten(sight, machine):
            yield f"unbilled: {machine.id} from {reached} to {line.since}"
        if reached > machine.since and reached - line.since > slack:
            yield f"billed twice: {machine.id} from {line.since} to {min(reached, end)}"
        if machine.since - line.since > slack:
            yield f"billed before it was made: {machine.id} from {line.since}, made {machine.since}"
        reached = max(reached, end)
    yield from _ends_match(sight, machine, reached, slack)


def _ends_match(sight: Sight, machine: Machine, reached: datetime, slack: timedelta) -> Iterator[str]:
    if machine.until - reached > slack and not _forgotten(sight, machine):
        yield f"unbilled: {machine.id} from {reached} to {machine.until}"
    known = max([machine.until, *(returned for made, returned in sight.forgot if made < machine.until <= returned)])
    if reached - known > sight.lag:
        yield f"billed {(reached - machine.until).total_seconds():.0f} s after its end: {machine.id}"


def _forgotten(sight: Sight, machine: Machine) -> bool:
    """Whether a machine ended before anybody could write it down again: between a backup and its return."""
    return any(
        machine.since < returned and made < machine.until <= returned + sight.lag for made, returned in sight.forgot
    )


def _unseeable(sight: Sight, machine: Machine) -> bool:
    """Whether nobody could learn of a machine that was not told of: gone from the list before anybody looked again."""
    seen_until = min(
        [machine.listed_to, *(since for since, until in sight.blind if since < machine.listed_to <= until)]
    )
    return seen_until - machine.since <= sight.lag + SWEEP_IDLE and machine.listed_to <= sight.now


AT_REST: tuple[Law, ...] = (
    nothing_runs, nothing_outlived_its_purpose, all_rows_closed, holds_given_back, every_second_billed_once,
)  # fmt: skip
