"""The keys of the job file, from its models: shape, default, an example."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tradewind.app.jobfile.models import JobFile

Shape = dict[str, Any]

# One value a key, as it would stand in a file; sections have none.
EXAMPLES: dict[str, Any] = {
    "name": "resnet50-flowers", "run": "python train.py --data /data", "workdir": "./training",
    "setup": "pip install -r requirements.txt", "image": "docker:nvcr.io/nvidia/pytorch:26.05-py3",
    "model.preset": "resnet50", "model.timm": "convnext_tiny", "model.hf": "./llama/config.json",
    "model.entrypoint": "train:build_model", "model.parameters": 25.6e6, "model.flops_per_sample": 8.2e9,
    "model.activation_bytes_per_sample": 88e6,
    "training.batch_size": 256, "training.precision": "bf16", "training.optimizer": "sgd", "training.samples": 8189,
    "training.epochs": 90, "training.sample_bytes": 110_000, "training.task": "finetune", "training.micro_batch": 32,
    "training.image_size": "3x224x224", "training.sequence": 4096, "training.classes": 102,
    "training.strategy": "fsdp", "training.adapter": "lora:16", "training.activation_checkpointing": "full",
    "training.attention": "flash", "training.compile": True, "training.channels_last": True,
    "resources.accelerators": "A100-80GB:1..8", "resources.nodes": 2, "resources.cpus": "8+", "resources.disk_gb": 200,
    "data.source": "oss://bucket/flowers", "data.path": "/data", "data.mode": "stream", "data.region": "cn-beijing",
    "data.size_gb": 120, "outputs": ["./out"],
    "placement.clouds": ["alibaba", "machines"], "placement.regions": ["cn-beijing"], "placement.residency": "CN",
    "schedule.deadline": "12h", "schedule.max_duration": "10h", "schedule.idle_stop": "15m",
    "budget.limit": "300 CNY", "budget.purchase": "spot", "budget.on_limit": "continue_to_deadline",
    "checkpoint.path": "./runs/last", "checkpoint.store": "oss://bucket/checkpoints", "checkpoint.every": "200 steps",
    "rehearse.run": "python train.py --tiny", "rehearse.steps": 50, "rehearse.preempt_at": ["25%", "60%"],
    "compliance": ["mlps3"], "ports": [6006], "env": {"NCCL_DEBUG": "WARN"}, "secrets": ["HF_TOKEN"],
}  # fmt: skip


@dataclass(frozen=True)
class Key:
    """One key: its dotted name, what its value may look like, whether it must be there, and its default."""

    name: str
    shape: Shape
    required: bool
    default: Any

    @property
    def section(self) -> str:
        """The key that it stands below; empty at the top."""
        return self.name.rpartition(".")[0]

    @property
    def is_section(self) -> bool:
        """Whether other keys stand below it."""
        return self.shape["title"] in {"section", "sections"}


def keys() -> Iterator[Key]:
    """Every key, in the order of the models; those of a section follow it."""
    told = JobFile.model_json_schema()
    yield from _below("", told, told["$defs"])


def _below(before: str, section: Shape, sections: dict[str, Shape]) -> Iterator[Key]:
    for name, told in section["properties"].items():
        given = next((each for each in told.get("anyOf", ()) if each != {"type": "null"} and _nullable(told)), told)
        inner = given.get("$ref") or given.get("items", {}).get("$ref")
        shape = {"title": "sections" if "items" in given else "section"} if inner else given
        yield Key(before + name, shape, name in section.get("required", ()), _default(told))
        if inner:
            yield from _below(f"{before}{name}.", sections[inner.rpartition("/")[2]], sections)


def _nullable(told: Shape) -> bool:
    return {"type": "null"} in told.get("anyOf", ())


def _default(told: Shape) -> Any:
    default = told.get("default")
    return None if default in ([], {}) or isinstance(default, dict) else default
