"""The stand-in that lets timm be imported without torchvision."""

from __future__ import annotations

import subprocess
import sys

import pytest

CODE = """
from tradewind.tracing import torchvision
import importlib.util, sys
with torchvision.stand_in():
    import timm
    from torchvision.transforms import InterpolationMode as mode
print(len(timm.list_models()), mode.NEAREST is mode.NEAREST, mode.NEAREST is mode.BILINEAR)
print(importlib.util.find_spec("torchvision"), "torchvision" in sys.modules)
"""


@pytest.mark.skipif("torchvision" in sys.modules, reason="torchvision is installed")
def test_timm_is_imported_without_torchvision() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1371", "True", "False", "None", "False"]
