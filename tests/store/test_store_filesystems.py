"""SQLite stays off network file systems: mounts as Linux tells them, and the real ones of this computer."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tradewind import words
from tradewind.domain.errors import BadInput
from tradewind.store import filesystems
from tradewind.store.database import Database
from tradewind.store.filesystems import Mount, holding, read_mountinfo

# A workstation: homes on NFS, a project share by SSH, a name with a space, a scratch disk bound into a home, a mount
# over a mount, fields before the hyphen of every number.
MOUNTINFO = r"""
21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
22 21 0:20 / /proc rw,nosuid shared:12 master:3 - proc proc rw
23 21 0:44 / /home rw,relatime shared:40 - nfs4 nas:/home rw,vers=4.2,addr=10.0.0.2
24 23 8:17 /ada /home/ada/scratch rw,relatime - xfs /dev/sdb1 rw
25 21 0:51 / /mnt/my\040share rw shared:41 propagate_from:2 - cifs //nas/share rw
26 21 0:52 / /mnt/code rw,nosuid - fuse.sshfs ada@build:/code rw,user_id=1000
27 21 8:33 / /mnt/usb rw - fuseblk /dev/sdc1 rw
28 21 0:53 / /data rw - lustre 10.0.0.9@o2ib:/lfs rw
29 21 8:49 / /data rw - ext4 /dev/sdd1 rw
30 21 0:54 / /mnt/tab\011and\134slash rw - glusterfs gl:/v rw
31 21 0:55 / /mnt/bucket rw - fuse.gcsfuse bucket rw
32 21 0:56 / /mnt/crypt rw - fuse.gocryptfs /plain rw
"""


@pytest.mark.parametrize(
    ("path", "kind", "network"),
    [
        ("/var/lib/tradewind/t.db", "ext4", False),
        ("/home/ada/.tradewind/t.db", "nfs4", True),
        ("/home", "nfs4", True),
        ("/homework/t.db", "ext4", False),  # not below /home
        ("/home/ada/scratch/t.db", "xfs", False),  # a local disk bound into a network home
        ("/mnt/my share/t.db", "cifs", True),
        ("/mnt/code/t.db", "fuse.sshfs", True),
        ("/mnt/usb/t.db", "fuseblk", False),
        ("/data/t.db", "ext4", False),  # the later mount hides the earlier
        ("/mnt/tab\tand\\slash/t.db", "glusterfs", True),
        ("/mnt/bucket/t.db", "fuse.gcsfuse", True),
        ("/mnt/crypt/t.db", "fuse.gocryptfs", False),
    ],
)
def test_the_mount_of_a_path_is_the_deepest_and_the_last(path: str, kind: str, network: bool) -> None:
    found = holding(path, read_mountinfo(MOUNTINFO))
    assert found is not None
    assert (found.kind, found.network) == (kind, network)


@pytest.mark.parametrize(
    "kind",
    [
        "nfs",
        "nfs4",
        "cifs",
        "smb3",
        "9p",
        "fuse.sshfs",
        "lustre",
        "gpfs",
        "beegfs",
        "ceph",
        "glusterfs",
        "afs",
        "ocfs2",
    ],
)
def test_what_several_computers_can_mount_is_refused(kind: str) -> None:
    assert Mount("/", kind).network


@pytest.mark.parametrize(
    "kind", ["ext4", "xfs", "btrfs", "zfs", "tmpfs", "overlay", "apfs", "f2fs", "fuseblk", "virtiofs", "sshfs-like"]
)
def test_what_one_computer_mounts_is_not(kind: str) -> None:
    assert not Mount("/", kind).network


def test_lines_that_are_not_understood_are_passed_over() -> None:
    assert read_mountinfo("\nrubbish\n1 2 3:4 / /x rw\n1 2 3:4 / /y rw - ext4 /dev/z rw\n") == [Mount("/y", "ext4")]
    assert holding("/x", []) is None


@pytest.mark.skipif(sys.platform != "linux", reason="asks GNU df")
@pytest.mark.parametrize("path", ["/", "/proc/self", "/dev/shm", "/sys"])
def test_this_computers_mounts_are_read_as_df_reads_them(path: str) -> None:
    mounts = read_mountinfo(Path("/proc/self/mountinfo").read_text())
    found = holding(str(Path(path).resolve()), mounts)
    told = subprocess.run(["df", "--output=fstype", path], capture_output=True, text=True, check=True)
    assert found is not None
    assert found.kind == told.stdout.split()[-1]


def test_a_database_there_is_refused_with_the_next_step_and_nothing_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    share = tmp_path / "share"
    share.mkdir()
    (tmp_path / "home").symlink_to(share)  # where it leads counts, not what it is called
    monkeypatch.setattr(filesystems, "_mounts", lambda: [Mount("/", "ext4"), Mount(str(share), "nfs4")])
    with pytest.raises(BadInput) as told:
        Database(tmp_path / "home" / "new" / "tradewind.db")
    assert told.value.code == "database-on-network-fs"
    assert (told.value.facts["kind"], told.value.facts["mount"]) == ("nfs4", str(share))
    assert "TRADEWIND_HOME" in words.error(told.value, "en").next
    assert list(share.iterdir()) == []


def test_on_a_local_disk_it_opens(tmp_path: Path) -> None:
    filesystems.refuse_network(tmp_path / "t.db")
