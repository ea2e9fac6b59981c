"""Traces every timm model of the truths at the shapes of their rows into one folder; goes on where it was stopped.

    python benchmarks/sizing/collect.py FOLDER [--workers N]

Those that other tables name too are traced in the precisions of these as well. Rows of 2022 predate fused attention and
are traced with eager attention. A model that cannot be traced leaves ``NAME.error`` with the reason. Each worker
is a process that ends after a number of traces, so that memory comes back.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator
from itertools import product
from multiprocessing import get_context
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from sizing.traces import name_of
from sizing.truths import rows
from tradewind.domain.profile_json import encode
from tradewind.ports.tracer import TraceRequest

TRACES_A_PROCESS = 60
# What the tables of NVIDIA, Lambda and torchvision measured, by timm's names.
ELSEWHERE = ("resnet18", "resnet34", "resnet50", "resnet101", "resnet152", "resnext50_32x4d", "resnext101_32x4d",
             "resnext101_32x8d", "seresnext101_32x4d", "wide_resnet50_2", "wide_resnet101_2",
             "mnasnet_100")  # fmt: skip
PRECISIONS = ("amp-fp16", "tf32", "fp32", "fp16-true")


def requests_of() -> Iterator[tuple[str, TraceRequest]]:
    """(file name, request) of each model and shape, training first, each once."""
    timm = [row for row in rows() if "pytorch-image-models" in row["source"]]
    seen = set()
    for row in sorted(timm, key=lambda row: row["kind"] != "train"):
        model, size = row["model"].removeprefix("timm/"), int(row["image_or_seq"])
        attention = "eager" if row["kind"] == "train" and row["date"] <= "2022" else "flash"
        name = name_of(model, size, row["kind"], attention, "amp-fp16")
        if name not in seen:
            seen.add(name)
            shape = (3, size, size)
            yield name, TraceRequest(f"timm:{model}", ".", row["kind"], "amp-fp16", shape, attention=attention)
    for model, task, precision in product(ELSEWHERE, ("train", "infer"), PRECISIONS):
        name = name_of(model, 224, task, "flash", precision)
        if name not in seen:
            yield name, TraceRequest(f"timm:{model}", ".", task, precision, (3, 224, 224), attention="flash")


def collect(name: str, request: TraceRequest, folder: Path) -> str | None:
    """Traces ``request`` into ``folder``; why not, when it cannot be traced."""
    from tradewind.tracing.trace import trace

    try:
        text = json.dumps(encode(trace(request)), separators=(",", ":"))
    except Exception as error:  # noqa: BLE001  whatever a model's code raises: the others are still traced
        why = f"{type(error).__name__}: {error}".splitlines()[0]
        (folder / f"{name}.error").write_text(why + "\n")
        return why
    part = folder / f"{name}.part{os.getpid()}"
    part.write_text(text)
    part.rename(folder / f"{name}.json")
    return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--workers", type=int, default=1)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    wanted = dict(requests_of())
    missing = {name: request for name, request in wanted.items() if not (arguments.folder / f"{name}.json").exists()}
    done = len(wanted) - len(missing)
    with get_context("spawn").Pool(arguments.workers, maxtasksperchild=TRACES_A_PROCESS) as pool:
        work = [(name, request, arguments.folder) for name, request in missing.items()]
        for name, why in pool.imap(_collected, work):
            done += 1
            print(f"{done}/{len(wanted)} {name} {why or 'traced'}", flush=True)


def _collected(work: tuple[str, TraceRequest, Path]) -> tuple[str, str | None]:
    return work[0], collect(*work)


if __name__ == "__main__":
    main()
