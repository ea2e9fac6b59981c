"""From what a workload says of its model to profiles of it: shipped data, a trace, or a closed form.

    parameters ───────────────────────────────────────────────▶ closed form
    preset ─▶ shipped for this shape? ──▶ profile
                └ no ─┐
    timm, entrypoint, hf ─▶ traced before? ─▶ trace ──────────▶ profile
                               cannot be traced ─▶ preset of that name, closed form of a config, or the error

A profile is of one shape of the question: task, precision, attention, activation checkpointing, adapter, image or
sequence. What was assumed on the way is told beside it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol, Self

from tradewind.app.sizes.traces import Traces
from tradewind.domain.errors import BadInput, NothingFits, NotTraceable
from tradewind.ports.tracer import Tracer, TraceRequest

if TYPE_CHECKING:
    from tradewind.domain.profile import ModelProfile
    from tradewind.domain.workload import Model, Workload

LIMIT_S = 120.0  # for one trace
_TWIN = {"amp-bf16": "amp-fp16", "fp16-true": "bf16-true"}  # of which one trace serves both
WAYS = ("none", "selective", "full")  # of activation checkpointing
CONFIG_BYTES = 1_000_000
Tell = Callable[[str], None]  # called with a model's reference when its trace begins


@dataclass(frozen=True, slots=True)
class Remark:
    """Something assumed or fallen back to: a code of the words, and its facts."""

    code: str
    facts: dict[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """``{"code", "facts"}``."""
        return {"code": self.code, "facts": self.facts}


@dataclass(frozen=True, slots=True)
class Profiled:
    """Profiles of one shape by way of activation checkpointing; ``more``: other ways can be had by a further trace."""

    profiles: tuple[ModelProfile, ...]
    remarks: tuple[Remark, ...] = ()
    more: bool = False


class ClosingTracer(Tracer, Protocol):
    """A tracer that keeps a process for the next trace, and is one thread's at a time."""

    def close(self) -> None:
        """End the process."""
        ...


class Profiles:
    """Profiles of workloads' models; what was traced once is not traced again, by several threads neither.

    To be closed, or used as a context: that ends the tracers.

    Args:
        traces: kept between runs.
        make_tracer: one for each thread that traces at the same time.
        key: what a trace is kept under: a digest of the request and of all that its answer depends on.
        tell: hears of each trace that is begun.
    """

    def __init__(
        self, traces: Traces, make_tracer: Callable[[], ClosingTracer], key: Callable[[TraceRequest], str], tell: Tell
    ) -> None:
        self._traces, self._make, self._key, self._tell = traces, make_tracer, key, tell
        self._made: dict[str, Future[ModelProfile]] = {}
        self._tracers: list[ClosingTracer] = []
        self._idle: list[ClosingTracer] = []
        self._lock = Lock()

    def close(self) -> None:
        """End all tracers, also one that is at work: whoever asked has gone, and its trace ends with a fault."""
        for tracer in self._tracers:
            tracer.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def of(self, workload: Workload, checkpointing: str, *, trace: bool = True) -> Profiled:
        """Profiles under a way of activation checkpointing, or under all that cost nothing when it is ``auto``.

        Raises:
            BadInput: no such preset, timm model or config; a model that cannot be built.
            NothingFits: ``model-unknown``: nothing is said of the model.
            NotTraceable: it can only be traced, and is not.
        """
        model = workload.model
        if model is None or not (model.parameters or model.reference):
            raise NothingFits("model-unknown", model="")
        if model.parameters is not None:
            guessed = not (model.flops_per_sample and model.activation_bytes_per_sample)
            remarks = (Remark("by-parameters"),) if guessed else ()
            return Profiled((_of_parameters(workload, model, model.parameters),), remarks)
        assert model.reference is not None
        source, _, name = model.reference.partition(":")
        if source == "preset" and (shipped := _shipped(name, workload, checkpointing)):
            return Profiled(shipped)
        request = shape(workload, _one(checkpointing))
        try:
            if not trace:
                raise NotTraceable("not-traced-as-asked")
            found = (in_type(self._traced(request), workload.training.precision.value),)
            return Profiled(found, _notes(found), more=checkpointing == "auto" and workload.training.task != "infer")
        except NotTraceable as fault:
            other = _config(name, workload) if source == "hf" else _shipped(name, workload, checkpointing)
            if not other:
                raise
            code = "shipped-instead" if other[0].source == "traced" else "closed-form"
            return Profiled(other, (Remark(code, {"model": model.reference, "why": fault.code}),))

    def _traced(self, request: TraceRequest) -> ModelProfile:
        """The profile of a request; the first of several that ask at once makes it, the others wait."""
        key = self._key(request)
        with self._lock:
            known = self._made.get(key)
            mine = known is None
            future = self._made.setdefault(key, Future())
        if mine:
            try:
                future.set_result(self._kept(key, request))
            except BaseException as fault:  # noqa: BLE001  raised again for whoever waits
                future.set_exception(fault)
        return future.result()

    def _kept(self, key: str, request: TraceRequest) -> ModelProfile:
        if (found := self._traces.get(key)) is not None:
            return found
        self._tell(request.model)
        tracer = self._borrowed()
        try:
            made = tracer.trace(request, LIMIT_S)
        finally:
            self._idle.append(tracer)
        self._traces.put(key, made)
        return made

    def _borrowed(self) -> ClosingTracer:
        with self._lock:
            if self._idle:
                return self._idle.pop()
            self._tracers.append(self._make())
            return self._tracers[-1]


def shape(workload: Workload, checkpointing: str) -> TraceRequest:
    """What a trace of the workload's model is asked for: all that its profile depends on."""
    training, model = workload.training, workload.model
    assert model is not None and model.reference is not None
    own = model.reference.startswith(("hf:", "entrypoint:"))  # read from the user's folder
    return TraceRequest(
        model=_reference(model.reference), workdir=str(Path(workload.workdir).expanduser().absolute()) if own else ".",
        task=training.task,
        precision=_TWIN.get(training.precision.value, training.precision.value), image_size=training.image_size,
        sequence=training.sequence, classes=training.classes, attention=training.attention,
        activation_checkpointing=checkpointing, adapter=training.adapter,
    )  # fmt: skip


def in_type(profile: ModelProfile, precision: str) -> ModelProfile:
    """The profile in its twin of a precision: tensors are as large, only the arithmetic is of the other 16-bit type."""
    if profile.precision == precision:
        return profile
    other = {"fp16": "bf16", "bf16": "fp16"}
    ops = tuple(replace(op, dtype=other.get(op.dtype, op.dtype)) for op in profile.ops)
    return replace(profile, precision=precision, ops=ops)


def _notes(profiles: tuple[ModelProfile, ...]) -> tuple[Remark, ...]:
    """What a trace could not follow, by its own codes."""
    return tuple(Remark("trace-fallback", {"what": code}) for profile in profiles for code in profile.fallbacks)


def _of_parameters(workload: Workload, model: Model, parameters: float) -> ModelProfile:
    from tradewind.sizing.closed_forms import from_parameters

    training = workload.training
    return from_parameters(
        parameters, flops=model.flops_per_sample, activation_bytes=model.activation_bytes_per_sample,
        task=training.task, precision=training.precision.value, adapter=training.adapter, tokens=training.sequence,
        name=f"params:{parameters:g}",
    )  # fmt: skip


def _shipped(name: str, workload: Workload, checkpointing: str) -> tuple[ModelProfile, ...]:
    """The profiles of that preset that are shipped; none where this shape needs a trace, or no such preset is."""
    from tradewind.sizing import presets

    preset = presets.find(name)
    if preset is None:
        return ()
    training = workload.training
    ways = WAYS if checkpointing == "auto" and training.task != "infer" else (_one(checkpointing),)
    found = [
        preset.profile(
            task=training.task, precision=training.precision.value, attention=training.attention,
            adapter=training.adapter, image_size=training.image_size, sequence=training.sequence,
            classes=training.classes, activation_checkpointing=way,
        )
        for way in ways
    ]  # fmt: skip
    return tuple(profile for profile in found if profile) if found[0] else ()


def _one(checkpointing: str) -> str:
    return "none" if checkpointing == "auto" else checkpointing


def _reference(reference: str) -> str:
    """What a tracer is asked for: a preset may be a model of a library.

    Raises:
        BadInput: ``preset-unknown`` (name, nearest, known).
    """
    source, _, name = reference.partition(":")
    if source != "preset":
        return reference
    from tradewind.sizing import presets

    preset = presets.find(name)
    if preset is None:
        near = presets.nearest(name)
        known = () if near else presets.names()
        raise BadInput("preset-unknown", name=name, nearest=", ".join(near), known=", ".join(known))
    return preset.reference or reference


def _config(name: str, workload: Workload) -> tuple[ModelProfile, ...]:
    """The closed forms of a configuration file of Hugging Face transformers.

    Raises:
        BadInput: ``config-missing``, ``config-unreadable``, ``config-unknown``.
    """
    from tradewind.sizing.closed_forms import transformer_profiles
    from tradewind.sizing.hf_config import dimensions

    training = workload.training
    return transformer_profiles(
        dimensions(_read_config(Path(workload.workdir) / name), training.sequence), name=f"hf:{name}",
        task=training.task, precision=training.precision.value, attention=training.attention,
        adapter=training.adapter, sequence=training.sequence,
    )  # fmt: skip


def _read_config(path: Path) -> dict[str, Any]:
    """A folder stands for the ``config.json`` in it."""
    path = path / "config.json" if path.is_dir() else path
    try:
        if path.stat().st_size > CONFIG_BYTES:
            raise BadInput("config-unreadable", path=path, why="> 1 MB")
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadInput("config-missing", path=path) from None
    except (OSError, ValueError) as fault:
        raise BadInput("config-unreadable", path=path, why=fault) from None
    if not isinstance(found, dict):
        raise BadInput("config-unreadable", path=path, why="no object")
    return found
