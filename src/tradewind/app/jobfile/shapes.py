"""What the texts of a job file may look like, as JSON schemas, for editors: docs/job.schema.json is made from these.

A shape refuses nothing that its reading in ``readings`` takes; what only reading can tell (a GPU that nobody makes, the
30th of February) it lets pass. ``title`` is the type's code in the words (``type-CODE``). Patterns are ECMA 262's.
"""

from __future__ import annotations

from typing import Any

Shape = dict[str, Any]

_SPAN = r"(?:\d+(?:\.\d+)?\s*[dhmsDHMS]\s*)+"
_SHARE = r"(?!0+(?:\.0+)?\s*%)0*\d{1,2}(?:\.\d+)?\s*%"
_INSTANT = r"\d{4}-.+(?:[Zz]|[+-]\d\d(?::?\d\d){0,2}(?:\.\d+)?)"
_COUNT = r"[1-9]\d{0,4}"
_NAMED = r"[^\x00-\x1f\x7f/\\]"
_MESH = rf"(?:[tpdcTPDC][pP]\s*=\s*{_COUNT})(?:\s*,\s*[tpdcTPDC][pP]\s*=\s*{_COUNT}){{0,3}}"


def any_case(word: str) -> str:
    """A pattern of ``word`` (letters, digits, ``-`` and ``_``) in capitals or not."""
    return "".join(f"[{each.upper()}{each}]" if each.isalpha() else each for each in word)


def text(pattern: str, title: str) -> Shape:
    """A text that is ``pattern`` from end to end; blanks around it do not matter."""
    return {"title": title, "type": "string", "pattern": rf"^\s*(?:{pattern})\s*$"}


def one_of(*choices: str, more: tuple[str, ...] = (), title: str = "choice") -> Shape:
    """One of ``choices``, offered in this spelling and taken in any case; or a text of a pattern in ``more``."""
    anyway = text("|".join((*map(any_case, choices), *more)), title)
    return {"title": title, "anyOf": [{"enum": list(choices)}, anyway]}


def listed(item: Shape, title: str) -> Shape:
    """A list of ``item``, or one alone."""
    return {"title": title, "anyOf": [{"type": "array", "items": item}, item]}


def numbered(shape: Shape) -> Shape:
    """``shape``, or a number, which is read as its text."""
    return {"title": shape["title"], "anyOf": [shape, {"type": "number"}]}


TEXT: Shape = {"title": "text", "type": "string", "pattern": r"\S"}
TEXTS = listed(TEXT, "texts")
COUNT: Shape = {"title": "count", "type": "integer", "exclusiveMinimum": 0}
AMOUNT: Shape = {"title": "amount", "type": "number", "exclusiveMinimum": 0}
PORT: Shape = {"title": "port", "type": "integer", "minimum": 1, "maximum": 65_535}
PORTS: Shape = {"title": "ports", "type": "array", "items": PORT}
TRUTH: Shape = {"title": "truth", "anyOf": [{"type": "boolean"}, {"enum": [0, 1]}, text(
    "|".join(map(any_case, ("yes", "no", "on", "off", "true", "false", "y", "n", "t", "f", "0", "1"))), "truth",
)]}  # fmt: skip
CPUS: Shape = {"title": "cpus", "anyOf": [COUNT, {"type": "string", "pattern": r"^0*[1-9]\d*\s*\+?$"}]}
SPAN = text(_SPAN, "span")
DEADLINE = text(f"{_SPAN}|{_INSTANT}", "deadline")
EVERY = one_of("auto", more=(_SPAN, rf"0*[1-9]\d*\s*{any_case('step')}[sS]?"), title="every")
PREEMPTION = rf"(?:{_SHARE}|{_SPAN})"
PREEMPTIONS = listed(text(rf"{PREEMPTION}(?:\s*,\s*{PREEMPTION})*", "preemptions"), "preemptions")
MONEY = text(r"[\d.,]+\s*[A-Za-z]{3}|[A-Za-z]{3}\s*[\d.,]+", "money")
ACCELERATORS: Shape = {"title": "accelerators", "anyOf": [
    {"type": "integer", "minimum": 1, "maximum": 99_999},
    text(rf"[^:\s][^:]*(?::\s*{_COUNT}(?:\.\.{_COUNT})?)?", "accelerators"),
]}  # fmt: skip
NAME = numbered({"title": "name", "type": "string", "pattern": rf"^{_NAMED}*[^\s{_NAMED[2:]}{_NAMED}*$",
                 "maxLength": 80})  # fmt: skip
ENV_NAME: Shape = {"title": "env-name", "type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$"}
ENV_NAMES = listed(ENV_NAME, "env-names")
ENV: Shape = {"title": "env", "type": "object", "propertyNames": ENV_NAME,
              "additionalProperties": {"type": ["string", "number", "boolean", "null"]}}  # fmt: skip
IMAGE = text(r"(?:docker|machine):\s*\S[\s\S]*", "image")
IMAGE_SIZE: Shape = {"title": "image-size", "anyOf": [
    {"type": "integer", "minimum": 1, "maximum": 99_999},
    {"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": 99_999}, "minItems": 1, "maxItems": 3},
    text(r"\d{1,5}(?:[x×X]\d{1,5}[x×X]\d{1,5})?", "image-size"),
]}  # fmt: skip
ADAPTER = one_of("none", more=(rf"[qQ]?{any_case('lora')}:{_COUNT}",), title="adapter")
RESIDENCY = one_of("EU", "EEA", more=("[A-Za-z]{2}",), title="residency")


def strategy(names: tuple[str, ...]) -> Shape:
    """One of the strategies' names, or how many GPUs each axis takes."""
    return one_of(*names, more=(_MESH,), title="strategy")
