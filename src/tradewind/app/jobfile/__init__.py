"""Job files: text → Workload with every fault at once, and back to the file's shape.

Public: :func:`read`, :func:`parse`, :func:`load`, :func:`dump`, :func:`workdir_of`, :func:`anchored`,
:func:`schema_text`; times and shares in ``spans``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tradewind.domain.errors import BadInput, Where

if TYPE_CHECKING:
    from datetime import datetime

    from tradewind.app.jobfile.tree import Tree
    from tradewind.domain.workload import Workload

_UNFIT_IN_NAMES = re.compile(r"[\x00-\x1f\x7f/\\]+")


def read(path: Path, now: datetime | None = None) -> tuple[Workload, str]:
    """The workload in the file at ``path``, and the file's text; with ``now`` a deadline before it is a fault.

    Raises:
        NotFound: ``job-file-missing`` (path).
        BadInput: any of :func:`content.text_of` and :func:`parse`.
    """
    from tradewind.app.jobfile.content import text_of

    text = text_of(path)
    return parse(text, str(path), now), text


def parse(text: str, file: str, now: datetime | None = None) -> Workload:
    """The workload that YAML ``text`` states; ``file`` names it in faults and gives the default name.

    Raises:
        BadInput: ``job-file-empty``, ``job-file-not-mapping``, one of the ``yaml-*`` codes, or ``job-invalid`` with
            every fault found.
    """
    from tradewind.app.jobfile.tree import read_tree

    tree = read_tree(text, file, as_text=frozenset({"env"}))
    if tree.value is None:
        raise BadInput("job-file-empty", where=Where(file), file=file)
    if not isinstance(tree.value, dict):
        raise BadInput("job-file-not-mapping", where=Where(file, 1, 1), file=file)
    return _workload(tree, file, now)


def load(mapping: Mapping[str, Any]) -> Workload:
    """The workload in a mapping of the job file's shape: ``load(dump(w)) == w``.

    Raises:
        BadInput: ``job-invalid``; its faults name keys, not places.
    """
    from tradewind.app.jobfile.tree import Tree

    return _workload(Tree(dict(mapping)), "", None)


def dump(workload: Workload) -> dict[str, Any]:
    """The workload in the job file's shape, JSON-able."""
    from tradewind.app.jobfile import build

    return build.dump(workload)


def schema_text() -> str:
    """The JSON schema of job files (draft 7) for editors, as docs/job.schema.json; it is made from the models."""
    return Path(__file__).with_name("job.schema.json").read_text(encoding="utf-8")


def workdir_of(workload: Workload, path: Path | None) -> Path:
    """The folder that the job works in, absolute: ``workdir`` is relative to the job file's own folder."""
    base = path.parent if path else Path()
    return (base / _at_home(workload.workdir)).resolve()


def anchored(workload: Workload, path: Path | None) -> Workload:
    """The workload with its workdir absolute, so that it means the same wherever it is asked about."""
    return replace(workload, workdir=str(workdir_of(workload, path)))


def _workload(tree: Tree, file: str, now: datetime | None) -> Workload:
    from pydantic import ValidationError

    from tradewind.app.jobfile import build, faults
    from tradewind.app.jobfile.models import JobFile

    found = list(tree.faults)
    try:
        parsed = JobFile.model_validate(tree.value)
    except ValidationError as error:
        found += faults.faults_of(error, tree)
    for path, fault in build.together(tree.value, now):
        fault.where = tree.keys.get(path)
        found.append(fault)
    if found:
        told = faults.in_order(found)
        raise BadInput("job-invalid", where=told[0].where, faults=told, file=file, count=len(told))
    return build.workload(parsed, _default_name(parsed.workdir, file))


def _default_name(workdir: str, file: str) -> str:
    path = Path(file or "job.yaml")
    stem = path.stem if path.stem not in {"job", "tradewind"} else ""
    folder = (path.parent / _at_home(workdir)).resolve().name
    name = _UNFIT_IN_NAMES.sub("-", stem or folder).strip()
    return name[:80] or "job"


def _at_home(folder: str) -> Path:
    """``~`` and ``~/x`` below the home folder; a ``~name`` stays as it is, a folder may be called so."""
    return Path(folder).expanduser() if folder == "~" or folder.startswith("~/") else Path(folder)
