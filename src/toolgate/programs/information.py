"""Programs that take text, or tell about others: what they are given is named, not run."""

from collections.abc import Iterator

from toolgate.model.effect import Prints, Reported
from toolgate.model.seen import Seen
from toolgate.model.word import Hole, Word

from .program import Program


def find_program(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """which, whereis: the path of a program of that name."""
    names = [word for word in argv[1:] if word.starts("-") is not True]
    own = seen.output("which").src
    if len(names) == 1 and names[0].text:
        yield Prints(Word((Hole("?**", f"$(which {names[0].text})"), f"/{names[0].text}"), src=own))
    else:
        yield Prints(seen.output("which"))


_TELLS = Program(operands="data*")
ROWS: dict[str, Program] = {
    "which": Program(does=find_program),
    **dict.fromkeys(
        (
            "logger",
            "wall",
            "notify-send",
            "man",
            "whereis",
            "whatis",
            "apropos",
            "type",
            "info",
            "tldr",
            "help",
            "file",
            "stat",
            "du",
            "df",
            "last",
            "lastb",
            "lastlog",
            "getent",
            "lslogins",
            "ps",
            "pgrep",
            "pidof",
            "pstree",
            "lsof",
            "ss",
            "netstat",
            "modinfo",
            "lsmod",
            "findmnt",
            "lsblk",
            "blkid",
            "journalctl",
            "uname",
            "uptime",
            "whoami",
            "nproc",
            "vmstat",
            "dpkg-query",
            "apt-cache",
            "lscpu",
            "lspci",
            "lsusb",
            "lvs",
            "vgs",
            "pvs",
            "lvdisplay",
            "vgdisplay",
            "pvdisplay",
        ),
        _TELLS,
    ),
}
