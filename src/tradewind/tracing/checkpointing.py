"""Activation checkpointing: by the model's own switch, else by wrapping its repeated parts as a user would."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import nn
from torch.utils.checkpoint import CheckpointPolicy, checkpoint, create_selective_checkpoint_contexts

from tradewind.tracing.units import blocks

aten = torch.ops.aten
PRODUCTS = {aten.mm.default, aten.addmm.default}
KEPT = {
    *PRODUCTS, aten.bmm.default, aten.baddbmm.default, aten.convolution.default, aten._grouped_mm.default,
}  # fmt: skip


def apply(module: nn.Module, kind: str) -> list[str]:
    """Switches activation checkpointing on; what could not be done, as codes.

    Args:
        kind: ``none``; ``full``: only the inputs of repeated parts are kept; ``selective``: results of attention,
            convolutions and every other matrix product are kept as well, the rest is computed again, as torchtitan
            does (torchtitan/models/llama/parallelize_llama.py, 2024).
    """
    if kind == "none":
        return []
    if kind == "full" and _by_own_switch(module):
        return []
    options: dict[str, Any] = {"use_reentrant": False, "preserve_rng_state": False}
    if kind == "selective":
        options["context_fn"] = _selective
    parts = blocks(module)
    for part in parts:
        part.forward = partial(checkpoint, part.forward, **options)
    return [] if parts else ["nothing-to-checkpoint"]


def _by_own_switch(module: nn.Module) -> bool:
    own: Any = module
    if getattr(module, "supports_gradient_checkpointing", False):  # transformers; the first name is that of version 5
        for switch in ("activation_checkpointing_enable", "gradient_checkpointing_enable"):
            if hasattr(module, switch):
                getattr(own, switch)({"use_reentrant": False, "preserve_rng_state": False})
                return True
    if hasattr(module, "set_grad_checkpointing"):
        try:
            own.set_grad_checkpointing(True)
        except (AssertionError, RuntimeError):  # timm's way to say that this one has none
            return False
        return True
    return False


def _selective() -> Any:
    """The contexts of one part's forward pass and of computing it again, which see the same products in turn."""
    products = {False: 0, True: 0}

    def policy(context: Any, operator: Any, *args: Any, **kwargs: Any) -> CheckpointPolicy:
        again = bool(context.is_recompute)
        products[again] += operator in PRODUCTS
        other = operator in PRODUCTS and products[again] % 2 == 0
        kept = operator in KEPT or operator is torch.ops.tradewind.attention.default
        return CheckpointPolicy.MUST_SAVE if kept and not other else CheckpointPolicy.PREFER_RECOMPUTE

    return create_selective_checkpoint_contexts(policy)
