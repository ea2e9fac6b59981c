"""The job file's shape for pydantic. What several keys mean together is in ``build``.

Imported late: pydantic costs more than the whole start of the command line.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, WithJsonSchema, model_validator

from tradewind.app.jobfile import shapes
from tradewind.app.jobfile.readings import (
    Accelerators,
    Adapter,
    Amount,
    Count,
    Cpus,
    Deadline,
    Env,
    EnvNames,
    Every,
    Image,
    ImageSize,
    JobName,
    Limit,
    Ports,
    PrecisionName,
    Preemptions,
    Residency,
    Span,
    Strategy,
    Text,
    Texts,
    Truth,
    choice,
    listed,
)
from tradewind.domain.precision import Precision

CLOUDS = ("aws", "azure", "gcp", "alibaba", "tencent", "huawei", "local", "machines")
OPTIMIZERS = ("sgd", "sgd-plain", "adam", "adamw", "adamw-8bit", "lion", "adafactor", "lamb")
TASKS = ("train", "finetune", "infer")
CHECKPOINTINGS = ("none", "selective", "full", "auto")
ATTENTIONS = ("auto", "flash", "eager")

Clouds = Annotated[
    list[Annotated[str, choice(*CLOUDS)]],
    BeforeValidator(listed),
    WithJsonSchema(shapes.listed(shapes.one_of(*CLOUDS), "choices")),
]


class Section(BaseModel):
    """A mapping of the job file: keys that it does not know are faults; a known key without a value was not said."""

    model_config = ConfigDict(extra="forbid", arbitrary_types_allowed=True, protected_namespaces=())

    @model_validator(mode="before")
    @classmethod
    def _without_empty(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return {key: given for key, given in value.items() if given is not None or key not in cls.model_fields}


class Model(Section):
    """``model``: one source, and hints about it."""

    preset: Text | None = None
    timm: Text | None = None
    hf: Text | None = None
    entrypoint: Text | None = None
    parameters: Amount | None = None
    flops_per_sample: Amount | None = None
    activation_bytes_per_sample: Amount | None = None


class Training(Section):
    """``training``."""

    batch_size: Count | None = None
    precision: PrecisionName = Precision.FP32
    optimizer: Annotated[str, choice(*OPTIMIZERS)] = "adamw"
    samples: Count | None = None
    epochs: Count | None = None
    sample_bytes: Count | None = None
    task: Annotated[str, choice(*TASKS)] = "train"
    micro_batch: Count | None = None
    image_size: ImageSize | None = None
    sequence: Count | None = None
    classes: Count | None = None
    strategy: Strategy = "auto"
    adapter: Adapter = "none"
    activation_checkpointing: Annotated[str, choice(*CHECKPOINTINGS)] = "auto"
    attention: Annotated[str, choice(*ATTENTIONS)] = "auto"
    compile: Truth = False
    channels_last: Truth = False


class Resources(Section):
    """``resources``."""

    accelerators: Accelerators | None = None
    nodes: Count | None = None
    cpus: Cpus | None = None
    disk_gb: Amount | None = None


class Data(Section):
    """One element of ``data``."""

    source: Text
    path: Text
    mode: Annotated[Literal["copy", "mount", "stream"], choice("copy", "mount", "stream")] = "copy"
    region: Text | None = None
    size_gb: Amount | None = None


class Placement(Section):
    """``placement``."""

    clouds: Clouds = []
    regions: Texts = []
    residency: Residency | None = None


class Schedule(Section):
    """``schedule``."""

    deadline: Deadline | None = None
    max_duration: Span | None = None
    idle_stop: Span | None = None


class Budget(Section):
    """``budget``."""

    limit: Limit | None = None
    purchase: Annotated[Literal["auto", "spot", "on_demand"], choice("auto", "spot", "on_demand")] = "auto"
    on_limit: Annotated[Literal["stop", "continue_to_deadline"], choice("stop", "continue_to_deadline")] = "stop"


class Checkpoint(Section):
    """``checkpoint``."""

    path: Text = "./checkpoints"
    store: Text | None = None
    every: Every = "auto"


class Rehearse(Section):
    """``rehearse``."""

    run: Text | None = None
    steps: Count | None = None
    preempt_at: Preemptions = ()


class JobFile(Section):
    """The whole file."""

    name: JobName | None = None
    run: Text
    workdir: Text = "."
    setup: Text | None = None
    image: Image | None = None
    model: Model | None = None
    training: Training = Training()
    resources: Resources | None = None
    data: list[Data] = []
    outputs: Texts = []
    placement: Placement = Placement()
    schedule: Schedule = Schedule()
    budget: Budget = Budget()
    checkpoint: Checkpoint = Checkpoint()
    rehearse: Rehearse = Rehearse()
    compliance: Texts = []
    ports: Ports = []
    env: Env = {}
    secrets: EnvNames = []
