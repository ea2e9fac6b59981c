"""What others say for the same run: accelerate's and DeepSpeed's estimators, where they are installed.

Both count weights, gradients and states; neither knows activations. They are asked by their own functions.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec

from sizing.memory_rows import Measured

GIB = 2.0**30


def estimators() -> dict[str, Callable[[Measured], float]]:
    """Estimators that can be imported, by name: measured row → GiB."""
    known = {"accelerate": accelerate_gib, "deepspeed": deepspeed_gib}
    return {name: of for name, of in known.items() if find_spec(name)}


def accelerate_gib(row: Measured) -> float:
    """``accelerate estimate-memory``: the weights, or the largest of its lines for training with Adam."""
    sys.modules.setdefault("timm", None)  # type: ignore[arg-type]  # it looks for torchvision behind timm
    estimate = import_module("accelerate.commands.estimate")
    profile, precision = row.budget.profile, row.budget.request.precision.value
    if profile.task == "infer":
        return profile.parameters * profile.frozen_bytes / GIB
    kind = "float32" if precision in ("fp32", "tf32") else "bfloat16"
    lines: dict[str, int] = estimate.estimate_training_usage(int(profile.parameters * 4), kind)
    return max(lines.values()) / GIB


def deepspeed_gib(row: Measured) -> float:
    """``estimate_zero2`` for one GPU and DDP, ``estimate_zero3`` for sharded weights; without offloading."""
    profile, layout = row.budget.profile, row.budget.layout
    if layout.strategy in ("single", "ddp"):
        zero2 = import_module("deepspeed.runtime.zero.stage_1_and_2")
        needs = zero2.estimate_zero2_model_states_mem_needs(profile.parameters, 1, 1, cpu_offload=False)
        return float(needs[1]) / GIB
    largest = max((unit.parameters for unit in profile.units), default=profile.parameters)
    zero3 = import_module("deepspeed.runtime.zero.stage3")
    needs = zero3.estimate_zero3_model_states_mem_needs(
        profile.parameters, largest, layout.gpus, 1, cpu_offload=False, cpu_offload_params=False
    )
    return float(needs[1]) / GIB
