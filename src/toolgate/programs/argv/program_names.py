"""Lookup of programs that are called by other names than their rows have."""

import re

from toolgate.model.word import Word, known_word
from toolgate.programs import FAMILY_OF, VERSIONED_NAMES, find_row

from .program import Program

_COREUTILS = frozenset(
    "rm rmdir unlink shred truncate mkdir touch tee yes dd cp mv install ln chmod chown chgrp mktemp basename dirname realpath readlink"
    " cat tac test sleep echo printf env printenv nice nohup timeout stdbuf chroot base64 base32 basenc split csplit sort head tail uniq"
    " cut tr wc nl fold paste join comm od ls stat du df uname uptime whoami nproc date kill".split()
)
_ZSH_FILE_COMMANDS = frozenset("chgrp chmod chown ln mkdir mv rm rmdir".split())
_EXECUTABLE_EXTENSIONS = (".exe", ".cmd", ".bat", ".com")
_BY_LOWER_CASE = {name.lower(): name for name in (*FAMILY_OF, *VERSIONED_NAMES)}
_SHELL_VARIANTS = {"lksh": "mksh", "oksh": "ksh", "loksh": "ksh", "pdksh": "ksh", "yash": "sh", "posh": "sh", "osh": "bash"}
_MODULES = {"awscli": "aws", "django": "django-admin", "flask_migrate": "flask"}
"""Programs that Python runs under their module's name: `python -m awscli`."""
_match_variant = re.compile(
    r"([a-z+]+?)(?:[-.]?[0-9][0-9.]*)?(?:-(?:static|dbg|debug|preview|nightly)|\.(?:tiny|basic|nox|gtk3))?"
).fullmatch
_INTERPRETERS = ("interpreters.script_interpreters", "interpreters.evaluators", "interpreters.compilers")
_WITH_VERSION_SUFFIX = {name for name, family in FAMILY_OF.items() if family in _INTERPRETERS}
_WITH_VERSION_SUFFIX |= {"pip", "vim", "busybox", "node", "nodejs"}


def find_by_usual_name(name: str) -> Program | None:
    """Returns the row under the usual name of a program that has no row under this one."""
    other = _usual_name(name)
    meant = find_row(other) if other is not None else None
    return None if other is None or meant is None else _called_as(known_word(other), meant)


def find_linked(name: str) -> Program | None:
    """Returns the row of a program that is started through a link."""
    meant = find_row(name) or find_by_usual_name(name)
    return None if meant is None else _called_as(known_word(name), meant)


def _usual_name(name: str) -> str | None:
    small = name.lower()
    if small.endswith(_EXECUTABLE_EXTENSIONS):
        small = small.rpartition(".")[0]
    if small[:1] == "g" and small[1:] in _COREUTILS:
        return small[1:]
    if small[:3] == "zf_" and small[3:] in _ZSH_FILE_COMMANDS:
        return small[3:]
    variant = _match_variant(small)
    if variant is not None and variant[1] in _WITH_VERSION_SUFFIX:
        return variant[1]
    return _SHELL_VARIANTS.get(small) or _MODULES.get(small) or _BY_LOWER_CASE.get(small) or (small if small != name else None)


def _called_as(usual: Word, program: Program) -> Program:
    """Returns the program as if it were called by this name: handlers of several programs look at argv[0]."""
    return Program(
        does=lambda argv, seen: program.effects_of_call((usual.from_commands(argv[0].src), *argv[1:]), seen),
        silent=program.silent,
    )
