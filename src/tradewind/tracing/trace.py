"""The trace: one step of a model on fake tensors, as a profile. Runs in the tracing process, which has torch."""

from __future__ import annotations

import time
from collections import Counter
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._pytree import tree_flatten

from tradewind.domain.precision import Precision
from tradewind.domain.profile import ModelProfile, Op
from tradewind.ports.tracer import TraceRequest
from tradewind.tracing import as_cuda, checkpointing
from tradewind.tracing.adapters import adapt
from tradewind.tracing.allocator import reserved_ratios
from tradewind.tracing.empty import empty_weights, fake_weights
from tradewind.tracing.entrypoint import in_folder
from tradewind.tracing.faults import told
from tradewind.tracing.operations import Signature
from tradewind.tracing.recorder import Recorder
from tradewind.tracing.sources import subject_of
from tradewind.tracing.subject import Subject
from tradewind.tracing.units import UnitWatch

PRIMES = (61, 139, 179, 191, 227, 229, 233, 239)
AUTOCAST = {"amp-fp16": torch.float16, "amp-bf16": torch.bfloat16, "fp8": torch.bfloat16}
WEIGHTS = {"fp16-true": torch.float16, "bf16-true": torch.bfloat16, "int8": torch.bfloat16, "int4": torch.bfloat16}


def trace(request: TraceRequest) -> ModelProfile:
    """The profile of one step of the model that ``request`` names.

    Raises:
        BadInput, NotTraceable: as ``ports.tracer`` tells.
    """
    begun = time.monotonic()
    with told(request.model, request.workdir, running=True), in_folder(request.workdir):
        with empty_weights():
            subject = subject_of(request)
        return profile_of(subject, request, begun)


def profile_of(subject: Subject, request: TraceRequest, begun: float) -> ModelProfile:
    """The profile of one step of ``subject``, whose weights may be meta tensors; ``begun``: monotonic seconds."""
    return profile_and_record(subject, request, begun)[0]


def profile_and_record(subject: Subject, request: TraceRequest, begun: float) -> tuple[ModelProfile, Recorder]:
    """As :func:`profile_of`, and the events and operations that it was made from."""
    module = subject.module
    own = WEIGHTS.get(request.precision) or torch.float32
    frozen_bytes = float(own.itemsize) if request.adapter == "none" else adapt(module, request.adapter)
    subject.fallbacks += checkpointing.apply(module, request.activation_checkpointing)
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    fake_weights(
        module, mode, WEIGHTS.get(request.precision), frozen=torch.bfloat16 if request.adapter != "none" else None
    )
    recorder = Recorder(_prime(subject), "tf32" if request.precision == Precision.TF32 else "fp32")
    recorder.weigh([*module.parameters(), *module.buffers()])
    watch = UnitWatch(module, recorder)
    with mode, as_cuda.behaviour(request.attention):
        _step(subject, request, recorder)
    timeline = recorder.timeline
    parameters = list(module.parameters())
    trained = [p for p in parameters if p.requires_grad]
    training = request.task != "infer"
    weights = [t.numel() * t.element_size() for t in (*parameters, *module.buffers())]
    states = [p.numel() * p.element_size() for p in trained] if training else []
    profile = ModelProfile(
        name=request.model,
        source="traced",
        task=request.task,
        precision=request.precision,
        attention=request.attention,
        activation_checkpointing=request.activation_checkpointing,
        parameters=float(sum(p.numel() for p in parameters)),
        trainable=float(sum(p.numel() for p in trained)),
        active=float(sum(p.numel() for p in parameters)) - _idle(subject),
        buffers=float(sum(b.numel() * b.element_size() for b in module.buffers())),
        frozen_bytes=frozen_bytes,
        moments=timeline.moments(),
        ops=tuple(
            Op(phase, s.kind, _arithmetic(s, request.precision), count, s.flops, s.bytes, s.dims)
            for (phase, s), count in Counter(recorder.calls).items()
        ),
        units=watch.units(),
        transformer=subject.transformer,
        reserved=reserved_ratios(timeline, weights, states),
        tokens=subject.tokens,
        fallbacks=tuple(subject.fallbacks),
        seconds=round(time.monotonic() - begun, 2),
    )
    return profile, recorder


def _step(subject: Subject, request: TraceRequest, recorder: Recorder) -> None:
    """Forward; for training the loss and backward as well."""
    training = request.task != "infer"
    subject.module.train(training)
    (args, kwargs), targets = subject.batch(recorder.timeline.batch)
    dtype = WEIGHTS.get(request.precision)
    if dtype is not None:
        args, kwargs = torch.utils._pytree.tree_map_only(
            torch.Tensor, lambda t: t.to(dtype) if t.is_floating_point() else t, (args, kwargs)
        )
    with recorder, torch.set_grad_enabled(training):
        recorder.enter("forward")
        recorder.notice(t for t in tree_flatten((args, kwargs, targets))[0] if isinstance(t, torch.Tensor))
        with _autocast(request.precision):
            output = subject.module(*args, **kwargs)
            loss = subject.loss(output, targets) if training else None
        if loss is not None:
            recorder.enter("backward")
            loss.backward()


def _idle(subject: Subject) -> float:
    """Parameters of experts that one token does not pass."""
    dims = subject.transformer
    if dims is None or dims.experts == 1:
        return 0.0
    experts = float(sum(p.numel() for name, p in subject.module.named_parameters() if ".experts." in name))
    return experts * (1.0 - float(dims.experts_active / dims.experts))


def _arithmetic(signature: Signature, precision: str) -> str:
    """The type in which it is computed: under fp8, products with a weight, which ran under autocast to 16 bits."""
    if precision != "fp8" or signature.kind != "matmul" or not signature.dims:
        return signature.dtype
    batched, batched_fixed = signature.dims[4:6]
    return signature.dtype if batched or batched_fixed > 1 else "fp8"


def _autocast(precision: str) -> AbstractContextManager[Any]:
    dtype = AUTOCAST.get(precision)
    return nullcontext() if dtype is None else torch.autocast("cpu", dtype=dtype)


def _prime(subject: Subject) -> int:
    """A number of samples that no size of a weight or buffer is a multiple of."""
    sizes = {n for tensor in (*subject.module.parameters(), *subject.module.buffers()) for n in tensor.shape}
    return next(prime for prime in PRIMES if all(n % prime for n in sizes if n))
