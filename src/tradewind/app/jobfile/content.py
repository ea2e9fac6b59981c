"""The text of a job file: a real file or a pipe, not too large, in UTF-8."""

from __future__ import annotations

import os
import select
import shlex
import stat
from pathlib import Path

from tradewind.domain.errors import BadInput, NotFound, Where

MAX_BYTES = 1_000_000
_WRITER_MS = 1_000  # within which a pipe needs somebody at its other end
_MARKS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}  # at the begin of a file, by Unicode's chapter on encodings


def text_of(path: Path) -> str:
    """What the file at ``path`` says, without a byte order mark.

    Raises:
        NotFound: ``job-file-missing`` (path).
        BadInput: ``job-file-is-folder``, ``job-file-is-no-file``, ``job-file-unwritten``, ``job-file-unreadable``,
            ``job-file-too-large`` or ``job-file-not-text``.
    """
    try:
        raw = _bytes_of(path)
    except FileNotFoundError:
        raise NotFound("job-file-missing", path=path) from None
    except OSError as fault:
        raise BadInput("job-file-unreadable", path=path, why=fault.strerror or fault) from None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        before = raw[: fault.start].decode("utf-8-sig")
        where = Where(str(path), before.count("\n") + 1, len(before) - before.rfind("\n"))
        raise BadInput("job-file-not-text", where=where, path=path, byte=f"0x{raw[fault.start]:02X}",
                       encoding=_encoding(raw), quoted=shlex.quote(str(path))) from None  # fmt: skip


def _bytes_of(path: Path) -> bytes:
    file = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        status = os.fstat(file)
        if stat.S_ISDIR(status.st_mode):
            raise BadInput("job-file-is-folder", path=path)
        if stat.S_ISFIFO(status.st_mode):
            return _all_of(file, path, _first_of(file, path))
        if not stat.S_ISREG(status.st_mode):
            raise BadInput("job-file-is-no-file", path=path)
        return _all_of(file, path, b"", status.st_size)
    finally:
        os.close(file)


def _first_of(pipe: int, path: Path) -> bytes:
    """The first byte of a pipe, or nothing yet from somebody who writes."""
    poll = select.poll()
    poll.register(pipe, select.POLLIN)
    ready = poll.poll(_WRITER_MS)
    try:
        first = os.read(pipe, 1)
    except BlockingIOError:  # nothing yet, but its other end is open
        first = b""
    else:
        if not first and not ready:
            raise BadInput("job-file-unwritten", path=path)
    os.set_blocking(pipe, True)
    return first


def _all_of(file: int, path: Path, raw: bytes, size: int = 0) -> bytes:
    """``raw`` and the rest of the file, whose size is known for real files."""
    while size <= MAX_BYTES and (more := os.read(file, MAX_BYTES)):
        raw += more
        size = max(size, len(raw))
    if size > MAX_BYTES:
        raise BadInput("job-file-too-large", path=path, limit_mb=MAX_BYTES // 1_000_000, size_mb=f"{size / 1e6:,.1f}")
    return raw


def _encoding(raw: bytes) -> str:
    """What the bytes may be instead of UTF-8, as a name that ``iconv`` knows; empty for no idea."""
    if raw[:2] in _MARKS:
        return _MARKS[raw[:2]]
    try:
        letters = raw.decode("gb18030")
    except UnicodeDecodeError:
        return ""
    return "GB18030" if any("\u4e00" <= letter <= "\u9fff" for letter in letters) else ""
