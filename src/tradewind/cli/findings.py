"""Codes in answers about machines and clouds, with their sentences beside them in the reader's language."""

from __future__ import annotations

from typing import Any

from tradewind import words
from tradewind.cli.faults import sentences

Answer = dict[str, Any]


def of_machine(machine: Answer, lang: str) -> Answer:
    """A machine whose ``why`` is the contracts' error object: what keeps it from answering; null when nothing does."""
    return {**machine, "why": sentences(machine["why"], lang)}


def of_check(check: Answer, lang: str) -> Answer:
    """A check whose findings have ``summary`` and ``next``, empty where there is nothing to do; ``error`` likewise."""
    findings = [{**each, **_told(each, lang)} for each in check["findings"]]
    return {**check, "error": sentences(check["error"], lang), "findings": findings}


def of_cloud(cloud: Answer, lang: str) -> Answer:
    """A cloud whose checks have ``summary`` and ``next``; ``error`` is the contracts' error object."""
    checks = [{**each, **_worded(f"checked-{each['code']}-{each['verdict']}", _facts(each), lang)}
              for each in cloud["checks"]]  # fmt: skip
    return {**cloud, "error": sentences(cloud["error"], lang), "checks": checks}


def _facts(check: Answer) -> dict[str, str]:
    return {**check["facts"], "words": (check["words"] or "").rstrip(".")}


def _told(finding: Answer, lang: str) -> dict[str, str]:
    return _worded(f"finding-{finding['id']}", finding["facts"], lang)


def _worded(code: str, facts: dict[str, str], lang: str) -> dict[str, str]:
    followed = words.known(f"{code}-next", lang)
    return {
        "summary": words.say(code, lang, **facts),
        "next": words.say(f"{code}-next", lang, **facts) if followed else "",
    }
