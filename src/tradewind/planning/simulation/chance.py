"""Chance that a seed decides for ever: the same numbers in every version of Python and on every computer."""

from __future__ import annotations

import hashlib
import math

_MASK = (1 << 64) - 1


class Chance:
    """Numbers that look random (SplitMix64: Steele, Lea, Flood, OOPSLA 2014), from a seed and names beneath it."""

    __slots__ = ("_state",)

    def __init__(self, *seed: object) -> None:
        text = "/".join(map(str, seed)).encode()
        self._state = int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big")

    def uniform(self) -> float:
        """At least 0, below 1."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        value = self._state
        value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _MASK
        return ((value ^ (value >> 31)) >> 11) * 2.0**-53

    def below(self, end: int) -> int:
        """A whole number from 0 up to but not including ``end``."""
        return int(self.uniform() * end)

    def exponential(self) -> float:
        """With mean 1."""
        return -math.log(1.0 - self.uniform())
