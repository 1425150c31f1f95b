"""The account at the other end of a socket, and the change to another account. Linux only: elsewhere there is no supervisor."""

import ctypes
import os
import resource
import socket
import struct
from dataclasses import dataclass

SO_PEERGROUPS = 59
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_NO_NEW_PRIVS = 1, 4, 38
_NAMESPACES = ("mnt", "user", "pid")
RESOURCE_LIMITS = {resource.RLIMIT_CORE: 0, resource.RLIMIT_NOFILE: 1024, resource.RLIMIT_CPU: 60}
"""Limits after the change: no core dumps; descriptors; CPU seconds."""


@dataclass(frozen=True, slots=True)
class Peer:
    """A process as reported by the kernel: its rights when it connected."""

    pid: int
    uid: int
    gid: int
    groups: tuple[int, ...]


def read_peer(conversation: socket.socket) -> Peer:
    """Returns the process at the other end. Raises OSError if the kernel does not tell or there are more groups than are read."""
    pid, uid, gid = struct.unpack("3i", conversation.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    groups = conversation.getsockopt(socket.SOL_SOCKET, SO_PEERGROUPS, 1024)  # Python's limit: 256 groups
    return Peer(pid, uid, gid, struct.unpack(f"{len(groups) // 4}I", groups))


def shares_namespaces(pid: int) -> bool:
    """Returns whether that process has our mounts, users, processes and root: not across the border of a container."""
    try:
        own = [os.readlink(f"/proc/self/ns/{each}") for each in _NAMESPACES]
        other_namespaces = [os.readlink(f"/proc/{pid}/ns/{each}") for each in _NAMESPACES]
        return own == other_namespaces and os.path.samestat(os.stat("/"), os.stat(f"/proc/{pid}/root"))
    except OSError:
        return False


def become_account(uid: int, gid: int, groups: tuple[int, ...]) -> None:
    """Changes this process to that account for good: it can gain no rights, and other processes of the account cannot
    trace or read it. It ends with the process that started it. Raises OSError."""
    parent = os.getppid()
    os.setgroups(list(groups))
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)
    for what, value in ((_PR_SET_NO_NEW_PRIVS, 1), (_PR_SET_DUMPABLE, 0), (_PR_SET_PDEATHSIG, 9)):
        if ctypes.CDLL(None, use_errno=True).prctl(what, value, 0, 0, 0):
            raise OSError(ctypes.get_errno(), "prctl")
    for limit, wanted in RESOURCE_LIMITS.items():
        held = resource.getrlimit(limit)[1]
        most = wanted if held == resource.RLIM_INFINITY else min(wanted, held)
        resource.setrlimit(limit, (most, most))
    if os.getresuid() != (uid, uid, uid) or os.getresgid() != (gid, gid, gid) or os.getppid() != parent:
        raise OSError(0, "this process is not who it should be")
