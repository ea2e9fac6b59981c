"""A number that says where it comes from: measured, listed, or estimated with its 90 % range."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Source(StrEnum):
    """Where a number comes from."""

    MEASURED = "measured"
    LISTED = "listed"
    ESTIMATED = "estimated"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its range; ``low <= value <= high`` hold with probability ``level``."""

    value: float
    low: float
    high: float
    source: Source = Source.ESTIMATED
    as_of: str | None = None
    level: float = 0.9

    def __post_init__(self) -> None:
        if not self.low <= self.value <= self.high:
            raise ValueError(f"not a range: {self.low} <= {self.value} <= {self.high}")

    def scaled(self, factor: float) -> Estimate:
        """The same estimate in a unit ``factor`` times smaller; ``factor`` is positive."""
        return Estimate(self.value * factor, self.low * factor, self.high * factor, self.source, self.as_of, self.level)

    def to_json(self) -> dict[str, Any]:
        """The contract's range ``R``."""
        return {
            "value": self.value, "low": self.low, "high": self.high,
            "level": self.level, "source": self.source.value, "as_of": self.as_of,
        }  # fmt: skip


def exact(value: float, source: Source, as_of: str | None = None) -> Estimate:
    """A number without a spread."""
    return Estimate(value, value, value, source, as_of)
