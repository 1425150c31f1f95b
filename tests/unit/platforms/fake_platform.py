"""Starts toolgate on a platform that lacks what Windows or macOS lacks: `fake_platform.py PLATFORM ARGUMENTS...`.

The standard library is loaded before: its own modules are those of the real platform. What toolgate then imports or calls is
missing as it is there, so a call that is not guarded fails. Paths are still joined as on this machine.
"""

import asyncio
import getpass
import os
import platform
import selectors
import shutil
import signal
import socket
import sqlite3
import ssl
import subprocess
import sys
import sysconfig
import tempfile
import threading
import uuid
from collections.abc import Iterable
from types import ModuleType

import click._compat

LOADED = (asyncio, click._compat, getpass, platform, selectors, shutil, sqlite3, ssl, subprocess, tempfile, threading, uuid)
POSIX_MODULES = ("fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty")
POSIX_CALLS = (
    "chown confstr copy_file_range eventfd fchmod fchown fork forkpty getegid geteuid getgid getgroups getloadavg getpgid "
    "getresuid getsid getuid getxattr initgroups killpg lchown listxattr memfd_create mkfifo mknod nice pidfd_open posix_fadvise "
    "posix_spawn pread pwrite readv register_at_fork sched_getaffinity sched_setaffinity sendfile setegid seteuid setgid "
    "setgroups setpgid setsid setuid setxattr splice statvfs sync sysconf ttyname uname wait3 wait4 waitid writev "
    "O_CLOEXEC O_DIRECTORY O_NOCTTY O_NOFOLLOW O_NONBLOCK O_PATH O_SYNC O_TMPFILE"
).split()
POSIX_SIGNALS = (
    "ITIMER_REAL SIGALRM SIGCHLD SIGCONT SIGHUP SIGPIPE SIGQUIT SIGSTOP SIGUSR1 SIGUSR2 SIG_BLOCK SIG_UNBLOCK alarm pthread_kill "
    "pthread_sigmask setitimer"
).split()
POSIX_SOCKETS = ("AF_UNIX", "MSG_NOSIGNAL", "SOCK_SEQPACKET", "SO_PEERCRED", "recv_fds", "send_fds")
LINUX_CALLS = (
    "copy_file_range eventfd getresuid getxattr listxattr memfd_create pidfd_open posix_fadvise sched_getaffinity "
    "sched_setaffinity setxattr splice O_PATH O_TMPFILE"
).split()
LINUX_SOCKETS = ("SOCK_SEQPACKET", "SO_PEERCRED")


def remove_names(module: ModuleType, names: Iterable[str]) -> None:
    for name in names:
        if hasattr(module, name):
            delattr(module, name)


def become_windows() -> None:
    for name in POSIX_MODULES:
        sys.modules[name] = None  # type: ignore[assignment]
    remove_names(os, POSIX_CALLS)
    remove_names(signal, POSIX_SIGNALS)
    remove_names(socket, POSIX_SOCKETS)
    os.supports_dir_fd = os.supports_fd = os.supports_effective_ids = set()
    sys.platform = "win32"


def become_macos() -> None:
    """Opening a file of `/proc` fails as if it did not exist."""
    remove_names(os, LINUX_CALLS)
    remove_names(socket, LINUX_SOCKETS)

    def hide_proc(event: str, arguments: tuple[object, ...]) -> None:
        if event in ("open", "os.listdir", "os.scandir") and str(arguments[0]).startswith("/proc"):
            raise FileNotFoundError(2, "No such file or directory", str(arguments[0]))

    sysconfig.get_config_vars()  # read from a module that is named after the platform
    sys.addaudithook(hide_proc)
    sys.platform = "darwin"


PLATFORMS = {"windows": become_windows, "macos": become_macos}


if __name__ == "__main__":
    PLATFORMS[sys.argv.pop(1)]()
    from toolgate.__main__ import main

    sys.exit(main())
