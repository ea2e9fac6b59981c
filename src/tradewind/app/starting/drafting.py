"""From what lies in a folder to a draft of its job file: values with the places where they were seen."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tradewind.app.starting import models, signs
from tradewind.app.starting.code import Code, read
from tradewind.app.starting.commands import Command, commands
from tradewind.app.starting.data import DataFolder, data_folders, images
from tradewind.app.starting.saving import folders
from tradewind.app.starting.signs import Seen
from tradewind.app.starting.walking import Listing, listing
from tradewind.nodes.bundle import MAX_BYTES, MAX_FILES

DEPTH = 3  # folders below the top in which scripts are looked for
MOST_SCRIPTS = 200
MOST_BYTES = 1_000_000
MOST_NAMED = 3
_ASIDE = frozenset({"test", "tests", "docs", "doc", "node_modules", "venv", "env", "site-packages", "build", "dist",
                    "benchmarks", "__pycache__"})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Remark:
    """Something to know beside the draft, as a code with facts."""

    code: str
    facts: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Look:
    """What was found in a folder.

    Attributes:
        codes: every Python script that could be read, by its name.
        commands: what may be the training, the likeliest first.
        notebooks: names of notebooks at the top.
        setup: how its packages are installed.
        data: folders of data, the largest first.
    """

    listing: Listing
    codes: Mapping[str, Code]
    commands: tuple[Command, ...]
    notebooks: tuple[str, ...]
    setup: Seen | None
    data: tuple[DataFolder, ...]
    remarks: tuple[Remark, ...]


@dataclass(frozen=True, slots=True)
class Draft:
    """A job file to be: values by dotted key, each with where it was seen, and what to know beside it."""

    values: Mapping[str, Seen]
    remarks: tuple[Remark, ...] = ()

    def given(self, values: Mapping[str, object]) -> Draft:
        """The draft with what a person gave, by dotted key."""
        return Draft({**self.values, **{key: Seen(value) for key, value in values.items()}}, self.remarks)


def look(folder: Path) -> Look:
    """What lies in ``folder``. Nothing of it is run, and of a large folder a part is looked at."""
    found = listing(folder)
    sources = [file for file in found.files if file.bytes <= MOST_BYTES and _own(file.name)]
    codes: dict[str, Code] = {}
    unreadable: list[str] = []
    for file in [file for file in sources if file.name.endswith(".py")][:MOST_SCRIPTS]:
        told = _text(folder / file.name)
        code = read(file.name, told) if told is not None else None
        if isinstance(code, Code):
            codes[file.name] = code
        else:
            unreadable.append(f"{file.name}:{code}" if code else file.name)
    remarks = list(_weight(found))
    if unreadable:
        more = ", …" if len(unreadable) > MOST_NAMED else ""
        remarks.append(Remark("scripts-unreadable", {"names": ", ".join(unreadable[:MOST_NAMED]) + more}))
    names = frozenset(file.name for file in found.files)
    conda = [name for name in ("environment.yml", "environment.yaml") if name in names]
    remarks += [Remark("environment-yml", {"file": name}) for name in conda]
    shells = [(file.name, _text(folder / file.name) or "") for file in sources if re.fullmatch(r"[^/]+\.sh", file.name)]
    return Look(
        listing=found,
        codes=codes,
        commands=commands(tuple(codes.values()), shells),
        notebooks=tuple(file.name for file in sources if file.name.endswith(".ipynb")),
        setup=_setup(folder, names),
        data=data_folders(found),
        remarks=tuple(remarks),
    )


def draft(seen: Look, name: str, run: str) -> Draft:
    """A draft for the command ``run``; what its script says is in it when it starts one that was found."""
    file = next((command.file for command in seen.commands if _starts(run, command)), None)
    code = seen.codes.get(file or "")
    values: dict[str, Seen | None] = {"name": Seen(name), "run": Seen(run, file), "setup": seen.setup}
    if code:
        values |= _training(code, seen)
    remarks = list(seen.remarks)
    remarks += [Remark("data-travels" if each.travels else "data-stays", {
        "folder": each.name, "files": each.files, "bytes": each.bytes, "whole": seen.listing.complete,
    }) for each in seen.data[:MOST_NAMED]]  # fmt: skip
    return Draft({key: value for key, value in values.items() if value is not None}, tuple(remarks))


def _starts(run: str, command: Command) -> bool:
    try:
        return run == command.run or command.file in shlex.split(run)
    except ValueError:  # a quote that does not end
        return False


def _training(code: Code, seen: Look) -> dict[str, Seen | None]:
    names = frozenset(file.name for file in seen.listing.files)
    found = models.model(code, names)
    counted = next((told for each in seen.data if (told := images(seen.listing, each.name))), None)
    where, files, mean_bytes = counted or ("", None, None)
    training: dict[str, Seen | None] = {
        "batch_size": signs.batch_size(code),
        "samples": signs.samples(code) or (Seen(files, where) if files else None),
        "epochs": signs.count(code, signs.EPOCHS),
        "sample_bytes": Seen(mean_bytes, where) if mean_bytes else None,
        "precision": signs.precision(code),
        "optimizer": signs.optimizer(code),
        "task": models.pretrained(code),
        "adapter": signs.adapter(code),
        "sequence": signs.count(code, signs.SEQUENCE),
        "image_size": signs.count(code, signs.IMAGE),
        "classes": signs.count(code, signs.CLASSES),
    }
    return {
        **({f"model.{found[0]}": found[1]} if found else {}),
        **{f"training.{key}": value for key, value in training.items()},
        **folders(code),
    }


def _setup(folder: Path, names: frozenset[str]) -> Seen | None:
    if "requirements.txt" in names:
        return Seen("pip install -r requirements.txt", "requirements.txt")
    if "pyproject.toml" in names and re.search(r"^\[project\]", _text(folder / "pyproject.toml") or "", re.MULTILINE):
        return Seen("pip install .", "pyproject.toml")
    return None


def _weight(found: Listing) -> list[Remark]:
    """Notes on a workdir that is too large to travel, or that a part of was looked at."""
    travelling = [file for file in found.files if file.travels]
    size = sum(file.bytes for file in travelling)
    remarks = [] if found.complete else [Remark("folder-large", {"files": len(found.files)})]
    if size > MAX_BYTES or len(travelling) > MAX_FILES:
        remarks.append(Remark("workdir-heavy", {"files": len(travelling), "bytes": size, "whole": found.complete}))
    return remarks


def _own(name: str) -> bool:
    parts = name.split("/")
    return len(parts) <= DEPTH + 1 and not any(part in _ASIDE or part.startswith(".") for part in parts[:-1])


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return None
