"""Request: what is asked of sizing."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tradewind.domain.errors import BadInput
from tradewind.domain.gpus import Gpu
from tradewind.domain.precision import Precision
from tradewind.domain.profile import ModelProfile
from tradewind.sizing.anchor import Anchor

OPTIMIZERS = ("sgd", "sgd-plain", "adam", "adamw", "adamw-8bit", "lion", "adafactor", "lamb")
STRATEGIES = ("auto", "single", "ddp", "zero1", "zero2", "fsdp", "fsdp-grad-op")
CHECKPOINTING = ("auto", "none", "selective", "full")
LADDER = (512, 384, 256, 192, 128, 96, 64, 48, 32, 24, 16, 12, 8, 6, 4, 3, 2, 1)
EACH_NODE = 8  # GPUs of a server
_DEGREE = re.compile(r"(tp|pp|dp|cp)=([1-9][0-9]*)")


@dataclass(frozen=True, slots=True)
class Degrees:
    """A strategy spelt out: degrees of tensor, pipeline, data and context parallelism. Data: None follows the GPUs."""

    tensor: int = 1
    pipeline: int = 1
    context: int = 1
    data: int | None = None

    @property
    def of_model(self) -> int:
        """GPUs that hold one copy of the model."""
        return self.tensor * self.pipeline * self.context


def degrees_of(strategy: str) -> Degrees | None:
    """The degrees that a strategy spells out; None when it is a word, or unreadable."""
    parts = [part.strip() for part in strategy.split(",")]
    found = {match[1]: int(match[2]) for part in parts if (match := _DEGREE.fullmatch(part))}
    if len(found) != len(parts):
        return None
    return Degrees(found.get("tp", 1), found.get("pp", 1), found.get("cp", 1), found.get("dp"))


@dataclass(frozen=True, slots=True)
class Request:
    """A model, how it is used, and the GPUs to size it on. What is given is obeyed; None or ``auto`` is chosen.

    Image size, sequence, attention and adapter are in the profiles.

    Attributes:
        profiles: of the model under the same conditions, one by way of activation checkpointing; at least one.
        batch_size: global, of one optimizer step: micro × data-parallel GPUs × accumulation; None: one pass.
        micro_batch: samples of one pass of one data-parallel GPU; None: the largest that fits.
        strategy: of :data:`STRATEGIES` or degrees, ``tp=8,pp=2,dp=4,cp=2``; ``dp`` may be left to the GPUs.
        activation_checkpointing: of :data:`CHECKPOINTING`; ``auto`` begins without.
        gpus: data sheets to size on; ``unlisted``: names asked for that have none, to be rejected.
        counts: fewest and most GPUs in all; the fewest that fits is taken.
        nodes: that they are in, alike; None: as few as hold them, of eight GPUs at most.
        ladder: micro-batches of which the largest that is expected to run is wanted (:data:`LADDER`); empty: not asked.
        context: inference of a language model: tokens held for each sequence; None: the profile's.
        concurrency: inference: sequences or samples at once; None: ``micro_batch``, else what fits.
        sample_bytes: one stored sample; ``samples`` in the data set; ``epochs`` over it.
        samples_per_second: that the data pipeline delivers to all GPUs together; None: as many as are wanted.
        anchors: measured steps of this workload, on whatever GPU.

    Raises:
        ValueError: a number out of its range.
        BadInput: ``optimizer-unknown``, ``strategy-unknown``, ``checkpointing-unknown``.
    """

    profiles: tuple[ModelProfile, ...]
    batch_size: int | None = None
    micro_batch: int | None = None
    precision: Precision = Precision.FP32
    optimizer: str = "adamw"
    strategy: str = "auto"
    activation_checkpointing: str = "auto"
    compile: bool = False
    channels_last: bool = False
    gpus: tuple[Gpu, ...] = ()
    unlisted: tuple[str, ...] = ()
    counts: tuple[int, int] = (1, 1)
    nodes: int | None = 1
    ladder: tuple[int, ...] = ()
    context: int | None = None
    concurrency: int | None = None
    samples: int | None = None
    epochs: int | None = None
    sample_bytes: int | None = None
    samples_per_second: float | None = None
    anchors: tuple[Anchor, ...] = ()

    def __post_init__(self) -> None:
        if not self.profiles:
            raise ValueError("a request has at least one profile")
        if not self.profiles[0].parameters > 0:
            raise ValueError(f"parameters must be above 0, not {self.profiles[0].parameters}")
        for name in ("batch_size", "micro_batch", "nodes", "context", "concurrency", "samples", "epochs"):
            given = getattr(self, name)
            if given is not None and not given > 0:
                raise ValueError(f"{name} must be above 0, not {given}")
        if not 1 <= self.counts[0] <= self.counts[1]:
            raise ValueError(f"counts must be a range from 1 up, not {self.counts}")
        if any(rung < 1 for rung in self.ladder):
            raise ValueError(f"micro-batches must be above 0, not {self.ladder}")
        if self.optimizer not in OPTIMIZERS:
            raise BadInput("optimizer-unknown", optimizer=self.optimizer, known=", ".join(OPTIMIZERS))
        if self.strategy not in STRATEGIES and self.degrees is None:
            known = ", ".join((*STRATEGIES, "tp=T,pp=P,dp=D,cp=C"))
            raise BadInput("strategy-unknown", strategy=self.strategy, known=known)
        if self.activation_checkpointing not in CHECKPOINTING:
            known = ", ".join(CHECKPOINTING)
            raise BadInput("checkpointing-unknown", checkpointing=self.activation_checkpointing, known=known)

    @property
    def degrees(self) -> Degrees | None:
        """The degrees that ``strategy`` spells out; None when it is a word, or unreadable."""
        return degrees_of(self.strategy)

    @property
    def task(self) -> str:
        """``train``, ``finetune`` or ``infer``."""
        return self.profiles[0].task

    @property
    def trains(self) -> bool:
        """Whether there are gradients."""
        return self.task != "infer"

    def profile(self, activation_checkpointing: str) -> ModelProfile | None:
        """The profile under that way of activation checkpointing, if there is one."""
        ways = (each for each in self.profiles if each.activation_checkpointing == activation_checkpointing)
        return next(ways, None)

    @property
    def allowed_profiles(self) -> tuple[ModelProfile, ...]:
        """The profiles to try, in order: the one asked for, or all of them from no checkpointing to full."""
        if self.activation_checkpointing == "auto" or not self.trains:
            return tuple(sorted(self.profiles, key=lambda each: CHECKPOINTING.index(each.activation_checkpointing)))
        asked = self.profile(self.activation_checkpointing)
        return (asked,) if asked else ()

    @property
    def parameters(self) -> float:
        """Parameters of the model, adapters counted."""
        return self.profiles[0].parameters

    @property
    def total_steps(self) -> int | None:
        """Optimizer steps in all, partial last batches counted; None when samples, epochs or batch are not given."""
        if not (self.samples and self.epochs and self.batch_size):
            return None
        return -(-self.samples // self.batch_size) * self.epochs


@dataclass(frozen=True, slots=True)
class Hardware:
    """The GPUs of one fit.

    Attributes:
        gpus: in all; below 1 for a slice of one GPU, which is never used together with others.
        memory_gib: of each GPU or slice, where known better than from the sheet; the smaller of the two counts.
        network_gbps: of each node.
    """

    gpu: Gpu
    gpus: float
    nodes: int = 1
    memory_gib: float | None = None
    network_gbps: float | None = None

    @property
    def workers(self) -> int:
        """Processes: one a GPU, one for a slice."""
        return max(1, round(self.gpus))

    @property
    def fraction(self) -> float:
        """Share of a whole GPU's throughput that each worker has."""
        return min(1.0, self.gpus)
