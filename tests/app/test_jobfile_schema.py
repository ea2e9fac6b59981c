"""The schema for editors refuses nothing that the loader reads, and lets pass only what a schema cannot tell."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import given, settings
from test_jobfile_laws import workloads

from tradewind.app import jobfile
from tradewind.app.jobfile.tree import read_tree
from tradewind.domain import workload as domain
from tradewind.domain.errors import BadInput

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads(jobfile.schema_text())
VALIDATOR = jsonschema.Draft7Validator(SCHEMA)
EXAMPLES = sorted((ROOT / "examples").glob("*/job.yaml"))

# Each stands below `run: x` unless it says itself what runs.
READ = """
run: x
name: 5
name: 任务 一
name:
setup:
image: docker:nvcr.io/nvidia/pytorch:26.05-py3
image: "machine:box"
model: {preset: resnet50, flops_per_sample: 8.2e9}
model: {parameters: 7e9, hf: }
training: {batch_size: 256, precision: BF16, optimizer: AdamW, epochs: 3.0}
training: {image_size: 224, compile: yes, channels_last: off}
training: {image_size: 3x224x224, compile: 1}
training: {image_size: [1, 28, 28], strategy: "tp=8, pp=4,dp=2"}
training: {strategy: FSDP, adapter: QLoRA:16, activation_checkpointing: Full, attention: flash}
training:
resources: {accelerators: 4}
resources: {accelerators: "A100-80GB : 1..8", cpus: 8+, disk_gb: 0.5}
resources: {accelerators: l4, cpus: 8, nodes: 2}
data: [{source: "oss://b/x", path: /data, mode: Stream, size_gb: 3}]
data: []
outputs: ./out
outputs: [a, b]
placement: {clouds: Alibaba, regions: cn-beijing, residency: cn}
placement: {clouds: [aws, machines], residency: EEA}
schedule: {deadline: 1h30m, max_duration: 10 H, idle_stop: 15m}
schedule: {deadline: "2126-11-22T08:00+08:00"}
schedule: {deadline: 2126-11-22 08:00 Z}
budget: {limit: 300 CNY, purchase: Spot, on_limit: continue_to_deadline}
budget: {limit: "usd 1,200.50"}
checkpoint: {path: ./c, store: "oss://b/c", every: 200 Steps}
checkpoint: {every: 5s}
rehearse: {run: y, steps: 50, preempt_at: [25%, 60%]}
rehearse: {preempt_at: "15s, 35 s"}
rehearse: {preempt_at: 7.5%}
compliance: mlps3
ports: [6006, 1]
env: {A: 1, B: yes, C: , D: "x y", E: 1.5}
secrets: HF_TOKEN
secrets: [A, _b1]
"""
REFUSED = """
run: ""
run: 5
run: [a]
rnu: y
name: a/b
name: "  "
image: nvidia/pytorch
model: {}
model: {preset: a, timm: b}
model: {flops_per_sample: 8e9}
model: {preset: 5}
model: [a]
training: {batch_size: 0}
training: {batch_size: 1.5}
training: {batch_size: "256"}
training: {precision: fp64}
training: {optimizer: adamx}
training: {image_size: 224x224}
training: {strategy: "xp=8"}
training: {adapter: "lora:0"}
training: {compile: maybe}
training: {batch-size: 5}
resources: {accelerators: "T4:0"}
resources: {accelerators: "T4:x"}
resources: {accelerators: ""}
resources: {cpus: many}
resources: {disk_gb: -1}
data: {source: a, path: b}
data: [{source: a}]
data: [{source: a, path: b, mode: tape}]
outputs: {a: 1}
outputs: [5]
outputs: [""]
placement: {clouds: [alibabba]}
placement: {residency: China}
schedule: {deadline: 12}
schedule: {deadline: soon}
schedule: {deadline: "2126-11-22T08:00"}
schedule: {max_duration: 10}
budget: {limit: 300}
budget: {limit: lots}
budget: {purchase: spott}
checkpoint: {every: 5}
checkpoint: {every: 0 steps}
rehearse: {preempt_at: [25]}
rehearse: {preempt_at: [0%]}
rehearse: {preempt_at: 100%}
rehearse: {steps: -3}
ports: [0]
ports: [70000]
ports: 6006
env: [a]
env: {1X: a}
env: {A: [1]}
secrets: ["a b"]
"""
# Told by the loader alone: several keys together, tables of names, the calendar, sizes of numbers.
BEYOND = """
env: {A: 1}\\nsecrets: [A]
resources: {accelerators: NoSuchGPU}
resources: {accelerators: A100}
resources: {accelerators: "T4:4..2"}
schedule: {deadline: "2126-02-30T08:00Z"}
schedule: {deadline: 0h}
training: {strategy: "dp=2,dp=4"}
training: {batch_size: 1e30}
"""


def lines(text: str) -> list[str]:
    return [line.replace("\\n", "\n") for line in text.strip().splitlines()]


def whole(text: str) -> str:
    return text if "run:" in text.partition("{")[0] else f"run: x\n{text}"


def marked(text: str) -> bool:
    """Whether an editor marks the text: as the loader, it reads YAML 1.2 (``NO`` is a text there)."""
    return not VALIDATOR.is_valid(read_tree(text, "job.yaml").value)


def refused(text: str) -> bool:
    try:
        jobfile.parse(text, "job.yaml")
    except BadInput as bad:
        assert bad.code == "job-invalid", bad
        return True
    return False


def test_the_schema_is_a_schema_and_the_shipped_one_is_that_of_the_pages() -> None:
    jsonschema.Draft7Validator.check_schema(SCHEMA)
    assert (ROOT / "docs" / "job.schema.json").read_text(encoding="utf-8") == jobfile.schema_text()


@pytest.mark.parametrize("text", lines(READ))
def test_what_the_loader_reads_is_not_marked(text: str) -> None:
    assert (refused(whole(text)), marked(whole(text))) == (False, False)


@pytest.mark.parametrize("text", lines(REFUSED))
def test_what_the_loader_refuses_is_marked(text: str) -> None:
    assert (refused(whole(text)), marked(whole(text))) == (True, True)


@pytest.mark.parametrize("text", lines(BEYOND))
def test_what_only_the_loader_can_tell_is_not_marked(text: str) -> None:
    assert (refused(whole(text)), marked(whole(text))) == (True, False)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.parent.name)
def test_the_examples_are_not_marked(path: Path) -> None:
    assert not marked(path.read_text(encoding="utf-8"))


@settings(max_examples=60, deadline=None)
@given(workloads)
def test_whatever_a_workload_is_told_as_is_not_marked(workload: domain.Workload) -> None:
    told: dict[str, Any] = yaml.safe_load(json.dumps(jobfile.dump(workload)))
    assert list(VALIDATOR.iter_errors(told)) == []


ESCAPES = re.compile(r"\\(?![dDsSwWbB^$\\.*+?()\[\]{}|/]|x[0-9a-f]{2}|u[0-9a-f]{4})")


def patterns(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        yield from ([schema["pattern"]] if isinstance(schema.get("pattern"), str) else [])
    for below in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else []:
        yield from patterns(below)


def test_patterns_have_only_escapes_that_editors_know() -> None:
    """JavaScript refuses others in patterns of Unicode, which is how editors read them."""
    assert ESCAPES.search(r"a\-b")
    assert len(list(patterns(SCHEMA))) > 20
    assert [pattern for pattern in patterns(SCHEMA) if ESCAPES.search(pattern)] == []


def test_an_editor_says_what_a_key_means() -> None:
    training = SCHEMA["properties"]["training"]["properties"]
    assert training["batch_size"]["description"].startswith("Samples of one optimizer step")
    assert training["batch_size"]["examples"] == [256]
    assert training["precision"]["default"] == "fp32"
    assert "bf16" in training["precision"]["anyOf"][0]["enum"]
