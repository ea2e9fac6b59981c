"""Measured memory as requests: rows of the truths whose unit is stated, and the largest batches of the 24 GiB card."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sizing.languages import language_profile
from sizing.traces import is_of, profile
from sizing.truths import rows
from tradewind.domain.gpus import data_sheet, resolve
from tradewind.domain.precision import Precision
from tradewind.domain.profile import ModelProfile
from tradewind.sizing import LADDER, Budget, Hardware, Layout, Request, from_parameters
from tradewind.sizing.arithmetic import state_bytes, weight_bytes

_CARDS = {"H100 SXM 96GB HBM2e": "H100-96GB"}
_PRECISIONS = {"bf16_true": "bf16-true", "bf16": "amp-bf16", "fp8": "fp8", "fp32": "fp32"}
# Their files set lora_key, lora_projection, lora_mlp and lora_head: Lightning-AI/litgpt, config_hub/finetune (2024).
_ADAPTERS_EVERYWHERE = frozenset({"litgpt/phi-2", "litgpt/Phi-3-mini-4k-instruct", "litgpt/tiny-llama"})
_SAVED_BY_ACTIVATION = 8.0  # bytes: output and input of each activation function, fp32
GENERATED = 64  # tokens: prompt and answer of litgpt's generate script, when the row does not say


@dataclass(frozen=True)
class Measured:
    """One measured peak: ``gib`` of ``kind`` (allocated, active, reserved or nvml) under ``budget`` at ``micro``.

    ``apart`` says why the row does not tell what its flags ask for; empty when it does.
    """

    source: str
    model: str
    family: str
    card: str
    kind: str
    gib: float
    budget: Budget
    micro: int
    apart: str

    @property
    def predicted(self) -> tuple[float, float, float]:
        """Value, low and high end, GiB, of the same kind."""
        peak = self.budget.peak(self.micro)
        told = {"nvml": peak.device, "reserved": peak.reserved}.get(self.kind, peak.allocated)
        return told.value, told.low, told.high


@dataclass(frozen=True)
class Largest:
    """The largest batch that ran on a rung of the ladder, and the next rung, which did not; None: the first one ran."""

    model: str
    family: str
    channels_last: bool
    batch: int
    over: int | None
    budget: Budget


def measured() -> Iterator[Measured]:
    """Every peak whose source states its unit and whose model is known."""
    for row in rows():
        if row["metric"] == "peak_mem_GiB" and _told(row):
            found = _mlp(row) if row["task"] == "mlp" else _language(row)
            if found:
                yield found


def unknown() -> dict[str, int]:
    """How many peaks are left out, by collection: no unit is stated and their models are not timm's."""
    counts: dict[str, int] = {}
    for row in rows():
        if row["metric"] == "peak_mem_GiB" and not _told(row):
            maker = row["model"].split("/")[0]
            counts[maker] = counts.get(maker, 0) + 1
    return counts


def _told(row: dict[str, str]) -> bool:
    return row["task"] == "mlp" or row["task"].startswith("llm")


def largest() -> Iterator[Largest]:
    """The largest batches of timm on one RTX 3090, SGD, amp-fp16; eager attention, as of 2022."""
    card = data_sheet("RTX-3090")
    for row in rows():
        over = re.search(r"oom_at=(\d+)", row["notes"])
        first = row["metric"] == "throughput_per_s" and row["batch"] == str(LADDER[0]) and row["date"] == "2022"
        timm = "pytorch-image-models" in row["source"] and row["kind"] == "train" and row["gpu"] == "RTX 3090"
        if card is None or not timm or not (first or (row["metric"] == "max_batch_fit" and over)):
            continue
        traced = profile(row["model"].removeprefix("timm/"), int(row["image_or_seq"]), "train", "eager")
        if traced and is_of(traced, row):
            last = row["channels_last"] == "1"
            asked = Request((traced,), precision=Precision.AMP_FP16, optimizer=row["optimizer"], channels_last=last)
            budget = Budget(traced, asked, Hardware(card, 1), Layout("single", 1))
            batch = LADDER[0] if first else int(row["value"])
            yield Largest(
                row["model"], row["family"], last, batch, int(over[1]) if over and not first else None, budget
            )


def _mlp(row: dict[str, str]) -> Measured | None:
    activations = re.search(r"total_activations_per_sample=(\d+)", row["notes"])
    if activations is None:
        return None
    saved = _SAVED_BY_ACTIVATION * int(activations[1])
    known = from_parameters(float(row["params_M"]) * 1e6, activation_bytes=saved)
    return _measured(row, known, Precision.FP32, Layout("single", int(row["batch"])), "")


def _language(row: dict[str, str]) -> Measured | None:
    strategy, infers = row["strategy"], row["kind"] == "infer"
    if "adapter" in strategy or strategy.startswith("ddp_or_fsdp"):
        return None  # an adapter of another kind; the figure of the run on one GPU once more
    precision = "int4" if infers and "nf4" in strategy else _PRECISIONS.get(row["precision"], "")
    ways = {"full": "full", "full+offload": "full", "selective_op": "selective"}
    known = language_profile(
        row["model"], int(row["image_or_seq"] or GENERATED), precision, _adapter(row),
        ways.get(row["activation_ckpt"], "none"), row["kind"],
    )  # fmt: skip
    if known is None:
        return None
    return _measured(row, known, Precision(precision), _layout(row), _apart(row, known, Precision(precision)))


def _adapter(row: dict[str, str]) -> str:
    rank = 32 if "config=" in row["notes"] else 8  # config_hub gives 32, resource-tables 8: litgpt's own files
    if "qlora" in row["strategy"] or ("lora" in row["strategy"] and "bnb" in row["strategy"]):
        return f"qlora:{rank}"
    return f"lora:{rank}" if "lora" in row["strategy"] else "none"


def _layout(row: dict[str, str]) -> Layout:
    gpus, batch = int(row["n_gpus"]), int(row["batch"] or 1)
    degrees = {name: int(size) for name, size in re.findall(r"(fsdp2|tp|pp|cp)=(\d+)", row["strategy"])}
    if len(degrees) > 1:
        stages = degrees.get("pp", 1)
        micro = max(1, batch // stages)
        return Layout("3d", micro, batch // micro, degrees["fsdp2"], degrees.get("tp", 1), stages, degrees.get("cp", 1))
    word = row["strategy"].split("+")[0].split("=")[0]
    return Layout({"fsdp_full": "fsdp", "fsdp2": "fsdp"}.get(word, word), batch, data=gpus)


def _apart(row: dict[str, str], known: ModelProfile, precision: Precision) -> str:
    told = f"{row['strategy']} {row['activation_ckpt']} {row['notes']}"
    for mark, why in (
        ("offload", "offloaded"), ("opt_in_bwd", "optimizer inside backward"), ("chunked", "loss in chunks"),
        ("+activation_ckpt", "loss in chunks"), ("unpacked", "shorter samples"),
    ):  # fmt: skip
        if mark in told:
            return why
    if "lora" in row["strategy"] and "config=" in row["notes"] and row["model"] in _ADAPTERS_EVERYWHERE:
        return "adapters on every linear layer"
    if row["strategy"] == "fsdp_full+lora":
        return "weights loaded whole before they are sharded"
    if known.task != "infer" and known.trainable == known.parameters and row["n_gpus"] == "1":
        stays = 2 * weight_bytes(precision) + state_bytes("adamw", precision)
        if float(row["value"]) < 0.95 * known.parameters * stays / 2**30:
            return "less than its weights, gradients and states: a paged optimizer"
    return ""


def _measured(
    row: dict[str, str], known: ModelProfile, precision: Precision, layout: Layout, apart: str
) -> Measured | None:
    card = resolve(_CARDS.get(row["gpu"], row["gpu"]))
    sheet = data_sheet(*card) if card else None
    if sheet is None:
        return None
    optimizer = {"adamw8bit": "adamw-8bit", "": "adamw"}.get(row["optimizer"], row["optimizer"])
    asked = Request((known,), precision=precision, optimizer=optimizer, compile=row["compile"] == "1")
    budget = Budget(known, asked, Hardware(sheet, layout.gpus), layout)
    maker = row["model"].split("/")[0]
    return Measured(maker, row["model"], row["family"], sheet.id, row["mem_kind"], float(row["value"]), budget,
                    layout.micro_batch, apart)  # fmt: skip
