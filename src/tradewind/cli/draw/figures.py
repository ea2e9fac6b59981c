"""Numbers as people read them: ranges with their unit, money, times, counts. None is unknown and shown as such."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime, tzinfo
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from tradewind.domain.money import Money

UNKNOWN = "–"
_COUNTS = ((1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
MANY = 10_000  # from here on ranges are told in thousands, millions …


def number(value: float | None, places: int | None = None) -> str:
    """A figure with as many places as its size deserves, thousands grouped."""
    if value is None or not math.isfinite(value):
        return UNKNOWN
    return f"{value:,.{_places(value) if places is None else places}f}"


def measured(value: float | None, unit: str) -> str:
    """``80.0 GiB``; an unknown figure has no unit."""
    return UNKNOWN if value is None else f"{number(value)} {unit}"


def _places(value: float) -> int:
    size = abs(value)
    if size == 0 or size >= 100:
        return 0
    return 1 if size >= 1 else min(1 - math.floor(math.log10(size)), 6)


def spread(estimate: Mapping[str, Any] | None, unit: str = "") -> str:
    """``3.1 (2.4–4.6) h``; without a spread ``3.1 h``."""
    if estimate is None:
        return UNKNOWN
    value, low, high = (float(estimate[key]) for key in ("value", "low", "high"))
    if max(value, high) >= MANY:
        size, prefix = next((step for step in reversed(_COUNTS) if max(value, high) < step[0] * 1e3), _COUNTS[0])
        value, low, high, unit = value / size, low / size, high / size, f"{prefix} {unit}"
    places = _places(value)
    told = number(value, places)
    if low != high:
        told += f" ({number(low, places)}–{number(high, places)})"
    return f"{told} {unit}".rstrip()


def exactly(value: float | None) -> dict[str, float] | None:
    """A figure without a range, in the shape of one with it."""
    return None if value is None else {"value": value, "low": value, "high": value}


def hours(estimate: Mapping[str, Any] | None, *, ranged: bool = True) -> str:
    """Hours with their range; below one hour in minutes, below one minute in seconds."""
    if estimate is not None and not ranged:
        return hours(exactly(estimate["value"]))
    if estimate is None or float(estimate["value"]) >= 1:
        return spread(estimate, "h")
    times, unit = (60, "min") if float(estimate["value"]) >= 1 / 60 else (3_600, "s")
    return spread({key: float(estimate[key]) * times for key in ("value", "low", "high")}, unit)


def mass(grams: float | None) -> str:
    """``310 gCO₂`` or ``1.2 kgCO₂``."""
    if grams is None:
        return UNKNOWN
    return f"{number(grams)} gCO₂" if grams < 1_000 else f"{number(grams / 1_000)} kgCO₂"


def money(value: Mapping[str, str] | None, *, beside: Decimal = Decimal(0)) -> str:
    """``¥12.34``; small sums keep enough places not to be zero, but two ``beside`` one of at least 1."""
    if value is None:
        return UNKNOWN
    told = str(Money.from_json(dict(value)))
    whole, point, places = told.partition(".")
    return f"{whole[:-1]}{_fixed(value['amount'], 2)}" if beside >= 1 and len(places) > 2 and point else told


def short_money(amount: float, currency: str) -> str:
    """``$200``, ``¥0.5``: a round sum without places that say nothing."""
    told = str(Money(Decimal(f"{amount:.6g}"), currency))
    return told.rstrip("0").rstrip(".") if "." in told else told


def money_spread(cost: Mapping[str, Any] | None, *, ranged: bool = True) -> str:
    """``¥38.20 (29.60–56.80)``."""
    if cost is None:
        return UNKNOWN
    told = money({"amount": cost["value"], "currency": cost["currency"]})
    if cost["low"] == cost["high"] or not ranged:
        return told
    places = len(told.partition(".")[2])
    low, high = (_fixed(cost[key], places) for key in ("low", "high"))
    return f"{told} ({low}–{high})"


def _fixed(amount: str, places: int) -> str:
    return f"{Decimal(amount).quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP):,f}"


def scaled(value: float | None, unit: str = "") -> str:
    """``25.6 M``, ``1.2 PFLOP``: three figures and a decimal prefix."""
    if value is None or not math.isfinite(value):
        return UNKNOWN
    for size, prefix in _COUNTS:
        if abs(value) >= size:
            return f"{value / size:.3g} {prefix}{unit}"
    return f"{value:.3g} {unit}".rstrip()


def span(seconds: float | None) -> str:
    """``45 s``, ``12 min 05 s``, ``3 h 10 min``, ``2 d 4 h``."""
    if seconds is None or not math.isfinite(seconds):
        return UNKNOWN
    if seconds < 60:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    whole = round(seconds)
    if whole < 3_600:
        return f"{whole // 60} min {whole % 60:02d} s"
    minutes = round(seconds / 60)
    if minutes < 1_440:
        return f"{minutes // 60} h {minutes % 60:02d} min"
    return f"{minutes // 1_440} d {minutes % 1_440 // 60} h"


def instant(text: str | None, zone: tzinfo | None = UTC) -> str:
    """``2026-11-22 03:14 UTC``; in another zone ``2026-11-22 11:14 +08:00``, for names of zones mean several."""
    if text is None:
        return UNKNOWN
    told = moment(text).astimezone(zone).isoformat(" ", "minutes")
    return f"{told[:16]} {told[16:].replace('+00:00', 'UTC')}"


def moment(text: str) -> datetime:
    """An instant of the contracts, UTC."""
    return datetime.fromisoformat(text).astimezone(UTC)


def count(value: float | None) -> str:
    """``2,880``; whole numbers without a point."""
    if value is None:
        return UNKNOWN
    return f"{value:,.0f}" if value == int(value) else f"{value:,g}"


def share(value: float | None, places: int = 0) -> str:
    """``97 %`` of 0.97."""
    return UNKNOWN if value is None else f"{value * 100:.{places}f} %"


def moneys(value: Any) -> str:
    """A Money, a list of sums by currency (``¥3.10 + $0.40``), or unknown."""
    if isinstance(value, list):
        return " + ".join(money(each) for each in value) or UNKNOWN
    return money(value)
