"""pydantic's faults → our faults: one for each, with its place, its dotted key, why, and the nearest key.

``model`` is the shape of the file: a job file's, where nothing else is said.
"""

from __future__ import annotations

import typing
from collections.abc import Iterator
from functools import cache
from typing import Any

from pydantic import BaseModel, ValidationError

from tradewind.app.jobfile.models import JobFile
from tradewind.app.jobfile.readings import kind, near
from tradewind.app.jobfile.tree import Path, Tree, dotted
from tradewind.domain.errors import BadInput, Where

_LIMITS = {"greater_than": "gt", "greater_than_equal": "ge", "less_than": "lt", "less_than_equal": "le"}
_MEANT = {
    "run": ("command", "commands", "cmd", "script"), "workdir": ("working_dir", "cwd", "dir"),
    "setup": ("install", "requirements"), "image": ("docker", "container", "image_id"),
    "env": ("envs", "environ", "environment"), "outputs": ("output", "output_dir", "artifacts"),
    "data": ("dataset", "datasets", "file_mounts", "volumes"), "checkpoint": ("ckpt",),
    "resources.accelerators": ("gpu", "gpus", "gpu_count", "num_gpus"), "resources.nodes": ("num_nodes",),
    "placement.clouds": ("cloud", "provider"), "placement.regions": ("region", "zone", "zones"),
    "budget.limit": ("max_cost", "max_price", "price"), "budget.purchase": ("spot", "use_spot", "spot_policy"),
    "schedule.max_duration": ("timeout", "duration", "max_time"), "training.precision": ("dtype", "mixed_precision"),
    "training.sequence": ("seq_len", "sequence_length", "max_length"), "training.epochs": ("num_train_epochs",),
    "training.micro_batch": ("per_device_train_batch_size",), "training.batch_size": ("batch", "bs"),
}  # fmt: skip
SHOWN = 200  # letters of a fact in a fault: a text may be as long as the file
_SIGNS = {"gt": ">", "ge": "≥", "lt": "<", "le": "≤"}
_TYPES = {
    "string_type": "text", "int_type": "whole-number", "int_from_float": "whole-number", "int_parsing": "whole-number",
    "float_type": "number", "list_type": "list", "dict_type": "mapping", "model_type": "mapping",
    "model_attributes_type": "mapping", "is_instance_of": "text",
}  # fmt: skip


def faults_of(error: ValidationError, tree: Tree, model: type[BaseModel] = JobFile) -> list[BadInput]:
    """Every fault of ``error`` as a BadInput."""
    return [_fault(dict(found), tree, model) for found in error.errors(include_url=False)]


def in_order(found: list[BadInput]) -> tuple[BadInput, ...]:
    """The faults of a file in the order of its lines, each fact cut to a length that can be read."""
    for fault in found:
        fault.facts = {name: _cut(value) for name, value in fault.facts.items()}
    return tuple(sorted(found, key=_by_place))


def _cut(text: str) -> str:
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


def _by_place(fault: BadInput) -> tuple[int, int]:
    """Sort key: line and column; faults without a place come last."""
    where = fault.where
    return (where.line or 0, where.column or 0) if where and where.line else (1 << 30, 0)


def _fault(found: dict[str, Any], tree: Tree, model: type[BaseModel]) -> BadInput:
    path = tuple(part for part in found["loc"] if part != "[key]")
    key, code = dotted(path), found["type"]
    if code == "extra_forbidden":
        nearest = nearest_key(path, model)
        return BadInput("key-unknown", where=_place(tree, path, of_key=True), key=key, nearest=nearest)
    if code == "missing":
        missing = "run-missing" if key == "run" else "key-missing"
        return BadInput(missing, where=_place(tree, path[:-1], of_key=False), key=key)
    where = _place(tree, path, of_key=False)
    if code in _LIMITS:
        limit = _LIMITS[code]
        return BadInput("number-out-of-range", where=where, key=key, value=found["input"],
                        limit=f"{_SIGNS[limit]} {found['ctx'][limit]}")  # fmt: skip
    if code in _TYPES:
        got = "fraction" if code == "int_from_float" else kind(found["input"])
        return BadInput("type-wrong", where=where, key=key, wanted=_TYPES[code], got=got)
    if found.get("msg") == code:  # raised by a validator of ours: the type is the code, the context its facts
        return BadInput(code, where=where, key=key, **found.get("ctx", {}))
    return BadInput("value-wrong", where=where, key=key, why=found["msg"])


def _place(tree: Tree, path: Path, *, of_key: bool) -> Where | None:
    """The place of a key or value, or of the nearest thing around it that stands in the file."""
    table = tree.keys if of_key else tree.values
    for end in range(len(path), -1, -1):
        if path[:end] in table:
            return table[path[:end]]
    return tree.values.get(())


def nearest_key(path: Path, model: type[BaseModel] = JobFile) -> str:
    """The dotted key that the last part of ``path`` may have meant; empty for no idea.

    Beside it first, then by what other tools call it, then in any other section.
    """
    word = str(path[-1]).lower().replace("-", "_")
    around = dotted(path[:-1])
    beside = dict(_siblings(path[:-1], model))
    if word in beside or (found := near(word, tuple(beside))):
        return f"{around}.{word if word in beside else found}".removeprefix(".")
    known = known_keys(model)
    meant = next((key for key, names in _MEANT.items() if word in names and key in known), None)
    if meant is not None:
        return meant
    by_last = {key.rpartition(".")[2]: key for key in reversed(known)}
    return by_last.get(word) or by_last.get(near(word, tuple(by_last)), "")


def _siblings(path: Path, model: type[BaseModel]) -> Iterator[tuple[str, Any]]:
    around: type[BaseModel] | None = model
    for part in path:
        if isinstance(part, str):
            known = around.model_fields.get(part) if around else None
            around = _section_in(known.annotation) if known else None
    if around:
        yield from around.model_fields.items()


@cache
def known_keys(model: type[BaseModel] = JobFile) -> tuple[str, ...]:
    """Every key that the file may have, dotted, in the order of the contracts."""
    return tuple(_keys_of(model, ""))


def _keys_of(model: type[BaseModel], before: str) -> Iterator[str]:
    for name, info in model.model_fields.items():
        yield before + name
        below = _section_in(info.annotation)
        if below:
            yield from _keys_of(below, f"{before}{name}.")


def _section_in(annotation: Any) -> type[BaseModel] | None:
    """The section that a field's annotation names, also inside ``X | None`` and ``list[X]``."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for part in typing.get_args(annotation) if (found := _section_in(part))), None)
