"""What ``tradewind init`` wrote, what it saw where, and what comes next; plain text."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tradewind.cli.draw.figures import count, scaled
from tradewind.cli.draw.pen import Column, Pen, aligned, width_of, wrapped

Told = dict[str, Any]
COLUMNS = (Column("col-init-key"), Column("col-init-value"), Column("col-init-place", drop=1))
MOST_COMMANDS = 4
BESIDE_VALUES = 30  # columns that keys take


def started(pen: Pen, told: Told) -> str:
    """The file, a table of its values, remarks, and the next commands."""
    rows = [(each["key"], _cut(_shown(each["value"]), pen.width - BESIDE_VALUES), _place(pen, each))
            for each in told["values"]]  # fmt: skip
    others = [run for run in told["commands"] if run != _value(told, "run")][:MOST_COMMANDS]
    needs = any(each["key"].startswith(("model", "resources")) for each in told["values"])
    remarks = [
        pen.say("init-missing", keys=", ".join(told["missing"])) if told["missing"] else "",
        pen.say("init-others", commands=" · ".join(others)) if others else "",
        *(_remark(pen, remark) for remark in told["remarks"]),
        "" if needs else pen.say("init-model-missing"),
    ]
    steps = [("plan", "plan job.yaml"), ("rehearse", "run job.yaml --rehearse")]
    if not needs:
        steps.insert(0, ("calibrate", "calibrate job.yaml"))
    return _blocks(
        pen.say("init-written", path=told["path"]),
        aligned(pen, COLUMNS, rows),
        _remarks(pen, remarks),
        _next(pen, Path(told["path"]).parent, steps),
    )


def copied(pen: Pen, told: Told) -> str:
    """Where the example is, what it needs, and the next commands."""
    packages = " ".join(told["packages_missing"])
    head = pen.say("init-copied", example=told["example"], path=told["path"], files=", ".join(told["written"]))
    steps = [("plan", "plan job.yaml"), ("rehearse", "run job.yaml --rehearse")]
    return _blocks(
        wrapped(head, pen.width),
        _remarks(pen, [pen.say("init-packages", packages=packages) if packages else ""]),
        _next(pen, Path(told["path"]), steps),
    )


def _blocks(*texts: str) -> str:
    return "\n\n".join(filter(None, texts))


def _remarks(pen: Pen, remarks: Iterable[str]) -> str:
    return "\n".join(wrapped(remark, pen.width) for remark in remarks if remark)


def _next(pen: Pen, folder: Path, steps: Iterable[tuple[str, str]]) -> str:
    """The commands, from the folder in which they are typed, each with what it does, below it where it is tight."""
    lines = [f"  cd {shlex.quote(str(folder))}"] if folder != Path() else []
    for code, step in steps:
        typed, does = f"  tradewind {step}", pen.say(f"init-step-{code}")
        beside = f"{typed:38}{does}"
        lines += [beside] if width_of(beside) <= pen.width else [typed, f"    {does}"]
    return "\n".join([pen.say("init-next"), *lines])


def _shown(value: Any) -> str:
    return ", ".join(value) if isinstance(value, list) else str(value)


def _cut(text: str, width: int) -> str:
    return text if width_of(text) <= width else text[: width // 2 - 1] + "…"  # letters of Chinese take two columns


def _place(pen: Pen, value: Told) -> str:
    if value["file"] is None:
        return "" if value["key"] == "name" else pen.say("init-given")
    return f"{value['file']}:{value['line']}" if value["line"] else str(value["file"])


def _value(told: Told, key: str) -> Any:
    return next((each["value"] for each in told["values"] if each["key"] == key), None)


def _remark(pen: Pen, remark: Told) -> str:
    """A remark; numbers of a part that was looked at are told as the least that there is."""
    facts = dict(remark["facts"])
    whole = facts.pop("whole", True)
    for name, draw in (("files", count), ("bytes", lambda size: scaled(size, "B"))):
        if name in facts:
            told = draw(facts[name])
            facts[name] = told if whole else pen.say("at-least", count=told)
    return pen.say(f"init-remark-{remark['code']}", **facts)
