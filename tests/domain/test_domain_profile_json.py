"""Profiles go through JSON unchanged."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tradewind.domain.profile import Amount, ModelProfile, Moment, Op, Transformer, Unit
from tradewind.domain.profile_json import decode, encode

PROFILE = ModelProfile(
    "hf:config.json", "traced", "finetune", "bf16-true", "flash", "full", 7e9, 4e6, 7e9, 128.0, 0.62,
    moments=(Moment("backward", Amount(1.5, 61), copies=3, gradients=0.25),),
    ops=(Op("forward", "matmul", "bf16", 32, Amount(0, 2e9), Amount(1, 2), (1, 0, 2, 3, 0, 1)),),
    units=(Unit("block", 32, 2e8, 1e5, Amount(0, 5), Amount(0, 1)),),
    transformer=Transformer(32, 4096, 32, 8, 128, 11008, 32000, 2048, biases=frozenset({"q", "k"})),
    reserved=((1, 1.02), (2, 1.1)), tokens=2048, fallbacks=("loss-assumed",), seconds=3.25,
)  # fmt: skip


def test_a_profile_comes_back_as_it_went() -> None:
    assert decode(json.loads(json.dumps(encode(PROFILE)))) == PROFILE


@pytest.mark.parametrize("change", [{"version": 0}, {"units": [[1]]}, {"nothing": 1}])
def test_another_value_is_no_profile(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="profile"):
        decode({**encode(PROFILE), **change})
