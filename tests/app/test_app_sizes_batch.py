"""Batches: an answer for each row in its place, whatever the others do."""

from __future__ import annotations

import json
import threading
from collections import Counter
from typing import Any

import pytest

from tradewind.app.queries import SizeOverrides
from tradewind.app.sizes.batch import Answered, answers
from tradewind.domain.errors import BadInput, NotTraceable
from tradewind.domain.workload import Workload


def echo(workload: Workload, overrides: SizeOverrides) -> dict[str, Any]:
    assert workload.model is not None
    told = [workload.model.reference or workload.model.parameters, workload.training.micro_batch, overrides.gpus]
    return {"fits": [told], "rejected": [], "storage": {}, "trace_seconds": None, "workload": "size"}


def all_of(lines: list[Any], size: Any = echo, workers: int = 2) -> list[Answered]:
    return list(answers((each if isinstance(each, str) else json.dumps(each) for each in lines), "f", size, workers))


def test_answers_stand_in_the_order_of_the_rows() -> None:
    rows = [{"model": f"timm:m{number % 7}", "gpu": "A10", "micro_batch": number} for number in range(1, 60)]
    told = all_of(rows)
    assert [each.line for each in told] == list(range(1, 60))
    assert [each.answer and each.answer["fits"][0][1] for each in told] == list(range(1, 60))
    assert told[0].answer is not None and set(told[0].answer) == {"fits", "rejected", "storage"}


def test_broken_rows_are_answered_with_their_line() -> None:
    told = all_of(['{"model": "timm:a"}', "", "{", "[1]", '{"gpu": "A10"}', '{"model": "timm:a", "gpus": "x"}'])
    assert [each.line for each in told] == [1, 3, 4, 5, 6]
    faults = [each.fault for each in told if each.fault]
    assert [fault.code for fault in faults] == ["row-unreadable", "row-not-object", "key-missing", "flags-unreadable"]
    assert [(fault.where.file, fault.where.line) for fault in faults if fault.where] == [
        ("f", 3), ("f", 4), ("f", 5), ("f", 6),
    ]  # fmt: skip


@pytest.mark.parametrize("fault", [NotTraceable("torch-missing"), BadInput("model-raises"), ZeroDivisionError("x")])
def test_a_row_that_cannot_be_sized_does_not_stop_the_others(fault: Exception) -> None:
    def size(workload: Workload, overrides: SizeOverrides) -> dict[str, Any]:
        if workload.model and workload.model.reference == "timm:bad":
            raise fault
        return echo(workload, overrides)

    told = all_of([{"model": "timm:bad"}, {"model": "timm:good"}, {"model": "timm:bad", "gpu": "A10"}], size)
    assert [bool(each.fault) for each in told] == [True, False, True]
    lines = [each.fault.where.line for each in told if each.fault and each.fault.where]
    assert lines == [1, 3]  # each its own, though the fault is one


def test_rows_about_one_model_in_one_shape_are_never_at_work_at_once() -> None:
    busy: Counter[object] = Counter()
    lock, most = threading.Lock(), Counter[object]()

    def size(workload: Workload, overrides: SizeOverrides) -> dict[str, Any]:
        key = (workload.model, workload.training.precision)
        with lock:
            busy[key] += 1
            most[key] = max(most[key], busy[key])
        told = echo(workload, overrides)
        with lock:
            busy[key] -= 1
        return told

    all_of([{"model": f"timm:m{n % 3}", "precision": ("fp32", "bf16")[n % 2]} for n in range(200)], size, workers=8)
    assert len(most) == 6 and set(most.values()) == {1}


def test_whoever_stops_reading_stops_what_has_not_begun() -> None:
    begun: list[object] = []
    first, go = threading.Event(), threading.Event()

    def size(workload: Workload, overrides: SizeOverrides) -> dict[str, Any]:
        begun.append(workload.model)
        if len(begun) == 2:
            first.set()
            go.wait(10)
        return echo(workload, overrides)

    told = answers((json.dumps({"model": f"timm:m{n}"}) for n in range(50)), "f", size, 1)
    assert next(told).line == 1
    assert first.wait(10)
    told.close()  # type: ignore[attr-defined]
    go.set()
    assert len(begun) <= 3
