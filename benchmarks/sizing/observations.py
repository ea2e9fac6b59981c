"""Measured steps: a row of the truths, the profile of its model, and how it was run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from sizing.languages import language_profile
from sizing.traces import is_of, profile
from sizing.truths import rows
from tradewind.domain.gpus import Gpu, data_sheet, resolve
from tradewind.domain.precision import Precision
from tradewind.domain.profile import ModelProfile
from tradewind.sizing.efficiency import Situation
from tradewind.sizing.layout import Layout
from tradewind.sizing.request import Hardware, Request

_PRECISIONS = {
    "amp_fp16": "amp-fp16", "amp_bf16": "amp-bf16", "bf16": "amp-bf16", "bf16_true": "bf16-true", "fp32": "fp32",
    "tf32": "tf32", "fp16_pure": "fp16-true", "fp8": "fp8", "amp_fp8": "fp8",
}  # fmt: skip
_CARDS = {
    "RTX PRO 6000 Max-Q": ("RTX-PRO-6000", "Max-Q"), "RTX 8000 (Turing)": ("Quadro-RTX-8000", None),
    "H100 SXM": ("H100-80GB", "SXM"), "H100 PCIe": ("H100-80GB", "PCIe"),
    "H100 SXM 96GB HBM2e": ("H100-96GB", "SXM"),
}  # fmt: skip
_IMAGE_MODELS = {
    "lambda/resnet50v1.5": "resnet50", "nvidia-dle/resnet50v1.5": "resnet50",
    "nvidia-dle/resnext101-32x4d": "resnext101_32x4d",
    "nvidia-dle/se-resnext101-32x4d": "seresnext101_32x4d", "torchvision/mnasnet1_0": "mnasnet_100",
}  # fmt: skip


@dataclass(frozen=True)
class Observation:
    """One measured step.

    Attributes:
        source: ``timm``, ``lambda``, ``nvidia`` …: whose table; ``family`` of the model; ``model`` by the table's name.
        seconds: of one optimizer step, or of one forward pass of inference.
        count: images or tokens in it.
    """

    source: str
    family: str
    model: str
    profile: ModelProfile
    request: Request
    hardware: Hardware
    layout: Layout
    seconds: float
    count: float

    @property
    def situation(self) -> Situation:
        """How its operations ran."""
        request = self.request
        return Situation(
            self.profile.task != "infer", request.channels_last, request.compile, self.profile.tokens is not None
        )


@cache
def observations() -> tuple[Observation, ...]:
    """Every measured step of which the model can be profiled."""
    return tuple(found for row in rows() if (found := _observation(row)))


def _observation(row: dict[str, str]) -> Observation | None:
    if row["metric"] not in ("throughput_per_s", "step_ms") or not row["batch"]:
        return None
    gpu = _gpu(row["gpu"])
    precision = _precision(row["precision"], gpu) if gpu else None
    if gpu is None or precision is None or not gpu.peak_tflops:
        return None
    if row["task"] == "image_cls":
        return _image(row, gpu, precision)
    if row["task"] in ("llm_pretrain", "llm_finetune"):
        return _language(row, gpu, precision)
    return None


def _gpu(name: str) -> Gpu | None:
    found = _CARDS.get(name) or resolve(name)
    return data_sheet(*found) if found else None


def _precision(name: str, gpu: Gpu) -> str | None:
    if name == "tf32_or_fp32":
        return "tf32" if "tf32" in gpu.peak_tflops else "fp32"
    return _PRECISIONS.get(name)


def _image(row: dict[str, str], gpu: Gpu, precision: str) -> Observation | None:
    maker, _, name = row["model"].partition("/")
    model = name if maker == "timm" else _IMAGE_MODELS.get(row["model"], name)
    eager = maker == "timm" and row["kind"] == "train" and row["date"] <= "2022"  # before fused attention
    shape = precision.replace("bf16", "fp16")  # the same operations and bytes
    traced = profile(model, int(row["image_or_seq"]), row["kind"], "eager" if eager else "flash", shape)
    if traced is None or not is_of(traced, row):
        return None
    gpus, micro = int(row["n_gpus"]), int(row["batch"])
    layout = Layout("ddp" if gpus > 1 else "single", micro, data=gpus)
    images = micro * gpus
    return _made(row, traced, gpu, precision, layout, row["optimizer"], images)


def _language(row: dict[str, str], gpu: Gpu, precision: str) -> Observation | None:
    strategy = row["strategy"]
    traced = language_profile(
        row["model"], int(row["image_or_seq"]), precision, _adapter(strategy), _checkpointing(row["activation_ckpt"])
    )
    if (
        traced is None
        or "offload" in row["notes"].lower().replace("cpu_offload=false", "")
        or "unpacked" in row["notes"]
    ):
        return None
    degrees = {name: int(value) for name, value in re.findall(r"(tp|pp|cp)=(\d+)", strategy)}
    tensor, pipeline, context = (degrees.get(name, 1) for name in ("tp", "pp", "cp"))
    gpus, micro = int(row["n_gpus"]), int(row["batch"])
    data = gpus // (tensor * pipeline * context)
    passes = _passes(row["notes"], micro * data)
    if pipeline > 1 and row["model"].startswith("torchtitan/"):  # its tables give the batch that a pipeline divides
        passes, micro = micro, 1
    sharding = "3d" if tensor * pipeline * context > 1 else _sharding(row)
    layout = Layout(sharding, micro, passes, data, tensor, pipeline, context)
    tokens = micro * passes * data * int(row["image_or_seq"])
    optimizer = "adamw-8bit" if "8bit" in row["optimizer"] else "adamw"
    return _made(row, traced, gpu, precision, layout, optimizer, tokens)


def _sharding(row: dict[str, str]) -> str:
    if "fsdp" in row["strategy"]:
        return "fsdp"
    if "dist" in row["optimizer"]:
        return "zero1"
    return "single" if row["n_gpus"] == "1" else "ddp"


def _passes(notes: str, batch: int) -> int:
    told = {name: int(value) for name, value in re.findall(r"(grad_accum|global_batch)=(\d+)", notes)}
    return told.get("grad_accum") or max(1, told.get("global_batch", batch) // batch)


def _adapter(strategy: str) -> str:
    return "qlora:8" if "qlora" in strategy else "lora:8" if "lora" in strategy else "none"


def _checkpointing(told: str) -> str:
    return "full" if told.startswith("full") else "selective" if told.startswith("selective") else "none"


@dataclass(frozen=True)
class Generated:
    """A measured token of a language model: what ``token_time`` is asked, and its seconds."""

    asked: tuple[ModelProfile, Request, Hardware, Layout]
    seconds: float


def generated() -> Iterator[Generated]:
    """Every measured generation, one sequence at a time."""
    for row in rows():
        if row["task"] == "llm_generate" and row["metric"] == "throughput_per_s" and row["image_or_seq"]:
            precision = {"bf16": "bf16-true"}.get(row["precision"], row["precision"])
            profile = language_profile(row["model"], 2048, precision, task="infer")
            gpu, gpus = _gpu(row["gpu"]), int(row["n_gpus"])
            if profile is not None and gpu is not None:
                request = Request(
                    (profile,), precision=Precision(precision), compile=row["compile"] == "1", context=128
                )
                layout = Layout("3d" if gpus > 1 else "single", 1, tensor=gpus)
                yield Generated((profile, request, Hardware(gpu, gpus), layout), 1 / float(row["value"]))


def _made(
    row: dict[str, str], traced: ModelProfile, gpu: Gpu, precision: str, layout: Layout, optimizer: str, count: int
) -> Observation:
    value = float(row["value"])
    request = Request(
        (traced,),
        micro_batch=layout.micro_batch,
        precision=Precision(precision),
        optimizer=optimizer or "sgd",
        compile=row["compile"] == "1",
        channels_last=row["channels_last"] == "1",
        gpus=(gpu,),
    )
    gpus = layout.gpus
    return Observation(
        source=row["model"].partition("/")[0],
        family=row["family"],
        model=f"{row['model']} {row['image_or_seq']}",
        profile=traced,
        request=request,
        hardware=Hardware(gpu, gpus, max(1, gpus // 8)),
        layout=layout,
        seconds=count / value if row["metric"] == "throughput_per_s" else value / 1e3,
        count=count,
    )
