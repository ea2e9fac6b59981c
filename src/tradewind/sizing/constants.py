"""The constants of the closed forms, each as low, value, high (a 90 % range) or alone, and each with its source.

Sources by short name:
    timm     Hugging Face pytorch-image-models, results/benchmark-train-amp-{nchw,nhwc}-pt112-cu113-rtx3090.csv (2022)
    dle      NVIDIA DeepLearningExamples, PyTorch/Classification/ConvNets READMEs (A100, V100; 2021)
    lambda   Lambda deep-learning-benchmark, pytorch-train-throughput-{fp16,fp32}.csv (2023)
    mpt      MosaicML llm-foundry, scripts/train/benchmarking/README.md (2023)
    memnet   GPUMemNet, Datasets/MLP/mlp_data_step2.csv (A100 40GB, 2025)
    torch    PyTorch 2.x: c10/cuda/CUDACachingAllocator.cpp, CUDA and DDP notes in its manual (read 2026-11)
"timm + dle + lambda" below are 885 one-GPU training rows with known parameters, FLOPs and activation counts.
"""

from __future__ import annotations

from typing import NamedTuple

GIB = 2.0**30


class Spread(NamedTuple):
    """A constant with the range in which it lies in nine cases of ten."""

    low: float
    value: float
    high: float


# Backward costs twice the forward pass: gradients by input and by weight. Kaplan et al. 2020, arXiv 2001.08361 §2.1.
PASSES = 3.0

# --- memory -----------------------------------------------------------------------------------------------------------

# Saved fp32 activations of one sample, in bytes, where the model was not traced: c · F / sqrt(P), F forward FLOPs and
# P parameters. A layer of width w used r times has F = 2 w² r and P = w², so its output w r is F / (2 sqrt(P)).
# c: timm 5th, 50th, 95th percentile of layer outputs, times 11.2 saved bytes an output (median of 308 largest batches
# that fitted 24 GiB). Check: Llama 7B saves 8.9 MB a token by arXiv 2205.05198 (34 s b h a layer in 16 bit); 16 here.
ACTIVATION_BYTES = Spread(29.0, 94.0, 284.0)

# How far a traced activation sum is from the peak: outputs freed early, temporaries that no graph saves. Assumed.
ACTIVATION_TRACED = Spread(0.85, 1.0, 1.25)

# Share of fp32 activation bytes that stay under 16-bit compute: half; norms, softmax and losses stay fp32 (torch, AMP).
SIXTEEN_BIT_SHARE = Spread(0.45, 0.5, 0.65)

AUTOCAST_COPY_BYTES = (
    2.0  # a parameter: autocast keeps a 16-bit copy of each weight it used until its context ends (torch)
)

# foreach optimizers hold up to one more copy of the parameters during step(); fused ones none (torch).
STEP_TEMPORARY_SHARE = 1.0

# cuBLAS workspace, MiB a handle and stream: before Hopper, and from Hopper on (torch, CUBLAS_WORKSPACE_CONFIG).
CUBLAS_MIB = 8.1
CUBLAS_MIB_HOPPER = 32.0

# cuDNN convolution workspace, GiB: none for models without convolutions, a few hundred MB with tensor cores. Assumed
# from the residuals of mmsegmentation FCN and PSPNet rows (V100, 2021).
CONVOLUTION_GIB = Spread(0.0, 0.0625, 0.5)

# CUDA context and loaded kernels, GiB: 0.3 to 0.6 with lazy loading (CUDA 11.7 up); 1.42 was seen in memnet (A100).
CONTEXT_GIB = Spread(0.3, 0.5, 1.45)

# NCCL outside the allocator, GiB a process: channels times buffers, by communicator. ml-engineering notes (2024).
NCCL_GIB = Spread(0.2, 0.5, 1.0)

# Reserved over allocated: fragmentation of fixed shapes (torch allocator; litgpt and BERT tables 1.00 to 1.08).
FRAGMENTATION = Spread(1.0, 1.04, 1.08)
SEGMENT_GIB = Spread(0.002, 0.02, 0.04)  # the first block of each pool opens a segment of 2 or 20 MiB (torch)

# Largest unit that FSDP gathers at once, as a share of the parameters: a block of 24 to 32, or a large embedding.
UNIT_SHARE = Spread(1 / 32, 1 / 24, 1 / 8)
UNITS_GATHERED = 2.0  # the unit at work and the one prefetched (torch, FSDP)

# Memory that a card reports, as a share of its name: GDDR with inline ECC gives 1/16 to it (T4 15 of 16, A10 22.5 of
# 24, L40S 45 of 48); others lose about 1 % to the driver (A100-80GB: 81,559 MiB). NVIDIA data sheets and nvidia-smi.
INLINE_ECC = frozenset({"T4", "T4G", "A10", "A10G", "A40", "L4", "L20", "L40", "L40S"})
REPORTED_SHARE = 0.985
REPORTED_SHARE_ECC = 0.9375
SAFE_SHARE = 0.97  # 3 % stay free: peaks of evaluation and of a last odd batch. Our margin.

# --- time -------------------------------------------------------------------------------------------------------------

# Share of the dense peak that matrix products and convolutions reach, and times that each saved activation byte crosses
# the memory bus in one step: least spread over timm + dle + lambda (median ratio 1.04). mpt: MFU 0.55 on A100, 0.40 on
# H100; with these 0.62 and 0.55.
EFFICIENCY = 0.65
ACTIVATION_CROSSINGS = 10.0

# True over predicted step time on those rows, 5th to 95th percentile: with activations known, and with the estimate.
STEP_KNOWN = Spread(0.68, 1.0, 2.1)
STEP_ESTIMATED = Spread(0.50, 1.0, 4.0)

BANDWIDTH_SHARE = 0.8  # of the memory bandwidth that streaming optimizer kernels reach; STREAM-like, our assumption

# Kernels of one eager training step: a small MLP, a network as ResNet-18, a deep one; counted from the layers of each
# times about ten (forward, backward, foreach optimizer). Launch of one on the host: 5 to 8 microseconds (dle: batch 1).
KERNELS = Spread(60.0, 600.0, 4000.0)
LAUNCH_SECONDS = Spread(5e-6, 6.5e-6, 8e-6)

# --- communication ----------------------------------------------------------------------------------------------------

# Bus bandwidth that a ring reaches, as a share of the link's bidirectional figure: NVLink3 230 of 600, NVLink4 360 to
# 450 of 900 GB/s (nccl-tests as reported in ml-engineering notes, 2024).
LINK_SHARE = 0.4
PCIE_GB_S = 14.0  # between cards without a link: 10 to 20 GB/s (same notes)
NETWORK_SHARE = 0.9  # of line rate on InfiniBand or RoCE: 0.85 to 0.95 (same notes)
NETWORK_GB_S = 2.5  # between nodes whose network is not known: TCP at 25 Gb/s. Our assumption.
LATENCY_SECONDS = 8e-6  # of one hop in a node: 5 to 10 microseconds
LATENCY_SECONDS_NETWORK = 25e-6  # between nodes: 15 to 30 microseconds
OVERLAP = 0.9  # share of the backward pass behind which DDP hides its all-reduce
LAST_BUCKET_BYTES = 25 * 2**20  # nothing is left to hide the last DDP bucket (torch default 25 MiB)
FSDP_TRAFFIC = 1.5  # two all-gathers and one reduce-scatter, against the two halves of an all-reduce
COMMUNICATION = Spread(0.7, 1.0, 1.8)  # range of communication time; V100 and A100 scaling of dle and lambda lies in it
