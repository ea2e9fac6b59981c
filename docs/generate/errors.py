"""Every error by its code, a page a language: the tree with its exit codes, then what is told of each code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import tradewind
from generate.said_data import ERROR_KINDS_ZH
from generate.said_data import ERRORS as PAGE
from tradewind.domain import errors

SOURCE = Path(tradewind.__path__[0])
FACT = re.compile(r"\{(\w+)(?::\w+)?\}")
CODE = re.compile(r"(`[^`]*`)")
CALL = re.compile(r'\b([A-Za-z]+)\(\s*"([a-z][a-z0-9-]*)"')


def page(lang: str) -> str:
    """The page in ``lang``, Markdown."""
    said = PAGE[lang]
    lines = [f"# {said['title']}", "", said["intro"], "", f"## {said['kinds']}", "", *_kinds(lang)]
    lines += [f"## {said['codes']}", ""]
    for code, sentences in sorted(_sentences(lang).items()):
        lines += _told(code, sentences, said)
    return "\n".join(lines)


def tree() -> list[type[errors.TradewindError]]:
    """The root and every class below it, each after the one it is made from."""
    found: list[type[errors.TradewindError]] = [errors.TradewindError]
    for kind in found:
        found += kind.__subclasses__()
    return [kind for kind in found if kind.__module__ == errors.__name__]


def _kinds(lang: str) -> Iterator[str]:
    said = PAGE[lang]
    yield f"| {said['kind']} | {said['exit']} | {said['status']} | {said['again']} | {said['means']} |"
    yield "| --- | --- | --- | --- | --- |"
    for kind in tree():
        means = ERROR_KINDS_ZH[kind.__name__] if lang == "zh" else _first_line(kind)
        again = said["yes" if kind.retryable else "no"]
        yield f"| {kind.__name__} | {kind.exit_code} | {kind.http_status} | {again} | {means} |"
    yield ""


def _first_line(kind: type) -> str:
    return (kind.__doc__ or "").strip().splitlines()[0].rstrip(".")


def _sentences(lang: str) -> dict[str, tuple[str, str, str]]:
    tables = sorted(path.stem for path in (SOURCE / "words").glob(f"{lang}_*errors_data.py"))
    return {code: told for name in tables for code, told in import_module(f"tradewind.words.{name}").TABLE.items()}


def _told(code: str, sentences: tuple[str, str, str], said: dict[str, str]) -> Iterator[str]:
    what, why, after = map(readable, sentences)
    exits = sorted({each.exit_code for each in raised().get(code, ())})
    beside = said["in_file"] if code in faults_of_files() else f"{said['exit']} {exits[0]}" if len(exits) == 1 else ""
    yield from (f"### {code}", "")
    yield from (f"**{what}**" + (f" ({beside})" if beside else ""), "")
    if why:
        yield from (why, "")
    if after:
        yield from (f"*{said['next']}:* {after}", "")


def readable(template: str) -> str:
    """A template as text for people who see no facts: ``‹name›`` for each, and what may be left out told."""
    plain = FACT.sub(r"‹\1›", template.replace("[[", "").replace("]]", ""))
    parts = CODE.split(plain)
    return "".join(part if place % 2 else re.sub(r"([*<\[\]])", r"\\\1", part) for place, part in enumerate(parts))


@cache
def raised() -> dict[str, list[type[errors.TradewindError]]]:
    """Code → the kinds that it is raised as, where the source says so in one place."""
    kinds = {kind.__name__: kind for kind in tree()}
    found: dict[str, list[type[errors.TradewindError]]] = {}
    for name, code in _first_arguments():
        if name in kinds:
            found.setdefault(code, []).append(kinds[name])
    return found


@cache
def faults_of_files() -> frozenset[str]:
    """Codes that stand below ``job-invalid``: with the key they are about, as many at once as there are."""
    return frozenset(code for name, code in _first_arguments() if name == "fault")


@cache
def _first_arguments() -> tuple[tuple[str, str], ...]:
    """What is called, and the text it is given first, everywhere in the source."""
    texts = (path.read_text(encoding="utf-8") for path in sorted(SOURCE.rglob("*.py")))
    return tuple(pair for text in texts for pair in CALL.findall(text))
