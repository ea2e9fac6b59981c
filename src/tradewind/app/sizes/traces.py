"""Traces that were made before: one file each under the home, named by what it was made from."""

from __future__ import annotations

import gzip
import json
import os
import zlib
from contextlib import suppress
from pathlib import Path

from tradewind.domain.profile import ModelProfile
from tradewind.domain.profile_json import decode, encode

MOST = 2_000  # files: some 20 kB each


class Traces:
    """Profiles by key on the disk, in a folder that is made when the first is kept.

    A file that cannot be read is a trace that was not made; one cannot be half written.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, key: str) -> ModelProfile | None:
        """The profile kept under ``key``; None when there is none."""
        path = self._path(key)
        try:
            profile = decode(json.loads(gzip.decompress(path.read_bytes())))
        except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError):
            return None
        with suppress(OSError):
            os.utime(path)  # what is used stays longest
        return profile

    def put(self, key: str, profile: ModelProfile) -> None:
        """Keep a profile. A disk that does not take it costs only the time of the next trace."""
        draft = self._folder / f".{key}.{os.getpid()}"
        with suppress(OSError):
            for folder in (self._folder.parent, self._folder):  # the home first: parents would be open to all
                folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            draft.write_bytes(gzip.compress(json.dumps(encode(profile)).encode(), mtime=0))
            draft.replace(self._path(key))
            self._forget()

    def _path(self, key: str) -> Path:
        return self._folder / f"{key}.json.gz"

    def _forget(self) -> None:
        """Remove what was not used for longest, beyond :data:`MOST`."""
        kept = list(self._folder.glob("*.json.gz"))
        if len(kept) > MOST:
            for path in sorted(kept, key=lambda path: path.stat().st_mtime)[: len(kept) - MOST]:
                path.unlink(missing_ok=True)
