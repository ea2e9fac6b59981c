"""The JSON schema of the job file, for editors (draft 7, which they know best).

What it refuses the loader refuses. What it lets pass the loader may still refuse: several keys together (a secret that
is also in ``env``), a GPU that does not exist, a day that the calendar has not.
"""

from __future__ import annotations

import json
from typing import Any

from generate.keys import EXAMPLES, Key, Shape, keys
from tradewind import words
from tradewind.app.jobfile.build import SOURCES


def schema() -> str:
    """The schema as JSON text."""
    below: dict[str, list[Key]] = {}
    for key in keys():
        below.setdefault(key.section, []).append(key)
    head = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Tradewind job file",
        "description": "Generated from the models that read the file; docs/job-file.md explains it.",
    }
    return json.dumps(head | _mapping("", below), indent=1, ensure_ascii=False) + "\n"


def _mapping(name: str, below: dict[str, list[Key]]) -> Shape:
    """A section; a key that need not be there may stand without a value, which says nothing."""
    told: Shape = {"type": "object", "additionalProperties": False}
    required = [key.name.rpartition(".")[2] for key in below[name] if key.required]
    if required:
        told["required"] = required
    if name == "model":
        sources = (*SOURCES, "parameters")
        told["oneOf"] = [{"required": [one], "properties": {one: {"not": {"type": "null"}}}} for one in sources]
    return told | {"properties": {key.name.rpartition(".")[2]: _value(key, below) for key in below[name]}}


def _value(key: Key, below: dict[str, list[Key]]) -> Shape:
    told: Shape = {"description": words.keyed(key.name, "en")}
    if key.default is not None:
        told["default"] = key.default
    if key.name in EXAMPLES:
        told["examples"] = [EXAMPLES[key.name]]
    shape = plain(key.shape)
    if key.shape["title"] == "section":
        shape = _mapping(key.name, below)
    elif key.shape["title"] == "sections":
        shape = {"type": "array", "items": _mapping(key.name, below)}
    return told | (shape if key.required else _or_nothing(shape))


def _or_nothing(shape: Shape) -> Shape:
    if "type" in shape:
        return shape | {"type": [shape["type"], "null"]}
    return shape | {"anyOf": [*shape["anyOf"], {"type": "null"}]}


def plain(shape: Any) -> Any:
    """``shape`` without the codes of types."""
    if isinstance(shape, list):
        return [plain(each) for each in shape]
    if isinstance(shape, dict):
        return {name: plain(value) for name, value in shape.items() if name != "title"}
    return shape
