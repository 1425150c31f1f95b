"""httpie and similar: a method, an address, and items that are headers, body fields or files."""

import re
from collections.abc import Iterator

from toolgate.model.effect import Connect, PrintedOutput, Read, ReportedEffect, Write
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, join_words
from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.program import Program

from .http_services import find_deletions

_HTTPIE_OPTIONS = Flags(
    "-j,--json -f,--form --multipart -p,--print= -v,--verbose -b,--body -h,--headers -m,--meta -S,--stream -o,--output= -d,--download -c,--continue"
    " -a,--auth= -A,--auth-type= -F,--follow --verify= --timeout= --session= --check-status --ignore-stdin -q,--quiet --pretty= --style= -s= --raw= --curl"
    " --bearer= -x,--compress --proxy= --cert= --cert-key= --help --version"
)
_METHOD = re.compile(r"(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)", re.IGNORECASE)
_ITEM = re.compile(r"[^:=@/\s]+(==|:=@|:=|=@|=|@|:)")


def http_request(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`http [METHOD] URL [ITEM...]`."""
    options = _HTTPIE_OPTIONS.parse(argv)
    words = options.operands
    if options.has_flag("--help", "--version") is True or not words:
        return
    method = words.pop(0).text or "" if _METHOD.fullmatch(words[0].text or "") and len(words) > 1 else ""
    url, items = words[0], words[1:]
    shows, sends = list(options.values_of("--auth", "--bearer")), list(options.values_of("--raw"))
    for item in items:
        match = _ITEM.match(item.head)
        mark = match[1] if match is not None else ""
        value = item.drop_first(match.end()) if match is not None else item
        if mark == ":":
            shows.append(value)
        elif mark.endswith("@"):
            yield Read(context.resolve_place(value), context.origin)
            sends.append(context.read(value))
        else:
            sends.append(value)
    body = join_words([*sends, *([context.stdin] if context.stdin.parts else [])], "&")
    yield Connect(url, context.origin, body if body.parts else None, shows=join_words(shows, "&") if shows else None)
    yield from find_deletions(url, method.upper() or ("POST" if body.parts else "GET"), context)
    got = context.unknown_output(f"the response of {url.display_text}")
    for file in options.values_of("--output"):
        yield Write(context.resolve_place(file), got, False, context.origin)
    if options.value_of("--output") is None:
        yield PrintedOutput(got)


HTTP = Program(does=http_request)
