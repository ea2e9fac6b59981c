"""What ends a command without being an error of ours: Ctrl-C, what the system refuses, and bugs."""

from __future__ import annotations

import errno
import sys
from typing import TYPE_CHECKING

from tradewind.cli.faults import as_json, told
from tradewind.domain.errors import BadInput, NotConfigured, TradewindError, Unavailable

if TYPE_CHECKING:
    from pathlib import Path

    from tradewind.cli.world import World

INTERRUPTED = 130
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_SHUT = {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.ENOENT}


def interrupted(world: World) -> int:
    """130, after one line; what was submitted before goes on."""
    if world.json:
        world.answer({"error": as_json(TradewindError("interrupted"), world.lang)})
    else:
        world.err.write(world.say("interrupted") + "\n")
    return INTERRUPTED


def ended(world: World, error: Exception) -> int:
    """The exit code of a command that ``error`` ended, after it was told."""
    known = of_installation(error) or of_system(error, _home(world))
    return told(world, known) if known else crashed(world, error)


def of_installation(error: Exception) -> TradewindError | None:
    """What this Python lacks: a part of its own, or a package that Tradewind needs. None for all else."""
    if not isinstance(error, ImportError) or not error.name or error.name.startswith("tradewind"):
        return None
    module, _, _ = error.name.partition(".")
    code = "python-incomplete" if module in sys.stdlib_module_names else "package-missing"
    return NotConfigured(code, module=module, python=sys.executable, why=error)


def of_system(error: Exception, home: Path | None) -> TradewindError | None:
    """What the system refused and people can mend: a full disk, a folder that cannot be used. None for all else."""
    if not isinstance(error, OSError):
        return None
    why = error.strerror or str(error)
    if error.errno == errno.ENOENT and error.filename is None and not _folder_there():
        return BadInput("folder-gone")
    if error.errno in _FULL:
        return Unavailable("disk-full", path=error.filename or "", home=home or "", why=why)
    if error.errno in _SHUT and home is not None and isinstance(error.filename, str) and _of_home(error, home):
        return NotConfigured("home-unusable", path=error.filename, home=home, why=why)
    return None


def _folder_there() -> bool:
    """Whether the folder that the command was called in still is."""
    from pathlib import Path

    try:
        return Path.cwd().is_dir()
    except OSError:
        return False


def _of_home(error: OSError, home: Path) -> bool:
    """Whether it is about the home, the folders it lies in, or what lies in it; that something lacks there is a bug."""
    from pathlib import Path

    path = Path(error.filename)
    return path in (home, *home.parents) or (error.errno != errno.ENOENT and path.is_relative_to(home))


def crashed(world: World, error: BaseException) -> int:
    """Exit code 1, after the traceback was written to a file and its place was told."""
    import traceback

    path = _write(world, "".join(traceback.format_exception(error)))
    return told(world, TradewindError("crashed", kind=type(error).__name__, text=str(error)[:200], path=path or "-"))


def _write(world: World, text: str) -> Path | None:
    """The file that holds ``text``: in the home folder, else in the system's temporary one; None if neither works."""
    import tempfile
    from pathlib import Path

    name = f"crash-{world.now():%Y%m%dT%H%M%SZ}.txt"
    for folder in (_home(world), Path(tempfile.gettempdir())):
        if folder is None:
            continue
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            (folder / name).write_text(text, encoding="utf-8")
            return folder / name
        except OSError:
            continue
    return None


def _home(world: World) -> Path | None:
    try:
        return world.inside.home()
    except Exception:  # noqa: BLE001  the crash that is being told of may be in there
        return None
