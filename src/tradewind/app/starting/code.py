"""What Python source says, read and never run: its imports, functions, constants and calls with what they are given."""

from __future__ import annotations

import ast
import operator
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

HOLE = "{}"  # in a text: what takes a run to know


class Reference(str):
    """A dotted name that stands where a value might: ``torch.bfloat16``."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Call:
    """A call: the dotted name of what is called, and its arguments; None where a value is not told by the source."""

    name: str
    arguments: tuple[object, ...]
    keywords: Mapping[str, object]
    line: int

    @property
    def last(self) -> str:
        """The name behind the last dot."""
        return self.name.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class Named:
    """A value by its name: a constant of the module, a field of a dataclass, or the default of an option."""

    name: str
    value: object
    line: int


@dataclass(frozen=True, slots=True)
class Code:
    """One source file.

    Attributes:
        name: its path below the folder.
        imports: the first part of every module that it imports.
        relative: it imports from its own package by dots.
        guarded: it has ``if __name__ == "__main__"``.
        acts: it does something when it is run besides defining names.
        functions: those at its top that can be called without arguments, with their lines.
        options: of its command line, by argparse or click.
        constants: names that are bound once, to a value that is told.
        calls: every call, in the order of the lines.
    """

    name: str
    imports: frozenset[str]
    relative: bool
    guarded: bool
    acts: bool
    functions: Mapping[str, int]
    options: tuple[Named, ...]
    constants: tuple[Named, ...]
    calls: tuple[Call, ...]


def read(name: str, text: str) -> Code | int:
    """What ``text`` says; or the line at which it stops being Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the user's escapes and comparisons
            tree = ast.parse(text)
        return _code(name, tree)
    except SyntaxError as fault:
        return fault.lineno or 1
    except (ValueError, RecursionError, MemoryError):  # null bytes; nested beyond measure
        return 1


def _code(name: str, tree: ast.Module) -> Code:
    nodes = list(ast.walk(tree))
    imported = [node for node in nodes if isinstance(node, ast.ImportFrom)]
    modules = {each.name for node in nodes if isinstance(node, ast.Import) for each in node.names}
    modules |= {node.module for node in imported if node.module and not node.level}
    constants = tuple(_constants(nodes))
    known: dict[str, object] = {each.name: each.value for each in constants}
    found = [node for node in nodes if isinstance(node, ast.Call)]
    options = tuple(_options(_call(node, known) for node in found))
    known |= {f".{each.name}": each.value for each in options}  # as in ``args.batch_size``
    return Code(
        name=name,
        imports=frozenset(module.partition(".")[0] for module in modules),
        relative=any(node.level for node in imported),
        guarded=any(isinstance(node, ast.If) and _is_guard(node) for node in tree.body),
        acts=any(_acts(node) for node in tree.body),
        functions={node.name: node.lineno for node in tree.body if isinstance(node, ast.FunctionDef) and _free(node)},
        options=options,
        constants=constants,
        calls=tuple(sorted((_call(node, known) for node in found), key=lambda call: call.line)),
    )


def _is_guard(node: ast.If) -> bool:
    return any(isinstance(part, ast.Name) and part.id == "__name__" for part in ast.walk(node.test))


def _acts(node: ast.stmt) -> bool:
    loops = isinstance(node, (ast.For, ast.While, ast.With))
    return loops or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call))


def _free(function: ast.FunctionDef) -> bool:
    given = function.args
    positional = len(given.posonlyargs) + len(given.args) - len(given.defaults)
    return positional == 0 and all(default is not None for default in given.kw_defaults)


def _constants(nodes: list[ast.AST]) -> Iterator[Named]:
    """Names that are bound once in the whole file, to a value that the source tells."""
    bound = Counter(node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    for node in nodes:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and isinstance(target, ast.Name) and node.value is not None:
            value = _value(node.value, {}) if bound[target.id] == 1 else None
            if value is not None:
                yield Named(target.id, value, node.lineno)


def _options(calls: Iterator[Call]) -> Iterator[Named]:
    """``add_argument("--batch-size", default=64)``, and ``click.option`` alike: the longest name and its default."""
    for call in calls:
        if call.last not in {"add_argument", "option"}:
            continue
        names = [text for text in call.arguments if isinstance(text, str)]
        default = call.keywords.get("default")
        if names and default is not None:
            name = call.keywords.get("dest") or max(names, key=len).lstrip("-").replace("-", "_")
            yield Named(str(name), default, call.line)


def _call(node: ast.Call, known: Mapping[str, object]) -> Call:
    return Call(
        name=_dotted(node.func),
        arguments=tuple(_value(argument, known) for argument in node.args),
        keywords={each.arg: _value(each.value, known) for each in node.keywords if each.arg},
        line=node.lineno,
    )


def _dotted(node: ast.expr) -> str:
    """``a.b.c``; what is no name leaves its place empty: ``f().b`` is ``.b``."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    parts.append(node.id if isinstance(node, ast.Name) else "")
    return ".".join(reversed(parts))


_CONVERSIONS = {"int", "float", "str", "bool", "Path", "pathlib.Path"}
_FROM_ENVIRONMENT = {"os.environ.get", "environ.get", "os.getenv", "getenv"}
_SUMS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv,
}  # fmt: skip
_MOST = 1e15  # of a number that is worked out: nothing in a job is larger


def _value(node: ast.expr, known: Mapping[str, object]) -> object:
    """The value that the source tells for ``node``; None when it takes a run to know it."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return known.get(node.id)
    if isinstance(node, ast.Attribute):
        return known.get(f".{node.attr}", Reference(_dotted(node)))
    if isinstance(node, ast.Call):
        return _called(node, known)
    if isinstance(node, ast.BinOp):
        return _sum(node, known)
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else HOLE for part in node.values)
    return None


def _called(node: ast.Call, known: Mapping[str, object]) -> object:
    name = _dotted(node.func)
    if name in _FROM_ENVIRONMENT and len(node.args) == 2:
        return _value(node.args[1], known)
    if name in _CONVERSIONS and len(node.args) == 1:
        value = _value(node.args[0], known)
        return _number(value) if name in {"int", "float"} else value
    if name in {"Field", "field", "typer.Option", "pydantic.Field"}:
        defaults = [*(each.value for each in node.keywords if each.arg == "default"), *node.args]
        return _value(defaults[0], known) if defaults else None
    return None


def _number(value: object) -> object:
    """``"35"`` as 35: defaults from the environment are texts."""
    if not isinstance(value, str):
        return value
    try:
        number = float(value)
    except ValueError:
        return None
    return int(number) if number.is_integer() else number


def _sum(node: ast.BinOp, known: Mapping[str, object]) -> object:
    left, right = _value(node.left, known), _value(node.right, known)
    if isinstance(node.op, ast.Div) and isinstance(left, str) and isinstance(right, str):
        return f"{left}/{right}"  # of paths
    work = _SUMS.get(type(node.op))
    if work is None or not all(type(each) in {int, float} for each in (left, right)):
        return None
    try:
        result = work(left, right)
    except (ZeroDivisionError, OverflowError):
        return None
    return result if abs(result) < _MOST else None
