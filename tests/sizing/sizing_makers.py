"""Profiles and hardware that the tests of sizing share: a GiB of parameters makes bytes a parameter readable as GiB."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tradewind.domain.gpus import Gpu, data_sheet
from tradewind.domain.precision import Precision
from tradewind.domain.profile import Amount, ModelProfile, Moment, Op, Transformer, Unit
from tradewind.sizing import Budget, Hardware, Layout, Request

GI = 2**30

LLAMA_7B = Transformer(32, 4096, 32, 32, 128, 11008, 32000, 2048, gated=True)
LLAMA_8B = Transformer(32, 4096, 32, 8, 128, 14336, 128256, 8192, gated=True)
TINY_LLAMA = Transformer(22, 2048, 32, 4, 64, 5632, 32000, 2048, gated=True)
GPT_2 = Transformer(12, 768, 12, 12, 64, 3072, 50257, 1024, tied=True, positions=1024, norm="layer", dropout=True,
                    biases=frozenset({"q", "k", "v", "o", "ffn"}))  # fmt: skip


def sheet(name: str, form: str | None = None) -> Gpu:
    found = data_sheet(name, form)
    assert found is not None
    return found


def plain(parameters: float = GI, sample: float = 0.0, *, precision: str = "fp32", **changes: Any) -> ModelProfile:
    """A traced model of four like blocks; ``sample`` bytes of tensors at the peak, when all gradients are there."""
    block = Unit("block", 4, parameters / 4, parameters / 4, Amount(0.0, sample / 4), Amount(0.0, sample / 40))
    moments = (
        Moment("backward", Amount(0.0, sample), 2 * parameters if precision.startswith("amp") else 0.0, 1.0),
        Moment("step", Amount(0.0), 0.0, 1.0),
    )
    ops = (
        Op("forward", "matmul", "fp32", 4, Amount(0.0, parameters / 2), Amount(parameters, sample / 4)),
        Op("backward", "matmul", "fp32", 8, Amount(0.0, parameters / 2), Amount(parameters, sample / 4)),
    )
    profile = ModelProfile(
        name="plain", source="traced", task="train", precision=precision, attention="auto",
        activation_checkpointing="none", parameters=parameters, trainable=parameters, active=parameters, buffers=0.0,
        frozen_bytes=4.0, moments=moments, ops=ops, units=(block,),
    )  # fmt: skip
    return replace(profile, **changes)


def budget(
    profile: ModelProfile, layout: Layout | None = None, gpu: str = "A100-80GB", **request: Any
) -> Budget:  # fmt: skip
    """The budget of one profile under ``layout`` (one GPU when None)."""
    layout = layout or Layout("single", 1)
    asked = Request((profile,), precision=Precision(profile.precision), **request)
    return Budget(profile, asked, Hardware(sheet(gpu), layout.gpus), layout)
