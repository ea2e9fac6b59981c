"""Every sentence for people, by code, in English and Chinese.

A sentence is a template: ``{name}`` stands for a fact, ``{name:kind}`` for the saying ``kind-VALUE`` of the fact's
value, and ``[[…]]`` for a part that is left out when a fact in it is missing or empty. A code without a sentence is
told as the code and its facts, so that nothing is ever hidden.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import NamedTuple

from tradewind.domain.errors import BadInput, TradewindError

LANGUAGES = ("en", "zh")
ERRORS = (  # the tables of errors
    "errors", "cloud_errors", "job_errors", "machine_errors", "market_errors", "model_errors",
)  # fmt: skip

_PART = re.compile(r"\[\[(.*?)\]\]", re.DOTALL)
_FACT = re.compile(r"\{(\w+)(?::(\w+))?\}")
_CODED = re.compile(r"(\w+)=('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|\S+)")


class Told(NamedTuple):
    """An error in sentences; any of them may be empty."""

    what: str
    why: str
    next: str


def error(error: TradewindError, lang: str) -> Told:
    """What happened, why, and the next step, in ``lang``; for an unknown code the code and its facts."""
    tables = (_table(name, lang) for name in ERRORS)
    found = next((table[error.code] for table in tables if error.code in table), None)
    if found is None:
        return Told(str(error), "", "")
    assert isinstance(found, tuple)
    return Told(*(fill(template, error.facts, lang) for template in found))


def say(code: str, lang: str, **facts: object) -> str:
    """The sentence or label of ``code`` in ``lang``, filled with ``facts``; the code itself when it has none."""
    found = known(code, lang)
    return code if found is None else fill(found, {name: str(value) for name, value in facts.items()}, lang)


def known(code: str, lang: str) -> str | None:
    """The template of ``code``, or None."""
    for table in (
        "sayings", "catalog", "sizing", "plan", "simulation", "deciding", "reasons", "explain", "machines", "report",
        "init", "clouds", "rented",
    ):  # fmt: skip
        found = _table(table, lang).get(code)
        if isinstance(found, str):
            return found
    return None


def helped(code: str, lang: str) -> str:
    """The help text of a command, argument or option; empty when it has none."""
    return str(_table("help", lang).get(code, ""))


def keyed(key: str, lang: str) -> str:
    """What a key of the job file means (``training.batch_size``), or what its type is (``type-span``)."""
    return str(_table("job_file", lang)[key])


def reason(text: str, lang: str, prefix: str = "") -> str:
    """A coded text of a plan or a decision (``code key=value …``) as a sentence; other text as it is."""
    code, facts = coded(text)
    found = known(prefix + code, lang)
    return text if found is None else fill(found, facts, lang)


def coded(text: str) -> tuple[str, dict[str, str]]:
    """The code and the facts of ``code key=value …``."""
    code, _, rest = text.partition(" ")
    return code, {name: value.strip("'\"") for name, value in _CODED.findall(rest)}


def fill(template: str, facts: Mapping[str, str], lang: str) -> str:
    """The template with its facts; a fact that is missing outside ``[[…]]`` becomes ``?``."""

    def part(match: re.Match[str]) -> str:
        whole = all(facts.get(name) for name, _ in _FACT.findall(match[1]))
        return match[1] if whole else ""

    def fact(match: re.Match[str]) -> str:
        value = facts.get(match[1], "?")
        return say(f"{match[2]}-{value}", lang).removeprefix(f"{match[2]}-") if match[2] else value

    return _FACT.sub(fact, _PART.sub(part, template))


def language(env: Mapping[str, str], asked: str | None = None) -> str:
    """``en`` or ``zh``: what was asked for, else what the locale says.

    That is the first of LC_ALL, LC_MESSAGES and LANG that is set; where it names a language at all (C and POSIX do
    not), the list in LANGUAGE goes before it.

    Raises:
        BadInput: ``language-unknown`` (text): another language was asked for.
    """
    if asked is not None:
        if asked.lower() not in LANGUAGES:
            raise BadInput("language-unknown", text=asked, choices=", ".join(LANGUAGES))
        return asked.lower()
    named = locale_of(env, "LC_MESSAGES")
    if named.partition(".")[0] in ("", "C", "POSIX"):
        return LANGUAGES[0]
    wanted = (each[:2].lower() for each in [*env.get("LANGUAGE", "").split(":"), named])
    return next((each for each in wanted if each in LANGUAGES), LANGUAGES[0])


def locale_of(env: Mapping[str, str], category: str) -> str:
    """The locale of a category such as LC_MESSAGES: the first of LC_ALL, that, and LANG that is set; else empty."""
    return next((value for name in ("LC_ALL", category, "LANG") if (value := env.get(name))), "")


@cache
def _table(name: str, lang: str) -> Mapping[str, str | tuple[str, str, str]]:
    table: Mapping[str, str | tuple[str, str, str]] = import_module(f"tradewind.words.{lang}_{name}_data").TABLE
    return table
