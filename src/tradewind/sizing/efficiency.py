"""Seconds of a profile's operations on a GPU: a non-negative sum of what they ask for (``loads``).

The weights were fitted on public measurements by ``benchmarks/sizing/fit.py`` and stand in ``efficiency_data.json``,
for each *situation* (training or not, layout, compiled or eager; language models apart) and card measured in it.

    a card not measured       the weights of the cards nearest in generation, at its own data sheet's rates
    a situation not measured  those of the nearest one, times what the difference costs a forward pass of the model
    both                      with a wider range
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from tradewind.domain.gpus import Gpu
from tradewind.domain.profile import ModelProfile
from tradewind.sizing.chips import Rates, card_name, generation, rates_of
from tradewind.sizing.loads import Load, gather, resources
from tradewind.sizing.memo import once
from tradewind.sizing.request import Hardware

STREAMING_SHARE = 0.8  # of the memory bandwidth that an optimizer's kernels reach: BabelStream on A100 and H100 (2023)
# Launches of backward kernels as a share of forward ones, since autograd runs in C++: A100 training tables of
# torchvision's models less 80 us a tensor for their optimizer (2021).
BACKWARD_LAUNCH = 0.6
COMPILED_LAUNCH = 0.3  # of an eager launch: fewer kernels, launched by generated code. Assumed.
# Of what compiling saves in a forward pass, as an exponent, in training: log 1.41 / log 2.27, the mean speed-ups of 180
# models on an A100. Ansel et al. 2024, "PyTorch 2" (ASPLOS).
COMPILED_TRAINING = 0.42
_PARTS = {"conv": "conv", "matmul": "matmul", "attention": "attention", "norm": "norm", "softmax": "norm",
          "kernels": "launch", "wave": "launch"}  # fmt: skip


Cards = tuple[tuple[str, float], ...]  # measured cards and their shares


class Situation(NamedTuple):
    """How operations are run: ``tokens`` for language models, whose layout is their own."""

    trains: bool
    channels_last: bool
    compiled: bool
    tokens: bool = False

    @property
    def key(self) -> str:
        """The name of the situation in the data."""
        mode = "compiled" if self.compiled else "eager"
        if self.tokens:
            return f"train tokens {mode}"  # a forward pass of inference takes the weights of training's
        return f"{'train' if self.trains else 'infer'} {'nhwc' if self.channels_last else 'nchw'} {mode}"

    @property
    def plain(self) -> Situation:
        """The forward pass in the layout in which most cards were measured."""
        return self._replace(trains=False, channels_last=False)

    @property
    def nearest(self) -> Situation:
        """Itself, or the situation to begin with when it was never measured."""
        if self.key in _weights():
            return self
        eager = self._replace(compiled=False)
        return eager if self.trains and eager.key in _weights() else self.plain  # inductor chooses layouts itself


@dataclass(frozen=True, slots=True)
class DeviceTime:
    """Seconds of one pass on one GPU.

    Attributes:
        parts: seconds by part of the step (``timing.PARTS``).
        forward, backward: seconds of each; the second is 0 when nothing is trained.
        arithmetic: share of the device time that arithmetic takes rather than memory traffic.
        range: low and high ends of a 90 % range, as multiples of the seconds.
    """

    parts: dict[str, float]
    forward: float
    backward: float
    arithmetic: float
    range: tuple[float, float]

    @property
    def seconds(self) -> float:
        """Forward and backward together."""
        return self.forward + self.backward


def device_time(
    profile: ModelProfile, micro_batch: float, situation: Situation, hardware: Hardware, part: float, stages: int
) -> DeviceTime:
    """One pass over ``micro_batch`` samples on a GPU that does ``part`` of the work, in 1/``stages`` of the kernels."""
    gpu = hardware.gpu
    asked = _asked(profile, micro_batch, rates_of(gpu, hardware.fraction / part), stages)
    seconds = seconds_by_resource(asked, situation, gpu)
    parts = dict.fromkeys({*_PARTS.values(), "elementwise"}, 0.0)
    for name, each in seconds.items():
        parts[_part(name)] += each
    forward = sum(each for name, each in seconds.items() if name.startswith("f"))
    backward = sum(seconds.values()) - forward
    device = forward + backward
    idle = math.hypot(device**2, _host_seconds(asked, situation, gpu) ** 2) ** 0.5 - device  # the longer, rounded off
    parts["launch"] += idle
    arithmetic = sum(each for name, each in seconds.items() if "flops" in name)
    streamed = sum(each for name, each in seconds.items() if name.endswith("bytes"))
    share = forward / ((forward + backward) or 1.0)
    return DeviceTime(
        parts,
        forward + idle * share,
        backward + idle * (1 - share),
        arithmetic / ((arithmetic + streamed) or 1.0),
        _range(profile, situation, gpu),
    )


@cache
def _part(name: str) -> str:
    """The part of the step that a resource belongs to."""
    return _PARTS.get(name.split(" ", 2)[1], "elementwise")


@once
def loads_of(profile: ModelProfile) -> tuple[Load, ...]:
    """The profile's operations gathered."""
    return gather(profile.ops, _seen(profile))


def _seen(profile: ModelProfile) -> float:
    """Share of what fused attention counts that runs: a trace counts a causal model's scores whole."""
    causal = profile.transformer is not None and profile.transformer.head == "lm"
    return 0.5 if causal and profile.source == "traced" else 1.0


def _asked(profile: ModelProfile, micro_batch: float, rates: Rates, stages: int) -> dict[str, float]:
    """Seconds at the sheet's rates by resource; kernels count a microsecond each."""
    asked: dict[str, float] = {}
    for load in loads_of(profile):
        for name, seconds in resources(load, micro_batch, rates):
            asked[name] = asked.get(name, 0.0) + seconds
    return {name: each / stages if name.endswith("kernels") else each for name, each in asked.items()}


def seconds_by_resource(asked: dict[str, float], situation: Situation, gpu: Gpu) -> dict[str, float]:
    """What each resource takes in ``situation`` on ``gpu``, from the nearest measurements."""
    start = situation.nearest
    cards = _cards(start, gpu)
    factor = _factor(gpu, situation) if (card_name(gpu), 1.0) not in cards else 1.0
    if start.compiled != situation.compiled:
        eager, compiled = situation.plain._replace(compiled=False), situation.plain
        gain = _ratio(asked, (compiled, _cards(compiled, gpu)), (eager, _cards(eager, gpu)))
        factor *= gain**COMPILED_TRAINING
    plain = start.plain
    own = _cards(plain, gpu)
    if dict(own).keys() - dict(cards).keys():  # the forward pass was measured on nearer cards than this situation
        factor *= _ratio(asked, (plain, own), (plain, cards))
    weights = mixture(start.key, cards)
    return {name: each * factor * weights.get(name, 1.0) for name, each in asked.items()}


def _ratio(asked: dict[str, float], above: tuple[Situation, Cards], below: tuple[Situation, Cards]) -> float:
    """How much longer the forward pass takes in one situation, on some cards, than in another, on others."""
    over, under = (mixture(situation.key, cards) for situation, cards in (above, below))
    forward = [(name, each) for name, each in asked.items() if name.startswith("f")]
    least = sum(each * under.get(name, 1.0) for name, each in forward)
    return sum(each * over.get(name, 1.0) for name, each in forward) / least if least else 1.0


@lru_cache(maxsize=512)
def mixture(situation: str, cards: Cards) -> dict[str, float]:
    """The weights of ``cards`` in a situation, mixed by their shares."""
    told = _weights()[situation]
    names = {name for card, _ in cards for name in told[card]}
    return {name: sum(share * told[card].get(name, 1.0) for card, share in cards) for name in names}


def _cards(situation: Situation, gpu: Gpu) -> Cards:
    """Cards measured in ``situation`` with their shares: the card itself, or its chip generation, or those near it."""
    measured = _weights()[situation.key]
    if card_name(gpu) in measured:
        return ((card_name(gpu), 1.0),)
    told = data()["cards"]
    near = [card for card in measured if told[card]["capability"] == gpu.compute_capability]
    shares = {card: 1 / (1 + abs(generation(gpu) - told[card]["generation"])) ** 2 for card in near or measured}
    total = sum(shares.values())
    return tuple((card, share / total) for card, share in shares.items())


def _factor(gpu: Gpu, situation: Situation) -> float:
    """How much longer cards of this capability take than the mixture says, where any was measured at all."""
    if situation.tokens:
        return 1.0
    factors: dict[str, float] = data()["factors"]["train" if situation.trains else "infer"]
    return factors.get(gpu.compute_capability or "", 1.0)


def _host_seconds(asked: dict[str, float], situation: Situation, gpu: Gpu) -> float:
    """What the host needs to launch the kernels of a pass, which takes no less."""
    microseconds: dict[str, float] = data()["host_microseconds"]
    each = microseconds.get(gpu.compute_capability or "", microseconds["other"])
    kernels = asked.get("f kernels", 0.0) + BACKWARD_LAUNCH * asked.get("b kernels", 0.0)
    return each * kernels * (COMPILED_LAUNCH if situation.compiled else 1.0)


def _range(profile: ModelProfile, situation: Situation, gpu: Gpu) -> tuple[float, float]:
    ranges: dict[str, list[float]] = data()["ranges"]
    known = card_name(gpu) in _weights().get(situation.key, {})
    unknown = f"another card {'tokens' if situation.tokens else 'train' if situation.trains else 'infer'}"
    low, high = ranges["parameters" if profile.source == "parameters" else situation.key if known else unknown]
    return low, high


def _weights() -> dict[str, dict[str, dict[str, float]]]:
    weights: dict[str, dict[str, dict[str, float]]] = data()["weights"]
    return weights


@cache
def data() -> dict[str, Any]:
    """The fitted weights, factors and ranges."""
    text = (Path(__file__).parent / "efficiency_data.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found
