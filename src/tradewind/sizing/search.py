"""Fits: how a request runs on each GPU, in the fewest GPUs that hold it."""

from __future__ import annotations

from dataclasses import dataclass

from tradewind.domain.errors import BadInput
from tradewind.domain.estimate import Estimate
from tradewind.domain.fit import Fit
from tradewind.domain.gpus import Gpu
from tradewind.sizing.arithmetic import capability, peak_flops
from tradewind.sizing.constants import PASSES
from tradewind.sizing.memory import Budget
from tradewind.sizing.request import Hardware, Request
from tradewind.sizing.timing import step_time

# Below this CUDA capability no current PyTorch 2 wheel has kernels. Source: PyTorch 2.6 release notes (2025-01): the
# CUDA 12.6 wheels begin with 5.0.
OLDEST_CAPABILITY = 5.0


@dataclass(frozen=True, slots=True)
class Unfit:
    """What could not be evaluated: the GPU and a code saying why."""

    gpu: str
    why: str

    def to_json(self) -> dict[str, str]:
        """One element of ``rejected`` in ``size --json``."""
        return {"gpu": self.gpu, "why": self.why}


def fit_each(request: Request) -> tuple[tuple[Fit, ...], tuple[Unfit, ...]]:
    """One fit per GPU of the request, and those that could not be evaluated.

    Raises:
        BadInput: ``batch-indivisible`` when the batch cannot be spread over any of the counts.
    """
    fits, rejected = [], [Unfit(name, "no-data-sheet") for name in request.unlisted]
    for gpu in request.gpus:
        found = _fewest(request, gpu)
        if isinstance(found, Fit):
            fits.append(found)
        elif found == "batch-indivisible":
            counts = "..".join(str(count) for count in sorted(set(request.counts)))
            raise BadInput(found, batch_size=request.batch_size, gpus=counts, micro_batch=request.micro_batch or "auto")
        else:
            rejected.append(Unfit(gpu.id, found))
    return tuple(fits), tuple(rejected)


def _fewest(request: Request, gpu: Gpu) -> Fit | str:
    """The fit with the fewest GPUs that hold the request; where none does, the one with the most."""
    last: Fit | str = "batch-indivisible"
    for count in range(request.counts[0], request.counts[1] + 1):
        found = fit_on(request, Hardware(gpu, count, request.nodes))
        if isinstance(found, Fit):
            if found.fits:
                return found
            last = found
        elif found != "batch-indivisible":
            return found
    return last


def fit_on(request: Request, hardware: Hardware) -> Fit | str:
    """How the request runs on ``hardware``, also when it does not fit; a code when that cannot be said.

    Codes: ``no-data-sheet`` (peak or bandwidth unknown), ``architecture-unsupported``, ``precision-unsupported``,
    ``slice-alone`` (a slice is never used with others), ``strategy-unsuited`` (``single`` on several GPUs or the
    others on one), ``batch-indivisible``.
    """
    peak, bandwidth = peak_flops(hardware.gpu, request.precision), hardware.gpu.bandwidth_gb_s
    why = _unfit(request, hardware, peak, bandwidth)
    if why or not peak or not bandwidth:
        return why or "no-data-sheet"
    strategy, max_micro = _strategy(request, hardware)
    micro = request.micro_batch or _micro_batch(request.batch_size // hardware.workers, max_micro)
    return _fit(request, hardware, strategy, micro, max_micro, peak, bandwidth * 1e9)


def _unfit(request: Request, hardware: Hardware, peak: float | None, bandwidth: float | None) -> str | None:
    spread = hardware.workers * (request.micro_batch or 1)
    oldest = capability(hardware.gpu)
    checks = {
        "no-data-sheet": not bandwidth or not hardware.gpu.peak_tflops,
        "architecture-unsupported": oldest is not None and oldest < OLDEST_CAPABILITY,
        "precision-unsupported": not peak,
        "slice-alone": hardware.nodes > 1 and hardware.fraction < 1,
        "strategy-unsuited": request.strategy != "auto" and (request.strategy == "single") != (hardware.workers == 1),
        "batch-indivisible": request.batch_size % spread > 0 or hardware.workers % hardware.nodes > 0,
    }
    return next((code for code, failed in checks.items() if failed), None)


def _strategy(request: Request, hardware: Hardware) -> tuple[str, int]:
    """The strategy, obeyed or chosen as simply as memory allows, and its largest micro-batch."""
    if request.strategy != "auto":
        return request.strategy, Budget(request, hardware, request.strategy).max_micro_batch()
    simple = "single" if hardware.workers == 1 else "ddp"
    most = Budget(request, hardware, simple).max_micro_batch()
    if hardware.workers > 1 and most < (request.micro_batch or 1):
        return "fsdp", Budget(request, hardware, "fsdp").max_micro_batch()
    return simple, most


def _micro_batch(each: int, most: int) -> int:
    """The largest divisor of a GPU's share of the batch that is at most ``most``; 1 when nothing fits."""
    return next((size for size in range(min(each, most), 0, -1) if each % size == 0), 1)


def _fit(
    request: Request, hardware: Hardware, strategy: str, micro: int, max_micro: int, peak: float, bandwidth: float
) -> Fit:
    samples = request.batch_size // hardware.workers
    passes = samples // micro
    budget = Budget(request, hardware, strategy)
    memory = budget.peak(micro)
    time = step_time(request, hardware, strategy, samples, passes, peak, bandwidth)
    flops = PASSES * request.forward_flops * request.batch_size
    return Fit(
        gpu=hardware.gpu.id,
        gpus=hardware.gpus,
        nodes=hardware.nodes,
        strategy=strategy,
        micro_batch=micro,
        grad_accumulation=passes,
        precision=request.precision,
        activation_checkpointing="none",
        fits=micro <= max_micro,
        peak_memory_gib=memory,
        gpu_memory_nominal_gib=hardware.gpu.memory_gib * hardware.fraction,
        gpu_memory_usable_gib=budget.usable_gib,
        memory_gib=budget.parts(micro),
        max_micro_batch=max_micro,
        flops_per_step=flops,
        step_seconds=time.seconds,
        throughput_per_second=_rate(request.batch_size, time.seconds),
        throughput_unit="samples",
        mfu=flops / (time.seconds.value * hardware.gpus * peak),
        bottleneck=time.bottleneck,
    )


def _rate(batch: int, seconds: Estimate) -> Estimate:
    return Estimate(batch / seconds.value, batch / seconds.high, batch / seconds.low, seconds.source)
