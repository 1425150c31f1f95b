"""Programs that print text or information: their operands are named, not run."""

from collections.abc import Iterator

from toolgate.model.effect import Interpret, Operation, Prints, Read, Reported, Write
from toolgate.model.seen import Seen
from toolgate.model.word import Hole, HoleKind, Word, known

from .options import Flags
from .program import Program, via


def find_program(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """which, whereis: the path of a program of that name."""
    names = [word for word in argv[1:] if word.starts("-") is not True]
    own = seen.output("which").src
    if len(names) == 1 and names[0].text:
        yield Prints(Word((Hole("?**", f"$(which {names[0].text})", kind=HoleKind.NAMED), f"/{names[0].text}"), src=own))
    else:
        yield Prints(seen.output("which"))


def tell_or_print(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """type shows what a name means here, and on Windows a file's content; agents use both in either shell. An operand with a
    dot or a slash is a file."""
    for word in argv[1:]:
        if word.contains(".") is True or word.contains("/") is True or word.contains("\\") is True:
            yield Read(seen.place(word), seen.origin)
    yield Prints(seen.output("type"))


_TELLS = Program(operands="data*")
MAN = Flags(
    "-P,--pager= -k,--apropos -f,--whatis -a,--all -w,--path -M,--manpath= -s,-S,--sections= -L,--locale= -H,--html=? --help"
)


def manual(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """A page is shown by a pager that an option or a variable may name."""
    given = MAN.read(argv)
    named = [given.value("--pager")] if given.value("--pager") else [seen.variable("MANPAGER"), seen.variable("PAGER")]
    yield from (Interpret("shell", each, seen.origin, via="man") for each in named if each is not None and each.parts)
    yield Prints(seen.output("man"))


def journal(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """journalctl: `--vacuum-size` and similar options delete older logs of the system."""
    for word in argv[1:]:
        if word.starts("--vacuum-") is True:
            yield Write(seen.place(known("/var/log/journal")), None, False, seen.origin)
    yield Prints(seen.output("journalctl"))


def erases(*options: str) -> Program:
    """A log that can be cleared with one of `options`."""

    def does(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
        texts = [word.text or "" for word in argv[1:]]
        if any(text in options or _cluster(text, options) for text in texts) or " ".join(texts) in options:
            yield Operation("trace.erase", seen.origin, known(via(argv)))
        yield Prints(seen.output(via(argv)))

    return Program(does=does)


def _cluster(text: str, options: tuple[str, ...]) -> bool:
    """Tell whether a cluster has one of the options: `-cw` has `-c`."""
    return (
        text[:1] == "-"
        and text[1:2].isalpha()
        and text[1:].isalpha()
        and any(len(each) == 2 and each[1] in text for each in options)
    )


ROWS: dict[str, Program] = {
    "journalctl": Program(does=journal),
    "history": erases("-c", "-d", "-p"),
    "dmesg": erases("-c", "-C", "--clear", "--read-clear"),
    "auditctl": erases("-D", "-e 0"),
    "log": erases("erase"),
    "man": Program(does=manual),
    "which": Program(does=find_program),
    "type": Program(does=tell_or_print),
    "Get-Content": Program(operands="read*"),  # PowerShell's, in whatever shell
    **dict.fromkeys(
        "logger wall notify-send whereis whatis apropos info tldr help file stat du df last lastb lastlog getent"
        " lslogins ps pgrep pidof pstree lsof ss netstat modinfo lsmod findmnt lsblk blkid md5sum sha1sum sha224sum sha256sum sha384sum sha512sum"
        " b2sum cksum shasum md5 ssh-add uname uptime whoami nproc"
        " vmstat dpkg-query apt-cache lscpu lspci lsusb lvs vgs pvs lvdisplay vgdisplay pvdisplay".split(),
        _TELLS,
    ),
}
