import json
import math
import tempfile
from collections import OrderedDict
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tradewind.training import Checkpointer
from tradewind.training.tree import decode, encode

DTYPES = [
    *(torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.float8_e4m3fn, torch.float8_e5m2),
    *(torch.complex64, torch.complex128, torch.bool),
    *(torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.uint16, torch.uint32, torch.uint64),
]

tensors = st.builds(
    lambda dtype, shape, layout, seed: _tensor(dtype, tuple(shape), layout, seed),
    st.sampled_from(DTYPES),
    st.lists(st.integers(0, 4), max_size=4),
    st.sampled_from(["contiguous", "transposed", "strided"]),
    st.integers(0, 2**31),
)
scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(max_size=20)
keys = st.text() | st.integers() | st.booleans() | st.none() | st.tuples(st.integers(), st.text())
states = st.recursive(
    scalars | tensors,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(keys, inner, max_size=4)
        | st.dictionaries(st.text(), inner, max_size=3).map(OrderedDict)
    ),
    max_leaves=12,
)


def _tensor(dtype: torch.dtype, shape: tuple[int, ...], layout: str, seed: int) -> torch.Tensor:
    """Random bits as a tensor, so that NaNs of every kind are among them."""
    width = torch.empty(0, dtype=dtype).element_size()
    generator = torch.Generator().manual_seed(seed)
    if layout == "strided" and shape:
        shape = (*shape[:-1], shape[-1] * 2)
    top = 2 if dtype is torch.bool else 256
    bits = torch.randint(0, top, (math.prod(shape) * width,), dtype=torch.uint8, generator=generator)
    tensor = bits.view(dtype).view(shape)
    if layout == "transposed":
        return tensor.permute(tuple(reversed(range(len(shape)))))
    return tensor[..., ::2] if layout == "strided" and shape else tensor


def _bits(tensor: torch.Tensor) -> bytes:
    flat = torch.empty(tensor.numel(), dtype=tensor.dtype)
    flat.copy_(tensor.reshape(-1))
    return flat.view(torch.uint8).numpy().tobytes()


def same(one: Any, other: Any) -> bool:
    """Equal in type, order and every bit."""
    if type(one) is not type(other):
        return False
    if isinstance(one, torch.Tensor):
        return one.dtype == other.dtype and one.shape == other.shape and _bits(one) == _bits(other)
    if isinstance(one, dict):
        return same(list(one.items()), list(other.items()))
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float):
        return repr(one) == repr(other)
    return bool(one == other)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(keys, states, max_size=4))
def test_a_state_comes_back_from_disk_bit_for_bit(state: dict[Any, Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        assert Checkpointer(folder).save(7, state, wait=True)
        resumed = Checkpointer(folder).resume()
    assert resumed is not None
    assert resumed.step == 7
    assert same(resumed.state, state)


def test_a_module_comes_back_with_the_versions_of_its_parts() -> None:
    state = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4)).state_dict()
    encoded, found = encode(state)
    restored = decode(json.loads(json.dumps(encoded)), [tensor for _, tensor in found])
    assert same(restored, state)
    assert restored._metadata == state._metadata  # type: ignore[attr-defined]


def test_subclasses_come_back_as_the_plain_type_that_equals_them() -> None:
    state = {"accuracy": np.float64(0.5), "loss": np.float32(0.25), "n": np.int64(3), "size": torch.zeros(2, 3).shape}
    encoded, _ = encode(state)
    assert decode(encoded, []) == {"accuracy": 0.5, "loss": 0.25, "n": 3, "size": (2, 3)}


def test_what_cannot_be_kept_is_refused_with_its_place() -> None:
    with pytest.raises(TypeError, match="state/model/1 is a Linear"):
        encode({"model": [1, torch.nn.Linear(1, 1)]})


@pytest.mark.parametrize("odd", [torch.eye(3).to_sparse(), torch.empty(3, device="meta")], ids=["sparse", "meta"])
def test_tensors_that_are_not_plain_are_refused(odd: torch.Tensor, tmp_path: Any) -> None:
    with pytest.raises(TypeError, match="model/odd"):
        Checkpointer(tmp_path).save(1, {"model": {"odd": odd}})
