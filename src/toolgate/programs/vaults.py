"""Stores of passwords: what they print of the secrets they keep."""

from .program import Program
from .verbs import tool


def keeps(secrets: str) -> Program:
    return tool({"credential.print": secrets})


ROWS: dict[str, Program] = {
    **dict.fromkeys(("pass", "gopass"), keeps("show|otp")),
    "bw": keeps("get|export"),
    "lpass": keeps("show|export"),
    "keyring": keeps("get"),
    "ansible-vault": keeps("view"),
}
