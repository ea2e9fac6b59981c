"""Codes in answers about machines, with their sentences beside them in the reader's language."""

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


def _told(finding: Answer, lang: str) -> dict[str, str]:
    code, facts = f"finding-{finding['id']}", finding["facts"]
    followed = words.known(f"{code}-next", lang)
    return {
        "summary": words.say(code, lang, **facts),
        "next": words.say(f"{code}-next", lang, **facts) if followed else "",
    }
