"""How the machines with GPUs are made up, for their prices: Google bills their parts.

Sources: Compute Engine documentation, "Accelerator-optimized machine family" and "GPU machine types" (2026-11); the
stems of SKU descriptions by the Cloud Billing Catalog, those of G4, A3 Ultra and A4 as programs that read it quote them
(karpenter-provider-gcp 2026-08, google-cloud-pricing-cost-calculator 2026-08, sc-crawler 2026; A4X has none yet).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shape:
    """The parts of one machine: vCPUs, GiB of memory, GPUs, GiB of local SSD that comes with it.

    ``family`` and ``gpu`` are the stems of the descriptions under which its parts are billed. Without a ``family`` the
    machine is billed in slices: ``gpu`` names the slice, which has vCPUs, memory and SSD in it, and ``gpus`` counts it.
    """

    family: str | None
    cpus: int
    memory_gib: float
    gpu: str
    gpus: int
    ssd_gib: int = 0


A100, A100_80, H100, H100_MEGA = "Tesla A100", "Tesla A100 80GB", "H100 80GB", "H100 80GB Mega"
H200, RTX_PRO_6000 = "H200 141GB", "RTX 6000 96GB"
B200_SLICE, RTX_SLICE = "A4 Nvidia B200 (1 gpu slice)", "1/8 vGPU no lssd"
SLICES = (B200_SLICE, RTX_SLICE)

SHAPES: dict[str, Shape] = {
    **{f"a2-highgpu-{n}g": Shape("A2", 12 * n, 85 * n, A100, n) for n in (1, 2, 4, 8)},
    "a2-megagpu-16g": Shape("A2", 96, 1360, A100, 16),
    **{f"a2-ultragpu-{n}g": Shape("A2", 12 * n, 170 * n, A100_80, n, 375 * n) for n in (1, 2, 4, 8)},
    **{f"a3-highgpu-{n}g": Shape("A3", 26 * n, 234 * n, H100, n, 750 * n) for n in (1, 2, 4, 8)},
    "a3-megagpu-8g": Shape("A3Plus", 208, 1872, H100_MEGA, 8, 6000),
    "a3-ultragpu-8g": Shape("A3Ultra", 224, 2952, H200, 8, 12000),
    "a3-ultragpu-8g-nolssd": Shape("A3Ultra", 224, 2952, H200, 8),
    "a4-highgpu-8g": Shape(None, 224, 3968, B200_SLICE, 8),
    "g4-standard-6": Shape(None, 6, 22, RTX_SLICE, 1),
    **{f"g4-standard-{48 * n}": Shape("G4", 48 * n, 180 * n, RTX_PRO_6000, n) for n in (1, 2, 4, 8)},
    **{
        f"g2-standard-{cpus}": Shape("G2", cpus, 4 * cpus, "L4", gpus)
        for cpus, gpus in ((4, 1), (8, 1), (12, 1), (16, 1), (24, 2), (32, 1), (48, 4), (96, 8))
    },
}

# N1 machines take GPUs of a choice; these pairs have a name of our own: machine type + accelerator type : count.
N1_GPUS = {"nvidia-tesla-t4": "Tesla T4", "nvidia-tesla-p4": "Tesla P4", "nvidia-tesla-p100": "Tesla P100",
           "nvidia-tesla-v100": "Tesla V100"}  # fmt: skip
N1_PAIRS = (
    (4, "nvidia-tesla-t4", 1),
    *((8 * n, gpu, n) for gpu in N1_GPUS for n in (1, 2, 4)),
    (64, "nvidia-tesla-v100", 8),
)
SHAPES |= {
    f"n1-standard-{cpus}+{gpu}:{n}": Shape("N1 Predefined", cpus, 3.75 * cpus, N1_GPUS[gpu], n)
    for cpus, gpu, n in N1_PAIRS
}
