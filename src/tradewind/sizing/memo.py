"""What is worked out once for each profile: by identity, since to hash its operations would take longer than asking."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from tradewind.domain.profile import ModelProfile

T = TypeVar("T")
KEPT = 64  # profiles last asked about


def once(of: Callable[[ModelProfile], T]) -> Callable[[ModelProfile], T]:
    """``of`` with its answers kept for the profiles last asked about."""
    known: dict[int, tuple[ModelProfile, T]] = {}  # the profile is kept too, so that nothing else gets its identity

    @wraps(of)
    def ask(profile: ModelProfile) -> T:
        found = known.get(id(profile))
        if found is None:
            while len(known) >= KEPT:
                known.pop(next(iter(tuple(known)), 0), None)  # threads ask side by side: a copy is taken in one step
            found = known[id(profile)] = (profile, of(profile))
        return found[1]

    return ask
