"""A stand-in for torchvision, which timm imports for transforms that no trace needs.

There is no build of torchvision for every torch, and timm's model code uses nothing of it but names. The stand-in is
put into the tracing process only, and only where torchvision is not installed.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Any


class _Names(type):
    """A class whose attributes are further empty classes."""

    def __getattr__(cls, name: str) -> Any:
        return _made(cls, name)


class _Package(ModuleType):
    """A module whose attributes are empty classes."""

    def __getattr__(self, name: str) -> Any:
        return _made(self, name)


def _made(owner: Any, name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    setattr(owner, name, _Names(name, (), {}))
    return owner.__dict__[name]


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds torchvision, whatever part of it is asked for."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> Any:
        if name.split(".", maxsplit=1)[0] == "torchvision":
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        return _Package(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Nothing to run: names appear when they are asked for."""


@contextmanager
def stand_in() -> Iterator[None]:
    """Answers imports of torchvision with empty packages for a while, unless it is installed.

    Afterwards nothing of it is left but what the importer took: other libraries ask whether torchvision is there.
    """
    if importlib.util.find_spec("torchvision") is not None:
        yield
        return
    finder = _Finder()
    sys.meta_path.append(finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in [name for name in sys.modules if name.split(".", maxsplit=1)[0] == "torchvision"]:
            del sys.modules[name]
