"""The examples that ship with the program, and copies of them."""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path

from tradewind.domain.errors import BadInput

SHIPPED = Path(__file__).parents[2] / "examples"
_OF_AN_EXAMPLE = (".gitignore", ".json", ".md", ".py", ".yaml")  # and not what a run left in a checkout

# What each imports, and what `pip install` calls it.
NEEDS: dict[str, dict[str, str]] = {
    "digits": {"torch": "torch", "numpy": "numpy", "sklearn": "scikit-learn"},
    "plain-script": {"torch": "torch"},
    "finetune-lora": {"torch": "torch", "transformers": "transformers", "accelerate": "accelerate", "peft": "peft"},
    "image-folder": {"torch": "torch", "numpy": "numpy", "sklearn": "scikit-learn", "PIL": "pillow"},
}


def names() -> tuple[str, ...]:
    """The names of the examples, the simplest first."""
    return tuple(NEEDS)


def copy(name: str, to: Path, *, over: bool) -> tuple[Path, ...]:
    """Copy the example ``name`` into the folder ``to``; the files written.

    Args:
        over: write over files of the same names; nothing else that lies in ``to`` is touched.

    Raises:
        BadInput: ``folder-not-empty`` (path), ``file-unwritable`` (path, why).
    """
    files = sorted(path for path in (SHIPPED / name).iterdir() if path.name.endswith(_OF_AN_EXAMPLE))
    try:
        if not over and to.exists() and (not to.is_dir() or any(to.iterdir())):
            raise BadInput("folder-not-empty", path=to)
        to.mkdir(parents=True, exist_ok=True)
        return tuple(Path(shutil.copyfile(path, to / path.name)) for path in files)
    except OSError as fault:
        raise BadInput("file-unwritable", path=fault.filename or to, why=fault.strerror or fault) from None


def missing(name: str) -> tuple[str, ...]:
    """The packages that the example ``name`` needs and this Python does not find, as pip calls them."""
    return tuple(package for module, package in NEEDS[name].items() if find_spec(module) is None)
