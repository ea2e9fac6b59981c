"""Request: what is asked of sizing."""

from __future__ import annotations

from dataclasses import dataclass

from tradewind.domain.errors import BadInput
from tradewind.domain.gpus import Gpu
from tradewind.domain.precision import Precision

OPTIMIZERS = ("sgd", "sgd-plain", "adam", "adamw", "adamw-8bit", "lion", "adafactor", "lamb")
STRATEGIES = ("auto", "single", "ddp", "fsdp")


@dataclass(frozen=True, slots=True)
class Request:
    """A model, how it is trained, and the GPUs to size it on. What is given is obeyed; None is chosen or estimated.

    Attributes:
        parameters: of the model, all trained; more than 0.
        flops_per_sample: forward pass of one sample, multiply-add = 2; None: twice the parameters.
        activation_bytes_per_sample: saved for the backward pass, counted as fp32; None: estimated, with a wide range.
        batch_size: global, of one optimizer step: micro × GPUs × accumulation.
        micro_batch: per GPU; None: the largest that fits.
        gpus: data sheets to size on; ``unlisted``: names asked for that have none, to be rejected.
        counts: fewest and most GPUs in all; the fewest that fits is taken.
        sample_bytes: one stored sample; ``samples`` in the data set; ``epochs`` over it.

    Raises:
        ValueError: a number out of its range.
        BadInput: ``optimizer-unknown``, ``strategy-unknown``.
    """

    parameters: float
    batch_size: int
    flops_per_sample: float | None = None
    activation_bytes_per_sample: float | None = None
    micro_batch: int | None = None
    precision: Precision = Precision.FP32
    optimizer: str = "adamw"
    strategy: str = "auto"
    gpus: tuple[Gpu, ...] = ()
    unlisted: tuple[str, ...] = ()
    counts: tuple[int, int] = (1, 1)
    nodes: int = 1
    samples: int | None = None
    epochs: int | None = None
    sample_bytes: int | None = None

    def __post_init__(self) -> None:
        for name in ("parameters", "batch_size", "nodes"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be above 0, not {getattr(self, name)}")
        for name in ("flops_per_sample", "activation_bytes_per_sample", "micro_batch", "samples", "epochs"):
            given = getattr(self, name)
            if given is not None and not given > 0:
                raise ValueError(f"{name} must be above 0, not {given}")
        if not 1 <= self.counts[0] <= self.counts[1]:
            raise ValueError(f"counts must be a range from 1 up, not {self.counts}")
        if self.optimizer not in OPTIMIZERS:
            raise BadInput("optimizer-unknown", optimizer=self.optimizer, known=", ".join(OPTIMIZERS))
        if self.strategy not in STRATEGIES:
            raise BadInput("strategy-unknown", strategy=self.strategy, known=", ".join(STRATEGIES))

    @property
    def forward_flops(self) -> float:
        """FLOPs of the forward pass of one sample, given or twice the parameters."""
        return self.flops_per_sample or 2.0 * self.parameters

    @property
    def total_steps(self) -> int | None:
        """Optimizer steps in all, partial last batches counted; None when samples or epochs are not given."""
        if not (self.samples and self.epochs):
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
