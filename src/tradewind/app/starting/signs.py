"""Signs of how a script trains: names of options, arguments and constants → keys of the job file. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tradewind.app.starting.code import Call, Code, Named
from tradewind.domain.precision import Precision


@dataclass(frozen=True, slots=True)
class Seen:
    """A value of the job file's shape, and where it was seen; line None: in the folder, not in a line of it."""

    value: object
    file: str | None = None
    line: int | None = None


# Names as scripts, transformers, Lightning and Keras have them (2026), the likeliest first; _ and case do not count.
BATCH = ("batch_size", "train_batch_size", "global_batch_size", "bs", "batch")
EACH_DEVICE = ("per_device_train_batch_size", "per_device_batch_size", "micro_batch_size", "device_batch_size")
ACCUMULATION = ("gradient_accumulation_steps", "accumulate_grad_batches", "grad_accum_steps", "accum_iter")
EPOCHS = ("epochs", "num_epochs", "num_train_epochs", "max_epochs", "n_epochs", "nb_epochs")
SAMPLES = ("num_samples", "n_samples", "num_train_samples", "train_samples", "samples")
SEQUENCE = ("sequence_length", "seq_len", "seq_length", "max_seq_length", "max_seq_len", "block_size", "context_length")
IMAGE = ("image_size", "img_size", "imgsz")
CLASSES = ("num_classes", "nb_classes", "n_classes")
_LARGEST = 1_000_000_000

OPTIMIZERS = {
    "sgd": "sgd", "adam": "adam", "adamw": "adamw", "adamw8bit": "adamw-8bit", "pagedadamw8bit": "adamw-8bit",
    "adafactor": "adafactor", "lion": "lion", "lamb": "lamb", "adamwtorch": "adamw", "adamwtorchfused": "adamw",
    "adamwhf": "adamw", "adamwbnb8bit": "adamw-8bit", "adam8bit": "adamw-8bit", "fusedadam": "adamw",
}  # fmt: skip
_PRECISIONS = {
    "bf16": Precision.AMP_BF16, "bf16-mixed": Precision.AMP_BF16, "mixed_bfloat16": Precision.AMP_BF16,
    "fp16": Precision.AMP_FP16, "16": Precision.AMP_FP16, "16-mixed": Precision.AMP_FP16,
    "mixed_float16": Precision.AMP_FP16, "bf16-true": Precision.BF16_TRUE, "16-true": Precision.FP16_TRUE,
    "32": Precision.FP32, "32-true": Precision.FP32, "fp32": Precision.FP32,
}  # fmt: skip
# Samples of the training parts, as those who made the sets tell: MNIST (1998), Fashion-MNIST (2017), CIFAR (2009),
# SVHN (2011), ImageNet's challenge of 2012.
_DATASETS = {
    "MNIST": 60_000, "FashionMNIST": 60_000, "KMNIST": 60_000, "CIFAR10": 50_000, "CIFAR100": 50_000, "SVHN": 73_257,
    "ImageNet": 1_281_167,
}  # fmt: skip


def count(code: Code, names: tuple[str, ...]) -> Seen | None:
    """The first whole number above 0 under one of ``names``."""
    return first(code, names, _whole)


def first(code: Code, names: tuple[str, ...], read: Callable[[object], object]) -> Seen | None:
    """What ``read`` makes of the first value under one of ``names`` of which it makes something.

    What a command line can change comes first, then constants, then what calls are given; a loader that shuffles is the
    one that trains.
    """
    for wanted in map(_plain, names):
        for given in (*code.options, *code.constants, *_arguments(code)):
            value = read(given.value) if _plain(given.name) == wanted else None
            if value is not None:
                return Seen(value, code.name, given.line)
    return None


def _arguments(code: Code) -> Iterator[Named]:
    shuffled = sorted(code.calls, key=lambda call: call.keywords.get("shuffle") is not True)
    for call in (call for call in shuffled if call.last not in {"add_argument", "option"}):
        yield from (Named(name, value, call.line) for name, value in call.keywords.items())


def _plain(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


def _whole(value: object) -> int | None:
    if type(value) is float and value.is_integer():
        value = int(value)
    return value if type(value) is int and 0 < value <= _LARGEST else None


def batch_size(code: Code) -> Seen | None:
    """Samples of one step; where the script counts by device, those of one device and all it accumulates."""
    each = count(code, EACH_DEVICE)
    if each is None:
        return count(code, BATCH)
    accumulated = count(code, ACCUMULATION)
    times = accumulated.value if accumulated else 1
    assert isinstance(each.value, int) and isinstance(times, int)
    return Seen(each.value * times, each.file, each.line)


def optimizer(code: Code) -> Seen | None:
    """The optimizer that is made, or named in a call or option."""
    for call in code.calls:
        known = OPTIMIZERS.get(_plain(call.last))
        if known and call.last[:1].isupper():
            plain = known == "sgd" and not call.keywords.get("momentum") and len(call.arguments) < 3
            return Seen("sgd-plain" if plain else known, code.name, call.line)
    return first(code, ("optim", "optimizer", "opt"), lambda value: OPTIMIZERS.get(_plain(str(value))))


def precision(code: Code) -> Seen | None:
    """The precision that calls ask for: autocast, half models, arguments of Trainers."""
    for call in code.calls:
        found = _precision_of(call)
        if found is not None:
            return Seen(found.value, code.name, call.line)
    named = first(code, ("precision", "mixed_precision", "dtype"), lambda value: _PRECISIONS.get(str(value).lower()))
    return Seen(named.value.value, named.file, named.line) if named and isinstance(named.value, Precision) else None


def _precision_of(call: Call) -> Precision | None:
    said = {str(value).rpartition(".")[2] for value in (*call.arguments, *call.keywords.values()) if value is not None}
    if call.last == "autocast" and call.keywords.get("enabled", True) is True:
        return Precision.AMP_BF16 if "bfloat16" in said else Precision.AMP_FP16
    if call.last in {"from_pretrained", "to"} and said & {"bfloat16", "float16"}:
        return Precision.BF16_TRUE if "bfloat16" in said else Precision.FP16_TRUE
    if call.keywords.get("bf16") is True or call.keywords.get("fp16") is True:
        return Precision.AMP_BF16 if call.keywords.get("bf16") is True else Precision.AMP_FP16
    if call.last in {"Trainer", "Fabric", "Accelerator", "set_global_policy"}:
        asked = (call.keywords.get("precision"), call.keywords.get("mixed_precision"), *call.arguments[:1])
        return next((_PRECISIONS[str(each).lower()] for each in asked if str(each).lower() in _PRECISIONS), None)
    return None


def adapter(code: Code) -> Seen | None:
    """``lora:R`` of a LoraConfig; ``qlora:R`` when the base is loaded in 4 bits."""
    quantized = any(call.keywords.get("load_in_4bit") is True for call in code.calls)
    for call in code.calls:
        rank = call.keywords.get("r", 8)  # peft's default
        if call.last == "LoraConfig" and isinstance(rank, int) and 0 < rank < 10_000:
            return Seen(f"{'qlora' if quantized else 'lora'}:{rank}", code.name, call.line)
    return None


def samples(code: Code) -> Seen | None:
    """How many samples the script trains on: named, or those of a public set that it loads."""
    loaded = next((call for call in code.calls if call.last in _DATASETS), None)
    return count(code, SAMPLES) or (Seen(_DATASETS[loaded.last], code.name, loaded.line) if loaded else None)
