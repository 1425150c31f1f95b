"""Jobs that run later: at, batch and cron."""

import re
from collections.abc import Iterator
from dataclasses import replace

from toolgate.model.effect import Interpret, Operation, Prints, Read, Reported
from toolgate.model.seen import Seen
from toolgate.model.word import Hole, Word, known

from .options import Flags
from .program import Program, via

_AT = Flags("-f=read -q= -t= -m -M -l -d -r -c -v")
_CRONTAB = Flags("-u= -l -r -e -i -s -x= -h,--help -V,--version")
_TIME = re.compile(r"[ \t]*(?:@[a-z]+|(?:[\d*][^\s#=]*[ \t]+){4}[\d*a-zA-Z][^\s=]*)[ \t]+")
_INPUT = re.compile(r"(?<!\\)%")


def at(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """at and batch run the content of standard input or a file later."""
    given = _AT.read(argv)
    if given.flag("-l", "-d", "-r", "-c") is True:
        return
    file = given.value("-f")
    if file is not None:
        yield Read(seen.place(file), seen.origin)
    for code in seen.contents(file) if file is not None else [seen.stdin]:
        yield Interpret("shell", code, seen.origin, via=via(argv))


def crontab(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    given = _CRONTAB.read(argv)
    if given.flag("-l", "--help", "--version") is True:
        yield Prints(seen.output("crontab -l"))
        return
    remove, edit = given.flag("-r"), given.flag("-e")
    table = given.operands[0] if given.operands else None
    yield Operation("schedule.change", seen.origin, table, (("remove", remove), ("edit", edit)))
    if remove is True or edit is True:
        return
    tables = [seen.stdin]
    if table is not None and table.text != "-":
        yield Read(seen.place(table), seen.origin)
        tables = list(seen.contents(table))
    for job in (job for lines in tables for job in jobs(lines)):
        yield Interpret("shell", job, seen.origin, via=via(argv), cwd=known(seen.home))


def jobs(table: Word) -> Iterator[Word]:
    """Yield the commands of a table (crontab(5)); the text after `%` is their input. An unknown part ends with its own line
    end, as the output of `crontab -l` does."""
    for line in table.pieces("\n"):
        begun = line.parts[:1] and isinstance(line.parts[0], Hole)
        entry = replace(line, parts=line.parts[1:]) if begun else line
        time = _TIME.match(entry.head)
        if time is not None:
            job = entry.cut(time.end())
            yield known(_INPUT.split(job.text)[0].replace("\\%", "%"), job.src) if job.text is not None else job


ROWS: dict[str, Program] = {"at": Program(does=at), "batch": Program(does=at), "crontab": Program(does=crontab)}
