"""Traces the networks of the presets at two image sizes into `src/tradewind/sizing/presets/data/NAME.jsonl.xz`.

    python benchmarks/sizing/trace_presets.py [NAME…]        # all of networks_data.csv, about half an hour on one core

The second size is three times the first (the network's own) a side: an odd number, so that maps which halve with a rest
do so at both. Operations and events of the two traces come in the same order. Networks whose weights depend on the
image size (ViT) are traced at their own alone.
"""

from __future__ import annotations

import json
import lzma
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import Any

from tradewind.domain.profile import Amount, ModelProfile, Moment
from tradewind.ports.tracer import TraceRequest
from tradewind.sizing.presets import networks
from tradewind.tracing.empty import empty_weights
from tradewind.tracing.operations import Signature
from tradewind.tracing.sources import subject_of
from tradewind.tracing.trace import profile_and_record

DATA = Path(networks.__file__).with_name("data")
PRECISIONS = ("fp32", "amp-fp16", "bf16-true")
FIXED_SIZE = ("vit",)
MICRO_BATCHES = tuple(2.0 ** (power / 4) for power in range(-4, 57))  # 0.5 to 16384
RATIOS = (1 / 16, 1 / 4, 1 / 2, 1.0, 2.0, 4.0)  # pixels ÷ those of the first size, at which moments may matter


@dataclass(frozen=True, slots=True)
class Traced:
    """One trace: the profile, and in order every crest of its timeline and every operation, with its phase."""

    profile: ModelProfile
    crests: list[Moment]
    calls: list[tuple[str, Signature]]
    gradient_bytes: float


def main(names: list[str]) -> None:
    """Traces the networks ``names``, or all."""
    DATA.mkdir(exist_ok=True)
    for row in networks.rows():
        if not names or row.name in names:
            begun = time.monotonic()
            found = dict(variants(row))
            about = {"torch": version("torch").partition("+")[0], "timm": version("timm"),
                     "date": f"{datetime.now(UTC):%Y-%m-%d}", "variants": list(found)}  # fmt: skip
            lines = [json.dumps(each, separators=(",", ":")) for each in (about, *found.values())]
            packed = lzma.compress("\n".join(lines).encode(), preset=9 | lzma.PRESET_EXTREME)
            (DATA / f"{row.name}.jsonl.xz").write_bytes(packed)
            print(f"{row.name}: {len(packed)} bytes, {time.monotonic() - begun:.0f} s", flush=True)


def variants(row: networks.Row) -> Iterator[tuple[tuple[str, str, str], dict[str, Any]]]:
    """Every variant of a network, and how it is stored."""
    sizes = [row.image_size] if row.name.startswith(FIXED_SIZE) else [row.image_size, 3 * row.image_size]
    for precision in PRECISIONS:
        for task, way in (("train", "none"), ("train", "full"), ("infer", "none")):
            traces = [traced(row, task, precision, way, size) for size in sizes]
            yield (task, precision, way), stored([size * size for size in sizes], traces)


def traced(row: networks.Row, task: str, precision: str, way: str, size: int) -> Traced:
    """One trace."""
    request = TraceRequest(row.reference, task=task, precision=precision, image_size=(3, size, size),
                           classes=row.classes, activation_checkpointing=way)  # fmt: skip
    with empty_weights():
        subject = subject_of(request)
    profile, record = profile_and_record(subject, request, time.monotonic())
    return Traced(profile, list(record.timeline.crests()), record.calls, record.timeline.gradient_bytes)


def stored(pixels: list[int], traces: list[Traced]) -> dict[str, Any]:
    """One line of a file; with one trace, the second amounts repeat the first."""
    first, second = traces[0], traces[-1]
    profile, other = first.profile, second.profile
    return {
        "pixels": pixels,
        "parameters": number(profile.parameters),
        "trainable": number(profile.trainable),
        "buffers": number(profile.buffers),
        "fused": any(op.kind == "attention" for op in profile.ops),
        "reserved": [[batch, round(ratio, 4)] for batch, ratio in profile.reserved],
        "moments": [
            [a.phase, amount(a.tensors), amount(b.tensors), number(a.copies), round(a.gradients, 6)]
            for a, b in peaks(first, second, pixels)
        ],
        "ops": [
            [phase, a.kind, a.dtype, count, amount(a.flops), amount(a.bytes), a.dims,
             amount(b.flops), amount(b.bytes), b.dims]
            for (phase, a, b), count in Counter(matched(first, second)).items()
        ],
        "units": [
            [a.kind, a.count, number(a.parameters), number(a.trainable), amount(a.saved), amount(a.boundary),
             amount(b.saved), amount(b.boundary)]
            for a, b in zip(profile.units, other.units, strict=True)
        ],
    }  # fmt: skip


def matched(first: Traced, second: Traced) -> Iterator[tuple[str, Signature, Signature]]:
    """The operations of two traces in pairs, the same but for their sizes.

    Raises:
        ValueError: the traces do not match.
    """
    for (phase, a), (_, b) in zip(first.calls, second.calls, strict=True):
        if (a.kind, a.dtype) != (b.kind, b.dtype):
            raise ValueError(f"the two traces differ: {a} and {b}")
        yield phase, a, b


def peaks(first: Traced, second: Traced, pixels: list[int]) -> list[tuple[Moment, Moment]]:
    """The crests that some micro-batch at some image size makes the peak, with gradients kept from before or not."""
    pairs = list(dict.fromkeys(zip(first.crests, second.crests, strict=True)))
    step = pixels[-1] / pixels[0]
    shares = [(ratio - 1) / (step - 1) for ratio in RATIOS] if step > 1 else [0.0]
    chosen: set[int] = set()
    for share, gradient_bytes in product(shares, (0.0, first.gradient_bytes)):
        fixed = [between(a.tensors.fixed, b.tensors.fixed, share) + a.copies + a.gradients * gradient_bytes
                 for a, b in pairs]  # fmt: skip
        growing = [between(a.tensors.per_sample, b.tensors.per_sample, share) for a, b in pairs]
        for batch in MICRO_BATCHES:
            alive = [some + batch * more for some, more in zip(fixed, growing, strict=True)]
            chosen.add(alive.index(max(alive)))
    return [pairs[at] for at in sorted(chosen)]


def between(first: float, second: float, share: float) -> float:
    """The amount at a share of the way from the first size to the second."""
    return first + share * (second - first)


def amount(value: Amount) -> list[float]:
    """An amount as it is stored."""
    return [number(value.fixed), number(value.per_sample)]


def number(value: float) -> float:
    """A number, shorter where nothing is lost."""
    return int(value) if value == int(value) else round(value, 3)


if __name__ == "__main__":
    main(sys.argv[1:])
