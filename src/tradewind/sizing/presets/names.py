"""Names of presets: what a name means whatever its spelling, and the nearest to a misspelt one."""

from __future__ import annotations

import re
from collections.abc import Iterable

_PREFIX = re.compile(r"^(?:.*/)?(?=[^/]{3})")  # an organisation: "meta-llama/"; the "/16" of ViT-B/16 is none
_TUNED = re.compile(r"(?:[-_](?:instruct|chat|base|hf|pt|uncased|v0[.]1))+$")


def spellings(name: str) -> tuple[str, str, str]:
    """Keys to look ``name`` up by: as it stands, without organisation, and then without the words of a tuned variant.

    Case, spaces, hyphens, underscores, dots and slashes do not count: ``ResNet-50`` is ``resnet50``.
    """
    word = name.strip().casefold()
    bare = _PREFIX.sub("", word)
    return _letters(word), _letters(bare), _letters(_TUNED.sub("", bare))


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """At most three of the known names that ``name`` may have meant, the likeliest first."""
    from difflib import get_close_matches  # only needed when something was misspelt

    by_key = {_letters(each): each for each in known}
    return [by_key[key] for key in get_close_matches(spellings(name)[1], sorted(by_key), n=3, cutoff=0.5)]


def _letters(word: str) -> str:
    return re.sub(r"[^a-z0-9]", "", word.casefold())
