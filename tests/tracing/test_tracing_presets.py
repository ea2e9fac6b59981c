"""Networks defined here, and the shipped traces against fresh ones."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
import torch

from tradewind.domain.profile import ModelProfile
from tradewind.ports.tracer import TraceRequest
from tradewind.sizing import presets
from tradewind.sizing.presets import networks
from tradewind.tracing.empty import empty_weights
from tradewind.tracing.models import NAMES, preset_subject, unet
from tradewind.tracing.models.boxes import complete_iou
from tradewind.tracing.sources import subject_of
from tradewind.tracing.trace import profile_of

PUBLISHED = {row.name: row.published for row in networks.rows()}


@pytest.mark.parametrize("name", NAMES)
def test_a_network_of_our_own_has_exactly_the_parameters_that_were_published(name: str) -> None:
    with torch.device("meta"):
        module = preset_subject(name, TraceRequest(f"preset:{name}")).module
    assert sum(weight.numel() for weight in module.parameters()) == PUBLISHED[name]


@pytest.mark.parametrize("name", ["yolov5n", "yolov8n"])
def test_a_detector_learns_in_every_weight(name: str) -> None:
    subject = preset_subject(name, TraceRequest(f"preset:{name}", image_size=(3, 64, 64)))
    (args, kwargs), targets = subject.batch(2)
    loss = subject.loss(subject.module(*args, **kwargs), targets)
    torch.autograd.backward(loss)
    assert loss.shape == ()
    assert torch.isfinite(loss)
    untouched = [
        name for name, weight in subject.module.named_parameters() if weight.requires_grad and weight.grad is None
    ]
    assert untouched == []


def test_a_detector_answers_at_three_scales() -> None:
    five, eight = (
        preset_subject(name, TraceRequest(f"preset:{name}", image_size=(3, 64, 96), classes=7))
        for name in ("yolov5n", "yolov8n")
    )
    maps = five.module(torch.rand(1, 3, 64, 96))
    assert [tuple(each.shape) for each in maps] == [(1, 3, 8, 12, 12), (1, 3, 4, 6, 12), (1, 3, 2, 3, 12)]
    distances, classes, boxes = eight.module(torch.rand(1, 3, 64, 96))
    cells = 8 * 12 + 4 * 6 + 2 * 3
    assert (tuple(distances.shape), tuple(classes.shape), tuple(boxes.shape)) == (
        (1, cells, 64),
        (1, cells, 7),
        (1, cells, 4),
    )


def test_checkpointing_changes_no_gradient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unet, "CHANNELS", (4, 8, 16, 32, 64))
    module = unet.UNet()
    images, masks = torch.rand(2, 3, 32, 32), torch.ones(2, 32, 32, dtype=torch.int64)
    gradients = []
    for enabled in (False, True):
        module.set_grad_checkpointing(enabled)
        module.zero_grad()
        torch.autograd.backward(unet.loss(module(images), masks))
        gradients.append([weight.grad.clone() for weight in module.parameters() if weight.grad is not None])
    assert len(gradients[0]) == len(list(module.parameters()))
    for plain, again in zip(*gradients, strict=True):
        torch.testing.assert_close(plain, again)


def test_boxes_overlap_wholly_partly_or_not_at_all() -> None:
    box = torch.tensor([[2.0, 2.0, 2.0, 2.0]])
    assert complete_iou(box, box).item() == pytest.approx(1.0, abs=1e-5)
    beside = torch.tensor([[3.0, 2.0, 2.0, 2.0]])  # shares 2 of 6; centres 1 apart in a hull of 3 × 2
    assert complete_iou(box, beside).item() == pytest.approx(1 / 3 - 1 / 13, abs=1e-5)
    far = torch.tensor([[12.0, 2.0, 2.0, 2.0]])
    assert complete_iou(box, far).item() == pytest.approx(-100 / (144 + 4), abs=1e-5)


# --- the shipped traces ----------------------------------------------------------------------------------------------


def fresh(name: str, size: int, **asked: str) -> ModelProfile:
    row = next(row for row in networks.rows() if row.name == name)
    request = replace(TraceRequest(row.reference, image_size=(3, size, size), classes=row.classes), **asked)  # type: ignore[arg-type]
    with empty_weights():
        subject = subject_of(request)
    return profile_of(subject, request, time.monotonic())


def peak(profile: ModelProfile, micro_batch: int) -> float:
    return max(
        moment.tensors.at(micro_batch) + moment.copies + moment.gradients * 4 * profile.trainable
        for moment in profile.moments
    )


def moved(profile: ModelProfile, micro_batch: int) -> float:
    return sum(op.count * op.bytes.at(micro_batch) for op in profile.ops)


QUICK = [
    ("resnet18", 224, {"precision": "amp-fp16"}, 1e-3),
    ("yolov8n", 640, {"precision": "amp-fp16"}, 1e-3),
    ("resnet18", 160, {"precision": "bf16-true"}, 1e-3),  # sizes that were not traced: halved without a rest …
    ("resnet18", 250, {"precision": "amp-fp16"}, 0.05),  # … and with one
]
MORE = [
    ("resnet18", 224, {"precision": "fp32", "activation_checkpointing": "full"}, 1e-3),
    ("resnet50", 224, {"precision": "bf16-true", "task": "infer"}, 1e-3),
    ("vit-b-16", 224, {"precision": "amp-fp16"}, 1e-3),
    ("unet", 256, {"precision": "amp-fp16", "activation_checkpointing": "full"}, 1e-3),
    ("yolov8n", 416, {"precision": "amp-fp16"}, 0.01),
    ("yolov5s", 1280, {"precision": "amp-fp16", "activation_checkpointing": "full"}, 0.01),
    ("efficientnet-b0", 288, {"precision": "amp-fp16"}, 0.01),
    ("efficientnet-b3", 260, {"precision": "amp-fp16"}, 0.05),
    ("convnext-tiny", 384, {"precision": "amp-fp16"}, 1e-3),
    ("sdxl-unet", 512, {"precision": "bf16-true"}, 0.01),
]
CASES = [*QUICK, *(pytest.param(*case, marks=pytest.mark.long) for case in MORE)]


@pytest.mark.parametrize(("name", "size", "asked", "apart"), CASES)
def test_a_shipped_trace_says_what_a_fresh_one_says(name: str, size: int, asked: dict[str, str], apart: float) -> None:
    preset = presets.find(name)
    assert preset is not None
    shipped = preset.profile(image_size=(3, size, size), **asked)  # type: ignore[arg-type]
    traced = fresh(name, size, **asked)
    assert shipped is not None
    assert shipped.forward_flops == pytest.approx(traced.forward_flops, rel=apart)
    assert shipped.step_flops == pytest.approx(traced.step_flops, rel=apart)
    for micro_batch in (1, 16, 256):
        assert peak(shipped, micro_batch) == pytest.approx(peak(traced, micro_batch), rel=apart)
        assert moved(shipped, micro_batch) == pytest.approx(moved(traced, micro_batch), rel=apart)
    assert (shipped.parameters, shipped.trainable, shipped.buffers) == (
        traced.parameters,
        traced.trainable,
        traced.buffers,
    )
