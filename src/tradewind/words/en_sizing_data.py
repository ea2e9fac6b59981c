"""English: what sizes, guides' set-ups and calibrations say, by code."""

# ruff: noqa: E501  one sentence, one line

from __future__ import annotations

TABLE: dict[str, str] = {
    "tracing": "tracing {model} …",
    # headings and columns
    "head-relief": "What would help on {gpu}", "head-setup": "The guide's set-up", "head-explain": "How it was reckoned",
    "head-cheapest": "The cheapest machines that have it, on demand", "head-calibration": "Measured steps",
    "col-batch": "batch", "col-checkpointing": "checkpointing", "col-max-batch": "largest", "col-device": "device",
    "col-peak-memory": "peak", "col-steps": "steps",
    "col-latency-s": "latency s",
    "checkpointing-none": "none", "checkpointing-selective": "selective", "checkpointing-full": "full",
    "fact-data": "data", "fact-about": "for", "fact-guided": "told to rent", "fact-verdict": "verdict", "fact-note": "but",
    "fact-now": "now", "fact-source": "source",
    # memory
    "memory-on": "Memory of {gpu} at micro-batch {micro}: {peak}, {usable} GiB usable",
    "memory-parameters": "parameters", "memory-gradients": "gradients", "memory-optimizer": "optimizer",
    "memory-activations": "activations", "memory-cache": "KV cache, activations", "memory-workspace": "workspace", "memory-runtime": "CUDA, NCCL",
    "sizes-more": "also on {gpus}",
    # what limits
    "limits-too-large": "{peak} GiB on one {gpu}",
    "limits-fits": "{limit}; fits {ways}", "limits-never": "{limit}; {ways}", "limits-or": "{one}, or {other}",
    "way-activation-checkpointing": "with activation checkpointing ({peak} GiB, +{slower} time)",
    "way-more-gpus": "on {gpus} with {strategy}[[ and {how} activation checkpointing]]",
    "way-none": "needs at least {at_least} of them, and no way to spread it over up to {gpus} is known",
    # what would relieve
    "relief-smaller-micro-batch": "a micro-batch of {micro_batch} fits (--micro-batch {micro_batch})",
    "relief-activation-checkpointing": "activation checkpointing: less memory, about a third more time",
    "relief-eight-bit-optimizer": "an optimizer with 8-bit state (--optimizer adamw-8bit)",
    "relief-shard": "sharding over the GPUs (--strategy fsdp)", "relief-more-gpus": "more GPUs (--gpus N)",
    "relief-adapter": "training an adapter only (--adapter lora:16)", "relief-quantize": "weights of 8 or 4 bits (--precision int8)",
    "relief-lower-precision": "a narrower type (--precision bf16)", "relief-sixteen-bit-weights": "weights of 16 bits: autocast keeps them in 32 (--precision bf16-true or fp16-true)", "relief-compile": "torch.compile (--compile)",
    "relief-channels-last": "channels-last layout (--channels-last)",
    "relief-larger-micro-batch": "a larger micro-batch: up to {micro_batch} fits", "relief-cuda-graphs": "CUDA graphs",
    "relief-faster-link": "a faster link between the GPUs: NVLink within a machine, RDMA between machines",
    "relief-accumulate": "gradient accumulation: fewer exchanges for each sample (a smaller --micro-batch for the same --batch-size)",
    "relief-fewer-gpus": "fewer GPUs: each is waiting for the others", "relief-more-passes": "more micro-batches in a step, so that the pipeline is filled",
    "relief-faster-storage": "faster storage: local NVMe", "relief-more-workers": "more workers that decode",
    # storage
    "storage-local-nvme": "local NVMe", "storage-block-ssd": "SSD volume", "storage-object-store": "object store, streamed",
    "storage-distributed-file-system": "distributed file system",
    "storage-of-size_gb": "{value} GB", "storage-of-min_throughput_gb_s": "{value} GB/s at least", "storage-of-samples_per_second": "{value} samples/s",
    "storage-of-decode_workers": "{value} decode workers", "storage-of-first-copy": "first copy {value}",
    # assumptions
    "sized-closed-form": "{model} was not traced ({why:whynot}): dimensions alone were used, ranges are wider.",
    "sized-shipped-instead": "{model} was not traced ({why:whynot}): the trace of the preset of that name, made beforehand, was used.",
    "sized-not-used": "It makes no difference to this model, and was not used: {names}.",
    "sized-trace-fallback": "The trace could not follow everything: {what:fallback}.",
    "sized-by-parameters": "Of the model only its size is known: work and activations are estimated from the number of parameters.",
    "sized-anchored": "Step times are anchored on {gpu}: {seconds} s at micro-batch {micro_batch}, measured {at}.",
    "sized-anchor-of-processor": "Measured on {device}: {seconds} s at micro-batch {micro_batch}. That says nothing of GPUs, and was not used.",
    "fallback-inputs-guessed": "inputs were guessed from the first layer (--image-size or --sequence says them)",
    "fallback-loss-assumed": "the entry point gives no loss, a usual one was assumed", "fallback-nothing-to-checkpoint": "the model has nothing that can be checkpointed",
    "whynot-not-traced-as-asked": "as asked by --no-trace", "whynot-trace-needs-library": "a library is not installed here", "whynot-trace-too-long": "it took too long",
    "whynot-trace-too-large": "it took too much memory", "whynot-trace-died": "the tracing process died",
    "whynot-architecture-unknown": "transformers does not know its type",
    "whynot-model-reads-values": "the model reads values of its tensors",
    "source-of": "source: {source}",
    # explained
    "term-weights": "weights", "term-buffers": "buffers", "term-gathered": "gathered units", "term-autocast-copies": "16-bit copies of weights",
    "term-gradients": "gradients", "term-optimizer": "optimizer state", "term-activations": "activations", "term-cache": "key-value cache",
    "term-workspace": "workspace", "term-allocator": "allocator", "term-runtime": "CUDA, NCCL", "term-device": "on the device in all",
    "term-reported": "reported by the card", "term-usable": "usable", "term-step": "one step", "term-mfu": "MFU", "term-seconds:conv": "convolutions",
    "term-seconds:matmul": "matrix products", "term-seconds:attention": "attention", "term-seconds:norm": "normalisation, softmax",
    "term-seconds:elementwise": "elementwise", "term-seconds:launch": "kernel launches", "term-seconds:optimizer": "optimizer step",
    "term-seconds:communication": "communication", "term-seconds:bubble": "pipeline bubble", "term-seconds:data": "data",
    # set-ups and stated needs
    "setup-too-small": "does not make sense: {machine} cannot hold this job", "setup-not-for-rent": "cannot be had: no listed machine has {machine}",
    "setup-dear": "no longer makes sense: {machine} costs {ratio} times the best plan", "setup-sensible": "still makes sense: {machine} costs {ratio} times the best plan",
    "setup-unknown": "cannot be judged: the cost of one of the two is not known",
    "need-gpus": "GPUs", "need-gpu_memory_gib": "GPU memory GiB", "need-cpus": "CPU cores", "need-memory_gib": "RAM GiB", "need-storage_gb": "storage GB",
    "need-own": "as the job file says",
    "needs-only": "No model is named: nothing is said of time. `model:` in the job file, or --model, adds it.",
    # calibration
    "calibrated": "Later sizes of this workload rest on these steps, on {gpu} and, scaled, on every other GPU.",
    "calibrated-no-gpu": "Measured on {device}, without a GPU. Rehearsals here now tell beforehand how long they take; of GPUs it says nothing: calibrate where the GPU is, to anchor sizes on it.",
    "calibration-too-short": "{job} ended ({state}) before enough steps were measured. Steps are told by tradewind.training, or as lines on TRADEWIND_EVENTS; see: tradewind show {job}",
}  # fmt: skip
