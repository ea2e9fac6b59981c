"""What serving a language model holds beside its weights: keys and values of all sequences, captured graphs.

    keys and values of a sequence = 2 · layers · kv heads · head size · bytes · tokens held

An engine such as vLLM fills what is left of the card with them, so that what is asked is how many sequences fit: the
largest micro-batch. Source: Kwon et al. 2023, arXiv 2309.06180 §2.
"""

from __future__ import annotations

from tradewind.domain.precision import Precision
from tradewind.domain.profile import ModelProfile
from tradewind.sizing.arithmetic import compute_bytes
from tradewind.sizing.layout import Layout
from tradewind.sizing.request import Request
from tradewind.sizing.terms import GIB, Spread, term


def cache_bytes(profile: ModelProfile, request: Request, layout: Layout) -> float:
    """Bytes of keys and values of one sequence on one GPU; 0 for models that generate no text."""
    t = profile.transformer
    if t is None or t.head != "lm":
        return 0.0
    heads = max(1.0, t.kv_heads / layout.tensor)  # no GPU holds less than one head
    tokens = request.context or t.sequence
    return 2.0 * t.layers / layout.pipeline * heads * t.head_size * number_bytes(request.precision) * tokens


def number_bytes(precision: Precision) -> float:
    """Bytes of one number of the cache: 8 bits under fp8, else as it computes."""
    return 1.0 if precision is Precision.FP8 else compute_bytes(precision)


def graphs_bytes(profile: ModelProfile) -> Spread:
    """Bytes of the CUDA graphs of a serving engine; none for models that generate no text."""
    t = profile.transformer
    if t is None or t.head != "lm":
        return Spread(0.0, 0.0, 0.0)
    return Spread(*(each * GIB for each in term("cuda-graphs")))
