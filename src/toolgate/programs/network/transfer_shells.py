"""Programs that transfer files by commands, one per line: ftp, sftp, lftp."""

from collections.abc import Iterator
from itertools import pairwise

from toolgate.model.effect import Carrier, Connect, Interpret, Read, ReportedEffect, Site, Write
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.unread_code import opaque_for_unread
from toolgate.model.word import Word, join_words, known_word
from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.program import Program, make_carrier, program_name

_UPLOAD_COMMANDS = frozenset(("put", "mput", "reput", "send", "append"))
_DELETING_COMMANDS = frozenset(("rm", "mrm", "rmdir", "mdelete", "delete"))
_DOWNLOAD_COMMANDS = frozenset(("get", "mget", "reget", "recv", "pget"))
_MAX_LINES = 1_000
_SHELL_MARKS = {"lftp": ("!", "local ")}
"""What precedes a command of the shell, if it is not an exclamation mark alone."""


def transfer_shell(flags: Flags) -> Program:
    """`-b` and `-f` name a file of commands, `-e` and `-c` contain some; otherwise they come from standard input."""

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        options = flags.parse(argv)
        for program in options.values_of("-S"):
            yield Interpret("shell", program, context.origin, via=make_carrier(argv, "-S"))
        for option in options.values_of("-o"):
            name, _, command = option.partition("=")
            if (name.text or "").strip().lower() in ("proxycommand", "localcommand", "knownhostscommand"):
                yield Interpret("shell", command, context.origin, via=make_carrier(argv, f"-o {name.text}"))
        files = [file for file in options.values_of("-b", "-f") if file.text != "-"]
        texts = [*(context.read(file) for file in files), *options.values_of("-e", "-c")] or [context.stdin]
        host = options.operands[0] if options.operands else None
        if host is not None:
            yield Connect(host, context.origin)
        for text in texts:
            lines = [part for line_text in text.split_lines() for part in line_text.split_at(";")]
            if len(lines) > _MAX_LINES:
                yield opaque_for_unread(
                    f"commands of {program_name(argv)}", f"they have more than {_MAX_LINES} lines", context.origin
                )
            folder: Word | None = None
            for line in lines[:_MAX_LINES]:
                verb, _, named = line.partition(" ")
                if verb.text == "lcd":
                    folder = named
                yield from _effects_of_line(line, host, program_name(argv), folder, context)

    return Program(does=report_effects)


def _effects_of_line(
    line: Word, host: Word | None, name: str, folder: Word | None, context: ExecutionContext
) -> Iterator[ReportedEffect]:
    """Yields what one command does. `folder`: the local one that an earlier `lcd` has changed to."""
    mark = next((mark for mark in _SHELL_MARKS.get(name, ("!",)) if line.starts_with(mark) is True), None)
    if mark is not None:
        yield Interpret("shell", line.drop_first(len(mark)), context.origin, via=Carrier(name, mark.strip()))
        return
    words = [word for word in line.split_at(" ") if word.parts and word.starts_with("-") is not True]
    if len(words) < 2:
        return
    if words[0].text == "glob" and len(words) > 2:
        words = words[1:]
    verb, file = words[0].text, words[1]
    texts = [word.text for word in line.split_at(" ")]
    mirrors_deletions = verb == "mirror" and "--delete" in texts and ("-R" in texts or "--reverse" in texts)
    if mirrors_deletions or (verb in _DELETING_COMMANDS and (words[-1].contains("*") is not False or "-r" in texts)):
        removed = words[-1] if words[-1].starts_with("/") is True else known_word("/srv/") + words[-1]
        machine = Site(f"ssh:{host.display_text if host is not None else '?'}")
        removal = known_word("rm -r ") + removed
        yield Interpret("shell", removal, context.origin, via=Carrier(name, verb or ""), site=machine)
    if verb == "mirror":
        if any(word.text in ("-R", "--reverse") for word in line.split_at(" ")):
            yield Read(context.resolve_place(file), context.origin, True)
            if host is not None:
                yield Connect(host, context.origin, sends=context.read(file))
    elif verb in _UPLOAD_COMMANDS:
        if folder is not None and file.starts_with("/") is not True:
            file = folder + known_word("/") + file
        yield Read(context.resolve_place(file), context.origin)
        if host is not None:
            yield Connect(host, context.origin, sends=context.read(file))
    elif verb in _DOWNLOAD_COMMANDS and len(words) > 2:
        yield Write(context.resolve_place(words[2]), context.unknown_output(f"files that {name} fetches"), False, context.origin)


def tftp(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`tftp HOST -c put FILE`: the command is the rest of the line. busybox takes `-p -l FILE HOST`."""
    at = next((n for n, word in enumerate(argv) if word.text == "-c"), len(argv))
    command = join_words(argv[at + 1 :])
    for option, file in pairwise(argv):
        if option.text == "-l" and any(word.text == "-p" for word in argv):
            command = known_word("put ") + file
    given = (known_word("-c"), command) if command.parts else ()
    yield from transfer_shell(_TFTP).effects_of_call((*argv[:at], *given), context)


_TFTP = Flags("-4 -6 -v -V -p -g -b= -l= -r= -m= -R= -c=")

ROWS: dict[str, Program] = {
    "sftp": transfer_shell(
        Flags(
            "-4 -6 -A -a -B= -b= -C -c= -D= -F= -f -i= -J= -l= -N -o= -P= -p -q -R= -r -S= -s= -v -X=",
        )
    ),
    "tftp": Program(does=tftp),
    "ftp": transfer_shell(Flags("-4 -6 -A -a -d -e -g -i -m -n -N= -o= -P= -p -q= -R -r= -s= -T= -t -u= -V -v")),
    "lftp": transfer_shell(Flags("-e= -c= -f= -u,--user= -p= -d --norc")),
}
