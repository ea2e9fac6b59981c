"""The laws that hold always, as a sceptic holds them: from the cloud's own bill and the history.

Nothing is taken from what the product believes. A law takes a :class:`odd.sight.Sight` and gives sentences, one for
each breach. Times of machines are true ones, without the error of any clock. ``odd.rest`` has the laws of the end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise

from odd.sight import Sight
from tradewind.domain.states import JOB_ENDED, JOB_TRANSITIONS, LEASE_CLOSED, LEASE_TRANSITIONS, JobState, LeaseState

UNASKED = ("surplus", "orphan")  # why leases end that nobody intended
PER_SECOND = 1000  # millionths: the offer costs 3.60 an hour
ON_PURPOSE = "was lost"
Law = Callable[[Sight], Iterator[str]]


def made_once(sight: Sight) -> Iterator[str]:
    """A token has one machine; more only by the cloud's own repeating."""
    made = Counter(each.order.token for each in sight.cloud.ours())
    for token, count in made.items():
        if count > 1 + sight.cloud.doubled[token]:
            yield f"made twice: {count} machines for the token {token[:8]}, sent {sight.cloud.launches[token]} times"


def others_untouched(sight: Sight) -> Iterator[str]:
    """What belongs to others is never ended."""
    for id_ in sight.cloud.hurt:
        yield f"{id_} belongs to somebody else and was ended"


def released_is_gone(sight: Sight) -> Iterator[str]:
    """What is RELEASED has ended, and left no disk behind."""
    for row in sight.leases:
        machine = sight.cloud.machines.get(row.cloud_id or "")
        if row.state is not LeaseState.RELEASED or machine is None or sight.now < machine.listed_from:
            continue
        if machine.lives(sight.now):
            yield f"{row.id} is released, {machine.id} runs"
        elif machine.disks:
            yield f"{row.id} is released, the disk of {machine.id} lies around"


def never_asleep(sight: Sight) -> Iterator[str]:
    """A row is at its end and sleeps, or it is due at some time, or somebody holds it."""
    for row, closed in [*((each, LEASE_CLOSED) for each in sight.leases), *((each, JOB_ENDED) for each in sight.jobs)]:
        held = row.claim_until is not None and row.claim_until > sight.wall
        if row.state in closed:
            if row.wake_at is not None and not held:
                yield f"{row.id} is {row.state} and due again at {row.wake_at}"
        elif row.wake_at is None and not held:
            yield f"{row.id} is {row.state} and nobody will ever look at it again"


def history_gives_the_rows(sight: Sight) -> Iterator[str]:
    """Folding the events gives each row's state, and each lease's machine and paid time."""
    folded = sight.folded
    for row in sight.jobs:
        if folded[row.id].state != row.state.value:
            yield f"{row.id} is {row.state}, by its history {folded[row.id].state}"
    for row in sight.leases:
        told = folded[row.id]
        if told.state != row.state.value:
            yield f"{row.id} is {row.state}, by its history {told.state}"
        if row.cloud_id is not None and (told.cloud_id, told.paid_from) != (row.cloud_id, row.paid_from):
            yield f"{row.id} has {row.cloud_id} from {row.paid_from}, by history {told.cloud_id} from {told.paid_from}"
        if row.state is LeaseState.RELEASED and told.paid_to != row.paid_to:
            yield f"{row.id} was paid to {row.paid_to}, by its history to {told.paid_to}"


def history_follows_the_tables(sight: Sight) -> Iterator[str]:
    """Every transition in the history is one that the tables know."""
    tables = ((sight.leases, LeaseState, LEASE_TRANSITIONS), (sight.jobs, JobState, JOB_TRANSITIONS))
    folded = sight.folded
    for rows, states, after in tables:
        for row in rows:
            told = [states(each) for each in folded[row.id].states]
            for old, new in pairwise(told):
                if old is not new and new not in after[old]:  # type: ignore[index]
                    yield f"{row.id} went from {old} to {new}"


def epochs_never_fall(sight: Sight) -> Iterator[str]:
    """No node starts an older epoch after a newer one, and none publishes a checkpoint after a newer one has."""
    for job, epoch in sight.nodes.backwards:
        yield f"{job}: epoch {epoch} was started after a newer one"
    for job, shelf in sight.nodes.shelves.items():
        if shelf.published != sorted(shelf.published):
            yield f"{job}: checkpoints were published by the epochs {shelf.published}"


def resumed_from_what_counts(sight: Sight) -> Iterator[str]:
    """An attempt begins no earlier than the newest checkpoint that was said to be safe."""
    safe: Counter[str] = Counter()
    resumed: Counter[str] = Counter()
    for event in sight.events:
        if event.kind == "checkpoint-stored":
            safe[event.what] = max(safe[event.what], int(event.data["step"]))
        elif event.kind == "resumed":
            resumed[event.what] = int(event.data["step"] or 0)
        elif event.kind == "run-started" and resumed.pop(event.what, 0) < safe[event.what]:
            yield f"{event.what} began before step {safe[event.what]}, which was stored"


def started_once(sight: Sight) -> Iterator[str]:
    """An epoch of a job runs on one machine."""
    for (job, epoch), count in Counter(sight.nodes.starts).items():
        if count > 1 and not sight.forgot:
            yield f"{job}: epoch {epoch} was started on {count} machines"


def within_budget(sight: Sight) -> Iterator[str]:
    """What is held and spent stays under the cap; twins that the cloud made by itself are not the budget's."""
    surplus = _surplus_spent(sight)
    for each in sight.budgets:
        if each.held < 0 or each.spent < 0:
            yield f"budget {each.id}: held {each.held}, spent {each.spent}"
        if each.cap is not None and each.held + each.spent > each.cap + surplus[each.id]:
            yield f"budget {each.id}: held {each.held} + spent {each.spent} > {each.cap}"


def _surplus_spent(sight: Sight) -> Counter[str]:
    """Millionths, by budget, of leases that were never asked for, with what a late end may have cost on top."""
    extra: Counter[str] = Counter()
    for row in sight.leases:
        if row.budget is None:
            continue
        extra[row.budget] += int(
            sight.lag.total_seconds() * 1000
        )  # the offer's 3.60 an hour are 1000 millionths a second
        if row.end_reason in UNASKED and row.paid_from is not None:
            extra[row.budget] += int(((row.paid_to or sight.wall) - row.paid_from).total_seconds() * PER_SECOND)
    return extra


def ended_once(sight: Sight) -> Iterator[str]:
    """A job comes to one end, and its outputs are brought home once."""
    ends = Counter(event.what for event in sight.events if event.kind == "job-state" and event.new in JOB_ENDED)
    fetched = Counter(event.what for event in sight.events if event.kind == "outputs-fetched")
    for job, count in ends.items():
        if count > 1:
            yield f"{job} ended {count} times"
    for job, count in fetched.items():
        if count > 1:
            yield f"{job}: outputs were taken as fetched {count} times"


def steps_do_not_break(sight: Sight) -> Iterator[str]:
    """No step raises anything but what the world did to it on purpose."""
    for each in sight.broke:
        if ON_PURPOSE not in each:
            yield each


ALWAYS: tuple[Law, ...] = (
    made_once, others_untouched, released_is_gone, never_asleep, history_gives_the_rows, history_follows_the_tables,
    epochs_never_fall, resumed_from_what_counts, started_once, within_budget, ended_once, steps_do_not_break,
)  # fmt: skip
