"""The key of a trace in a cache: equal keys mean equal code, equal versions and an equal question."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tradewind.domain.profile_json import VERSION
from tradewind.ports.tracer import TraceRequest

LIBRARIES = ("torch", "timm", "transformers")
CODE = (".py", ".json", ".yaml", ".yml", ".toml")
FILES, BYTES = 5_000, 1 << 20  # of one folder, of one file: larger ones are data


def content_key(request: TraceRequest) -> str:
    """The key of ``request`` with the code and files that it names."""
    digest = sha256(_ours().encode())
    question = asdict(request) | {"workdir": ""}
    digest.update(json.dumps(question, sort_keys=True, default=str).encode())
    for path in _files(request):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:32]


@cache
def _ours() -> str:
    """What made the trace: this room's code and the versions of the libraries."""
    code = sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        code.update(path.read_bytes())
    return f"{VERSION} {code.hexdigest()} " + " ".join(map(_version, LIBRARIES))


def _version(library: str) -> str:
    try:
        return f"{library} {version(library)}"
    except PackageNotFoundError:
        return f"no {library}"


def _files(request: TraceRequest) -> Iterator[Path]:
    """The files that the model depends on: a config, or the code of a working directory."""
    kind, _, rest = request.model.partition(":")
    folder = Path(request.workdir)
    if kind == "hf":
        path = folder / rest
        path = path / "config.json" if path.is_dir() else path
        if path.is_file():
            yield path
    elif kind == "entrypoint":
        yield from sorted(_code(folder))[:FILES]


def _code(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir() if folder.is_dir() else ():
        if path.name.startswith((".", "__pycache__", "node_modules")) or path.is_symlink():
            continue
        if path.is_dir() and not (path / "pyvenv.cfg").exists():
            yield from _code(path)
        elif path.suffix in CODE and path.is_file() and path.stat().st_size <= BYTES:
            yield path
