"""What people read comes from the tables: no sentence stands in the code of the command line."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import tradewind

CLI = Path(tradewind.__path__[0]) / "cli"
# Modules whose texts are not ours to say in two languages: styles, shells' scripts, what older Pythons read.
NOT_SAID = {"page_style.py", "report_style.py", "completion_scripts.py", "start.py"}
# Two words of which the second is written small, or any Chinese.
PROSE = re.compile(r"[A-Za-z]{2,} [a-z]{2,}|[\u4e00-\u9fff]")
# What is no sentence: styles, classes of pages, command lines, texts that are looked for in data.
TERMS = re.compile(
    r"(?:bold|dim|reverse|line|band|point|part|stroke|saved)\b[\w -]*"
    r"|(?:tradewind|plan|run|run:|calibrate|pip|lang) [\w .|=-]*"
    r"|exit code|\(Gbps not sourced|<!doctype html>|是|好"
)


def told(tree: ast.AST) -> Iterator[str]:
    """Texts that are no docstring, no message of an assertion or of an error that is no user's."""
    passed_over = set[int]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            passed_over.add(id(node.value))
        if isinstance(node, ast.Assert) and node.msg is not None:
            passed_over |= {id(each) for each in ast.walk(node.msg)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in passed_over:
            yield node.value


def sentences(source: str) -> list[str]:
    return [text for text in told(ast.parse(source)) if PROSE.search(text) and not TERMS.fullmatch(text.strip())]


def test_no_sentence_stands_in_the_code() -> None:
    found = {
        f"{path.relative_to(CLI)}": lines
        for path in sorted(CLI.rglob("*.py"))
        if path.name not in NOT_SAID and (lines := sentences(path.read_text(encoding="utf-8")))
    }
    assert found == {}


def test_a_sentence_in_the_code_is_found() -> None:
    assert sentences('def f(world):\n    """Doc string here."""\n    world.err.write("Nothing is left here")') == [
        "Nothing is left here"
    ]
    assert sentences('world.err.write(f"{name} wird gestoppt: 停止")') == [" wird gestoppt: 停止"]
    assert sentences('Text("x", "bold cyan")') == []
