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

from tradewind.app.jobfile.unreadable import unreadable
from tradewind.domain.errors import BadInput, Where

MAX_NODES = 5_000  # a job file has some dozens; aliases of aliases reach this bound at once
MAX_DEPTH = 20  # a job file has three levels
MAX_DIGITS = 300  # of a whole number; a longer one is read as beyond every limit
Path = tuple[str | int, ...]

_UNUSABLE = re.compile("[\x00\ud800-\udfff]")  # neither a file nor a program can be given these
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
        BadInput: one of the ``yaml-*`` codes: not YAML, more than one document, too deep or too large.
    """
    tree = Tree(None)
    try:
        node = _Bounded(text, file).get_single_node()
    except yaml.YAMLError as fault:
        raise unreadable(fault, text, file) from None
    if node is not None:
        tree.value = _Walk(tree, file, as_text).value(node, ())
    return tree


class _Bounded(yaml.SafeLoader):
    """Composes nodes up to the bounds of a job file, and stops at the first that is beyond them."""

    def __init__(self, text: str, file: str) -> None:
        super().__init__(text)
        self.file, self.nodes, self.depth = file, 0, 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """The next node, as in PyYAML."""
        self.nodes += 1
        self.depth += 1
        if self.nodes > MAX_NODES:
            raise BadInput("yaml-too-large", where=self._here(), file=self.file, limit=MAX_NODES)
        if self.depth > MAX_DEPTH:
            raise BadInput("yaml-too-deep", where=self._here(), file=self.file)
        try:
            return super().compose_node(parent, index)
        finally:
            self.depth -= 1

    def _here(self) -> Where:
        mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
        return Where(self.file, mark.line + 1, mark.column + 1)


class _Walk:
    """Fills a tree from nodes; counts them, so that aliases cannot multiply without end."""

    def __init__(self, tree: Tree, file: str, as_text: frozenset[str]) -> None:
        self.tree, self.file, self.as_text, self.left = tree, file, as_text, MAX_NODES

    def value(self, node: yaml.Node, path: Path) -> Any:
        self.left -= 1
        if self.left < 0:
            raise BadInput("yaml-too-many-aliases", where=self.at(node), file=self.file, limit=MAX_NODES)
        if len(path) > MAX_DEPTH:  # an alias of what it stands in
            raise BadInput("yaml-too-deep", where=self.at(node), file=self.file)
        self.tree.values[path] = self.at(node)
        if isinstance(node, yaml.MappingNode):
            return {key: self.value(below, (*path, key)) for key, below in self.pairs(node, path)}
        if isinstance(node, yaml.SequenceNode):
            return [self.value(below, (*path, index)) for index, below in enumerate(node.value)]
        assert isinstance(node, yaml.ScalarNode)
        node.value = self.usable(node, path)
        return node.value if path and path[0] in self.as_text else _scalar(node)

    def usable(self, node: yaml.ScalarNode, path: Path) -> str:
        """The node's text; what cannot be used in it is a fault, and replaced so that the rest can be looked at too."""
        text = str(node.value)
        for unusable in sorted(set(_UNUSABLE.findall(text))):
            letter, where = f"U+{ord(unusable):04X}", self.at(node)
            self.tree.faults.append(BadInput("character-unusable", where=where, key=dotted(path), character=letter))
        return _UNUSABLE.sub("\ufffd", text)

    def pairs(self, node: yaml.MappingNode, path: Path) -> Iterator[tuple[str, yaml.Node]]:
        for key_node, below in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                self.tree.faults.append(BadInput("key-not-text", where=self.at(key_node), key=dotted(path)))
                continue
            key = self.usable(key_node, path)
            if key == "<<" and key_node.style is None:
                self.tree.faults.append(BadInput("yaml-merge", where=self.at(key_node), key=dotted(path)))
                continue
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
    if _INTEGER.match(text) and len(text) <= MAX_DIGITS:
        return int(text)
    return float(text) if _FLOAT.match(text) else text
