"""The traced profiles of the models that the truths name, packed: ``collect.py`` made them.

python benchmarks/sizing/traces.py FOLDER      packs the profiles of a folder into traces.jsonl.xz
"""

from __future__ import annotations

import json
import lzma
import sys
from functools import cache
from pathlib import Path
from typing import Any

from tradewind.domain.profile import ModelProfile
from tradewind.domain.profile_json import decode

PACKED = Path(__file__).parent / "traces.jsonl.xz"


def profile(model: str, size: int, task: str, attention: str, precision: str = "amp-fp16") -> ModelProfile | None:
    """The traced profile of a timm model at ``size`` × ``size``; None when it could not be traced."""
    return named(name_of(model, size, task, attention, precision))


def name_of(model: str, size: int, task: str, attention: str, precision: str) -> str:
    """The name of a trace; amp-fp16 is the usual precision and is not told."""
    name = f"{model}@3x{size}x{size}.{task}.{attention}"
    return name if precision == "amp-fp16" else f"{name}.{precision}"


def is_of(traced: ModelProfile, row: dict[str, str]) -> bool:
    """Whether a row measured the model that was traced: libraries have mended some models under the same name."""
    told = row["params_M"]
    return not told or abs(traced.parameters / (1e6 * float(told)) - 1) < 0.02


@cache
def named(name: str) -> ModelProfile | None:
    """The traced profile of that name, if there is one."""
    text = _lines().get(name)
    return decode(json.loads(text)["profile"]) if text else None


@cache
def _lines() -> dict[str, str]:
    text = lzma.decompress(PACKED.read_bytes()).decode()
    return {line[len('{"name":"') : line.index('"', len('{"name":"'))]: line for line in text.splitlines()}


def pack(folder: Path) -> int:
    """Packs every ``NAME.json`` of ``folder``; how many there were."""
    lines = [_line(path) for path in sorted(folder.glob("*.json"))]
    PACKED.write_bytes(lzma.compress("".join(lines).encode(), preset=9 | lzma.PRESET_EXTREME))
    return len(lines)


def _line(path: Path) -> str:
    value: dict[str, Any] = {"name": path.name.removesuffix(".json"), "profile": json.loads(path.read_text())}
    return json.dumps(value, separators=(",", ":")) + "\n"


if __name__ == "__main__":
    print(f"{pack(Path(sys.argv[1]))} profiles, {PACKED.stat().st_size / 1e6:.1f} MB")
