"""A nested state as JSON and a list of its tensors, and back: no pickle, so nothing in a checkpoint is ever executed.

JSON alone would lose integer keys, tuples, bytes and infinities; these are written as an object of one entry that
names the kind: ``{"dict": [[key, value], …]}``, ``{"tuple": […]}``, ``{"tensor": index}``.
"""

from __future__ import annotations

import base64
import math
from collections import OrderedDict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, List, Tuple

if TYPE_CHECKING:
    from torch import Tensor

Named = List[Tuple[str, "Tensor"]]


def encode(state: Any, path: str = "") -> Tuple[Any, Named]:
    """``state`` as JSON-ready values, and its tensors with their paths (``model/conv.weight``) in order.

    Subclasses come back as the plain type that equals them; a module's ``OrderedDict`` keeps its version metadata.

    Raises:
        TypeError: something in it is no tensor, number, string, bytes, None, mapping, list or tuple; names its path.
    """
    tensors: Named = []
    return _encode(state, path, tensors), tensors


def decode(value: Any, tensors: List[Tensor]) -> Any:
    """The state that ``encode`` gave as ``value`` and ``tensors``."""
    if isinstance(value, list):
        return [decode(one, tensors) for one in value]
    if isinstance(value, dict):
        (kind, content), *more = value.items()
        return _decode_kind(kind, content, dict(more), tensors)
    return value


def _encode(value: Any, path: str, tensors: Named) -> Any:
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, (int, float)):
        return _encode_number(value)
    if isinstance(value, (bytes, bytearray)):
        return {"bytes": base64.b64encode(value).decode()}
    if isinstance(value, Mapping):
        return _encode_mapping(value, path, tensors)
    if isinstance(value, (list, tuple)):
        items = [_encode(one, f"{path}/{index}", tensors) for index, one in enumerate(value)]
        return items if isinstance(value, list) else {"tuple": items}
    return _encode_array(value, path, tensors)


def _encode_number(value: float) -> Any:
    if isinstance(value, int):
        return int(value)
    return float(value) if math.isfinite(value) else {"float": repr(float(value))}


def _encode_mapping(value: Mapping[Any, Any], path: str, tensors: Named) -> Any:
    items = [[_encode(key, f"{path}/key", []), _encode(one, f"{path}/{key}", tensors)] for key, one in value.items()]
    if isinstance(value, OrderedDict):
        return {"ordered": items, "metadata": _encode(getattr(value, "_metadata", None), f"{path}/_metadata", [])}
    return {"dict": items}


def _encode_array(value: Any, path: str, tensors: Named) -> Any:
    import torch

    if isinstance(value, torch.Tensor):
        tensors.append((path.lstrip("/"), value))
        return {"tensor": len(tensors) - 1}
    if type(value).__module__ == "numpy" and getattr(value, "ndim", 1) == 0:
        return _encode(value.item(), path, tensors)
    raise TypeError(
        f"state{path} is a {type(value).__name__}: a checkpoint holds tensors, numbers, strings, bytes, None, "
        "mappings, lists and tuples"
    )


def _decode_kind(kind: str, content: Any, more: Any, tensors: List[Tensor]) -> Any:
    if kind == "tensor":
        return tensors[content]
    if kind == "tuple":
        return tuple(decode(one, tensors) for one in content)
    if kind == "float":
        return float(content)
    if kind == "bytes":
        return base64.b64decode(content)
    items = [(decode(key, tensors), decode(one, tensors)) for key, one in content]
    if kind == "dict":
        return dict(items)
    ordered = OrderedDict(items)
    if more["metadata"] is not None:
        ordered._metadata = decode(more["metadata"], tensors)  # type: ignore[attr-defined]
    return ordered
