"""What PyYAML cannot read → faults of ours: what it is that people wrote, and where."""

from __future__ import annotations

import yaml

from tradewind.domain.errors import BadInput, Where

# What PyYAML 6 says → our code, and whether the fault is where the thing began, not where reading stopped. In order.
SAYINGS: tuple[tuple[str, str, bool], ...] = (
    ("'\\t'", "yaml-tab", False),
    ("expected a single document", "yaml-many-documents", False),
    ("while scanning a quoted scalar", "yaml-quote-open", True),
    ("mapping values are not allowed", "yaml-colon-inside", False),
    ("could not find expected ':'", "yaml-colon-missing", True),
    ("while parsing a flow", "yaml-bracket-open", True),
    ("expected <block end>", "yaml-indent", False),
    ("that cannot start any token", "yaml-quotes-needed", False),
    ("while scanning an a", "yaml-quotes-needed", True),  # an alias, an anchor
    ("found undefined alias", "yaml-quotes-needed", False),
    ("expected the node content", "yaml-quotes-needed", False),  # a ] without its [
    ("sequence entries are not allowed", "yaml-quotes-needed", False),
    ("expected chomping", "yaml-quotes-needed", True),
    ("unknown escape character", "yaml-escape", False),
    ("while scanning a tag", "yaml-quotes-needed", True),
    ("while parsing a tag", "yaml-quotes-needed", True),
    ("", "yaml-unreadable", False),
)


def unreadable(fault: yaml.YAMLError, text: str, file: str) -> BadInput:
    """``fault``, met in ``text``, as a ``yaml-*`` code with the place to mend."""
    if isinstance(fault, yaml.reader.ReaderError):
        return _character(fault, text, file)
    said = str(fault)
    code, at_begin = next((code, begin) for words, code, begin in SAYINGS if words in said)
    problem, context = getattr(fault, "problem_mark", None), getattr(fault, "context_mark", None)
    mark = (context or problem) if at_begin else (problem or context)
    where = Where(file, mark.line + 1, mark.column + 1) if mark else Where(file)
    return BadInput(code, where=where, file=file, problem=getattr(fault, "problem", None) or said)


def _character(fault: yaml.reader.ReaderError, text: str, file: str) -> BadInput:
    before = text[: fault.position]
    where = Where(file, before.count("\n") + 1, len(before) - before.rfind("\n"))
    return BadInput("yaml-character", where=where, file=file, character=f"U+{ord(text[fault.position]):04X}")
