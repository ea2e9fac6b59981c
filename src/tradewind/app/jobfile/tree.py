"""YAML text → plain values with the place of every key and value. Nothing is constructed but text, numbers and truth.

Scalars follow the core schema of YAML 1.2 (https://yaml.org/spec/1.2.2/#103-core-schema, read 2026-11), not PyYAML's
1.1: there ``NO`` (Norway) is false and ``12:30`` is a number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from tradewind.domain.errors import BadInput, Where

MAX_NODES = 20_000  # a job file has some dozens; aliases of aliases reach this bound at once
Path = tuple[str | int, ...]

_INTEGER = re.compile(r"^[-+]?[0-9]+$")
_FLOAT = re.compile(r"^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$")
_WORDS: dict[str, Any] = {
    **dict.fromkeys(("true", "True", "TRUE"), True), **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("null", "Null", "NULL", "~", ""), None),
}  # fmt: skip


@dataclass
class Tree:
    """A document as values, with the place of each key and of each value by path, and the faults seen on the way."""

    value: Any
    keys: dict[Path, Where] = field(default_factory=dict)
    values: dict[Path, Where] = field(default_factory=dict)
    faults: list[BadInput] = field(default_factory=list)


def read_tree(text: str, file: str, as_text: frozenset[str] = frozenset()) -> Tree:
    """The document in ``text``; every scalar below a top-level key of ``as_text`` stays text as written.

    Raises:
        BadInput: not YAML, more than one document, or too deep or too large once aliases are followed.
    """
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        tree = Tree(None)
        _Walk(tree, file, as_text).into(node)
        return tree
    except yaml.YAMLError as fault:
        raise _unreadable(fault, file) from None
    except RecursionError:
        raise BadInput("yaml-too-deep", where=Where(file), file=file) from None


class _Walk:
    """Fills a tree from nodes; counts them, so that aliases cannot multiply without end."""

    def __init__(self, tree: Tree, file: str, as_text: frozenset[str]) -> None:
        self.tree, self.file, self.as_text, self.left = tree, file, as_text, MAX_NODES

    def into(self, node: yaml.Node | None) -> None:
        self.tree.value = None if node is None else self.value(node, ())

    def value(self, node: yaml.Node, path: Path) -> Any:
        self.left -= 1
        if self.left < 0:
            raise BadInput("yaml-too-large", where=self.at(node), file=self.file, limit=MAX_NODES)
        self.tree.values[path] = self.at(node)
        if isinstance(node, yaml.MappingNode):
            return {key: self.value(below, (*path, key)) for key, below in self.pairs(node, path)}
        if isinstance(node, yaml.SequenceNode):
            return [self.value(below, (*path, index)) for index, below in enumerate(node.value)]
        assert isinstance(node, yaml.ScalarNode)
        return node.value if path and path[0] in self.as_text else _scalar(node)

    def pairs(self, node: yaml.MappingNode, path: Path) -> Iterator[tuple[str, yaml.Node]]:
        for key_node, below in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                self.tree.faults.append(BadInput("key-not-text", where=self.at(key_node), key=dotted(path)))
                continue
            key = str(key_node.value)
            first = self.tree.keys.setdefault((*path, key), self.at(key_node))
            if first == self.at(key_node):
                yield key, below
                continue
            where = self.at(key_node)
            self.tree.faults.append(BadInput("key-twice", where=where, key=dotted((*path, key)), first=first.line))

    def at(self, node: yaml.Node) -> Where:
        return Where(self.file, node.start_mark.line + 1, node.start_mark.column + 1)


def dotted(path: Path) -> str:
    """``("data", 0, "mode")`` as people write it: ``data[0].mode``."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return text.removeprefix(".")


def _scalar(node: yaml.ScalarNode) -> Any:
    text = str(node.value)
    if node.style is not None:  # quoted, or a block
        return text
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.match(text):
        return int(text)
    return float(text) if _FLOAT.match(text) else text


def _unreadable(fault: yaml.YAMLError, file: str) -> BadInput:
    mark = getattr(fault, "problem_mark", None) or getattr(fault, "context_mark", None)
    where = Where(file, mark.line + 1, mark.column + 1) if mark else Where(file)
    problem = str(getattr(fault, "problem", None) or getattr(fault, "reason", None) or fault)
    if "'\\t'" in problem:
        return BadInput("yaml-tab", where=where, file=file)
    if "expected a single document" in str(fault):
        return BadInput("yaml-many-documents", where=where, file=file)
    return BadInput("yaml-unreadable", where=where, file=file, problem=problem)
