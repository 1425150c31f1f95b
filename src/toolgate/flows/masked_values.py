"""Whether a program that edits settings prints their names and masks: `sed -E 's/(KEY|TOKEN)=.*/\\1=***/'`."""

import re
from functools import lru_cache

from toolgate.stream_editing.sed_scripts import apply_script

_VALUE = "Zq9-Xw7"
_SECRETS = ("API_KEY", "STRIPE_SECRET_KEY", "JWT_SECRET", "GITHUB_TOKEN", "AWS_SECRET_KEY", "DB_PASSWORD")
_LINES = (
    *(f"{name}={mark}{_VALUE}{mark}\n" for name in _SECRETS for mark in ("", '"', "'")),
    *(f"DATABASE_URL={scheme}://app:{_VALUE}@db/a\n" for scheme in ("postgres", "mysql")),
)
"""Settings with secrets, as files of environments have them."""
_SHORTEST_PART = 3  # characters of a value that give part of it away
_names_lines = re.compile(r"(?:^|[;{}\n,])\s*(?:\d|\$)").search


@lru_cache(256)
def masks_values(script: str, *, extended: bool, quiet: bool) -> bool:
    """Returns whether a script of sed leaves the names of usual settings and no part of a secret's value. A script that drops
    settings selects others, of which it may show all. `quiet`: with `-n`."""
    if _names_lines(script):
        return False  # what it does to one line, it does not do to the others
    for line in _LINES:
        edited = apply_script(script, line, extended=extended, quiet=quiet) or ""
        if line.partition("=")[0] not in edited or shows_part(edited, _VALUE):
            return False
    return True


def shows_part(text: str, secret: str) -> bool:
    """Returns whether a text holds part of a secret."""
    return any(secret[at : at + _SHORTEST_PART] in text for at in range(len(secret) - _SHORTEST_PART + 1))


_TEXT = r'"(?:[^"\\]|\\.)*"'
_CONDITION = r'[^;{}?"(),\n]*'
_CHOICE = rf"\(?{_CONDITION}(?:{_TEXT})?{_CONDITION}\? *{_TEXT} *: *{_TEXT} *\)?"
_PRINTED = rf" *(?:length\([^()\n]*\)(?: *\? *{_TEXT} *: *{_TEXT})?|{_TEXT}|\$1|NR|NF|{_CHOICE}) *"
_STATEMENT = rf" *(?:print(?:[ ,]{_PRINTED})+|printf *{_TEXT}(?:,{_PRINTED})*|[a-z]+ *= *[^;{{}}|\n]*|next)? *"
_prints_names = re.compile(rf"(?:[^{{}};\n]{{0,200}}\{{{_STATEMENT}(?:;{_STATEMENT})*\}}\s*)+").fullmatch
_changes_fields = re.compile(
    r"\b(?:system|getline|close|OFS|ORS|ENVIRON|function|g?sub|gensub|split|match)\b|\||>\s*\"|\$\w+\s*[-+*/^%]?=(?![=~])|\$\("
).search
"""Matches what gives the first field, or what stands between fields, another text, and what has another input or output."""


def prints_names(program: str) -> bool:
    """Returns whether a program of awk prints nothing but the first field, lengths, counts and texts of its own."""
    return _prints_names(program) is not None and _changes_fields(program) is None
