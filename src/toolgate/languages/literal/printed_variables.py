"""Variables with secrets that code prints: `println!("{}", env::var("API_KEY")?)`, or the name that holds one of them."""

import re
from collections.abc import Iterator

from toolgate.flows.issuers import secret_of_variable
from toolgate.model.effect import PrintedOutput, ReportedEffect
from toolgate.model.word import variable_word

from .texts import TEXT, find_closing

_PRINTS = re.compile(
    r"(?<![\w.])(?:println|print|eprintln|eprint|printf|puts|putStrLn|cat|message|echo|writeln|say|dbg)!?\s*(?=[(\"]|System\.|ENV\b)"
    r"|\bConsole\.(?:Error\.|Out\.)?Write(?:Line)?(?:Async)?\s*(?=\()|\bSystem\.(?:out|err)\.print\w*\s*(?=\()"
    r"|\bfmt\.(?:Print|Fprint)\w*\s*(?=\()|\bIO\.(?:puts|inspect|write)\s*(?=\()|\bstd::cout\s*<<|\bstdout\.write\w*\s*(?=\()"
)
_READS = re.compile(
    r"(?:(?:std::)?env::var(?:_os)?|(?:System\.)?getenv|(?:os\.)?[gG]et_?[eE]nv|LookupEnv|GetEnvironmentVariable|Sys\.getenv"
    r"|System\.(?:get_env|fetch_env)!?|(?:System\.getenv\(\)|sys\.env|Platform\.environment|ProcessInfo\.processInfo\.environment"
    rf"|\bENV)\s*(?=[\[(]))\s*[(\[]?\s*\(?\s*({TEXT})"
)
_ASSIGNED = re.compile(r"(?<![\w.$])(\w+)\s*(?::\s*[\w.<>?]+\s*)?(?::=|<-|=(?![=>]))\s*$")
_MOST_CALLS = 60


def report_printed_variables(text: str) -> Iterator[ReportedEffect]:
    """Yields what code prints of variables whose names say that they hold a secret."""
    reads = [(match, match[1][1:-1]) for match in _READS.finditer(text)]
    reads = [(match, name) for match, name in reads if secret_of_variable(name) is not None]
    if not reads:
        return
    holders = {found[1]: name for match, name in reads if (found := _ASSIGNED.search(text[: match.start()])) is not None}
    used = re.compile(rf"(?<![\w.])(?:{'|'.join(map(re.escape, holders))})(?!\w)") if holders else None
    for call, _ in zip(_PRINTS.finditer(text), range(_MOST_CALLS), strict=False):
        end = find_closing(text, call.end()) if text[call.end() : call.end() + 1] == "(" else text.find("\n", call.end())
        given = text[call.end() : end if end > 0 else len(text)]
        names = [name for match, name in reads if call.end() <= match.start() < call.end() + len(given)]
        names += [holders[each] for each in used.findall(given)] if used is not None and not _HIDES.search(given) else []
        for name in dict.fromkeys(names):
            if not _HIDES.search(given):
                yield PrintedOutput(variable_word(name))


_HIDES = re.compile(
    r"(?i)\b(?:is_(?:ok|some|empty|null)|isEmpty|isNullOr\w+|length|len|nchar|size|nzchar|is\.na|is_nil|byte_size|String\.length"
    r"|!=\s*null|==|take|substring|first)\b|\?\s*\"|\bif\b"
)
"""Uses that show only whether a value is there, its length or its beginning."""
