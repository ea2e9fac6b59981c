"""Communication of one optimizer step under a layout: what is sent, and how much of it computing does not hide.

    ddp            all-reduce of the gradients, behind the last backward pass but for its last bucket
    zero1, zero2   reduce-scatter of the gradients likewise; all-gather of the new weights after the update
    fsdp           all-gather of the weights in forward and in backward, reduce-scatter of the gradients: each pass
    fsdp-grad-op   the weights are gathered once a pass
    tensor         two all-reduces of the layer's output in forward, two in backward, two more when it is recomputed
    3d             as zero1, the gather too behind computing
    context        all-gather of keys and values in forward and backward, reduce-scatter of their gradients
    pipeline       the boundary between stages, there and back

Sources: Rajbhandari et al. 2020, arXiv 1910.02054 §7; Shoeybi et al. 2019, arXiv 1909.08053 §3; Narayanan et al. 2021,
arXiv 2104.04473 §2; Li et al. 2020, arXiv 2006.15704 (DDP buckets).
"""

from __future__ import annotations

from tradewind.domain.precision import Precision
from tradewind.domain.profile import ModelProfile
from tradewind.sizing.arithmetic import compute_bytes, weight_bytes
from tradewind.sizing.layout import Layout
from tradewind.sizing.links import group
from tradewind.sizing.request import Hardware

OVERLAP = 0.9  # share of the computing behind which communication hides: sizing measurements of DDP and FSDP tables
LAST_BUCKET_BYTES = 25 * 2**20  # nothing is left to hide DDP's last bucket: torch default
SKEW = (
    0.04  # of computing: ranks wait for the slowest; 2 to 8 GPUs of the DLE and Lambda tables (2021, 2023): 1 to 13 %
)
SPREAD = (
    0.7,
    1.8,
)  # range of communication over its value; V100 and A100 scaling tables (DLE 2021, Lambda 2023) lie in it


def exposed_seconds(
    profile: ModelProfile, precision: Precision, hardware: Hardware, layout: Layout, forward: float, backward: float
) -> float:
    """Seconds of a step in which a GPU waits for others.

    Args:
        forward: seconds that one GPU computes in one forward pass; ``backward``: in one backward pass.
    """
    inner = _tensor(profile, precision, hardware, layout) + _context(profile, precision, hardware, layout, backward)
    inner += _pipeline(profile, precision, hardware, layout)
    if layout.data < 2 or profile.trainable == 0:
        return inner * layout.accumulation
    inner += SKEW * (forward + backward)
    return inner * layout.accumulation + _data(profile, precision, hardware, layout, forward, backward)


def _data(
    profile: ModelProfile, precision: Precision, hardware: Hardware, layout: Layout, forward: float, backward: float
) -> float:
    ranks = group(hardware, layout.data, layout.tensor * layout.context)
    part = 1.0 / (layout.tensor * layout.pipeline)
    gradients = profile.trainable * part * weight_bytes(precision)
    if layout.strategy in ("fsdp", "fsdp-grad-op"):
        weights, learned = profile.parameters * part * _sent(profile, precision), profile.trainable * part * 2.0
        gathers = 1 if layout.strategy == "fsdp-grad-op" else 2
        each = gathers * ranks.all_gather(weights) + ranks.all_gather(learned)
        first = ranks.all_gather(weights / _units(profile))  # nothing runs yet that could hide it
        return layout.accumulation * (max(0.0, each - first - OVERLAP * (forward + backward)) + first)
    if layout.strategy == "3d":
        both = ranks.all_gather(gradients) + ranks.all_gather(profile.trainable * part * compute_bytes(precision))
        return max(0.0, both - OVERLAP * (forward + backward))
    if layout.strategy in ("zero1", "zero2"):
        scatter = ranks.all_gather(gradients)
        return max(0.0, scatter - OVERLAP * backward) + ranks.all_gather(
            profile.trainable * part * compute_bytes(precision)
        )
    last = ranks.all_reduce(min(gradients, LAST_BUCKET_BYTES))
    return max(0.0, ranks.all_reduce(gradients) - last - OVERLAP * backward) + last


def _sent(profile: ModelProfile, precision: Precision) -> float:
    """Bytes of one weight as FSDP gathers it: frozen ones as they are stored, others in the compute type."""
    frozen = profile.parameters - profile.trainable
    return (frozen * profile.frozen_bytes + profile.trainable * compute_bytes(precision)) / profile.parameters


def _units(profile: ModelProfile) -> int:
    return max(1, sum(unit.count for unit in profile.units if unit.kind == "block"))


def _tensor(profile: ModelProfile, precision: Precision, hardware: Hardware, layout: Layout) -> float:
    if layout.tensor < 2:
        return 0.0
    ranks = group(hardware, layout.tensor)
    output = _stream(profile, precision, layout)
    dims = profile.transformer
    times = 1 if profile.task == "infer" else 3 if profile.activation_checkpointing == "full" else 2
    attention = ranks.all_reduce(output)
    feed = attention
    if dims is not None and dims.experts > 1:  # experts are spread over the tensor ranks: tokens go there and back
        feed = 2 * ranks.all_to_all(output * dims.experts_active / layout.tensor)
    return _units(profile) / layout.pipeline * times * (attention + feed)


def _context(profile: ModelProfile, precision: Precision, hardware: Hardware, layout: Layout, backward: float) -> float:
    dims = profile.transformer
    if layout.context < 2 or dims is None:
        return 0.0
    ranks = group(hardware, layout.context, layout.tensor)
    tokens = dims.sequence * layout.micro_batch
    keys = 2 * tokens * dims.kv_heads * dims.head_size * compute_bytes(precision) / layout.tensor
    times = 1 if profile.task == "infer" else 3
    each = _units(profile) / layout.pipeline * times * ranks.all_gather(keys)
    return max(0.0, each - OVERLAP * backward / 2)  # the ring rotates while blocks of attention are computed


def _pipeline(profile: ModelProfile, precision: Precision, hardware: Hardware, layout: Layout) -> float:
    if layout.pipeline < 2:
        return 0.0
    stages = group(hardware, layout.pipeline, layout.tensor * layout.context * layout.data)
    times = 1 if profile.task == "infer" else 2
    return times * stages.send(_stream(profile, precision, layout))


def _stream(profile: ModelProfile, precision: Precision, layout: Layout) -> float:
    """Bytes of one micro-batch between two layers of one tensor rank."""
    dims = profile.transformer
    if dims is not None:
        return dims.sequence * layout.micro_batch * dims.hidden * compute_bytes(precision) / layout.context
    boundary = max((unit.boundary.at(layout.micro_batch) for unit in profile.units), default=0.0)
    return boundary / layout.context
