"""Fits: how a request runs on each GPU, in the fewest GPUs that hold it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tradewind.domain.errors import BadInput
from tradewind.domain.estimate import Estimate
from tradewind.domain.fit import Fit
from tradewind.domain.gpus import Gpu
from tradewind.domain.precision import Precision
from tradewind.domain.profile import ModelProfile
from tradewind.sizing.anchors import anchored
from tradewind.sizing.arithmetic import capability, peak_flops
from tradewind.sizing.generation import generates, token_time
from tradewind.sizing.layout import Layout
from tradewind.sizing.layouts import spelt, suits, ways
from tradewind.sizing.memory import Budget
from tradewind.sizing.relief import relief
from tradewind.sizing.request import EACH_NODE, LADDER, Hardware, Request
from tradewind.sizing.timing import StepTime, step_time

# Below this CUDA capability no current PyTorch 2 wheel has kernels. Source: PyTorch 2.6 release notes (2025-01): the
# CUDA 12.6 wheels begin with 5.0.
OLDEST_CAPABILITY = 5.0

# Made for inference alone. Source: Huawei, Ascend 310 product page (2018): "AI inference processor".
_SERVING = frozenset({"Ascend-310"})


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
        BadInput: ``batch-indivisible`` when the batch cannot be spread over any of the counts, ``nodes-indivisible``
            when none of them can be spread over the nodes.
    """
    counts = "..".join(str(count) for count in sorted(set(request.counts)))
    if request.nodes and not any(count % request.nodes == 0 for count in _counts(request)):
        raise BadInput("nodes-indivisible", gpus=counts, nodes=request.nodes)
    fits, rejected = [], [Unfit(name, "no-data-sheet") for name in request.unlisted]
    for gpu in request.gpus:
        found = _fewest(request, gpu)
        if isinstance(found, Fit):
            fits.append(found)
        elif found == "batch-indivisible":
            raise BadInput(found, batch_size=request.batch_size, gpus=counts, micro_batch=request.micro_batch or "auto")
        else:
            rejected.append(Unfit(gpu.id, found))
    return tuple(fits), tuple(rejected)


def _fewest(request: Request, gpu: Gpu) -> Fit | str:
    """The fit with the fewest GPUs that hold the request; where none does, the one with the most."""
    last: Fit | str = "batch-indivisible"
    for count in _counts(request):
        found = fit_on(request, Hardware(gpu, count, request.nodes or _nodes(count)))
        if isinstance(found, Fit):
            if found.fits:
                return found
            last = found
        elif found not in ("batch-indivisible", "strategy-unsuited"):
            return found
        elif last == "batch-indivisible":
            last = found
    return last


def _counts(request: Request) -> Sequence[int]:
    """The numbers of GPUs to try: beyond one node those that fill nodes, if there are any."""
    every = range(request.counts[0], request.counts[1] + 1)
    full = [count for count in every if count <= EACH_NODE or count % EACH_NODE == 0]
    return every if request.nodes else full or every


def _nodes(gpus: int) -> int:
    """The fewest nodes of at most eight GPUs that hold so many alike."""
    return next(nodes for nodes in range(-(-gpus // EACH_NODE), gpus + 1) if gpus % nodes == 0)


def fit_on(request: Request, hardware: Hardware) -> Fit | str:
    """How the request runs on ``hardware``, also when it does not fit; a code when that cannot be said.

    Codes: ``no-data-sheet`` (peak or bandwidth unknown), ``architecture-unsupported``, ``training-unsupported`` (the
    chip only serves), ``precision-served-only`` (weights of 8 or 4 bits are not trained), ``precision-unsupported``,
    ``slice-alone`` (a slice is never used with others), ``strategy-unsuited`` (``single`` on several GPUs or the
    others on one, or degrees that are another number of GPUs), ``checkpointing-unprofiled``, ``batch-indivisible``.
    """
    peak = peak_flops(hardware.gpu, request.precision, request.trains)
    if why := _unfit(request, hardware, peak):
        return why
    leanest: tuple[Budget, int] | None = None
    for profile, layout in ways(request, hardware):
        if _indivisible(request, layout):
            continue
        budget, micro = _micro_batch(Budget(profile, request, hardware, layout))
        if budget.fits(micro):
            return _fit(budget, micro, peak or 0.0)
        if leanest is None or budget.surely(micro) < leanest[0].surely(leanest[1]):
            leanest = budget, micro
    return _fit(*leanest, peak or 0.0) if leanest else "batch-indivisible"


def _unfit(request: Request, hardware: Hardware, peak: float | None) -> str | None:
    oldest = capability(hardware.gpu)
    checks = {
        "no-data-sheet": not hardware.gpu.bandwidth_gb_s or not hardware.gpu.peak_tflops,
        "architecture-unsupported": oldest is not None and oldest < OLDEST_CAPABILITY,
        "training-unsupported": request.trains and hardware.gpu.id in _SERVING,
        "precision-served-only": request.trains and request.precision in (Precision.INT8, Precision.INT4),
        "precision-unsupported": not peak,
        "slice-alone": hardware.nodes > 1 and hardware.fraction < 1,
        "strategy-unsuited": not suits(request, hardware),
        "checkpointing-unprofiled": not request.allowed_profiles,
        "batch-indivisible": hardware.workers % hardware.nodes > 0,
    }
    return next((code for code, failed in checks.items() if failed), None)


def _indivisible(request: Request, layout: Layout) -> bool:
    spread = layout.data * (request.micro_batch or 1)
    return request.batch_size is not None and request.batch_size % spread > 0


def _micro_batch(budget: Budget) -> tuple[Budget, int]:
    """The micro-batch, obeyed or chosen, and the budget under the accumulation that it makes necessary."""
    request, layout = budget.request, budget.layout
    given = request.micro_batch if request.trains else request.concurrency or request.micro_batch
    if request.batch_size is None:
        if given is None and request.ladder:
            given = _rung(request.ladder, budget.expected_micro_batch())
        return budget, given or _rung(LADDER, budget.max_micro_batch())
    each = request.batch_size // layout.data
    micro = given or _divisor(each, budget.max_micro_batch())
    if micro == each:
        return budget, micro
    budget = _accumulating(budget, each // micro)
    if given is None and (less := _divisor(each, budget.max_micro_batch())) < micro:
        return _accumulating(budget, each // less), less
    return budget, micro


def _accumulating(budget: Budget, passes: int) -> Budget:
    """The budget when gradients of earlier passes are kept."""
    layout = replace(budget.layout, accumulation=passes)
    return Budget(budget.profile, budget.request, budget.hardware, layout)


def _rung(ladder: tuple[int, ...], most: int) -> int:
    """The largest rung up to ``most``; the smallest when none is."""
    return max((rung for rung in ladder if rung <= most), default=min(ladder))


def _divisor(each: int, most: int) -> int:
    """The largest divisor of a GPU's share of the batch that is at most ``most``; 1 when nothing fits."""
    return next((size for size in range(min(each, most), 0, -1) if each % size == 0), 1)


def _fit(budget: Budget, micro: int, peak: float) -> Fit:
    request, hardware, profile = budget.request, budget.hardware, budget.profile
    layout = replace(budget.layout, micro_batch=micro)
    time = _time(budget, layout)
    samples = micro * layout.accumulation * layout.data
    counted = 1 if generates(profile) else profile.tokens or 1
    flops = _model_flops(request, profile) * samples
    fit = Fit(
        gpu=hardware.gpu.id,
        gpus=hardware.gpus,
        nodes=hardware.nodes,
        strategy=spelt(layout),
        micro_batch=micro,
        grad_accumulation=layout.accumulation,
        precision=request.precision,
        activation_checkpointing=profile.activation_checkpointing,
        fits=budget.fits(micro),
        peak_memory_gib=budget.peak(micro),
        gpu_memory_nominal_gib=hardware.gpu.memory_gib * hardware.fraction,
        gpu_memory_usable_gib=budget.usable_gib,
        memory_gib=budget.parts(micro),
        max_micro_batch=budget.max_micro_batch(),
        flops_per_step=flops,
        step_seconds=time.seconds,
        throughput_per_second=_rate(samples * counted, time.seconds),
        throughput_unit="tokens" if profile.tokens else "samples",
        mfu=flops / (time.seconds.value * hardware.gpus * peak),
        bottleneck=time.bottleneck,
        max_batch=_rung(request.ladder, budget.expected_micro_batch()) if request.ladder else None,
        step_parts=time.parts,
        first_token_seconds=_prompt_seconds(budget, layout) if generates(profile) else None,
        form=hardware.gpu.form,
    )
    return replace(fit, relief=relief(fit, request, hardware))


def _time(budget: Budget, layout: Layout) -> StepTime:
    """One step; of a model that generates, one token of each sequence."""
    request, hardware, profile = budget.request, budget.hardware, budget.profile
    if generates(profile):
        return token_time(profile, request, hardware, layout)
    time = step_time(profile, request, hardware, layout, request.samples_per_second)
    return anchored(time, profile, request, hardware, request.anchors)


def _prompt_seconds(budget: Budget, layout: Layout) -> Estimate:
    """One prompt as long as the profile's sequence, alone."""
    return step_time(budget.profile, budget.request, budget.hardware, replace(layout, micro_batch=1)).seconds


def _model_flops(request: Request, profile: ModelProfile) -> float:
    """FLOPs of one sample that the model itself asks for, nothing computed again; of one token where text is made."""
    if generates(profile):
        return 2.0 * profile.active
    if not request.trains:
        return profile.forward_flops
    plain = request.profile("none")
    return plain.step_flops if plain else 3.0 * profile.forward_flops


def _rate(count: float, seconds: Estimate) -> Estimate:
    return Estimate(count / seconds.value, count / seconds.high, count / seconds.low, seconds.source)
