"""What is typed for ``offers``, as a question to the catalog."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tradewind.app.queries import OffersQuery
from tradewind.app.typed import question
from tradewind.catalog import rates
from tradewind.catalog.places import locate
from tradewind.catalog.query import Query
from tradewind.catalog.snapshot import Snapshot, open_snapshot
from tradewind.domain.errors import BadInput
from tradewind.domain.money import Money
from tradewind.domain.offer import Purchase


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    home: Path = tmp_path_factory.mktemp("home")
    return open_snapshot(home)


def asked(snapshot: Snapshot, **given: Any) -> Query:
    query = OffersQuery(**given)
    return question(snapshot, query, locate(snapshot, query.near) if query.near else None, rates.given())


def test_nothing_typed_restricts_nothing(snapshot: Snapshot) -> None:
    assert asked(snapshot) == Query()


@pytest.mark.parametrize(
    ("typed", "gpu", "form", "gpus"),
    [
        ("A100-80GB:8", "A100-80GB", None, (8, 8)),
        ("nvidia a100 sxm4 80g : 1..4", "A100-80GB", "SXM", (1, 4)),
        ("T4", "T4", None, None),
        ("any:8", None, None, (8, 8)),
        ("A100:8", ("A100-40GB", "A100-80GB"), None, (8, 8)),  # whoever looks wants to see both
        ("GPU-H-96GB:8", "GPU-H-96GB", None, (8, 8)),  # a label that only its cloud explains
    ],
)
def test_a_gpu_and_how_many(snapshot: Snapshot, typed: str, gpu: str | tuple[str, ...] | None, form: str | None,
                            gpus: tuple[int, int] | None) -> None:  # fmt: skip
    query = asked(snapshot, gpu=typed)
    assert (query.gpu, query.form, query.gpus) == (gpu, form, gpus)


@pytest.mark.parametrize(
    ("typed", "code", "nearest"),
    [
        ("A100:7", "gpu-count-unknown", "A100-40GB:8, A100-80GB:8"),
        ("A100-80GB:7", "gpu-count-unknown", "A100-80GB:8, A100-80GB:4"),
        ("T4:none", "gpu-count-unreadable", None),
    ],
)
def test_gpus_that_cannot_be_had(snapshot: Snapshot, typed: str, code: str, nearest: str | None) -> None:
    with pytest.raises(BadInput) as refused:
        asked(snapshot, gpu=typed)
    assert (refused.value.code, refused.value.facts.get("nearest")) == (code, nearest)


def test_words_are_taken_whatever_their_case(snapshot: Snapshot) -> None:
    query = asked(snapshot, rdma="efa", nvlink="NVSWITCH", purchases=("On-Demand", "spot"), residency="eea",
                  sort="Gpu-Memory", tier="ALL", clouds=("AWS",), max_price="cny 20")  # fmt: skip
    assert (query.rdma, query.nvlink, query.sort, query.tier) == ("EFA", "NVSwitch", "gpu_memory", "all")
    assert query.purchases == [Purchase.ON_DEMAND, Purchase.SPOT]
    assert query.countries is not None and {"DE", "NO"} <= set(query.countries) and "US" not in query.countries
    assert query.max_price == Money(Decimal(20), "CNY")


def test_a_place_sorts_by_distance_unless_another_order_is_asked(snapshot: Snapshot) -> None:
    assert asked(snapshot, near="Beijing").sort == "distance"
    query = asked(snapshot, near="Beijing", sort="carbon")
    assert query.sort == "carbon" and query.near is not None and round(query.near[0]) == 40
