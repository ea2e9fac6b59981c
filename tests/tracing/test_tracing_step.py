"""One traced step, against bytes and FLOPs counted by hand or by torch itself."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode
from tracing_cases import Attention, Network, traced

from tradewind.domain.profile import Amount, ModelProfile

MLP = (100, 200, 10)


def mlp() -> nn.Module:
    return nn.Sequential(nn.Linear(MLP[0], MLP[1]), nn.ReLU(), nn.Linear(MLP[1], MLP[2]))


def peak(profile: ModelProfile, micro_batch: float) -> float:
    """Bytes of activations and gradients at the peak, none kept from before; weights and gradients in float32."""
    gradients = 4 * profile.trainable
    return max(m.tensors.at(micro_batch) + m.copies + m.gradients * gradients for m in profile.moments)


def kinds(profile: ModelProfile, phase: str) -> Counter[str]:
    found: Counter[str] = Counter()
    for op in profile.ops:
        if op.phase == phase:
            found[op.kind] += op.count
    return found


def test_a_step_keeps_inputs_hidden_values_and_the_output() -> None:
    profile = traced(mlp, 100)
    assert profile.parameters == profile.trainable == 100 * 200 + 200 + 200 * 10 + 10
    large = max(profile.moments, key=lambda moment: moment.tensors.per_sample)
    # input, what ReLU gave, output; gradients behind and before ReLU
    assert large.tensors.per_sample == 4 * (100 + 200 + 10 + 200 + 200)


def test_gradients_are_taken_over_not_copied() -> None:
    profile = traced(lambda: nn.Linear(1000, 1000, bias=False), 1000)
    assert peak(profile, 0.5) < 4 * 1000 * 1000 * 1.02
    assert max(moment.gradients for moment in profile.moments) == 1.0 or profile.moments[-1].tensors.fixed > 3.9e6


def test_shared_weights_are_counted_once() -> None:
    profile = traced(Network, 16, dtype=torch.long)
    assert profile.parameters == 100 * 64 + 4 * (2 * 64 + 64 * 256 + 256 + 256 * 64 + 64)


def test_arithmetic_is_what_torch_counts() -> None:
    def build() -> nn.Module:
        return nn.Sequential(nn.Conv2d(3, 8, 3, 2), nn.Conv2d(8, 16, 3), nn.Flatten(), nn.Linear(16 * 14 * 14, 5))

    profile = traced(build, 3, 33, 33)
    with FlopCounterMode(display=False) as counter:
        build()(torch.zeros(1, 3, 33, 33)).mean().backward()
    assert profile.step_flops == counter.get_total_flops()


def test_the_backward_pass_of_a_convolution_is_two_more_of_it() -> None:
    profile = traced(lambda: nn.Sequential(nn.Conv2d(3, 8, 3), nn.Conv2d(8, 8, 5, padding=2, stride=2)), 3, 32, 32)
    last = (8, 8, 1, 5, 5, 2, 15, 15)
    assert [(op.phase, op.count) for op in profile.ops if op.dims == last] == [("forward", 1), ("backward", 2)]
    assert kinds(profile, "backward")["conv"] == 3  # the first one's input needs no gradient


def test_products_tell_what_grows() -> None:
    profile = traced(lambda: nn.Sequential(nn.Linear(64, 32, bias=False)), 7, 64)
    forward, weights = (op for op in profile.ops if op.kind == "matmul")
    assert forward.dims == (7, 0, 32, 64, 0, 1)
    assert forward.flops == weights.flops == Amount(0, 2 * 7 * 64 * 32)
    assert weights.dims == (0, 32, 64, 7, 0, 1)  # summed over seven rows a sample
    assert forward.bytes == Amount(4 * 64 * 32, 4 * 7 * (64 + 32))


@pytest.mark.parametrize(
    ("precision", "name"), [("fp32", "fp32"), ("tf32", "tf32"), ("amp-bf16", "bf16"), ("bf16-true", "bf16")]
)
def test_products_are_made_in_the_precision_asked(precision: str, name: str) -> None:
    profile = traced(mlp, 100, precision=precision)
    assert {op.dtype for op in profile.ops if op.kind == "matmul"} == {name}


def test_autocast_keeps_a_copy_of_each_weight_in_half() -> None:
    profile = traced(mlp, 100, precision="amp-fp16")
    assert max(moment.copies for moment in profile.moments) == 2 * (100 * 200 + 200)  # the second layer's goes first
    assert traced(mlp, 100).moments[0].copies == 0


def test_norms_and_softmax_are_float32_under_autocast_as_on_cuda() -> None:
    profile = traced(
        lambda: nn.Sequential(nn.Linear(64, 64), nn.LayerNorm(64), nn.Softmax(-1)), 64, precision="amp-fp16"
    )
    assert [op.dtype for op in profile.ops if op.kind == "norm"] == ["fp32", "fp32"]
    softmax = next(op for op in profile.ops if op.kind == "softmax" and op.phase == "forward")
    assert softmax.bytes.per_sample == 64 * (4 + 4)  # of the norm's float32


def test_softmax_reads_the_half_without_a_copy() -> None:
    profile = traced(lambda: nn.Sequential(nn.Linear(64, 64), nn.Softmax(-1)), 64, precision="amp-fp16")
    softmax = next(op for op in profile.ops if op.kind == "softmax" and op.phase == "forward")
    assert softmax.bytes.per_sample == 64 * (2 + 4)


def test_dropout_keeps_one_byte_an_element() -> None:
    both = traced(lambda: nn.Sequential(nn.Linear(64, 64), nn.Dropout(0.5), nn.Linear(64, 64)), 64)
    none = traced(lambda: nn.Sequential(nn.Linear(64, 64), nn.Linear(64, 64)), 64)
    more = max(m.tensors.per_sample for m in both.moments) - max(m.tensors.per_sample for m in none.moments)
    assert more == 64 * 1 + 64 * 4 - 64 * 4  # the mask; the dropped values replace what the second layer keeps


def test_fused_attention_keeps_no_scores_and_eager_does() -> None:
    tokens, heads = 64, 4
    fused, eager = (traced(lambda: Attention(32, heads), tokens, 32, attention=name) for name in ("flash", "eager"))
    assert kinds(fused, "forward")["attention"] == kinds(fused, "backward")["attention"] == 1
    assert kinds(eager, "forward")["attention"] == 0
    more = max(m.tensors.per_sample for m in eager.moments) - max(m.tensors.per_sample for m in fused.moments)
    assert more >= 2 * heads * tokens * tokens * 4
    attention = next(op for op in fused.ops if op.kind == "attention")
    assert attention.dims == (heads, tokens, tokens, 32 // heads)
    assert attention.flops.per_sample == 2 * 2 * tokens * tokens * 32


def test_inference_has_a_forward_pass_that_keeps_nothing() -> None:
    profile = traced(mlp, 100, task="infer")
    assert {op.phase for op in profile.ops} == {moment.phase for moment in profile.moments} == {"forward"}
    assert max(moment.tensors.per_sample for moment in profile.moments) == 4 * (100 + 200 + 200)


def test_units_are_the_repeated_blocks_in_order() -> None:
    profile = traced(lambda: Network(depth=5), 16, dtype=torch.long)
    assert [(unit.kind, unit.count) for unit in profile.units] == [("embedding", 1), ("block", 5), ("head", 1)]
    assert sum(unit.count * unit.parameters for unit in profile.units) == profile.parameters
    block = profile.units[1]
    assert block.boundary == Amount(0, 16 * 64 * 4)
    # norm's statistics, and the inputs of: first linear, GELU, second linear; the sum is the next block's input
    assert block.saved == Amount(0, 4 * 16 * (2 + 64 + 256 + 256 + 64))


@pytest.mark.parametrize("kind", ["full", "selective"])
def test_checkpointing_keeps_less_and_computes_again(kind: str) -> None:
    whole, less = (
        traced(lambda: Network(depth=8), 16, dtype=torch.long, activation_checkpointing=name) for name in ("none", kind)
    )
    assert peak(less, 64) < 0.8 * peak(whole, 64)
    # the first layer of each block; what follows the last kept tensor is not computed again
    recomputed = {"full": 8 * 2 * 16 * 64 * 256, "selective": 0}[kind]
    assert less.step_flops - whole.step_flops == recomputed
    assert kinds(less, "backward")["elementwise"] > kinds(whole, "backward")["elementwise"]
    assert less.fallbacks == ()


def test_selective_checkpointing_computes_every_other_product_again() -> None:
    class Part(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.four = nn.Sequential(*(nn.Linear(64, 64) for _ in range(4)))

        def forward(self, x: torch.Tensor) -> Any:
            return self.four(x)

    class Stack(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.parts = nn.ModuleList(Part() for _ in range(3))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            for part in self.parts:
                x = part(x)
            return x

    whole, less = (traced(Stack, 64, activation_checkpointing=name) for name in ("none", "selective"))
    assert less.step_flops - whole.step_flops == 3 * 2 * 64 * 64  # the second of four; the last is nobody's input


def test_fp8_multiplies_by_weights_in_8_bits_and_attends_in_16() -> None:
    profile = traced(lambda: Attention(32, 4), 64, 32, precision="fp8", attention="flash")
    assert {op.dtype for op in profile.ops if op.kind == "matmul"} == {"fp8"}
    assert {op.dtype for op in profile.ops if op.kind == "attention"} == {"bf16"}


def test_a_model_without_repeated_parts_says_that_nothing_is_checkpointed() -> None:
    profile = traced(lambda: nn.Linear(8, 8), 8, activation_checkpointing="full")
    assert profile.fallbacks == ("nothing-to-checkpoint",)


def test_adapters_train_two_factors_beside_frozen_layers() -> None:
    whole = traced(Network, 16, dtype=torch.long)
    lora = traced(Network, 16, dtype=torch.long, adapter="lora:8", precision="bf16-true")
    assert lora.trainable == 4 * 8 * (64 + 256)  # beside the query projections
    assert lora.parameters == whole.parameters + lora.trainable
    assert lora.frozen_bytes == 2
    # forward as before, no gradients of weights but the factors'
    assert lora.step_flops < 0.75 * whole.step_flops


def test_quantized_weights_are_made_anew_each_time() -> None:
    lora, qlora = (
        traced(Network, 16, dtype=torch.long, adapter=f"{name}:8", precision="bf16-true") for name in ("lora", "qlora")
    )
    linears = 4 * 2 * 64 * 256
    assert qlora.trainable == lora.trainable
    assert qlora.frozen_bytes == pytest.approx(2 - linears * (2 - 0.5625) / (lora.parameters - lora.trainable))
    assert kinds(qlora, "forward")["copy"] >= kinds(lora, "forward")["copy"] + 8


def test_the_loss_need_not_be_in_the_batch_dimension_of_weights() -> None:
    """A layer as wide as the first prime that samples are counted by: another is taken."""
    assert traced(lambda: nn.Linear(61, 122), 61).moments[0].tensors.per_sample == 4 * (61 + 122 + 122)


def test_a_trace_is_made_of_the_forward_pass_as_real_tensors_take_it() -> None:
    """The same step with memory: torch's own profiler sees the same bytes kept at the end of the forward pass."""
    module: Any = Network()
    tokens = torch.zeros(2, 16, dtype=torch.long)
    kept: dict[int, int] = {}

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        weights = {p.untyped_storage().data_ptr() for p in module.parameters()} | {tokens.untyped_storage().data_ptr()}
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in weights:
            kept[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        output = module(tokens)
    profile = traced(Network, 16, dtype=torch.long)
    told = sum(unit.count * unit.saved.per_sample for unit in profile.units) * 2 - output.untyped_storage().nbytes()
    assert told == pytest.approx(sum(kept.values()) + 2 * 16 * 8, rel=0.02)
