"""Presets: models known by name, and what their profiles say without torch."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tradewind.domain.precision import Precision
from tradewind.domain.profile import ModelProfile, Moment, Transformer
from tradewind.sizing import presets
from tradewind.sizing.dimensions import parts
from tradewind.sizing.presets import networks, transformers
from tradewind.sizing.presets.names import spellings

MI = 2**20
NETWORKS = [row.name for row in networks.rows()]
CHECKPOINTED = [name for name in NETWORKS if not name.startswith("yolo")]


def profile(name: str, **asked: object) -> ModelProfile:
    preset = presets.find(name)
    assert preset is not None, name
    found = preset.profile(**asked)  # type: ignore[arg-type]
    assert found is not None, (name, asked)
    return found


def peak_mib(found: ModelProfile, micro_batch: int) -> float:
    """Of activations, temporaries, copies and fp32 gradients."""

    def alive(moment: Moment) -> float:
        return moment.tensors.at(micro_batch) + moment.copies + moment.gradients * 4 * found.trainable

    return max(alive(moment) for moment in found.moments) / MI


# --- names -----------------------------------------------------------------------------------------------------------

SPELLINGS = {
    "resnet50": ["ResNet-50", "resnet_50", "resnet 50"],
    "efficientnet-b0": ["efficientnet_b0", "EfficientNet-B0"],
    "vit-b-16": ["ViT-B/16", "vit_base_patch16_224", "google/vit-base-patch16-224"],
    "convnext-xlarge": ["convnext_xlarge"],
    "yolov5s": ["YOLOv5s", "yolov5"],
    "yolov8x": ["yolo-v8x"],
    "unet": ["U-Net"],
    "sdxl-unet": ["SDXL", "stabilityai/stable-diffusion-xl-base-1.0"],
    "bert-base": ["bert-base-uncased", "google-bert/bert-base-uncased"],
    "gpt2-xl": ["openai-community/gpt2-xl", "GPT2 XL"],
    "llama-2-7b": ["meta-llama/Llama-2-7b-hf", "meta-llama/Llama-2-7b-chat-hf", "llama2-7b"],
    "llama-3-8b": ["llama3-8b", "meta-llama/Meta-Llama-3-8B", "meta-llama/Meta-Llama-3-8B-Instruct"],
    "llama-3.1-70b": ["meta-llama/Llama-3.1-70B", "meta-llama/Meta-Llama-3.1-70B"],
    "llama-3.2-1b": ["llama3.2-1b"],
    "qwen2.5-7b": ["Qwen/Qwen2.5-7B-Instruct"],
    "qwen3-8b": ["Qwen/Qwen3-8B-Base"],
    "mixtral-8x7b": ["mistralai/Mixtral-8x7B-v0.1", "Mixtral"],
    "whisper-large-v3": ["openai/whisper-large-v3"],
}


@pytest.mark.parametrize(("name", "written"), [(name, each) for name, all_ in SPELLINGS.items() for each in all_])
def test_a_preset_is_found_by_the_ways_in_which_it_is_written(name: str, written: str) -> None:
    found = presets.find(written)
    assert found is not None
    assert found.name == name


def test_every_preset_is_found_by_its_own_name_and_no_two_share_one() -> None:
    assert [getattr(presets.find(name), "name", None) for name in presets.names()] == list(presets.names())
    found = [preset for preset in map(presets.find, presets.names()) if preset is not None]
    every = [spellings(each)[0] for preset in found for each in (preset.name, *preset.aliases)]
    assert len(every) == len(set(every))


@pytest.mark.parametrize(
    ("written", "meant"), [("resnet5O", "resnet50"), ("lama-3-8b", "llama-3-8b"), ("yolo5s", "yolov5s")]
)
def test_a_misspelt_name_is_unknown_and_the_nearest_is_told(written: str, meant: str) -> None:
    assert presets.find(written) is None
    assert presets.nearest(written)[0] == meant


def test_a_variant_with_another_vocabulary_is_not_taken_for_the_preset() -> None:
    assert presets.find("bert-base-cased") is None


# --- sizes -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("row", transformers.rows(), ids=lambda row: row.name)
def test_a_transformer_has_exactly_the_parameters_that_were_published(row: transformers.Row) -> None:
    assert parts(row.transformer).total == row.published
    assert profile(row.name).parameters == row.published


@pytest.mark.parametrize("row", networks.rows(), ids=lambda row: row.name)
def test_a_network_has_exactly_the_parameters_that_were_published(row: networks.Row) -> None:
    for task, precision, way in networks.about(row.name)["variants"]:
        found = profile(row.name, task=task, precision=precision, activation_checkpointing=way)
        assert found.parameters == row.published
        assert sum(unit.count * unit.parameters for unit in found.units) == row.published


def test_the_experts_that_a_token_meets_are_told_from_all() -> None:
    assert parts(dimensions("mixtral-8x7b")).active == 12_879_925_248  # 13 B: arXiv 2401.04088
    assert round(parts(dimensions("qwen3-30b-a3b")).active / 1e9, 1) == 3.4  # 3.3 B: arXiv 2505.09388


def dimensions(name: str) -> Transformer:
    found = presets.find(name)
    assert found is not None
    assert found.transformer is not None
    return found.transformer


# Multiply-adds of one image, 1e9, as the papers and model tables give them (detectors: FLOPs there, halved here).
MACS = {
    "resnet18": 1.8, "resnet50": 4.1, "resnet101": 7.8, "resnet152": 11.5, "efficientnet-b0": 0.39,
    "efficientnet-b7": 37.0, "vit-b-16": 17.6, "convnext-tiny": 4.5, "convnext-xlarge": 60.9, "yolov5n": 4.5 / 2,
    "yolov5s": 16.5 / 2, "yolov5x": 205.7 / 2, "yolov8n": 8.7 / 2, "yolov8x": 257.8 / 2,
}  # fmt: skip


@pytest.mark.parametrize(("name", "macs"), MACS.items())
def test_the_arithmetic_of_a_network_is_what_its_table_says(name: str, macs: float) -> None:
    assert profile(name, task="infer").forward_flops / 2e9 == pytest.approx(macs, rel=0.05)


# --- shapes of the question ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CHECKPOINTED)
def test_activation_checkpointing_lowers_the_peak_and_costs_arithmetic(name: str) -> None:
    plain, saving = (profile(name, precision="amp-fp16", activation_checkpointing=way) for way in ("none", "full"))
    assert peak_mib(saving, 32) < 0.8 * peak_mib(plain, 32)
    assert 1.15 < saving.step_flops / plain.step_flops < 1.36


@pytest.mark.parametrize("name", NETWORKS)
def test_sixteen_bits_take_less_memory_than_thirty_two(name: str) -> None:
    full, mixed, half = (peak_mib(profile(name, precision=p), 32) for p in ("fp32", "amp-bf16", "bf16-true"))
    assert half <= mixed < full


@pytest.mark.parametrize("name", ["resnet50", "convnext-base", "yolov8m", "unet"])
def test_a_convolution_network_scales_with_the_pixels(name: str) -> None:
    size = next(row.image_size for row in networks.rows() if row.name == name)
    small, large = profile(name), profile(name, image_size=(3, 2 * size, 2 * size))
    assert large.forward_flops / small.forward_flops == pytest.approx(4.0, rel=0.01)
    assert peak_mib(large, 16) / peak_mib(small, 16) == pytest.approx(4.0, rel=0.05)
    assert large.parameters == small.parameters
    dims = [(a.dims, b.dims) for a, b in zip(small.ops, large.ops, strict=True) if a.kind == "conv"]
    assert all(b[:6] == a[:6] and b[6] == 2 * a[6] for a, b in dims)


def test_attention_between_positions_grows_with_the_square_of_the_pixels() -> None:
    small, large = (profile("sdxl-unet", task="infer", image_size=(3, size, size)) for size in (512, 1024))
    flops = [
        [op.flops.per_sample for op in each.ops if op.kind == "attention" and op.dims[1] == op.dims[2]]
        for each in (small, large)
    ]
    assert flops[1] == pytest.approx([16 * each for each in flops[0]])


def test_a_network_asked_for_other_classes_has_another_last_layer() -> None:
    usual, flowers = profile("resnet50"), profile("resnet50", classes=102)
    assert usual.parameters - flowers.parameters == (1000 - 102) * 2049
    assert sum(unit.count * unit.parameters for unit in flowers.units) == flowers.parameters
    saved = usual.forward_flops - flowers.forward_flops
    assert saved == pytest.approx(2 * 2048 * (1000 - 102))


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("vit-b-16", {"image_size": (3, 384, 384)}),  # other position embeddings
        ("vit-b-16", {"attention": "eager"}),
        ("resnet50", {"image_size": (1, 224, 224)}),
        ("unet", {"classes": 21}),  # logits as large as the image
        ("resnet50", {"adapter": "lora:8"}),
        ("resnet50", {"activation_checkpointing": "selective"}),
    ],
)
def test_a_shape_that_was_not_traced_is_left_to_the_tracer(name: str, asked: dict[str, object]) -> None:
    found = presets.find(name)
    assert found is not None
    assert found.reference is not None
    assert found.profile(**asked) is None  # type: ignore[arg-type]


@pytest.mark.parametrize("precision", list(Precision))
def test_the_arithmetic_is_in_the_precision_asked_for(precision: Precision) -> None:
    task = "infer" if precision in (Precision.INT8, Precision.INT4) else "train"
    found = profile("resnet50", precision=precision, task=task)
    names = {"fp32": "fp32", "tf32": "tf32", "fp8": "fp8", "int8": "int8", "int4": "bf16"}
    expected = names.get(precision, "fp16" if "fp16" in precision else "bf16")
    assert {op.dtype for op in found.ops if op.kind == "conv"} == {expected}
    assert found.precision == precision


def test_a_sample_longer_than_the_learned_positions_gets_more_of_them() -> None:
    assert profile("gpt2", sequence=2048).parameters == 124_439_808 + 1024 * 768
    assert profile("gpt2", sequence=512).parameters == 124_439_808
    assert profile("llama-3-8b", sequence=32768).tokens == 32768


def test_presets_answer_where_there_is_no_torch() -> None:
    code = """
import sys
sys.modules["torch"] = sys.modules["numpy"] = None
from tradewind.sizing import presets
for name in presets.names():
    for task in ("train", "infer"):
        assert presets.find(name).profile(task=task, precision="amp-bf16").parameters > 0
"""
    subprocess.run([sys.executable, "-c", code], check=True)


# Reserved bytes of YOLOv5s by micro-batch, mixed precision, 640 pixels, forward and backward pass on an A100-SXM4-40GB
# with torch 1.9, as printed in github.com/ultralytics/yolov5/pull/5092 (2021-11).
YOLOV5S_RESERVED = {4: 1.007e9, 8: 1.797e9, 16: 3.280e9}


@pytest.mark.parametrize(("micro_batch", "measured"), YOLOV5S_RESERVED.items())
def test_a_detector_keeps_what_was_measured_of_it(micro_batch: int, measured: float) -> None:
    found = profile("yolov5s", precision="amp-fp16")
    allocated = 4 * found.parameters + found.buffers + MI * peak_mib(found, micro_batch)
    assert allocated * dict(found.reserved)[micro_batch] == pytest.approx(measured, rel=0.15)
