"""What a policy document allows: actions on resources under conditions, as IAM (AWS) and RAM (Alibaba) word it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

Policy = Mapping[str, Any]


@dataclass(frozen=True)
class Deed:
    """One action on one resource, and what conditions may ask about it."""

    action: str
    resource: str
    facts: dict[str, str] = field(default_factory=dict)


def allows(policy: Policy, deed: Deed) -> bool:
    """Whether some statement allows it, and none denies it."""
    effects = {each["Effect"] for each in policy["Statement"] if _is_about(each, deed)}
    return effects == {"Allow"}


def _is_about(statement: Mapping[str, Any], deed: Deed) -> bool:
    """Whether a statement holds for a deed: StringEquals and StringLike are the conditions known here."""
    conditions = statement.get("Condition", {})
    assert set(conditions) <= {"StringEquals", "StringLike"}, f"conditions that are not judged here: {set(conditions)}"
    return (
        _any(statement["Action"], deed.action)
        and _any(statement["Resource"], deed.resource)
        and all(
            key in deed.facts and _any(wanted, deed.facts[key], patterns=kind == "StringLike")
            for kind, asked in conditions.items()
            for key, wanted in asked.items()
        )
    )


def _any(wanted: str | list[str], value: str, *, patterns: bool = True) -> bool:
    words = [wanted] if isinstance(wanted, str) else wanted
    return any(fnmatchcase(value, word) if patterns else value == word for word in words)
