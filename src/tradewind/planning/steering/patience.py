"""Patience: how long a job without a deadline waits for cheap machines, and when nothing is waited for any more.

The rule: a job without a deadline is planned as if it had to end after 1.5 times its work and three restarts. When
that time is over it is planned with just enough slack for two restarts, and no longer waits for a better price. The
same holds for a job that has a deadline and no on-demand pool, once its slack is no more than that.
"""

from __future__ import annotations

from tradewind.planning.steering.situation import Situation

STRETCH = 1.5  # of the work, in all
RESTARTS = 3.0
GIVE_UP_HOURS = 24.0  # without any machine, for a job that has no deadline by which to give up


def hours_to_plan(situation: Situation, *, sure: bool) -> float:
    """Hours in which the rest is to be done: until the deadline, or as long as patience lasts.

    ``sure``: there is a pool that saves the deadline. Where there is none nothing can be kept in hand for it, and the
    rest is not planned with less than two restarts.
    """
    assert situation.work_left is not None, "a job of unknown length is not brought before the policy"
    if situation.hours_left is not None:
        return situation.hours_left if sure else max(situation.hours_left, _least(situation))
    whole = STRETCH * (situation.work_done + situation.work_left) + RESTARTS * situation.overhead
    return max(whole - situation.elapsed, _least(situation))


def exhausted(situation: Situation, *, sure: bool) -> bool:
    """Whether nothing may be waited for any more, other than what the deadline's guard says."""
    guarded = sure and situation.hours_left is not None
    return not guarded and hours_to_plan(situation, sure=sure) <= _least(situation)


def given_up(situation: Situation) -> bool:
    """Whether a job without a deadline has been without any machine for too long; what is busy is worth any wait."""
    if situation.hours_left is not None or any(pool.busy for pool in situation.pools):
        return False
    return situation.running is None and situation.without >= GIVE_UP_HOURS


def _least(situation: Situation) -> float:
    return (situation.work_left or 0.0) + situation.overhead_left + 2 * situation.overhead + situation.step
