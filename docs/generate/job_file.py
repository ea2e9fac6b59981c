"""The reference of the job file's keys, a page a language."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from generate.keys import EXAMPLES, Key, keys
from generate.said_data import KEYS as PAGE
from tradewind import words


def page(lang: str) -> str:
    """The page in ``lang``, Markdown."""
    said = PAGE[lang]
    return "\n".join([f"# {said['title']}", "", said["intro"], "", f"## {said['top']}", "", *_keys(lang)])


def _keys(lang: str) -> Iterator[str]:
    """The keys that stand in no section, then each section with its own."""
    for key in sorted(keys(), key=lambda key: bool(key.section) or key.is_section):
        if key.is_section:
            yield from (f"## `{key.name}`", "", f"{words.keyed(key.name, lang)} ({_type(key, lang)})", "")
        else:
            yield from (f"### `{key.name}`", "", PAGE[lang]["comma"].join(_facts(key, lang)), "")
            yield from (words.keyed(key.name, lang), "")


def _facts(key: Key, lang: str) -> Iterator[str]:
    told = PAGE[lang]
    yield _type(key, lang)
    if key.required:
        yield f"**{told['required']}**"
    if key.default is not None:
        yield f"{told['default']} `{_yaml(key.default)}`"
    yield f"{told['example']} `{key.name.rpartition('.')[2]}: {_yaml(EXAMPLES[key.name])}`"


def _type(key: Key, lang: str) -> str:
    name = words.keyed(f"type-{key.shape['title']}", lang)
    choices = " ".join(f"`{each}`" for each in _choices(key.shape))
    return f"{name} {choices}".rstrip()


def _choices(shape: Any) -> list[str]:
    """The texts that are offered for a value of a type which is told by its choices."""
    if shape["title"] not in {"choice", "choices", "strategy"}:
        return []
    return next((part["enum"] for part in _parts(shape) if "enum" in part), [])


def _parts(shape: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield shape
    for part in (*shape.get("anyOf", ()), *([shape["items"]] if "items" in shape else [])):
        yield from _parts(part)


def _yaml(value: Any) -> str:
    """A value as people write it in YAML, on one line."""
    if isinstance(value, list):
        return f"[{', '.join(map(_yaml, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name}: {_yaml(each)}" for name, each in value.items()) + "}"
    if isinstance(value, float):
        return f"{value:.3g}".replace("e+0", "e")
    return value if isinstance(value, str) else json.dumps(value)
