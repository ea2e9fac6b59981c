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
NUMBERS = ("batch_size", "micro_batch", "sequence", "classes")
TRUTHS = {"true": True, "yes": True, "false": False, "no": False}
UNITS = {"k": 1e3, "m": 1e6, "b": 1e9, "t": 1e12}  # of parameters, as models are named: 7B
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
    given = {key: _plain(key, value) for key, value in flags.items() if value is not None}
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
    exact = overrides.ladder or given.get("micro_batch", "auto") != "auto"
    if exact and (base is None or base.training.activation_checkpointing == "auto"):
        given.setdefault("activation_checkpointing", "none")  # a micro-batch is asked about as it is
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
    if not isinstance(reference, str):
        from tradewind.app.jobfile.readings import kind

        raise BadInput("type-wrong", wanted="text", got=kind(reference))
    text = reference.strip()
    source, colon, rest = text.partition(":")
    if not colon:
        source, rest = "preset", text
    if source not in SOURCES or not rest.strip():
        nearest = "" if source in SOURCES else next(iter(get_close_matches(source, SOURCES, 1, 0.6)), "")
        raise BadInput("model-reference-unreadable", text=text, nearest=nearest,
                       choices=", ".join(f"{each}:…" for each in SOURCES))  # fmt: skip
    if source == "params":
        return {"parameters": _number(rest, text)}
    if source == "hf":
        return {"hf": str(Path(rest).expanduser().absolute())}
    if source == "entrypoint" and ":" not in rest:
        raise BadInput("model-reference-unreadable", text=text, choices="entrypoint:MODULE:FUNCTION")
    return {source: rest.strip()}


def _plain(key: str, value: Any) -> Any:
    """Text that says a number is one, as it is on a command line."""
    number = key in NUMBERS and isinstance(value, str) and value.strip().isdecimal()
    return int(value) if number else value


def _number(text: str, whole: str) -> float:
    plain = text.strip().lower()
    unit = UNITS.get(plain[-1:], 1.0)
    try:
        return float(plain if unit == 1.0 else plain[:-1]) * unit
    except ValueError:
        raise BadInput("model-reference-unreadable", text=whole, choices="params:7e9, params:7B") from None


def _counts(value: object) -> tuple[int, int]:
    try:
        return gpu_counts(str(value), str(value).strip())
    except BadInput:
        raise BadInput("counts-unreadable", text=value) from None


def _one(value: object) -> int | None:
    """The number above 0 that a value says, if it says one."""
    text = str(value).strip()
    return (int(text) or None) if text.isdecimal() and len(text) < 7 else None


def _nodes(value: object) -> dict[str, Any]:
    nodes = _one(value)
    if nodes is None:
        raise BadInput("nodes-unreadable", text=value)
    return {"nodes": nodes}


def _truth(value: object) -> bool:
    found = value if isinstance(value, bool) else TRUTHS.get(str(value).strip().lower())
    if found is None:
        raise BadInput("type-wrong", wanted="truth", got="text" if isinstance(value, str) else "number")
    return found


def _gpus(value: object) -> dict[str, Any]:
    """Names in the order given, each once; empty: none was named."""
    listed = value if isinstance(value, list | tuple) else [value]
    names = [part.strip() for each in listed for part in str(each).split(",") if part.strip()]
    if "all" in map(str.lower, names):
        names = ["all"]
    if listed and not names:
        raise BadInput("value-empty")
    return {"gpus": tuple(dict.fromkeys(names))}


def _ladder(value: object) -> dict[str, Any]:
    """``true`` or an empty text: the usual ladder; else its rungs, a list or a comma list."""
    if value is True or value == "":
        from tradewind.sizing.request import LADDER

        return {"ladder": LADDER}
    listed = value if isinstance(value, list | tuple) else str(value).strip("[]").split(",")
    if value is False or not listed:
        return {"ladder": ()}
    rungs = {_one(each) for each in listed}
    if None in rungs:
        raise BadInput("ladder-unreadable", text=value)
    return {"ladder": tuple(sorted(filter(None, rungs), reverse=True))}


_READINGS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "gpu": _gpus, "gpus": lambda value: {"counts": _counts(value)}, "nodes": _nodes, "max_batch": _ladder,
    "explain": lambda value: {"explain": _truth(value)}, "no_trace": lambda value: {"trace": not _truth(value)},
}  # fmt: skip
