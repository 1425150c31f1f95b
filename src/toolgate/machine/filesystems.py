"""The file system that a path is on: some cannot be trusted with locks and memory shared between machines."""

import os

MOUNT_INFO = "/proc/self/mountinfo"
NETWORK_FILESYSTEMS = frozenset(
    (
        "9p",
        "afs",
        "beegfs",
        "ceph",
        "cifs",
        "fuse.glusterfs",
        "fuse.rclone",
        "fuse.s3fs",
        "fuse.sshfs",
        "glusterfs",
        "gpfs",
        "lustre",
        "ncpfs",
        "nfs",
        "nfs4",
        "smb3",
        "smbfs",
    )
)


def filesystem_at(path: str, mounts: str = MOUNT_INFO) -> str:
    """Returns the kind of the file system of a path, as the kernel names it; empty if unknown."""
    real = os.path.realpath(path)
    deepest, kind = -1, ""
    try:
        with open(mounts, encoding="utf-8", errors="surrogateescape") as file:
            for line in file:
                before, _, after = line.partition(" - ")
                top = before.split(" ")[4].encode().decode("unicode_escape")  # a blank is written as \040
                beneath = real == top or real.startswith(top.rstrip("/") + "/")
                if beneath and len(top) >= deepest:
                    deepest, kind = len(top), after.split(" ", 1)[0]
    except (OSError, IndexError, ValueError):
        return ""
    return kind


def list_network_mounts(mounts: str = MOUNT_INFO) -> tuple[str, ...]:
    """Returns the folders that network file systems are mounted on. Does not touch them."""
    found = []
    try:
        with open(mounts, encoding="utf-8", errors="surrogateescape") as file:
            for line in file:
                before, _, after = line.partition(" - ")
                if after.split(" ", 1)[0] in NETWORK_FILESYSTEMS:
                    found.append(before.split(" ")[4].encode().decode("unicode_escape"))
    except (OSError, IndexError, ValueError):
        return tuple(found)
    return tuple(found)


def is_beneath(path: str, folders: tuple[str, ...]) -> bool:
    return any(path == folder or path.startswith(folder.rstrip("/") + "/") for folder in folders)


def is_on_network(path: str) -> bool:
    return filesystem_at(path) in NETWORK_FILESYSTEMS
