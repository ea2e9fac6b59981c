"""Models known by name: their profiles without torch, of transformers by closed form, of other networks as traced."""

from __future__ import annotations

from functools import cache

from tradewind.sizing.presets import networks, transformers
from tradewind.sizing.presets.names import nearest as _nearest
from tradewind.sizing.presets.names import spellings
from tradewind.sizing.presets.preset import Preset

__all__ = ["Preset", "find", "names", "nearest"]


def find(name: str) -> Preset | None:
    """The preset that ``name`` means (``ResNet-50``, ``meta-llama/Meta-Llama-3-8B``), or None."""
    known = _by_spelling()
    return next((known[key] for key in spellings(name) if key in known), None)


def names() -> tuple[str, ...]:
    """The name of every preset, one each, as they are shown."""
    return tuple(preset.name for preset in _presets())


def nearest(name: str) -> list[str]:
    """At most three presets that a misspelt ``name`` may have meant, the likeliest first."""
    return _nearest(name, names())


@cache
def _by_spelling() -> dict[str, Preset]:
    return {spellings(each)[0]: preset for preset in _presets() for each in (preset.name, *preset.aliases)}


@cache
def _presets() -> tuple[Preset, ...]:
    return (*map(Preset, networks.rows()), *map(Preset, transformers.rows()))
