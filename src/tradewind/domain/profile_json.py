"""Profiles as JSON values, for caches and shipped data: lists instead of names, whole numbers where they are whole."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from tradewind.domain.profile import Amount, ModelProfile, Moment, Op, Transformer, Unit

VERSION = 1  # of this form; a cache of another version is not read
_LISTS = ("moments", "ops", "units")


def encode(profile: ModelProfile) -> dict[str, Any]:
    """``profile`` as a JSON value."""
    value: dict[str, Any] = {"version": VERSION}
    for field in fields(profile):
        content = getattr(profile, field.name)
        value[field.name] = [_row(item) for item in content] if field.name in _LISTS else _plain(content)
    if profile.transformer is not None:
        value["transformer"] = {
            field.name: _plain(getattr(profile.transformer, field.name)) for field in fields(profile.transformer)
        }
    return value


def decode(value: dict[str, Any]) -> ModelProfile:
    """The profile that :func:`encode` made ``value`` of.

    Raises:
        ValueError: another version, or not such a value.
    """
    content = dict(value)
    if content.pop("version", None) != VERSION:
        raise ValueError(f"a profile of version {value.get('version')}, not {VERSION}")
    try:
        content["moments"] = tuple(
            Moment(phase, Amount(*tensors), *rest) for phase, tensors, *rest in content["moments"]
        )
        content["ops"] = tuple(
            Op(phase, kind, dtype, count, Amount(*flops), Amount(*moved), tuple(dims))
            for phase, kind, dtype, count, flops, moved, dims in content["ops"]
        )
        content["units"] = tuple(
            Unit(kind, count, parameters, trainable, Amount(*saved), Amount(*boundary))
            for kind, count, parameters, trainable, saved, boundary in content["units"]
        )
        dimensions = content["transformer"]
        if dimensions is not None:
            dimensions = Transformer(**{**dimensions, "biases": frozenset(dimensions.get("biases", ()))})
        content["transformer"] = dimensions
        content["reserved"] = tuple((size, ratio) for size, ratio in content["reserved"])
        content["fallbacks"] = tuple(content["fallbacks"])
        return ModelProfile(**content)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"not a profile: {error}") from error


def _row(item: Any) -> list[Any]:
    return [_plain(getattr(item, field.name)) for field in fields(item)]


def _plain(content: Any) -> Any:
    if isinstance(content, frozenset):
        return sorted(content)
    if isinstance(content, tuple):
        return [_plain(item) for item in content]
    return int(content) if isinstance(content, float) and content.is_integer() else content
