"""What a program's command line gives it, written out in its code: `args[0]` as the text of the argument, and
`args.contains("--dry-run")` as the answer, `true` or `false`."""

import operator
import re
from collections.abc import Callable, Mapping, Sequence

from toolgate.model.effect import Interpret

from .texts import TEXT

TRUE, FALSE, NOTHING = "true", "false", "null"
_OFFSET_LANGUAGES = frozenset(("rust", "swift"))
"""Languages whose list of arguments begins with the program."""
_COLLECTED = re.compile(
    r"\b(?:let|val|var|const)\s+(?:mut\s+)?(\w+)\s*(?::\s*[\w<>\[\]_]+\s*)?=\s*(?:std::)?env::args\(\)(\.skip\(1\))?(?:\.map\([^()]*\))?\.collect(?:::<[^()]*>)?\(\)"
    r"|\b(\w+)\s*(?:<-|=)\s*commandArgs\((?:trailingOnly\s*=\s*)?T(?:RUE)?\)"
    r"|\bstatic\s+(?:async\s+)?[\w<>]+\s+[mM]ain\s*\(\s*(?:final\s+)?[sS]tring(?:\[\]|\s*\.\.\.)\s*(\w+)\s*\)"
)
_LISTS = r"(?:std::)?env::args\(\)(?:\.skip\(1\))?|commandArgs\((?:trailingOnly\s*=\s*)?T(?:RUE)?\)|CommandLine\.arguments|args"
_ENDS = (
    r"(?:\.(?:as_deref|as_str|to_lowercase|lowercase|toLowerCase|ToLower|ToLowerInvariant|trim|clone|cloned|to_string|to_owned|as_ref|unwrap)\(\)"
    r"|\.(?:map|and_then)\(\|?\w+(?:\|\s*\w+|::)[.:]*\w+(?:\(\))?\)|\.expect\(" + TEXT + r"\)|!!|!(?![=\w]))*"
)


_COMPARISONS: Mapping[str, Callable[[int, int], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}


def write_arguments(text: str, code: Interpret) -> str:
    """Returns the code with the arguments of its command line written out; unchanged if one of them is not known."""
    given = [word.text for word in code.args[1:]]
    known = [each for each in given if each is not None]
    if len(known) < len(given) or (not given and not code.file):
        return text
    names = _LISTS
    for match in _COLLECTED.finditer(text):
        name = match[1] or match[3] or match[4]
        names += f"|{re.escape(name)}"
        if match[2] or match[3] or match[4]:
            text = _write_items(text, re.escape(name), known, 1 if match[3] else 0)
    first = 1 if code.language in _OFFSET_LANGUAGES or code.language == "r" else 0
    text = _write_tests(text, names, known)
    text = _write_items(text, r"(?:std::)?env::args\(\)\.skip\(1\)", known, 0)
    return _write_items(text, names, known, first)


def _write_tests(text: str, lists: str, known: Sequence[str]) -> str:
    """Writes out the tests for an option among the arguments, and for their number."""
    holder = rf"(?<![\w.])(?:Arrays\.(?:asList|stream)\(|List\.of\(|Set\.of\(|listOf\(\*?|setOf\(\*?)?(?:{lists})\)?"
    is_item = (
        rf"(?:\w+|\*\w+|it|\$0)(?:\.as_str\(\))?\s*==\s*(?P<a>{TEXT})|\w+\.equals\((?P<b>{TEXT})\)"
        rf"|(?P<c>{TEXT})(?:::equals|\.equals\(\w+\))"
    )
    contains = re.compile(
        rf"{holder}(?:\.iter\(\))?\.(?:contains|Contains)\(\s*&?(?P<d>{TEXT})(?:\.to_string\(\)|\.to_owned\(\)|\.into\(\)|String::from)?[^()\n]*\)"
        rf"|{holder}(?:\.iter\(\))?\s*\.(?:any|Any|some|anyMatch|contains)\s*[({{]\s*(?:where:\s*)?(?:\|&*\w+\||\w+\s*(?:->|=>))?\s*(?:{is_item})\s*[)}}]"
        rf"|(?P<e>{TEXT})\s*(?P<negated>!)?(?:in|%in%)\s+(?:{lists})(?![\w.(\[])"
    )

    def answer(match: re.Match[str]) -> str:
        groups = match.groupdict()
        option = next(groups[key] for key in "abcde" if groups[key])[1:-1]
        is_given = (option in known) is not bool(groups["negated"])
        return TRUE if is_given else FALSE

    def compare(match: re.Match[str]) -> str:
        return TRUE if _COMPARISONS[match[1]](len(known), int(match[2])) else FALSE

    text = contains.sub(answer, text)
    counted = re.compile(
        rf"(?<![\w.])(?:length\(\s*(?:{lists})\s*\)|(?:{lists})\.(?:length|size|Length|len\(\)|size\(\)|count|Count\(\)))\s*(==|!=|>=|<=|>|<)\s*(\d)(?!\d)"
    )
    text = re.sub(rf"(?<![\w.])(?:{lists})\.(?:isEmpty\(\)|is_empty\(\)|isEmpty)(?!\w)", FALSE if known else TRUE, text)
    text = re.sub(rf"(?<![\w.])(?:{lists})\.isNotEmpty\(\)", TRUE if known else FALSE, text)
    return text if "env::args" in text else counted.sub(compare, text)


def _write_items(text: str, lists: str, known: Sequence[str], first: int) -> str:
    """Writes out single arguments. The first of them has the index `first`."""
    by_index = re.compile(
        rf"(?<![\w.])(?:{lists})(?:\[\s*(?P<bare>\d)\s*\]|\.(?:nth|get|getOrNull|ElementAtOrDefault|elementAtOrNull|getOrElse)\(\s*(?P<safe>\d)\s*\)){_ENDS}"
    )
    of_first = re.compile(
        rf"(?<![\w.])(?:{lists})\.(?:firstOrNull|first|FirstOrDefault|First|next)(?:\(\)|(?=\s*[=;?!)]|\s*$)){_ENDS}"
    )

    def write_item(match: re.Match[str]) -> str:
        at = int(match["bare"] or match["safe"]) - first
        if 0 <= at < len(known):
            return _quote(known[at])
        return NOTHING if match["safe"] and at >= len(known) else match[0]

    return of_first.sub(lambda _: _quote(known[0]) if known else NOTHING, by_index.sub(write_item, text))


def _quote(argument: str) -> str:
    escaped = argument.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
