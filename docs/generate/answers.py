"""The shapes of what ``--json`` answers, from the schemas that tests hold real answers against: tests/contracts.py."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import contracts

Schema = dict[str, Any]
WIDTH = 110

_SIZE = contracts.SIZE_BESIDE["properties"] | contracts.SIZE["properties"]

ANSWERS: dict[str, Schema] = {
    "init": contracts.BEGUN, "init --example": contracts.COPIED,
    "size": contracts.record(**_SIZE), "offers": contracts.OFFERS, "plan": contracts.PLAN,
    "simulate": contracts.SIMULATE, "calibrate": contracts.CALIBRATED,
    "run --detach": contracts.SUBMITTED, "ps": contracts.PS, "show": contracts.SHOW, "explain": contracts.EXPLAIN,
    "fetch": contracts.FETCHED, "ssh": contracts.VISIT,
    "leases": contracts.LEASES, "sweep": contracts.SWEEP, "cost": contracts.COST,
    "catalog show": contracts.CATALOG_SHOW, "catalog gpus": contracts.SHEETS, "catalog regions": contracts.REGIONS,
    "catalog compare": contracts.COMPARED, "catalog rates": contracts.RATES, "catalog list": contracts.HELD,
    "catalog add": contracts.ADDED, "catalog refresh": contracts.REFRESHED,
    "machines list": contracts.OWN_MACHINES, "machines add": contracts.MACHINE_ADDED,
    "machines check": contracts.MACHINE_CHECKS, "machines remove": contracts.MACHINE_REMOVED,
    "clouds": contracts.CLOUDS, "clouds check": contracts.CLOUD, "clouds policy": contracts.POLICY,
    "supervisor": contracts.SUPERVISOR, "supervisor install": contracts.SERVICE_CHANGED,
}  # fmt: skip
# Commands that answer with the shape of another: the show object of the job.
AS_SHOW = ("run", "wait", "stop", "extend", "attach")
NAMED: dict[str, Schema] = {
    "Money": contracts.MONEY, "Range": contracts.RANGE, "MoneyRange": contracts.MONEY_RANGE, "Offer": contracts.OFFER,
    "Fit": contracts.FIT, "Placed": contracts.PLACED, "Plan": contracts.PLAN, "Sheet": contracts.SHEET,
    "Machine": contracts.MACHINE, "OwnMachine": contracts.OWN_MACHINE, "OwnGpu": contracts.OWN_GPU,
    "MachineCheck": contracts.MACHINE_CHECK, "Cloud": contracts.CLOUD, "Error": contracts.ERROR["properties"]["error"],
    "Lesson": contracts.LESSON, "instant": contracts.INSTANT,
}  # fmt: skip


def shapes() -> str:
    """The shapes that have a name, then one for each command."""
    lines = ["### Shapes with a name", ""]
    for name, schema in NAMED.items():
        if name != "instant":
            lines += _told(f"{name} = ", schema, whole=True)
    for command, schema in ANSWERS.items():
        lines += [f"### {command}", "", *_told("", schema)]
    return "\n".join(lines).rstrip()


def _told(before: str, schema: Schema, *, whole: bool = False) -> Iterator[str]:
    yield from ("```text", before + text(schema, len(before), whole=whole), "```", "")


def text(schema: Schema, indent: int = 0, *, whole: bool = False) -> str:
    """``schema`` as people write a shape: ``{"step": whole, "loss": number|null}``; ``whole``: not by its name."""
    name = None if whole else _name(schema)
    if name:
        return name
    if "anyOf" in schema:
        return "|".join(text(each, indent) for each in schema["anyOf"])
    if "enum" in schema:
        return "|".join(f'"{each}"' for each in schema["enum"])
    if "const" in schema:
        return json.dumps(schema["const"])
    return _of_type(schema, indent)


def _of_type(schema: Schema, indent: int) -> str:
    kind = schema.get("type")
    if kind == "array":
        inner = schema.get("items", {})
        items = [text(each, indent + 1) for each in inner.get("prefixItems", [inner])]
        told = f"[{', '.join(items)}]" if "prefixItems" in inner else items[0]
        return f"[{told}, …]" if told != "any" else "[…]"
    if kind == "object":
        if "properties" in schema:
            return _record(schema["properties"], indent)
        below = schema.get("additionalProperties")
        return "{…}" if below is None else f"{{name: {text(below, indent)}, …}}"
    if "pattern" in schema:
        return "text"
    plain = {"string": "text", "number": "number", "integer": "whole", "boolean": "true|false", "null": "null"}
    return plain.get(kind or "", "any")


def _record(fields: dict[str, Schema], indent: int) -> str:
    """On one line where it is short, else filled to the width with its fields below each other."""
    parts = [f'"{name}": {text(schema, indent + len(name) + 5)}' for name, schema in fields.items()]
    lines, line = [], ""
    for part in parts:
        filled = f"{line}, {part}" if line else part
        if line and (indent + len(filled.splitlines()[-1]) > WIDTH or "\n" in part):
            lines.append(line + ",")
            filled = part
        line = filled
    return "{" + ("\n" + " " * (indent + 1)).join([*lines, line]) + "}"


def _name(schema: Schema) -> str | None:
    return next((name for name, known in NAMED.items() if schema == known), None)
