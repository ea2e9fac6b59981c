"""What a look at a machine found: its facts, its GPUs with who uses them, and findings with the next step of each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tradewind.cli.draw.figures import UNKNOWN, count, measured, number
from tradewind.cli.draw.machines import used_by
from tradewind.cli.draw.pen import GAP, Column, Pen
from tradewind.cli.draw.strokes import BAD, DIM, GOOD, HEAD, WARN, facts, gap, head, stack, table

Check = dict[str, Any]
STYLES = {"fault": BAD, "warning": WARN, "unknown": WARN, "note": "", "ok": GOOD}  # in the order they are told
_GPUS = (
    Column("col-index", right=True), Column("col-gpu"), Column("col-memory", right=True, drop=2), Column("col-used-by"),
)  # fmt: skip
PROGRAMS = ("rsync", "git", "docker", "podman")


def checks(pen: Pen, checked: list[Check]) -> RenderableType:
    """One page a machine, an empty line between two."""
    if not checked:
        return Text(pen.say("no-machines"))
    return stack(*(part for each in checked for part in (gap(), check(pen, each))[each is checked[0] :]))


def check(pen: Pen, told: Check) -> RenderableType:
    """The page of one machine; of one that does not answer, why."""
    title = Text.assemble((told["machine"], HEAD), ("  " + told["target"], DIM))
    if told["error"]:
        lines = [told["error"][key] for key in ("what", "why", "next") if told["error"][key]]
        return stack(title, *(Padding(Text(line, WARN), (0, 0, 0, 2)) for line in lines))
    return stack(
        title, facts(pen, _facts(pen, told["facts"])), *_gpus(pen, told["gpus"]),
        gap(), head(pen, "head-findings"), _findings(pen, told["findings"]),
    )  # fmt: skip


def _facts(pen: Pen, told: dict[str, Any]) -> list[tuple[str, str | Text]]:
    rows: list[tuple[str, str | Text]] = [
        ("fact-system", " · ".join(filter(None, (told["os"], told["kernel"], told["machine"], _python(told))))),
        ("fact-user", pen.say("user-at-home", user=told["user"], home=told["home"])),
        ("fact-size", pen.say("machine-size", cpus=count(told["cpus"]), memory=measured(told["memory_gib"], "GiB"),
                              free=measured(told["memory_free_gib"], "GiB"))),
        ("fact-disk", _disk(pen, told["root"])),
        ("fact-shm", _disk(pen, told["shm"])),
        ("fact-programs", _programs(pen, told)),
    ]  # fmt: skip
    if told["gpus"]["driver"]:
        rows.insert(3, ("fact-driver", told["gpus"]["driver"]))
    return rows


def _python(told: dict[str, Any]) -> str:
    return f"Python {told['python']}" if told["python"] else ""


def _disk(pen: Pen, disk: dict[str, Any] | None) -> str:
    if disk is None:
        return UNKNOWN
    return pen.say("disk-free", path=disk["path"], free=number(disk["free_gb"]), total=number(disk["total_gb"]),
                   kind=disk["kind"] or "")  # fmt: skip


def _programs(pen: Pen, told: dict[str, Any]) -> str:
    """``rsync · docker (usable, with GPUs) · no podman``."""
    parts = []
    for name in PROGRAMS:
        state_of = told.get(name)
        gpus = pen.say("engine-gpus") if told.get(f"{name}_gpus") else ""
        if told["programs"].get(name) is None:
            parts.append(pen.say("program-absent", name=name))
        elif name in ("docker", "podman"):
            parts.append(pen.say("engine-there", name=name, state=state_of or "", gpus=gpus))
        else:
            parts.append(name)
    return " · ".join(parts)


def _gpus(pen: Pen, gpus: list[dict[str, Any]] | None) -> Iterator[RenderableType]:
    rows: list[list[str | Text]] = [
        [str(each["index"]), each["gpu"] or each["name"], measured(each["memory_gib"], "GiB"), _use(pen, each)]
        for each in gpus or []
    ]
    if rows:
        yield gap()
        yield table(pen, _GPUS, rows)


def _use(pen: Pen, gpu: dict[str, Any]) -> Text:
    if not gpu["allowed"]:
        return Text(pen.say("gpu-not-ours"), DIM)
    user = used_by(pen, gpu)
    if gpu["used_by"] is None and not user:
        return Text(pen.say("gpu-use-unknown"), WARN)
    return Text(user, WARN) if user else Text(pen.say("gpu-free"), GOOD)


def _findings(pen: Pen, findings: list[dict[str, Any]]) -> RenderableType:
    """The worst first, each behind its severity in a word; what to do stands below it."""
    grid = Table.grid(padding=(0, GAP, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for each in sorted(findings, key=lambda each: list(STYLES).index(each["severity"])):
        told = Text(each["summary"])
        if each["next"]:
            told.append("\n" + each["next"], DIM)
        grid.add_row(Text(pen.say(f"severity-{each['severity']}"), STYLES[each["severity"]]), told)
    return Padding(grid, (0, 0, 0, 2))


def added(pen: Pen, told: dict[str, Any]) -> RenderableType:
    """That it is there, what the look at it found, and how to use it."""
    name = told["machine"]["name"]
    return stack(
        check(pen, told["check"]), gap(),
        Text(pen.say("machine-updated" if told["updated"] else "machine-added", name=name), GOOD),
        Text(pen.say("run-there", name=name)),
    )  # fmt: skip
