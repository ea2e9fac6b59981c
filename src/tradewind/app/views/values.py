"""The small values of the contracts' JSON: instants and money."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from tradewind.domain.money import Money, Rate


def instant(value: datetime | None) -> str | None:
    """An instant as the contracts write it, to the millisecond; or null."""
    return None if value is None else value.strftime("%Y-%m-%dT%H:%M:%S.") + f"{value.microsecond // 1000:03d}Z"


def money_json(value: Money | None) -> dict[str, Any] | None:
    """Money as JSON, or null."""
    return value.to_json() if value else None


def rate_json(rate: Rate) -> dict[str, Any]:
    """A rate with its date and source."""
    return {"base": rate.base, "quote": rate.quote, "value": str(rate.value), "as_of": rate.as_of,
            "source": rate.source}  # fmt: skip
