import ast
import subprocess
import sys
from pathlib import Path

import pytest

import tradewind.training

ROOM = Path(tradewind.training.__file__).parent


def test_importing_the_room_does_not_import_torch_or_anything_heavy() -> None:
    program = (
        "import sys, tradewind.training; print(sorted({'torch', 'numpy', 'asyncio', 'pydantic'} & set(sys.modules)))"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"


@pytest.mark.parametrize("path", sorted(ROOM.rglob("*.py")), ids=lambda path: path.name)
def test_the_room_is_written_in_python_3_9(path: Path) -> None:
    ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 9))


def test_what_is_public_is_named_once_and_in_order() -> None:
    names = tradewind.training.__all__
    assert names == sorted(set(names))
    assert all(hasattr(tradewind.training, name) for name in names)
