"""Whatever becomes of one value of an answer, it is read, named as odd, or refused: nothing else is ever raised."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from datetime import UTC, datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from lab import aws_prices, azure_machines, azure_prices, gcp_prices

from tradewind.clouds.answers import Odd, read_rows
from tradewind.clouds.aws import tables as aws
from tradewind.clouds.azure import machines as azure_sizes
from tradewind.clouds.azure import tables as azure
from tradewind.clouds.gcp import machines, rates
from tradewind.domain.offer import Purchase

NOW = datetime(2026, 11, 21, tzinfo=UTC)
PRODUCT = aws_prices.product("p4d.24xlarge", "us-east-1", "21.9", {"1yr standard All Upfront": ("113819", "0")})
ITEM = azure_prices.item("Standard_NC24ads_A100_v4", "eastus", 3.673)
SIZE = azure_machines.size("Standard_NC24ads_A100_v4", "eastus", GPUs="1", vCPUs="24", MemoryGB="220")
SKU = gcp_prices.sku("Nvidia Tesla A100 GPU running in Americas", "2.933908")
TYPES = {"items": {"zones/a": {"machineTypes": [{
    "name": "a2-highgpu-1g", "guestCpus": 12, "memoryMb": 87040, "architecture": "X86_64",
    "accelerators": [{"guestAcceleratorType": "nvidia-tesla-a100", "guestAcceleratorCount": 1}],
}]}}}  # fmt: skip
INSTEAD: st.SearchStrategy[Any] = st.sampled_from(
    [None, "", "x", 0, -1, 1.5, 1e30, True, [], {}, [[]], {"x": {}}, "gone"]
)


def places(node: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value within ``node``."""
    for key in node if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ():
        yield (*at, key)
        yield from places(node[key], (*at, key))


def spoiled(whole: Any, way: tuple[Any, ...], value: Any) -> Any:
    """A copy with one value replaced, or taken out."""
    made = deepcopy(whole)
    node = made
    for step in way[:-1]:
        node = node[step]
    if value == "gone":
        del node[way[-1]]
    else:
        node[way[-1]] = value
    return made


def spoilings(whole: Any) -> st.SearchStrategy[Any]:
    return st.tuples(st.sampled_from(list(places(whole))), INSTEAD).map(lambda drawn: spoiled(whole, *drawn))


def check(row: Any, read: Callable[[Any], Iterator[Any]], name: Callable[[Any], str]) -> None:
    values, odd = read_rows([row], read, name)
    assert all(isinstance(each, str) and each for each in odd)
    for each in values:
        assert getattr(each, "price_per_hour", 1) > 0


@given(spoilings(PRODUCT))
def test_a_product_of_aws(product: Any) -> None:
    check(json.dumps(product), lambda row: aws.to_prices(row, "us-east-1", "2026-11-21"), aws.name_of)


@given(spoilings(ITEM))
def test_an_item_of_azure(item: Any) -> None:
    check(item, lambda row: azure.to_prices(row, NOW), azure.name_of)


@given(spoilings(SIZE))
def test_a_size_of_azure(size: Any) -> None:
    check(size, azure_sizes.to_machines, repr)


@given(spoilings(SKU))
def test_an_sku_of_google(sku: Any) -> None:
    check(sku, rates.to_rates, rates.name_of)


@given(spoilings(TYPES))
def test_machine_types_of_google(body: Any) -> None:
    try:
        for each in machines.types_of(body):
            check(each, machines.to_machines, str)
    except Odd as odd:
        assert str(odd)


rated = st.builds(
    rates.Rate,
    st.sampled_from(list(Purchase)),
    st.sampled_from(["us-central1", "europe-west4"]),
    st.sampled_from(["A2 core", "A2 ram", "gpu Tesla A100", "ssd"]),
    st.sampled_from(["0.1", "0.25"]),
)


@given(st.lists(rated), st.text(min_size=1))
def test_a_cursor_carries_all_rates(told: list[rates.Rate], token: str) -> None:
    known = rates.Rates()
    for each in told:
        known.add(each)
    assert rates.unpacked(known.packed(token)) == (token, known)
