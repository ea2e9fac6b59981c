"""Set-ups that guides advise, as job files with the machine that they name; and work sized by what its makers state.

Each figure carries its source. Texts are English and Chinese by turns: ``…`` and ``…_zh``.
"""

# ruff: noqa: E501  one sentence, one line

from __future__ import annotations

from typing import Any

# The job is what such a guide's reader means to run; the machine is what the guide tells them to rent.
GUIDES: dict[str, dict[str, Any]] = {
    "small-cv": {
        "job": {
            "model": {"preset": "resnet18"},
            "training": {"batch_size": 128, "precision": "amp-fp16", "optimizer": "sgd", "samples": 50_000, "epochs": 30, "sample_bytes": 110_000},
        },
        "machine": {"gpu": "T4", "gpus": 1},
        "about": "image classification with a small network on one entry-level GPU",
        "about_zh": "在一张入门级 GPU 上训练小型图像分类网络",
        "source": "common advice of guides, no single page: an entry-level card such as T4; the job is an example of ours",
        "as_of": "2026-11",
    },
    "nlp-pretrain": {
        "job": {
            "model": {"preset": "bert-large"},
            "training": {"batch_size": 512, "sequence": 128, "precision": "amp-fp16", "optimizer": "lamb", "samples": 32_000_000, "epochs": 1, "sample_bytes": 1_024},
        },
        "machine": {"gpu": "V100-16GB", "gpus": 8},
        "about": "pre-training BERT-large at 128 tokens on one server of eight V100",
        "about_zh": "在一台 8 张 V100 的服务器上以 128 个 token 预训练 BERT-large",
        "source": "common advice of guides, no single page: one server of eight V100; the job is an example of ours",
        "as_of": "2026-11",
    },
    "realtime-inference": {
        "job": {
            "model": {"preset": "resnet50"},
            "training": {"task": "infer", "batch_size": 1, "micro_batch": 1, "precision": "fp16-true", "samples": 1_000_000, "epochs": 1},
        },
        "machine": {"gpu": "T4", "gpus": 1},
        "about": "answering a million images, one at a time",
        "about_zh": "逐张回答一百万张图像的实时推理",
        "source": "common advice of guides, no single page: T4 for inference; the job is an example of ours",
        "as_of": "2026-11",
    },
    "yolov5-8gpu": {
        "job": {
            "model": {"preset": "yolov5s"},
            "training": {"batch_size": 128, "image_size": "3x640x640", "precision": "amp-fp16", "optimizer": "sgd", "samples": 118_287, "epochs": 300, "sample_bytes": 165_000},
        },
        "machine": {"gpu": "A100-40GB", "gpus": 8},
        "about": "training YOLOv5 on COCO on what the guide calls GN6i with 8 × A100 and 192 GB, 12 hours at ¥28.8",
        "about_zh": "在 COCO 上训练 YOLOv5，攻略所称机型为 GN6i、8 张 A100、192 GB，每小时 28.8 元、12 小时",
        "note": "gn6i carries T4; eight A100 have 320 or 640 GB, and no server of eight A100 is listed near ¥28.8 an hour",
        "note_zh": "gn6i 配备的是 T4；8 张 A100 共 320 或 640 GB，且没有每小时 28.8 元左右的 8 卡 A100 服务器",
        "source": "a printed case study (YOLOv5 on GN6i); checked in gpu_claims.csv and guide_prices.csv of the catalog",
        "as_of": "2026-11",
    },
    "cnn-imagenet": {
        "job": {
            "model": {"preset": "resnet50"},
            "training": {"batch_size": 2_048, "precision": "amp-fp16", "optimizer": "sgd", "channels_last": True, "samples": 1_281_167, "epochs": 90, "sample_bytes": 110_000},
        },
        "machine": {"gpu": "V100-16GB", "gpus": 8},
        "about": "ResNet-50 on ImageNet, 90 epochs, on a server of eight V100 (p3.16xlarge)",
        "about_zh": "在一台 8 张 V100 的服务器（p3.16xlarge）上训练 ResNet-50 90 轮（ImageNet）",
        "source": "AWS Machine Learning Blog, Scalable multi-node deep learning training using GPUs in the AWS Cloud (seen as an excerpt); the batch is ours",
        "as_of": "2018",
    },
}  # fmt: skip

# What is not trained is sized by what its makers state: GiB of GPU memory, CPU cores and GiB of RAM for each GPU, storage.
NEEDS: dict[str, dict[str, Any]] = {
    "rendering": {
        "gpus": 1, "gpu_memory_gib": 12, "cpus": 8, "memory_gib": 32, "storage_gb": 100, "storage_kind": "block-ssd",
        "about": "rendering with Cycles: the whole scene, its textures too, lies in the memory of every GPU",
        "about_zh": "Cycles 渲染：整个场景连同纹理都放在每张 GPU 的显存里",
        "lines": [
            {"what": "gpu_memory_gib", "source": "Blender 2.9 requirements, production-grade, as quoted in print: 12 GB or more", "as_of": "2021"},
            {"what": "cpus", "source": "Blender 2.9 requirements, production-grade, as quoted in print: eight cores", "as_of": "2021"},
            {"what": "memory_gib", "source": "Blender 2.9 requirements, production-grade, as quoted in print: 32 GB", "as_of": "2021"},
            {"what": "storage_gb", "source": "assumed: textures, caches and frames of one project", "as_of": "2026"},
        ],
    },
    "rendering-large": {
        "gpus": 1, "gpu_memory_gib": 24, "cpus": 16, "memory_gib": 64, "storage_gb": 500, "storage_kind": "local-nvme",
        "about": "rendering of film scenes: several cards do not add up their memory unless NVLink joins them",
        "about_zh": "影视级场景渲染：没有 NVLink 时，多张卡的显存不能相加",
        "lines": [
            {"what": "gpu_memory_gib", "source": "assumed: 24 GiB for a large scene, which must lie whole in every card that NVLink does not join", "as_of": "2026"},
            {"what": "cpus", "source": "assumed: building the scene before each frame runs on the CPU", "as_of": "2026"},
            {"what": "memory_gib", "source": "assumed: more than twice the GPU's memory, where the scene is built", "as_of": "2026"},
            {"what": "storage_gb", "source": "assumed: textures, caches and frames of one film project", "as_of": "2026"},
        ],
    },
    "molecular-dynamics": {
        "gpus": 1, "gpu_memory_gib": 8, "cpus": 8, "memory_gib": 16, "storage_gb": 200, "storage_kind": "block-ssd",
        "about": "molecular dynamics with GROMACS: little memory, single precision, cores that keep the GPU busy",
        "about_zh": "GROMACS 分子动力学：显存需求小，单精度，需要足够的 CPU 核心",
        "lines": [
            {"what": "gpu_memory_gib", "source": "assumed: systems of up to some million atoms take a few GiB", "as_of": "2026"},
            {"what": "cpus", "source": "assumed: what a simulation leaves on the CPU needs some cores for each GPU", "as_of": "2026"},
            {"what": "memory_gib", "source": "assumed: twice the GPU's memory", "as_of": "2026"},
            {"what": "storage_gb", "source": "assumed: trajectories of one project", "as_of": "2026"},
        ],
    },
    "dataframes": {
        "gpus": 1, "gpu_memory_gib": 24, "cpus": 12, "memory_gib": 48, "storage_gb": 1_000, "storage_kind": "local-nvme",
        "about": "tables with RAPIDS: memory for the table and as much again for joins; input and output decide the speed",
        "about_zh": "RAPIDS 表格处理：显存要放下数据表以及同样大的连接中间结果，读写速度决定快慢",
        "lines": [
            {"what": "gpu_memory_gib", "source": "assumed: a table of 10 GB in memory, with as much again for joins", "as_of": "2026"},
            {"what": "cpus", "source": "NVIDIA/cudf-spark discussion 11937: T4 and L4 machines with 12 cores for each GPU", "as_of": "2025"},
            {"what": "memory_gib", "source": "assumed: twice the GPU's memory", "as_of": "2026"},
            {"what": "storage_gb", "source": "assumed: tables are read from fast local disks", "as_of": "2026"},
        ],
    },
}  # fmt: skip
