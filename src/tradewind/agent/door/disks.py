"""File systems: how much room, of which kind, whether other computers have them mounted, whether programs may run."""

from __future__ import annotations

import os
import re
from typing import Any, Dict, Iterable, NamedTuple, Optional

_MOUNTS = "/proc/self/mountinfo"
# Types as the kernel names them; what stands behind a FUSE mount is in the part after the dot. The control plane has
# the same lists for its database (``store.filesystems``); a test keeps them alike.
NETWORK = frozenset({
    "9p", "afpfs", "afs", "beegfs", "ceph", "cifs", "coda", "davfs", "ftp", "gfs", "gfs2", "glusterfs", "gpfs",
    "juicefs", "lustre", "ncpfs", "nfs", "nfs3", "nfs4", "ocfs2", "orangefs", "panfs", "pvfs2", "quobyte", "smb",
    "smb2", "smb3", "smbfs", "vboxsf", "vmhgfs", "webdav", "wekafs",
})  # fmt: skip
NETWORK_FUSE = frozenset({
    "alluxio-fuse", "beegfs", "blobfuse", "blobfuse2", "ceph", "ceph-fuse", "cosfs", "curlftpfs", "gcsfuse", "geesefs",
    "glusterfs", "goofys", "juicefs", "mfs", "moosefs", "mount-s3", "mountpoint-s3", "obsfs", "ossfs", "rclone", "s3fs",
    "s3ql", "seaweedfs", "sshfs", "vmhgfs-fuse",
})  # fmt: skip


class Mount(NamedTuple):
    """Where a file system begins, and its type."""

    point: str
    kind: str


def look(path: str) -> Dict[str, Any]:
    """``{"path", "total_gb", "free_gb", "kind", "network", "noexec"}`` of the file system under ``path``.

    ``free_gb`` is what this user may fill; ``kind`` and ``network`` are null where the system does not tell.

    Raises:
        OSError: there is no such path.
    """
    real = os.path.realpath(path)
    room = os.statvfs(real)
    mount = holding(real, _mounts())
    return {
        "path": path, "total_gb": round(room.f_blocks * room.f_frsize / 1e9, 1),
        "free_gb": round(room.f_bavail * room.f_frsize / 1e9, 1), "kind": mount.kind if mount else None,
        "network": network(mount.kind) if mount else None, "noexec": bool(room.f_flag & getattr(os, "ST_NOEXEC", 0)),
    }  # fmt: skip


def network(kind: str) -> bool:
    """Whether other computers may have a file system of this type mounted too."""
    prefix, _, behind = kind.partition(".")
    return kind in NETWORK or (prefix == "fuse" and behind in NETWORK_FUSE)


def holding(path: str, mounts: Iterable[Mount]) -> Optional[Mount]:
    """The mount that an absolute path without links lies on: the deepest, of several at one point the last."""
    found = None
    for mount in mounts:
        inside = path == mount.point or path.startswith(mount.point.rstrip("/") + "/")
        if inside and (found is None or len(mount.point) >= len(found.point)):
            found = mount
    return found


def _mounts() -> Iterable[Mount]:
    """What ``/proc/self/mountinfo`` tells of, in order (proc(5)); nothing on other systems."""
    try:
        with open(_MOUNTS, encoding="utf-8", errors="surrogateescape") as file:
            lines = file.read().splitlines()
    except OSError:
        return []
    found = []
    for line in lines:
        before, _, after = line.partition(" - ")  # optional fields end at the lone hyphen
        found.append(Mount(_unescaped(before.split(" ")[4]), after.split(" ")[0]))
    return found


def _unescaped(text: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal.group(1), 8)), text)
