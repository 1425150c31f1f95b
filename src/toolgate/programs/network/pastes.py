"""Programs that publish files, or their input, on a site for pastes: pastebinit, wgetpaste, nopaste."""

from collections.abc import Iterator

from toolgate.model.effect import Connect, PrintedOutput, Read, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word
from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.program import INFORMATION_OPTIONS, Program, program_name

_FLAGS = Flags(
    "-i= -b= -a= -t= -f= -u= -p= -j= -m= -r -E -P -l -v,--version -h,--help -s,--service= -n,--nick= -d,--desc= -c,--command= -x -X -w -S"
    " -L -g -I -q,--quiet --private --open"
)
_LISTS = ("-l", "-S", "-L")
"""Options that list the sites or languages."""


def publish_paste(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Sends the files that are named, or the input, to the site that an option names."""
    options = _FLAGS.parse(argv)
    if options.has_flag(*INFORMATION_OPTIONS, *_LISTS) is True:
        return
    site = next(iter((*options.values_of("-b"), *options.values_of("--service"))), known_word("pastebin.com"))
    files = [*options.values_of("-i"), *options.operands]
    for file in files:
        yield Read(context.resolve_place(file), context.origin)
        yield Connect(site, context.origin, context.read(file))
    if not files:
        yield Connect(site, context.origin, context.stdin)
    yield PrintedOutput(context.unknown_output(program_name(argv)))


ROWS: dict[str, Program] = dict.fromkeys(("pastebinit", "wgetpaste", "nopaste", "dpaster"), Program(does=publish_paste))
