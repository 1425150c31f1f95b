"""Lookup of programs that are called by other names than their rows have."""

import re

from toolgate.model.word import Word, known

from . import FAMILY_OF, VERSIONED, row
from .program import Program

_COREUTILS = frozenset(
    "rm rmdir unlink shred truncate mkdir touch tee yes dd cp mv install ln chmod chown chgrp mktemp basename dirname realpath readlink"
    " cat tac test sleep echo printf env printenv nice nohup timeout stdbuf chroot base64 base32 basenc split csplit sort head tail uniq"
    " cut tr wc nl fold paste join comm od ls stat du df uname uptime whoami nproc date kill".split()
)
_OF_ZSH = frozenset("chgrp chmod chown ln mkdir mv rm rmdir".split())
_ENDINGS = (".exe", ".cmd", ".bat", ".com")
_SMALL = {name.lower(): name for name in (*FAMILY_OF, *VERSIONED)}
_SHELLS = {"lksh": "mksh", "oksh": "ksh", "loksh": "ksh", "pdksh": "ksh", "yash": "sh", "posh": "sh", "osh": "bash"}
_VARIANT = re.compile(
    r"([a-z+]+?)(?:[-.]?[0-9][0-9.]*)?(?:-(?:static|dbg|debug|preview|nightly)|\.(?:tiny|basic|nox|gtk3))?"
).fullmatch
_OF_MANY_VERSIONS = {name for name, family in FAMILY_OF.items() if family in ("interpreters", "evaluators", "making")}
_OF_MANY_VERSIONS |= {"pip", "vim", "busybox", "node", "nodejs"}


def usual(name: str) -> Program | None:
    """Return the row under the usual name of a program that has no row under this one."""
    other = _usual(name)
    meant = row(other) if other is not None else None
    return None if other is None or meant is None else _as(known(other), meant)


def linked(name: str) -> Program | None:
    """Return the row of a program that is started through a link."""
    meant = row(name) or usual(name)
    return None if meant is None else _as(known(name), meant)


def _usual(name: str) -> str | None:
    small = name.lower()
    if small.endswith(_ENDINGS):
        small = small.rpartition(".")[0]
    if small[:1] == "g" and small[1:] in _COREUTILS:
        return small[1:]
    if small[:3] == "zf_" and small[3:] in _OF_ZSH:
        return small[3:]
    variant = _VARIANT(small)
    if variant is not None and variant[1] in _OF_MANY_VERSIONS:
        return variant[1]
    return _SHELLS.get(small) or _SMALL.get(small) or (small if small != name else None)


def _as(usual: Word, program: Program) -> Program:
    """Return the program as if it were called by this name: handlers of several programs look at argv[0]."""
    return Program(
        does=lambda argv, seen: program.effects((usual.from_commands(argv[0].src), *argv[1:]), seen), silent=program.silent
    )
