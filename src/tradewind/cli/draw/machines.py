"""One's own machines: whether they answer, what they have, who uses it, and what removing one took away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from tradewind.cli.draw.figures import UNKNOWN, measured, money
from tradewind.cli.draw.pen import Column, Pen
from tradewind.cli.draw.strokes import BAD, DIM, GOOD, HEAD, WARN, bullets, noted, stack
from tradewind.cli.draw.times import away

Machine = dict[str, Any]
Gpu = dict[str, Any]
STYLES = {"reachable": GOOD, "away": BAD, "unknown": WARN}
_MACHINES = (Column("col-machine"), Column("col-state"), Column("col-gpu"), Column("col-price-hour"))


def machines(pen: Pen, listed: list[Machine], now: datetime) -> RenderableType:
    """Each machine in a line, and below it where it is, who uses it, and why it does not answer."""
    if not listed:
        return Text(pen.say("no-machines"))
    rows: list[list[str | Text]] = [
        [Text(each["name"], HEAD), state(pen, each), gpus(pen, each["gpus"]), price(pen, each)] for each in listed
    ]
    return noted(pen, _MACHINES, rows, [_note(pen, each, now) for each in listed])


def state(pen: Pen, machine: Machine) -> Text:
    """Whether it answers, in a word."""
    return Text(pen.say(f"machine-{machine['state']}"), STYLES[machine["state"]])


def gpus(pen: Pen, told: list[Gpu] | None) -> str:
    """``4 × RTX-4090``; those that may not be used are not counted."""
    if told is None:
        return UNKNOWN
    counts = Counter(each["gpu"] or each["name"] for each in told if each["allowed"])
    return " + ".join(f"{count} × {name}" for name, count in counts.items()) or pen.say("no-gpu")


def price(pen: Pen, machine: Machine) -> str:
    """What the whole machine costs an hour."""
    told = machine["price_per_hour"]
    return pen.say("per-hour", money=money(told)) if told else pen.say("machine-free")


def _note(pen: Pen, machine: Machine, now: datetime) -> Text:
    checked = away(pen, machine["checked_at"], now) if machine["checked_at"] else ""
    parts = [
        machine["target"], pen.say("checked-when", when=checked) if checked else pen.say("never-checked"),
        machine["country"] or "", pen.say("has-own-key") if machine["own_key"] else "",
    ]  # fmt: skip
    told = Text(" · ".join(filter(None, parts)), DIM)
    for line in _users(pen, machine):
        told.append("\n").append(line, "")
    if machine["why"]:
        told.append("\n").append(machine["why"]["what"], WARN).append("\n" + machine["why"]["next"], "")
    return told


def _users(pen: Pen, machine: Machine) -> Iterator[str]:
    """Who uses which GPU, what is free, and jobs that use none."""
    ours = [each for each in machine["gpus"] or [] if each["allowed"]]
    for each in ours:
        if used_by(pen, each):
            yield pen.say("gpu-used", index=each["index"], by=used_by(pen, each))
    free = [str(each["index"]) for each in ours if each["used_by"] is not None and not used_by(pen, each)]
    if free:
        yield pen.say("gpus-free", indices=", ".join(free))
    for job in machine["jobs"]:
        if not job["gpus"]:
            yield pen.say("job-there", job=job["job"], name=job["name"] or "", state=job["state"])


def used_by(pen: Pen, gpu: Gpu) -> str:
    """Who uses a GPU: one of the jobs here, somebody's processes, or whoever holds its lock; empty: nobody known."""
    if gpu["job"]:
        return pen.say("used-by-job", job=gpu["job"]["job"], name=gpu["job"].get("name") or "")
    processes = [
        pen.say("used-by-process", pid=each["pid"], user=each["user"] or "?", command=each["command"] or "",
                memory=measured(each["memory_gib"], "GiB") if each["memory_gib"] else "")
        for each in gpu["used_by"] or []
    ]  # fmt: skip
    holder = gpu["held_by"]
    if holder and not processes:
        return pen.say("held-by", pid=holder["pid"], user=holder["user"] or "?")
    return ", ".join(processes)


def removed(pen: Pen, told: dict[str, Any]) -> RenderableType:
    """That it is forgotten, what was taken away there, and what could not be."""
    left = [pen.say("left-there", path=path) for path in told["left"]]
    if told["own_key"] == "left":
        left.append(pen.say("own-key-left"))
    taken = [pen.say("taken-away", path=path) for path in told["removed"]]
    if told["own_key"] == "taken-out":
        taken.append(pen.say("own-key-taken-out"))
    code = "machine-forgotten" if not told["reached"] else "machine-removed" if told["removed"] else "machine-let-go"
    return stack(
        Text(pen.say(code, name=told["name"]), GOOD),
        bullets(taken) if taken else None,
        bullets(left, mark="!") if left else None,
    )
