"""Decision: what to do about a job's machines, and why."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Action = Literal["rent", "keep", "wait", "switch", "give-up"]
Fact = float | str


@dataclass(frozen=True, slots=True)
class Option:
    """One thing that could have been done, with what it was expected to cost until the end (``none``: to wait)."""

    kind: str
    pool: int | None
    cost: float


@dataclass(frozen=True, slots=True)
class Decision:
    """The answer to a situation.

    ``wait`` while a machine runs lets it go by a checkpoint; ``switch`` rents ``pool`` before that one is left.

    Attributes:
        pool: index of the pool to rent, keep or switch to.
        until: hours from now after which is decided again.
        why, facts: a code, and what its sentence names.
        options: what else there was.
        at_risk: whether the deadline depends on a machine that nobody grants now.
    """

    action: Action
    pool: int | None
    until: float
    why: str
    facts: dict[str, Fact] = field(default_factory=dict)
    options: tuple[Option, ...] = ()
    at_risk: bool = False

    def to_json(self) -> dict[str, Any]:
        """The decision as an event keeps it."""
        return {**asdict(self), "options": [asdict(option) for option in self.options]}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Decision:
        """The inverse of :meth:`to_json`."""
        known = {name: value[name] for name in cls.__slots__ if name in value}
        return cls(**{**known, "options": tuple(Option(**each) for each in value.get("options", ()))})
