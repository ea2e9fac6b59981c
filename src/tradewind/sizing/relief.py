"""What would make a fit hold, or relieve what bounds it: codes and facts, the simplest first.

    memory             smaller-micro-batch  activation-checkpointing  eight-bit-optimizer  shard  adapter
                       sixteen-bit-weights  quantize  more-gpus
    compute            lower-precision  compile  more-gpus
    memory-bandwidth   channels-last  sixteen-bit-weights  compile  lower-precision
    launch             larger-micro-batch  compile
    communication      accumulate  faster-link  fewer-gpus
    bubble             more-passes
    data               faster-storage  more-workers

What does not apply to a fit is left out.
"""

from __future__ import annotations

from tradewind.domain.fit import Fit, Hint
from tradewind.sizing.arithmetic import is_autocast, is_wide
from tradewind.sizing.request import Hardware, Request


def relief(fit: Fit, request: Request, hardware: Hardware) -> tuple[Hint, ...]:
    """What to try, in order."""
    codes = _of_memory(fit, request) if not fit.fits else _of_time(fit, request, hardware)
    return tuple(Hint(code, facts) for code, facts in codes)


def _of_memory(fit: Fit, request: Request) -> list[tuple[str, dict[str, object]]]:
    found: list[tuple[str, dict[str, object]]] = []
    if fit.max_micro_batch:
        found.append(("smaller-micro-batch", {"micro_batch": fit.max_micro_batch}))
    if request.trains:
        if fit.activation_checkpointing == "none" and request.profiles[0].source != "parameters":
            found.append(("activation-checkpointing", {}))
        if request.optimizer in ("adam", "adamw", "lamb"):
            found.append(("eight-bit-optimizer", {}))
        if fit.gpus > 1 and fit.strategy in ("ddp", "zero1", "zero2"):
            found.append(("shard", {}))
        if request.task == "finetune" and request.profiles[0].trainable == request.parameters:
            found.append(("adapter", {}))
    else:
        if is_autocast(request.precision):
            found.append(("sixteen-bit-weights", {}))
        if request.precision.value not in ("int8", "int4"):
            found.append(("quantize", {}))
    found.append(("more-gpus", {}))
    return found


def _of_time(fit: Fit, request: Request, hardware: Hardware) -> list[tuple[str, dict[str, object]]]:
    larger = fit.max_micro_batch is not None and fit.max_micro_batch > fit.micro_batch
    narrower = is_wide(request.precision) and any(hardware.gpu.peak_tflops.get(kind) for kind in ("bf16", "fp16"))
    convolves = fit.step_parts.get("conv", 0.0) > 0.0
    offered = {
        "compute": [("lower-precision", narrower), ("compile", not request.compile), ("more-gpus", True)],
        "memory-bandwidth": [
            ("channels-last", convolves and not request.channels_last),
            ("sixteen-bit-weights", not request.trains and is_autocast(request.precision)),
            ("compile", not request.compile), ("lower-precision", narrower),
        ],
        "launch": [("larger-micro-batch", larger), ("compile", not request.compile)],
        "communication": [
            ("accumulate", fit.grad_accumulation == 1), ("faster-link", True), ("fewer-gpus", fit.gpus > 1),
        ],
        "bubble": [("more-passes", True)],
        "data": [("faster-storage", True), ("more-workers", True)],
    }  # fmt: skip
    facts: dict[str, object] = {"micro_batch": fit.max_micro_batch} if larger else {}
    chosen = offered.get(fit.bottleneck, [])
    return [(code, facts if code == "larger-micro-batch" else {}) for code, helps in chosen if helps]
