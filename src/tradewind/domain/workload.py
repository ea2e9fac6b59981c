"""Workload: what a job file says, as frozen values. Parsing and its messages are in ``app.jobfile``."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from tradewind.domain.money import Money
from tradewind.domain.precision import Precision


@dataclass(frozen=True, slots=True)
class Model:
    """The model, by one of its sources.

    Attributes:
        parameters: number of parameters, when the file gives it.
        flops_per_sample: forward pass of one sample, multiply-add = 2; None: twice the parameters.
        activation_bytes_per_sample: saved for the backward pass, fp32; None: estimated.
        reference: ``preset:…``, ``timm:…``, ``hf:…`` or ``entrypoint:…`` when the model is named instead.
    """

    parameters: float | None = None
    flops_per_sample: float | None = None
    activation_bytes_per_sample: float | None = None
    reference: str | None = None


@dataclass(frozen=True, slots=True)
class Training:
    """How the model is trained, or run.

    Attributes:
        batch_size: global, of one optimizer step; ``micro_batch`` per GPU and pass, None: chosen.
        sample_bytes: one stored sample.
        task: ``train``, ``finetune`` or ``infer``.
        image_size: channels, height, width; ``sequence`` in tokens; ``classes`` of the head; None: the model's own.
        strategy: ``auto``, or how a step is spread over GPUs; ``adapter``: ``none``, ``lora:R`` or ``qlora:R``.
        activation_checkpointing: ``none``, ``selective``, ``full``, or ``auto``: none where that fits.
    """

    batch_size: int | None = None
    precision: Precision = Precision.FP32
    optimizer: str = "adamw"
    samples: int | None = None
    epochs: int | None = None
    sample_bytes: int | None = None
    task: str = "train"
    micro_batch: int | None = None
    image_size: tuple[int, int, int] | None = None
    sequence: int | None = None
    classes: int | None = None
    strategy: str = "auto"
    adapter: str = "none"
    activation_checkpointing: str = "auto"
    attention: str = "auto"
    compile: bool = False
    channels_last: bool = False

    @property
    def total_steps(self) -> int | None:
        """Optimizer steps in all, partial last batches counted; None when the file does not say."""
        if not (self.batch_size and self.samples and self.epochs):
            return None
        return -(-self.samples // self.batch_size) * self.epochs


@dataclass(frozen=True, slots=True)
class Accelerators:
    """A wish for GPUs: canonical id (None: any) and the counts that are acceptable, in all."""

    gpu: str | None
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Resources:
    """What the machine must have; None: no wish. ``nodes_open``: nobody said how many; then a plan may take more."""

    accelerators: Accelerators | None = None
    nodes: int = 1
    cpus: int | None = None
    disk_gb: float | None = None
    nodes_open: bool = False


@dataclass(frozen=True, slots=True)
class Data:
    """One input: where it lies, where the job finds it, and how it gets there; region and size where they are told."""

    source: str
    path: str
    mode: Literal["copy", "mount", "stream"] = "copy"
    region: str | None = None
    size_gb: float | None = None


@dataclass(frozen=True, slots=True)
class Placement:
    """Where the job may run; empty: anywhere. ``residency`` is an ISO country, ``EU`` or ``EEA``."""

    clouds: tuple[str, ...] = ()
    regions: tuple[str, ...] = ()
    residency: str | None = None


@dataclass(frozen=True, slots=True)
class Schedule:
    """Times. A deadline is a span since submit (``deadline_seconds``) or an instant."""

    deadline_seconds: float | None = None
    deadline_at: datetime | None = None
    max_duration_seconds: float | None = None
    idle_stop_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Budget:
    """Money: the limit, how machines may be bought, and what happens at the limit."""

    limit: Money | None = None
    purchase: Literal["auto", "spot", "on_demand"] = "auto"
    on_limit: Literal["stop", "continue_to_deadline"] = "stop"


@dataclass(frozen=True, slots=True)
class CheckpointPolicy:
    """Where checkpoints are written on the node and kept for good, and how often (``auto``, ``5s``, ``200 steps``)."""

    path: str = "./checkpoints"
    store: str | None = None
    every: str = "auto"


@dataclass(frozen=True, slots=True)
class PreemptAt:
    """One injected preemption: at a share of all steps, or real seconds of training since the first step."""

    share: float | None = None
    seconds: float | None = None

    def __str__(self) -> str:
        return f"{self.share * 100:g}%" if self.share is not None else f"{self.seconds:g}s"


@dataclass(frozen=True, slots=True)
class Rehearse:
    """What a rehearsal runs instead, and which preemptions it injects."""

    run: str | None = None
    steps: int | None = None
    preempt_at: tuple[PreemptAt, ...] = ()


@dataclass(frozen=True, slots=True)
class Workload:
    """Everything that a job file says; only ``run`` is required."""

    name: str
    run: str
    workdir: str = "."
    setup: str | None = None
    image: str | None = None
    model: Model | None = None
    training: Training = field(default_factory=Training)
    resources: Resources | None = None
    data: tuple[Data, ...] = ()
    outputs: tuple[str, ...] = ()
    placement: Placement = field(default_factory=Placement)
    schedule: Schedule = field(default_factory=Schedule)
    budget: Budget = field(default_factory=Budget)
    checkpoint: CheckpointPolicy = field(default_factory=CheckpointPolicy)
    rehearse: Rehearse = field(default_factory=Rehearse)
    compliance: tuple[str, ...] = ()
    ports: tuple[int, ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    secrets: tuple[str, ...] = ()
