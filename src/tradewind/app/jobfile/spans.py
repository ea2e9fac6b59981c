"""Texts of times and shares: ``12h``, ``1h30m``, instants with a zone, ``25%``, ``200 steps``; and back to text."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from decimal import Decimal

from tradewind.domain.errors import BadInput
from tradewind.domain.workload import PreemptAt

UNITS = {"d": 86_400, "h": 3_600, "m": 60, "s": 1}
LONGEST_SECONDS = 3_650 * 86_400  # ten years: longer is a slip of the pen, and dates stay in range

_SPAN = re.compile(r"^(?:\d+(?:\.\d+)?\s*[dhms]\s*)+$")
_PART = re.compile(r"(\d+(?:\.\d+)?)\s*([dhms])")
_WORDED = re.compile(r"^(\d+(?:\.\d+)?)\s*([a-z天日小时分钟秒]+)$")
_MEANT = {
    "h": ("hour", "hours", "hr", "hrs", "小时", "时"), "m": ("min", "mins", "minute", "minutes", "分钟", "分"),
    "s": ("sec", "secs", "second", "seconds", "秒"), "d": ("day", "days", "天", "日"),
}  # fmt: skip
_SHARE = re.compile(r"^(\d+(?:\.\d+)?)\s*%$")
_STEPS = re.compile(r"^(\d+)\s*steps?$")
_SPACED_ZONE = re.compile(r"\s+(?=(?:[+-]\d\d:?\d\d|Z)$)")


def parse_span(text: str) -> float:
    """Seconds of ``12h``, ``90m``, ``2d``, ``15 s`` or ``1h30m``.

    Raises:
        BadInput: ``duration-unreadable`` (text, nearest); ``duration-out-of-range`` (text, days): nothing, or longer
            than ten years.
    """
    plain = text.strip().lower()
    if not _SPAN.match(plain):
        raise BadInput("duration-unreadable", text=text, nearest=_nearest_span(plain))
    seconds = sum(Decimal(number) * UNITS[unit] for number, unit in _PART.findall(plain))
    if 0 < seconds <= LONGEST_SECONDS:
        return float(seconds)
    raise BadInput("duration-out-of-range", text=text, days=LONGEST_SECONDS // UNITS["d"])


def _nearest_span(plain: str) -> str:
    """What a text without a unit of ours may have meant: ``12h`` for ``12 hours``, each unit for a bare number."""
    if re.fullmatch(r"\d+(\.\d+)?", plain):
        return ", ".join(plain + unit for unit in ("s", "m", "h"))
    match = _WORDED.match(plain)
    return next((match[1] + unit for unit, names in _MEANT.items() if match[2] in names), "") if match else ""


def span_text(seconds: float) -> str:
    """The shortest text that :func:`parse_span` reads back as exactly ``seconds``."""
    for unit, size in UNITS.items():
        if seconds >= size and seconds % size == 0:
            return f"{int(seconds / size)}{unit}"
    return f"{format(Decimal(repr(seconds)), 'f')}s"


def parse_instant(text: str) -> datetime:
    """The instant, UTC, of ISO 8601 text with a zone (``2026-11-22T08:00+08:00``, ``…Z``).

    Raises:
        BadInput: ``instant-unreadable`` (text) or ``instant-without-zone`` (text).
    """
    try:
        instant = datetime.fromisoformat(_SPACED_ZONE.sub("", text.strip()))
    except ValueError:
        raise BadInput("instant-unreadable", text=text) from None
    if instant.tzinfo is None:
        raise BadInput("instant-without-zone", text=text)
    try:
        return instant.astimezone(UTC)
    except OverflowError:
        raise BadInput("instant-unreadable", text=text) from None


def parse_preempt_at(text: str) -> tuple[PreemptAt, ...]:
    """The injected preemptions of ``25%,60%`` or ``15s, 35s``.

    Raises:
        BadInput: ``preempt-at-unreadable`` (text): neither a share between 0 and 100 % nor a time.
    """
    return tuple(_one_preemption(part.strip(), text) for part in text.split(","))


def _one_preemption(part: str, text: str) -> PreemptAt:
    match = _SHARE.match(part)
    if match:
        share = float(Decimal(match[1]) / 100)
        if 0 < share < 1:
            return PreemptAt(share=share)
    else:
        try:
            return PreemptAt(seconds=parse_span(part))
        except BadInput:
            pass
    raise BadInput("preempt-at-unreadable", text=text)


def preempt_text(at: PreemptAt) -> str:
    """The text that :func:`parse_preempt_at` reads back as exactly ``at``."""
    if at.share is not None:
        return f"{format((Decimal(repr(at.share)) * 100).normalize(), 'f')}%"
    assert at.seconds is not None
    return span_text(at.seconds)


def parse_every(text: str) -> str:
    """How often to checkpoint, in one spelling: ``auto``, ``5s`` or ``200 steps``.

    Raises:
        BadInput: ``every-unreadable`` (text).
    """
    plain = text.strip().lower()
    match = _STEPS.match(plain)
    if plain == "auto":
        return plain
    if match and int(match[1]) > 0:
        return f"{int(match[1])} steps"
    try:
        return span_text(parse_span(plain))
    except BadInput:
        raise BadInput("every-unreadable", text=text) from None
