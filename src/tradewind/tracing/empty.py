"""Models without memory: built with empty weights, then traced with fake ones."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._pytree import tree_flatten, tree_map_only
from torch.utils.weak import WeakIdKeyDictionary

LARGE = 1 << 20  # elements; smaller tensors are filled as the model's code says, since it may read them
_FILLS = ("normal_", "uniform_", "fill_", "zero_", "trunc_normal_", "bernoulli_", "exponential_", "erfinv_")
_MADE = ("randn", "rand", "zeros", "ones", "full", "normal")


@contextmanager
def empty_weights() -> Iterator[None]:
    """Every parameter that a module registers becomes a meta tensor at once; large fills do nothing.

    Building inside fake tensors would be simpler, but the code of many models reads small tensors while it builds.
    """
    register = nn.Module.register_parameter
    metas: Any = WeakIdKeyDictionary()  # a weight that two modules share stays one

    def registered(module: nn.Module, name: str, parameter: nn.Parameter | None) -> None:
        if parameter is not None and not parameter.is_meta and not isinstance(parameter, nn.UninitializedParameter):
            if parameter not in metas:
                meta = parameter.data.to("meta")
                metas[parameter] = nn.Parameter(meta, requires_grad=parameter.requires_grad)
            parameter = metas[parameter]
        register(module, name, parameter)

    nn.Module.register_parameter = registered  # type: ignore[method-assign, assignment]
    try:
        with _NoFills():
            yield
    finally:
        nn.Module.register_parameter = register  # type: ignore[method-assign]


class _NoFills(torch.overrides.TorchFunctionMode):
    """Large random or constant tensors are made without being written, so that they take no memory."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        if name in _FILLS:
            target = args[0] if args else kwargs.get("tensor")
            if isinstance(target, torch.Tensor) and (target.is_meta or target.numel() >= LARGE):
                return target
        if name in _MADE and func is getattr(torch, name, None) and name not in {"full", "normal"}:
            shape = args[0] if len(args) == 1 and isinstance(args[0], (tuple, list)) else args
            if all(isinstance(n, int) for n in shape) and torch.Size(shape).numel() >= LARGE:
                return torch.empty(*shape, **{k: v for k, v in kwargs.items() if k != "generator"})
        try:
            return func(*args, **kwargs)
        except RuntimeError:  # a forward pass while building: empty weights, full inputs
            every = [t for t in tree_flatten((args, kwargs))[0] if isinstance(t, torch.Tensor)]
            if not any(t.is_meta for t in every) or all(t.is_meta for t in every):
                raise
            args, kwargs = tree_map_only(torch.Tensor, lambda t: t.to("meta"), (args, kwargs))
            return func(*args, **kwargs)


def fake_weights(
    module: nn.Module, mode: FakeTensorMode, dtype: torch.dtype | None, frozen: torch.dtype | None = None
) -> None:
    """Replaces parameters and buffers by fake ones on the CPU; what is shared stays shared.

    Args:
        dtype: of floating weights and buffers; None leaves them as they are.
        frozen: of floating weights that are not trained; None: as the others.
    """
    fakes: dict[int, Any] = {}
    keep: list[torch.Tensor] = []  # an id is its own as long as the tensor lives

    def fake(tensor: torch.Tensor) -> torch.Tensor:
        if id(tensor) not in fakes:
            is_weight = isinstance(tensor, nn.Parameter)
            chosen = frozen or dtype if is_weight and not tensor.requires_grad else dtype
            wanted = chosen if chosen is not None and tensor.is_floating_point() else tensor.dtype
            with mode:
                made = torch.empty_strided(tensor.size(), tensor.stride(), dtype=wanted, device="cpu")
            fakes[id(tensor)] = nn.Parameter(made, requires_grad=tensor.requires_grad) if is_weight else made
            keep.append(tensor)
        result: torch.Tensor = fakes[id(tensor)]
        return result

    for part in module.modules():
        for store in (part._parameters, part._buffers):
            for name, tensor in store.items():
                if tensor is not None:
                    store[name] = fake(tensor)  # type: ignore[assignment]
