"""Stores of passwords: what they print of the secrets they keep, and what they throw away."""

from .program import Program
from .verbs import tool


def keeps(secrets: str, deletes: str = "") -> Program:
    return tool({"credential.print": secrets, "cloud.delete": deletes}, "-r,--recursive -f,--force -p,--permanent")


ROWS: dict[str, Program] = {
    **dict.fromkeys(("pass", "gopass"), keeps("show|otp", "rm|remove|delete")),
    "bw": keeps("get|export", "delete **"),
    "lpass": keeps("show|export", "rm|rmdir"),
    "keyring": keeps("get", "del"),
    "ansible-vault": keeps("view"),
}
