"""Jobs that run later: at, batch and cron."""

import re
from collections.abc import Iterator
from dataclasses import replace

from toolgate.model.effect import Interpret, Operation, PrintedOutput, Read, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Hole, Word, known_word
from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.program import Program, make_carrier

_AT = Flags("-f=read -q= -t= -m -M -l -d -r -c -v")
_CRONTAB = Flags("-u= -l -r -e -i -s -x= -h,--help -V,--version")
_TIME_FIELDS = re.compile(r"[ \t]*(?:@[a-z]+|(?:[\d*][^\s#=]*[ \t]+){4}[\d*a-zA-Z][^\s=]*)[ \t]+")
_INPUT_MARK = re.compile(r"(?<!\\)%")


def at_or_batch(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """at and batch run the content of standard input or a file later."""
    options = _AT.parse(argv)
    if options.has_flag("-l", "-d", "-r", "-c") is True:
        return
    file = options.value_of("-f")
    if file is not None:
        yield Read(context.resolve_place(file), context.origin)
    if argv[0].file_name == "at":
        yield Operation("schedule.change", context.origin, file, (("remove", False), ("edit", False)))
    for code in context.read_alternatives(file) if file is not None else [context.stdin]:
        yield Interpret("shell", code, context.origin, via=make_carrier(argv))


def crontab(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = _CRONTAB.parse(argv)
    if options.has_flag("-l", "--help", "--version") is True:
        yield PrintedOutput(context.unknown_output("crontab -l"))
        return
    remove, edit = options.has_flag("-r"), options.has_flag("-e")
    table = options.operands[0] if options.operands else None
    yield Operation("schedule.change", context.origin, table, (("remove", remove), ("edit", edit)))
    if remove is True or edit is True:
        return
    tables = [context.stdin]
    if table is not None and table.text != "-":
        yield Read(context.resolve_place(table), context.origin)
        tables = list(context.read_alternatives(table))
    for job in (job for lines in tables for job in parse_crontab(lines)):
        yield Interpret("shell", job, context.origin, via=make_carrier(argv), cwd=known_word(context.home))


def parse_crontab(table: Word) -> Iterator[Word]:
    """Yields the commands of a table (crontab(5)); the text after `%` is their input. An unknown part ends with its own line
    end, as the output of `crontab -l` does."""
    for line in table.split_at("\n"):
        begun = line.parts[:1] and isinstance(line.parts[0], Hole)
        entry = replace(line, parts=line.parts[1:]) if begun else line
        time = _TIME_FIELDS.match(entry.head)
        if time is not None:
            job = entry.drop_first(time.end())
            yield known_word(_INPUT_MARK.split(job.text)[0].replace("\\%", "%"), job.src) if job.text is not None else job


ROWS: dict[str, Program] = {"at": Program(does=at_or_batch), "batch": Program(does=at_or_batch), "crontab": Program(does=crontab)}
