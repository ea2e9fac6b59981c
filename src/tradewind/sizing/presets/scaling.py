"""A stored trace → the profile at any image size and number of classes.

Each amount was traced at two image sizes. Operations: each amount of one signature is a power of the pixels (0 for
weights, 1 for maps, 2 for attention between positions), so the two sizes give the power. Moments and units are sums of
such amounts; they are taken as fixed + per pixel, exact for convolution networks whose maps halve without rest.
"""

from __future__ import annotations

from dataclasses import replace
from math import log
from typing import Any, NamedTuple

from tradewind.domain.profile import Amount, ModelProfile, Moment, Op, Unit

_Pair = list[float]


class Between(NamedTuple):
    """Where an image size lies: ``share`` of the way in pixels from the first traced size to the second.

    ``ratio`` is its pixels ÷ those of the first size; ``step``: those of the second ÷ those of the first.
    """

    share: float
    ratio: float
    step: float

    def sum(self, first: float, second: float) -> float:
        """An amount that is fixed + per pixel."""
        return first + self.share * (second - first)

    def power(self, first: float, second: float) -> float:
        """An amount that is a power of the pixels."""
        if first <= 0.0 or second <= 0.0 or self.share in (0.0, 1.0):
            return self.sum(first, second)
        return float(first * self.ratio ** (log(second / first) / log(self.step)))


def between(sizes: list[int], pixels: int) -> Between:
    """Where ``pixels`` lie with regard to the traced ``sizes``, in pixels; with one, there is no other to ask for."""
    first, second = sizes[0], sizes[-1]
    if first == second:
        return Between(0.0, 1.0, 1.0)
    return Between((pixels - first) / (second - first), pixels / first, second / first)


def profile_at(stored: dict[str, Any], pixels: int, like: ModelProfile) -> ModelProfile:
    """The profile of images of ``pixels``; ``like`` gives what the trace does not say: name, precision, tokens."""
    where = between(stored["pixels"], pixels)
    return replace(
        like,
        parameters=stored["parameters"],
        trainable=stored["trainable"],
        active=stored["parameters"],
        buffers=stored["buffers"],
        moments=tuple(_moment(each, where) for each in stored["moments"]),
        ops=tuple(_op(each, where) for each in stored["ops"]),
        units=tuple(_unit(each, where) for each in stored["units"]),
        reserved=tuple({max(1, round(batch / where.ratio)): ratio for batch, ratio in stored["reserved"]}.items()),
    )


def with_classes(profile: ModelProfile, inputs: int, usual: int, classes: int) -> ModelProfile:
    """The profile with a last linear layer of ``inputs`` × ``classes`` instead of ``usual``."""
    more = (classes - usual) * (inputs + 1)

    def grown(count: float) -> float:
        return count and count + more

    def unit(each: Unit) -> Unit:
        return replace(each, parameters=grown(each.parameters), trainable=grown(each.trainable))

    def moment(each: Moment) -> Moment:
        return replace(each, copies=max(0.0, each.copies and each.copies + 2 * more))

    return replace(
        profile,
        parameters=grown(profile.parameters),
        trainable=grown(profile.trainable),
        active=grown(profile.active),
        moments=tuple(moment(each) for each in profile.moments),
        ops=tuple(_head_op(op, inputs, usual, classes) for op in profile.ops),
        units=(*profile.units[:-1], *(unit(each) for each in profile.units[-1:])),
    )


def _head_op(op: Op, inputs: int, usual: int, classes: int) -> Op:
    if op.kind != "matmul" or not {inputs, usual} <= set(op.dims):
        return op
    growth = classes / usual
    return replace(
        op,
        dims=tuple(classes if each == usual else each for each in op.dims),
        flops=Amount(op.flops.fixed * growth, op.flops.per_sample * growth),
        bytes=Amount(op.bytes.fixed * growth, op.bytes.per_sample),
    )


def _moment(stored: list[Any], where: Between) -> Moment:
    phase, first, second, copies, gradients = stored
    return Moment(phase, _sums(first, second, where), copies, gradients)


def _op(stored: list[Any], where: Between) -> Op:
    phase, kind, dtype, count, flops, moved, dims, flops2, moved2, dims2 = stored
    return Op(
        phase, kind, dtype, count, _powers(flops, flops2, where), _powers(moved, moved2, where),
        tuple(round(where.power(*pair)) for pair in zip(dims, dims2, strict=True)),
    )  # fmt: skip


def _unit(stored: list[Any], where: Between) -> Unit:
    kind, count, parameters, trainable, saved, boundary, saved2, boundary2 = stored
    return Unit(kind, count, parameters, trainable, _sums(saved, saved2, where), _sums(boundary, boundary2, where))


def _sums(first: _Pair, second: _Pair, where: Between) -> Amount:
    return Amount(*(max(0.0, where.sum(*pair)) for pair in zip(first, second, strict=True)))


def _powers(first: _Pair, second: _Pair, where: Between) -> Amount:
    return Amount(*(where.power(*pair) for pair in zip(first, second, strict=True)))
