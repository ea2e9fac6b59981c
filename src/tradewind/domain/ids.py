"""Ids that sort by time and can be read out: a word, eight characters of time, four of chance."""

from __future__ import annotations

from datetime import datetime

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32: no i, l, o, u
CHANCE_BITS = 20


def new_id(word: str, at: datetime, chance: int) -> str:
    """``job-1vq8w3k5-x7f2`` from an instant and ``CHANCE_BITS`` random bits; later ids sort after earlier ones."""
    milliseconds = int(at.timestamp() * 1000) & ((1 << 40) - 1)
    return f"{word}-{_base32(milliseconds, 8)}-{_base32(chance & ((1 << CHANCE_BITS) - 1), 4)}"


def _base32(number: int, width: int) -> str:
    return "".join(_ALPHABET[(number >> (5 * place)) & 31] for place in reversed(range(width)))
