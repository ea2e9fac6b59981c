"""Time of one token of a language model that generates: every sequence of the batch gets one.

    seconds = (weights + keys and values) / (GPUs · share · bandwidth), or the arithmetic if that takes longer
            + layers × (kernels of one token + all-reduces between tensor ranks),  and no less than the engine's floor

Fitted on the 19 rows of gpt-fast (A100-80GB, Llama 2 and 3.1, 7B to 70B, 1 to 8 GPUs, bf16, int8, int4; 2024), which it
meets within 9 %. The prompt before it is a forward pass: ``timing.step_time``.
"""

from __future__ import annotations

import math

from tradewind.domain.estimate import Estimate
from tradewind.domain.precision import Precision
from tradewind.domain.profile import ModelProfile, Transformer
from tradewind.sizing.arithmetic import compute_bytes, peak_flops
from tradewind.sizing.inference import cache_bytes
from tradewind.sizing.layout import Layout
from tradewind.sizing.links import group
from tradewind.sizing.request import Hardware, Request
from tradewind.sizing.timing import PARTS, StepTime

BANDWIDTH_SHARE = 0.79  # of the memory bandwidth that reading weights reaches
_PACKED = {Precision.INT8: 0.86, Precision.FP8: 0.86, Precision.INT4: 0.64}  # of that, when they must be unpacked
LAYER_SECONDS = 48e-6  # kernels of one layer for one token, compiled
HOP_SECONDS = 2e-6  # of a small all-reduce by NVLink, once captured in a graph
COMPUTE_SHARE = 0.6  # of the peak that large batches reach; MAMF (stas00/ml-engineering, 2025) less attention
FLOOR_SECONDS = {
    True: 1e-3,
    False: 4e-3,
}  # by compiled: engines in Python need 3 to 5 ms a token (vLLM 0.6, Qwen2.5 tables)
RANGE = (0.85, 1.35)


def generates(profile: ModelProfile) -> bool:
    """Whether what is asked of a profile is text, token by token."""
    return profile.task == "infer" and profile.transformer is not None and profile.transformer.head == "lm"


def token_time(profile: ModelProfile, request: Request, hardware: Hardware, layout: Layout) -> StepTime:
    """One token for each of ``layout.micro_batch`` sequences that hold ``request.context`` tokens.

    Raises:
        ValueError: a profile that does not generate (:func:`generates`).
    """
    dims = profile.transformer
    if dims is None:
        raise ValueError(f"{profile.name} does not generate")
    ranks = layout.tensor * layout.pipeline
    share = BANDWIDTH_SHARE * _PACKED.get(request.precision, 1.0)
    bandwidth = (hardware.gpu.bandwidth_gb_s or 0.0) * 1e9 * hardware.fraction
    weights = _weights_read(profile, dims, layout.micro_batch) / (ranks * share * bandwidth)
    caches = layout.micro_batch * cache_bytes(profile, request, layout) / (BANDWIDTH_SHARE * bandwidth)
    peak = (peak_flops(hardware.gpu, request.precision, trains=False) or math.inf) * hardware.fraction
    arithmetic = 2 * profile.active * layout.micro_batch / (ranks * COMPUTE_SHARE * peak)
    parts = dict.fromkeys(PARTS, 0.0)
    parts["matmul"], parts["attention"] = max(weights, arithmetic), caches
    parts["launch"] = dims.layers * LAYER_SECONDS
    parts["communication"] = dims.layers * 2 * _all_reduce(request, hardware, layout, dims)
    parts["launch"] += max(0.0, FLOOR_SECONDS[request.compile] - sum(parts.values()))
    seconds = sum(parts.values())
    bounds = {
        "compute" if arithmetic > weights else "memory-bandwidth": parts["matmul"] + caches,
        "launch": parts["launch"],
        "communication": parts["communication"],
    }
    low, high = RANGE
    return StepTime(Estimate(seconds, seconds * low, seconds * high), parts, max(bounds, key=lambda name: bounds[name]))


def _weights_read(profile: ModelProfile, dims: Transformer, sequences: int) -> float:
    """Bytes of the weights that one step reads: not the table of embeddings, and only experts that are called."""
    table = 0 if dims.tied else dims.vocabulary * dims.hidden
    called = 1 - (1 - dims.experts_active / dims.experts) ** sequences
    idle = (profile.parameters - profile.active) / max(1e-9, 1 - dims.experts_active / dims.experts)  # all experts
    return (profile.parameters - table - idle * (1 - called)) * profile.frozen_bytes


def _all_reduce(request: Request, hardware: Hardware, layout: Layout, dims: Transformer) -> float:
    if layout.tensor < 2:
        return 0.0
    ranks = group(hardware, layout.tensor)
    hops = 2 * math.log2(layout.tensor) * (HOP_SECONDS if ranks.nodes == 1 else ranks.across.latency)
    link = ranks.inside if ranks.nodes == 1 else ranks.across
    return hops + 2 * layout.micro_batch * dims.hidden * compute_bytes(request.precision) / link.bandwidth
