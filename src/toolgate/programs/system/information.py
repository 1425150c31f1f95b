"""Programs that print text or information: their operands are named, not run."""

from collections.abc import Iterator

from toolgate.model.effect import Carrier, Interpret, Operation, PrintedOutput, Read, ReportedEffect, Write
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Hole, HoleKind, Word, known_word
from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.program import Program, program_name


def find_program(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """which, whereis: the path of a program of that name."""
    names = [word for word in argv[1:] if word.starts_with("-") is not True]
    own = context.unknown_output("which").src
    if len(names) == 1 and names[0].text:
        yield PrintedOutput(Word((Hole("?**", f"$(which {names[0].text})", kind=HoleKind.NAMED), f"/{names[0].text}"), src=own))
    else:
        yield PrintedOutput(context.unknown_output("which"))


def type_command(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """type shows what a name means here, and on Windows a file's content; agents use both in either shell. An operand with a
    dot or a slash is a file."""
    for word in argv[1:]:
        if word.contains(".") is True or word.contains("/") is True or word.contains("\\") is True:
            yield Read(context.resolve_place(word), context.origin)
    yield PrintedOutput(context.unknown_output("type"))


_INFORMATION_PROGRAM = Program(operands="data*")
MAN = Flags(
    "-P,--pager= -k,--apropos -f,--whatis -a,--all -w,--path -M,--manpath= -s,-S,--sections= -L,--locale= -H,--html=? -l,--local-file --help"
)


def man(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """A page is shown by a pager that an option or a variable may name."""
    options = MAN.parse(argv)
    named = (
        [options.value_of("--pager")]
        if options.value_of("--pager")
        else [context.get_variable("MANPAGER"), context.get_variable("PAGER")]
    )
    yield from (Interpret("shell", each, context.origin, via=Carrier("man")) for each in named if each is not None and each.parts)
    files = [word for word in options.operands if "/" in (word.text or "/")]
    yield from (Read(context.resolve_place(word), context.origin) for word in files)
    yield PrintedOutput(context.unknown_output("man"))


def journalctl(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """journalctl: `--vacuum-size` and similar options delete older logs of the system."""
    for word in argv[1:]:
        if word.starts_with("--vacuum-") is True:
            yield Write(context.resolve_place(known_word("/var/log/journal")), None, False, context.origin)
    yield PrintedOutput(context.unknown_output("journalctl"))


def log_program(*options: str) -> Program:
    """A log that can be cleared with one of `options`."""

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        texts = [word.text or "" for word in argv[1:]]
        if any(text in options or _has_cluster_option(text, options) for text in texts) or " ".join(texts) in options:
            yield Operation("trace.erase", context.origin, known_word(program_name(argv)))
        yield PrintedOutput(context.unknown_output(program_name(argv)))

    return Program(does=report_effects)


def _has_cluster_option(text: str, options: tuple[str, ...]) -> bool:
    """Returns whether a cluster has one of the options: `-cw` has `-c`."""
    return (
        text[:1] == "-"
        and text[1:2].isalpha()
        and text[1:].isalpha()
        and any(len(each) == 2 and each[1] in text for each in options)
    )


_USER_FOLDERS = {
    "DESKTOP": "Desktop",
    "DOCUMENTS": "Documents",
    "DOWNLOAD": "Downloads",
    "MUSIC": "Music",
    "PICTURES": "Pictures",
    "PUBLICSHARE": "Public",
    "TEMPLATES": "Templates",
    "VIDEOS": "Videos",
}
"""By the name that `xdg-user-dir` takes: the folder below the home folder, unless the user has moved it."""


def user_folder(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    name = _USER_FOLDERS.get(argv[1].text or "") if len(argv) > 1 else None
    folder = known_word(f"{context.home}/{name}" if name else context.home)
    yield PrintedOutput(folder.from_commands(context.unknown_output("xdg-user-dir").src))


ROWS: dict[str, Program] = {
    "xdg-user-dir": Program(does=user_folder),
    "journalctl": Program(does=journalctl),
    "history": log_program("-c", "-d", "-p"),
    "dmesg": log_program("-c", "-C", "--clear", "--read-clear"),
    "auditctl": log_program("-D", "-e 0"),
    "log": log_program("erase"),
    "man": Program(does=man),
    "which": Program(does=find_program),
    "logger": Program(Flags("-f,--file=read -t,--tag= -p,--priority= -n,--server= -P,--port= -s -i -e -d -T -u,--socket=")),
    "file": Program(Flags("-f,--files-from=read -m,--magic-file=read -b -i -L -h -z -k -s -e,--exclude= -F,--separator= -P=")),
    "ss": Program(Flags("-F,--filter=read -D,--diag=write -f,--family= -A,--query,--socket= -N,--net="), operands="data*"),
    "type": Program(does=type_command),
    "Get-Content": Program(operands="read*"),  # PowerShell's, in whatever shell
    **dict.fromkeys(
        "wall notify-send whereis whatis apropos info tldr help df last lastb lastlog getent"
        " lslogins ps pgrep pidof pstree lsof netstat modinfo lsmod findmnt lsblk blkid cksum md5 ssh-add uname uptime whoami nproc"
        " vmstat dpkg-query apt-cache lscpu lspci lsusb lvs vgs pvs lvdisplay vgdisplay pvdisplay".split(),
        _INFORMATION_PROGRAM,
    ),
}
