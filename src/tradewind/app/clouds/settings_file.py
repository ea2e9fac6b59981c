"""``TRADEWIND_HOME/clouds.yaml``: what is set for each cloud. A missing file sets nothing; a faulty one is told whole.

It is read again whenever it has changed, since a supervisor lives long.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tradewind.domain.errors import BadInput, Where
from tradewind.ports.cloud import CloudSettings

if TYPE_CHECKING:
    from tradewind.app.clouds.models import CloudSection
    from tradewind.app.jobfile.tree import Tree

Stamp = tuple[int, int, int]  # of a file: its number, size and the time of its last change


@dataclass(frozen=True, slots=True)
class CloudsSet:
    """What the file says: the settings of every cloud; which of them it speaks of; the URL that tells an address."""

    clouds: Mapping[str, CloudSettings]
    named: tuple[str, ...]
    caller_address: str


class SettingsFile:
    """The file of one home."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._known: tuple[Stamp | None, CloudsSet] | None = None

    def read(self) -> CloudsSet:
        """What it says now.

        Raises:
            BadInput: ``clouds-file-unreadable`` (path, why), one of the ``yaml-*`` codes, or ``clouds-file-invalid``
                (file, count) with every fault found.
        """
        with self._lock:
            stamp = self._stamp()
            if self._known is None or self._known[0] != stamp:
                self._known = stamp, parse(self._text() if stamp else "", str(self.path))
            return self._known[1]

    def _stamp(self) -> Stamp | None:
        try:
            there = self.path.stat()
        except FileNotFoundError:
            return None
        except OSError as fault:
            raise BadInput("clouds-file-unreadable", path=self.path, why=fault.strerror) from None
        return there.st_ino, there.st_size, there.st_mtime_ns

    def _text(self) -> str:
        try:
            return self.path.read_text("utf-8-sig")
        except (OSError, UnicodeDecodeError) as fault:
            why = fault.strerror if isinstance(fault, OSError) else fault
            raise BadInput("clouds-file-unreadable", path=self.path, why=why) from None


def parse(text: str, file: str) -> CloudsSet:
    """What YAML ``text`` sets; ``file`` names it in faults. Raises as :meth:`SettingsFile.read`."""
    from pydantic import ValidationError

    from tradewind.app.clouds import models
    from tradewind.app.jobfile import faults
    from tradewind.app.jobfile.tree import Tree, read_tree

    tree = read_tree(text, file) if text.strip() else Tree({})
    if tree.value is None:
        tree.value = {}  # comments alone
    found = list(tree.faults)
    parsed = models.CloudsFile()
    if not isinstance(tree.value, dict):
        found.append(BadInput("type-wrong", where=Where(file, 1, 1), key="clouds.yaml", wanted="mapping", got="text"))
    else:
        try:
            parsed = models.CloudsFile.model_validate(tree.value)
        except ValidationError as error:
            found += faults.faults_of(error, tree, models.CloudsFile)
        found += _together(tree)
    if found:
        told = faults.in_order(found)
        raise BadInput("clouds-file-invalid", where=told[0].where, faults=told, file=file, count=len(told))
    settings = {cloud: _settings(section) for cloud, section in models.sections(parsed).items()}
    named = tuple(cloud for cloud in settings if tree.value.get(cloud) is not None)
    return CloudsSet(settings, named, parsed.caller_address)


def _together(tree: Tree) -> list[BadInput]:
    """The faults of networks that several keys say together, whatever is wrong with the file otherwise."""
    found = []
    for cloud, section in tree.value.items():
        told = section if isinstance(section, dict) else {}
        network, own = told.get("network") or "default", [told.get("subnets"), told.get("groups")]
        key, where = f"{cloud}.network", tree.keys.get((cloud, "network")) or tree.keys.get((cloud,))
        if network == "given" and not all(own):
            found.append(BadInput("network-not-given", where=where, key=key))
        elif network != "given" and any(own):
            found.append(BadInput("network-given-besides", where=where, key=key, value=network))
    return found


def _settings(section: CloudSection) -> CloudSettings:
    return CloudSettings(
        tuple(section.regions), section.network, tuple(section.subnets), tuple(section.groups), section.public_address,
        section.ssh_from, dict(section.endpoints), section.image, section.kms_key, section.role, section.disk_gb,
    )  # fmt: skip
