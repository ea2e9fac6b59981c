"""The file system under a path: SQLite's locks and shared memory hold within one computer only."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tradewind.domain.errors import BadInput

# Types as the kernel names them: Linux in mountinfo, macOS in getfsstat. 9p: folders of the host in a virtual machine.
_NETWORK = frozenset({
    "9p", "afpfs", "afs", "beegfs", "ceph", "cifs", "coda", "davfs", "ftp", "gfs", "gfs2", "glusterfs", "gpfs",
    "juicefs", "lustre", "ncpfs", "nfs", "nfs3", "nfs4", "ocfs2", "orangefs", "panfs", "pvfs2", "quobyte", "smb",
    "smb2", "smb3", "smbfs", "vboxsf", "vmhgfs", "webdav", "wekafs",
})  # fmt: skip
# What stands behind a FUSE mount is in the part after the dot.
_NETWORK_FUSE = frozenset({
    "alluxio-fuse", "beegfs", "blobfuse", "blobfuse2", "ceph", "ceph-fuse", "cosfs", "curlftpfs", "gcsfuse", "geesefs",
    "glusterfs", "goofys", "juicefs", "mfs", "moosefs", "mount-s3", "mountpoint-s3", "obsfs", "ossfs", "rclone", "s3fs",
    "s3ql", "seaweedfs", "sshfs", "vmhgfs-fuse",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mount:
    """Where a file system begins, and its type."""

    point: str
    kind: str

    @property
    def network(self) -> bool:
        """Whether other computers may have it mounted too."""
        prefix, _, behind = self.kind.partition(".")
        return self.kind in _NETWORK or (prefix == "fuse" and behind in _NETWORK_FUSE)


def refuse_network(path: Path) -> None:
    """Nothing, unless ``path`` lies or would lie on a network file system; what cannot be told passes.

    Raises:
        BadInput: it does.
    """
    mount = holding(str(path.resolve()), _mounts())
    if mount and mount.network:
        raise BadInput("database-on-network-fs", path=path, kind=mount.kind, mount=mount.point)


def holding(path: str, mounts: Iterable[Mount]) -> Mount | None:
    """The mount that an absolute path without links lies on: the deepest, of several at one point the last."""
    found = None
    for mount in mounts:
        deeper = found is None or len(mount.point) >= len(found.point)
        if deeper and (path == mount.point or path.startswith(mount.point.rstrip("/") + "/")):
            found = mount
    return found


def read_mountinfo(text: str) -> list[Mount]:
    """The mounts that ``/proc/self/mountinfo`` tells of, in order. Source: proc(5)."""
    mounts = []
    for line in text.splitlines():
        before, _, after = line.partition(" - ")  # optional fields end at the lone hyphen
        point, kind = before.split(" ")[4:5], after.split(" ")[0]
        if point and kind:
            mounts.append(Mount(_unescaped(point[0]), kind))
    return mounts


def _unescaped(text: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), text) if "\\" in text else text


def _mounts() -> list[Mount]:
    if sys.platform == "linux":
        # Names in other encodings come as Python's own paths have them.
        return read_mountinfo(Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="surrogateescape"))
    import psutil

    return [Mount(each.mountpoint, each.fstype) for each in psutil.disk_partitions(all=True)]
