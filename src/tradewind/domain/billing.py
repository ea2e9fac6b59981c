"""What a span of time costs, as clouds bill it: rounded up to their granularity, and at least their minimum."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, Decimal
from typing import Any

from tradewind.domain.money import SMALLEST, Money


def billed_seconds(used: float, granularity_s: float, minimum_s: float) -> float:
    """``used`` seconds as they are billed."""
    units = math.ceil(round(used / granularity_s, 9))  # a float's last digits are no second begun
    return max(units * granularity_s, minimum_s)


def billed_on(offer: dict[str, Any], used: float) -> float:
    """``used`` seconds as the offer bills them: ``billing`` may name ``granularity_s`` (else 1) and ``minimum_s``."""
    billing = offer.get("billing") or {}
    return billed_seconds(used, float(billing.get("granularity_s") or 1.0), float(billing.get("minimum_s") or 0.0))


def money_for(price_per_hour: Money, seconds: float) -> Money:
    """The price of so many billed seconds, to a millionth."""
    return (price_per_hour * (Decimal(repr(seconds)) / 3600)).rounded()


def millionths(money: Money) -> int:
    """An amount in millionths of its currency, what is less than one counted as one."""
    return int((money.amount / SMALLEST).to_integral_value(rounding=ROUND_CEILING))
