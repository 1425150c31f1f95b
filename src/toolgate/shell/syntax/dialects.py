"""The shells that may read a text."""

import re
from typing import NamedTuple

from .parser import parse
from .tree import Program


class Dialect(NamedTuple):
    """Which shells may read a text: bash unless `is_dash`, besides it dash (`may_be_dash`) or zsh (`may_be_zsh`).

    `is_sh_dash`: where a text may be read by dash or bash, it is dash that reads it.
    """

    may_be_dash: bool = False
    may_be_zsh: bool = False
    is_dash: bool = False
    is_sh_dash: bool = False

    @property
    def may_differ_from_bash(self) -> bool:
        return self.may_be_dash or self.may_be_zsh

    def parse(self, text: str) -> Program:
        if not self.may_be_dash:
            return parse(text)
        from . import dash  # slow to import, and rarely needed

        return dash.parse_for_dash(text) if self.is_dash else dash.parse_for_sh(text)


BASH = Dialect()


def dialect_of_login_shell(login: str, text: str) -> Dialect:
    """Returns the shells that may read the text of a tool. `login`: the name of the user's shell; empty if it is not known, and
    then a text that uses what dash lacks is written for another shell."""
    may_be_dash = login in ("sh", "dash", "ash") or (login == "" and _IS_FOR_OTHER_SHELL(text) is None)
    return Dialect(may_be_dash=may_be_dash, may_be_zsh=login == "zsh")


_IS_FOR_OTHER_SHELL = re.compile(
    r"(?:^|[;&|(){\n]|\b(?:then|do|else|if|elif|while|until)\s)\s*(?:source|\[\[|declare|typeset|mapfile|readarray|shopt|function|pushd|popd)\s"
    r"|<<<|[<>]\(|\w\+?=\(|\$\{\w+(?:\[|//|\^|,)|\bprintf\s+-v|\bread\s+-\w*a\b"
).search
