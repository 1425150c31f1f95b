"""httpie and similar: a method, an address, and items that are headers, body fields or files."""

import re
from collections.abc import Iterator

from toolgate.model.effect import Connect, Prints, Read, Reported, Write
from toolgate.model.seen import Seen
from toolgate.model.word import Word, joined

from .http_services import taken_away
from .options import Flags
from .program import Program

_FLAGS = Flags(
    "-j,--json -f,--form --multipart -p,--print= -v,--verbose -b,--body -h,--headers -m,--meta -S,--stream -o,--output= -d,--download -c,--continue"
    " -a,--auth= -A,--auth-type= -F,--follow --verify= --timeout= --session= --check-status --ignore-stdin -q,--quiet --pretty= --style= -s= --raw= --curl"
    " --bearer= -x,--compress --proxy= --cert= --cert-key= --help --version"
)
_METHOD = re.compile(r"(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)", re.IGNORECASE)
_ITEM = re.compile(r"[^:=@/\s]+(==|:=@|:=|=@|=|@|:)")


def request(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """`http [METHOD] URL [ITEM...]`."""
    given = _FLAGS.read(argv)
    words = given.operands
    if given.flag("--help", "--version") is True or not words:
        return
    method = words.pop(0).text or "" if _METHOD.fullmatch(words[0].text or "") and len(words) > 1 else ""
    url, items = words[0], words[1:]
    shows, sends = list(given.all("--auth", "--bearer")), list(given.all("--raw"))
    for item in items:
        match = _ITEM.match(item.head)
        mark = match[1] if match is not None else ""
        value = item.cut(match.end()) if match is not None else item
        if mark == ":":
            shows.append(value)
        elif mark.endswith("@"):
            yield Read(seen.place(value), seen.origin)
            sends.append(seen.read(value))
        else:
            sends.append(value)
    body = joined([*sends, *([seen.stdin] if seen.stdin.parts else [])], "&")
    yield Connect(url, seen.origin, body if body.parts else None, shows=joined(shows, "&") if shows else None)
    yield from taken_away(url, method.upper() or ("POST" if body.parts else "GET"), seen)
    got = seen.output(f"what {url.shown} sends")
    for file in given.all("--output"):
        yield Write(seen.place(file), got, False, seen.origin)
    if given.value("--output") is None:
        yield Prints(got)


HTTP = Program(does=request)
