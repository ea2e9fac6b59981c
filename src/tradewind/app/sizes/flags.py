"""What may be asked of ``size`` by name: the flags of the command line and the keys of a batch file mean the same.

    base (a job file, a set-up, or nothing) ─┐
    flags ───────────────────────────────────┴─▶ asked ─▶ Workload, SizeOverrides

What a job file may say too is read as a job file's, for the same faults; each fault then names the flag.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tradewind.app import jobfile
from tradewind.app.queries import SizeOverrides
from tradewind.app.sizes import setups
from tradewind.domain.accelerators import gpu_counts
from tradewind.domain.errors import BadInput

if TYPE_CHECKING:
    from tradewind.domain.workload import Workload

TRAINING = (
    "task", "batch_size", "micro_batch", "image_size", "sequence", "classes", "precision", "optimizer", "strategy",
    "adapter", "activation_checkpointing", "attention", "compile", "channels_last",
)  # fmt: skip
OTHERS = ("model", "gpu", "gpus", "nodes", "max_batch", "explain", "no_trace")
KEYS = (*TRAINING, *OTHERS)
SOURCES = ("preset", "timm", "hf", "entrypoint", "params", "profile")
Name = Callable[[str], str]  # a key as its user wrote it: micro_batch → --micro-batch


def as_option(key: str) -> str:
    """``--micro-batch`` of ``micro_batch``."""
    return "--" + key.replace("_", "-")


def asked(
    flags: Mapping[str, Any], name: Name = as_option, base: Workload | None = None
) -> tuple[Workload, SizeOverrides]:
    """The base's workload with the flags obeyed, and what only ``size`` takes; a flag of None was not given.

    Raises:
        BadInput: ``flags-unreadable`` with every fault, each naming its flag.
    """
    given = {key: value for key, value in flags.items() if value is not None}
    faults = [_unknown(key, name) for key in given if key not in KEYS]
    overrides = SizeOverrides()
    source, _, setup = str(given.get("model", "")).partition(":")
    if source == "profile":
        base, overrides = setups.workload(setup), SizeOverrides(setup=setup)
        del given["model"]
    for key, read in _READINGS.items():
        if key in given:
            try:
                overrides = replace(overrides, **read(given[key]))
            except BadInput as fault:
                fault.facts.setdefault("key", name(key))
                faults.append(fault)
    if overrides.ladder:  # the largest that runs as it is, unless checkpointing is asked for
        given.setdefault("activation_checkpointing", "none")
    workload = _workload(given, name, base, faults)
    if faults or workload is None:
        raise BadInput("flags-unreadable", faults=tuple(faults), count=len(faults))
    return workload, overrides


def _workload(given: Mapping[str, Any], name: Name, base: Workload | None, faults: list[BadInput]) -> Workload | None:
    file: dict[str, Any] = jobfile.dump(base) if base else {"name": "size", "run": "true", "workdir": str(Path.cwd())}
    try:
        if "model" in given:
            file["model"] = model(given["model"])
    except BadInput as fault:
        fault.facts.setdefault("key", name("model"))
        faults.append(fault)
    training = {key: given[key] for key in TRAINING if key in given}
    if training.get("micro_batch") == "auto":
        file.get("training", {}).pop("micro_batch", None)
        del training["micro_batch"]
    try:
        return jobfile.load({**file, "training": {**file.get("training", {}), **training}})
    except BadInput as invalid:
        faults += [_renamed(fault, name) for fault in invalid.faults if isinstance(fault, BadInput)]
        return None


def _renamed(fault: BadInput, name: Name) -> BadInput:
    key = fault.facts.get("key", "")
    section, _, rest = key.partition(".")
    told = name("model") if section == "model" else name(rest) if rest in TRAINING else key
    fault.facts["key"], fault.where = told, None
    return fault


def _unknown(key: str, name: Name) -> BadInput:
    near = get_close_matches(key.replace("-", "_"), KEYS, 1, 0.6)
    return BadInput("key-unknown", key=name(key), nearest=name(near[0]) if near else "")


def model(reference: object) -> dict[str, Any]:
    """The job file's ``model`` of a reference such as ``timm:resnet50`` or ``params:7e9``; a bare name is a preset.

    Paths of ``hf:`` are relative to the current folder.

    Raises:
        BadInput: ``model-reference-unreadable`` (text, nearest, choices).
    """
    text = str(reference).strip()
    source, colon, rest = text.partition(":")
    if not colon:
        source, rest = "preset", text
    if source not in SOURCES or not rest.strip():
        nearest = next(iter(get_close_matches(source, SOURCES, 1, 0.6)), "")
        raise BadInput("model-reference-unreadable", text=text, nearest=nearest,
                       choices=", ".join(f"{each}:…" for each in SOURCES))  # fmt: skip
    if source == "params":
        return {"parameters": _number(rest, text)}
    if source == "hf":
        return {"hf": str(Path(rest).expanduser().absolute())}
    return {source: rest.strip()}


def _number(text: str, whole: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise BadInput("model-reference-unreadable", text=whole, nearest="params:7e9", choices="params:7e9") from None


def _counts(value: object) -> tuple[int, int]:
    return gpu_counts(str(value), str(value).strip())


def _gpus(value: object) -> dict[str, Any]:
    listed = value if isinstance(value, list | tuple) else [value]
    return {"gpus": tuple(part.strip() for each in listed for part in str(each).split(",") if part.strip())}


def _nodes(value: object) -> dict[str, Any]:
    return {"nodes": _counts(value)[0]}


def _ladder(value: object) -> dict[str, Any]:
    """``true`` or an empty text: the usual ladder; else its rungs, a list or a comma list."""
    if value is True or value == "":
        from tradewind.sizing.request import LADDER

        return {"ladder": LADDER}
    listed = value if isinstance(value, list | tuple) else str(value).strip("[]").split(",")
    if value is False or not listed:
        return {"ladder": ()}
    return {"ladder": tuple(sorted({_counts(each)[0] for each in listed}, reverse=True))}


_READINGS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "gpu": _gpus, "gpus": lambda value: {"counts": _counts(value)}, "nodes": _nodes, "max_batch": _ladder,
    "explain": lambda value: {"explain": bool(value)}, "no_trace": lambda value: {"trace": not value},
}  # fmt: skip
