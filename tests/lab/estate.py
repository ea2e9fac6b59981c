"""What an account has at a cloud of the lab besides machines: networks, disks, addresses; and the pages of lists."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, TypeVar

Row = TypeVar("Row")


@dataclass
class Thing:
    """Something rented or made. ``within``: the ids of what it lies in or hangs on, which cannot go before it.

    ``told``: what its cloud tells of it, in the cloud's words; ``gone_at``: when its end is over.
    """

    kind: str
    id: str
    region: str
    number: int
    made_at: datetime
    told: dict[str, Any]
    tags: dict[str, str] = field(default_factory=dict)
    within: set[str] = field(default_factory=set)
    gone_at: datetime | None = None


class Things:
    """All of them."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._things: dict[str, Thing] = {}
        self._made = 0

    def add(
        self, kind: str, region: str, told: dict[str, Any], tags: Mapping[str, str] | None = None,
        within: Iterable[str] = (),
    ) -> Thing:  # fmt: skip
        """Make one; its id begins with its kind."""
        self._made += 1
        thing = Thing(kind, new_id(kind), region, self._made, self._now(), told, dict(tags or {}), set(within))
        self._things[thing.id] = thing
        return thing

    def of(self, kind: str, region: str) -> list[Thing]:
        """Those of a kind in a region, oldest first."""
        return [each for each in self._there() if (each.kind, each.region) == (kind, region)]

    def get(self, kind: str, id_: str | None, region: str) -> Thing | None:
        """One of a kind; of no region: anywhere."""
        return next(
            (each for each in self._there() if (each.kind, each.id) == (kind, id_) and region in ("", each.region)),
            None,
        )

    def users(self, id_: str) -> list[Thing]:
        """What lies in it or hangs on it."""
        return [each for each in self._there() if id_ in each.within]

    def remove(self, thing: Thing, later: timedelta = timedelta(0)) -> None:
        """Take it away; whoever asks has seen that nothing uses it."""
        thing.gone_at = self._now() + later

    def _there(self) -> list[Thing]:
        now = self._now()
        for each in list(self._things.values()):
            if each.gone_at and each.gone_at <= now:
                self._things.pop(each.id, None)  # another thread may have been faster
        return list(self._things.values())


def new_id(kind: str) -> str:
    """An id that no other thing of any lab has."""
    return f"{kind}-2ze{secrets.token_hex(8)}"


def carries(tags: Mapping[str, str], wanted: Mapping[str, str | None]) -> bool:
    """Whether ``tags`` have all those wanted; None: any value."""
    return all(key in tags and value in (None, tags[key]) for key, value in wanted.items())


def after(rows: Sequence[Row], number: Callable[[Row], int], token: str | None, size: int) -> tuple[list[Row], str]:
    """A page of ``rows`` and the token of the next, "" at the last; what goes in between shifts no page."""
    rest = [row for row in rows if number(row) > int(token or 0)]
    return rest[:size], str(number(rest[size - 1])) if len(rest) > size else ""
