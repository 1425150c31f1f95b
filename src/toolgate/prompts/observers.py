"""The programs that only read or print, each with the options under which that is all they do.

A row of `programs` is not enough for a proof: it lists known effects and is silent about an option it does not cover. Here an
option, an operand or a script that is not listed is not proven.
"""

import re
from collections.abc import Callable
from typing import Literal, NamedTuple

from .git_reading import read_git
from .operand_reading import READS_NOTHING, Reading

Operands = Literal["none", "text", "read", "list", "pattern read", "pattern tree"]


class Observer(NamedTuple):
    """Describes a program that only reads.

    `flags`: options without a value; single letters may be joined. `values`: options whose value is plain text. `operands`: files
    whose content is read, or whose names and sizes are listed; `pattern`: the first operand is text. `accepts`: the test for
    operands that are text. `numbers`: `-5` is an option.
    """

    flags: frozenset[str]
    values: frozenset[str]
    operands: Operands
    accepts: Callable[[tuple[str, ...]], bool] = lambda _texts: True
    numbers: bool = False


def _observer(
    flags: str = "",
    operands: Operands = "none",
    values: str = "",
    accepts: Callable[[tuple[str, ...]], bool] = lambda _texts: True,
    *,
    numbers: bool = False,
) -> Observer:
    return Observer(frozenset(flags.split()), frozenset(values.split()), operands, accepts, numbers)


def _matches(expression: str) -> Callable[[tuple[str, ...]], bool]:
    compiled = re.compile(expression)
    return lambda texts: all(compiled.fullmatch(text) for text in texts)


_TEST_OPERATORS = frozenset("-e -f -d -s -r -w -x -L -h -z -n = == != ! -a -o ]".split())
_GREP = (
    "-n -i -r -l -L -c -v -w -x -E -F -G -P -o -h -H -s -q -I -a --line-number --ignore-case --recursive --count --invert-match"
    " --word-regexp --extended-regexp --fixed-strings --only-matching --no-filename --with-filename --files-with-matches --color"
)
_GREP_VALUES = "-A -B -C -m --include --exclude --exclude-dir --color --max-count --context --after-context --before-context"
_JQ = _matches(r'(?!.*\b(env|include|import|input|inputs|halt|debug|stderr|input_filename)\b)[.\w\[\]"?|,: -]*')

OBSERVERS: dict[str, Observer] = {
    "true": _observer(operands="text"),
    "false": _observer(operands="text"),
    ":": _observer(operands="text"),
    "echo": _observer("-n -e -E", "text"),
    "printf": _observer(operands="text"),
    "pwd": _observer("-P -L"),
    "exit": _observer(operands="text", accepts=_matches(r"\d*")),
    "break": _observer(),
    "continue": _observer(),
    "set": _observer(),
    "cd": _observer(),
    "test": _observer(operands="list"),
    "[": _observer(operands="list"),
    "cat": _observer("-n -b -A -E -T -v -e -t -s --number --show-all", "read"),
    "head": _observer("-q -v", "read", "-n -c --lines --bytes", numbers=True),
    "tail": _observer("-q -v", "read", "-n -c --lines --bytes", numbers=True),
    "wc": _observer("-l -w -c -m -L --lines --words --bytes --chars", "read"),
    "nl": _observer("-b -a", "read"),
    "cut": _observer("-s", "read", "-d -f -c -b --delimiter --fields --characters"),
    "tr": _observer("-d -s -c", "text"),
    "sort": _observer("-r -n -u -h -f -V -b -g -s --reverse --unique --numeric-sort", "read", "-k -t --key"),
    "uniq": _observer("-c -d -u -i --count"),
    "comm": _observer("-1 -2 -3", "read"),
    "cmp": _observer("-s -l -b", "read"),
    "diff": _observer("-u -q -y -w -B -b -i -s --brief --unified --color", "read", "-U --color"),
    "od": _observer("-c -x -b", "read", "-A -t -N -j"),
    "strings": _observer("-a", "read", "-n"),
    "file": _observer("-b -i --brief --mime --mime-type", "read"),
    "md5sum": _observer(operands="read"),
    "sha256sum": _observer(operands="read"),
    "sha1sum": _observer(operands="read"),
    "ls": _observer(
        "-l -a -A -h -1 -t -r -S -d -F -G -i -s -p -o -g -n -X -U -c -u -R -C --all --almost-all --human-readable --color",
        "list",
        "--color --sort --time-style",
    ),
    "stat": _observer("-L --terse", "list", "-c --format --printf"),
    "du": _observer("-s -h -a -c -k -m -b --summarize --human-readable --all --total", "list", "-d --max-depth"),
    "tree": _observer("-a -d -C -h -s --dirsfirst --noreport", "list", "-L -I -P"),
    "realpath": _observer("-e -m -s", "list"),
    "readlink": _observer("-f -e -m -n", "list"),
    "basename": _observer("-a", "text", "-s"),
    "dirname": _observer(operands="text"),
    "seq": _observer("-w", "text", "-s"),
    "which": _observer("-a", "text"),
    "nproc": _observer("--all"),
    "uname": _observer("-a -s -r -m -n -p -o -v"),
    "whoami": _observer(),
    "date": _observer("-u -R --utc", "text", "-I --iso-8601", _matches(r"\+.*")),
    "grep": _observer(_GREP, "pattern read", _GREP_VALUES, numbers=True),
    "egrep": _observer(_GREP, "pattern read", _GREP_VALUES, numbers=True),
    "fgrep": _observer(_GREP, "pattern read", _GREP_VALUES, numbers=True),
    "rg": _observer(
        "-n -i -l -c -w -x -F -v -o -S -s -N -H -I -P -U --files-with-matches --no-heading --line-number --ignore-case --count"
        " --smart-case --fixed-strings --no-line-number --with-filename --hidden --no-messages",
        "pattern tree",
        "-g -t -T -A -B -C -m --glob --type --color --max-count --max-depth --context",
    ),
    "sed": _observer("-n -E --quiet", "pattern read", accepts=_matches(r"(\d+|\$)(,(\d+|\$))?p(;(\d+|\$)(,(\d+|\$))?p)*")),
    "jq": _observer("-r -c -S -e -s --raw-output --compact-output", "pattern read", accepts=_JQ),
}
"""A name that is also a shell builtin has the options of both."""

_FIND = frozenset("-not ! -o -or -a -and ( ) -empty -print -print0 -prune -depth -mount -xdev".split())
_FIND_VALUES = frozenset(
    "-name -iname -path -ipath -wholename -type -maxdepth -mindepth -size -mtime -mmin -ctime -cmin -atime -amin -perm -regex"
    " -iregex -user -group -printf -regextype".split()
)
VERSIONS = frozenset("python3 python node git gcc g++ make ruby perl cmake".split())
"""Programs that only print their version under `--version`."""


def read_arguments(name: str, words: tuple[str, ...]) -> Reading | str:
    """Returns the paths that an observer's call reads, or the reason for a doubt.

    `words`: its arguments; one known only at run time is a placeholder that matches no option.
    """
    if name in VERSIONS and words == ("--version",):
        return READS_NOTHING
    if name == "find":
        return _find(words)
    if name == "git":
        return read_git(words)
    observer = OBSERVERS.get(name)
    if observer is None:
        return f"nothing says that {name} only reads"
    if name in ("test", "["):
        paths = tuple(word for word in words if word not in _TEST_OPERATORS)
        strange = next((word for word in paths if word.startswith("-")), "")
        return f"nothing says what {name} {strange} does" if strange else Reading(paths, contents=False, trees=False)
    if name == "echo":
        return READS_NOTHING
    if name == "printf":
        safe = bool(words) and re.fullmatch(r"(?!-)([^%]|%s|%%)*", words[0]) is not None
        return READS_NOTHING if safe else "a format of printf may do more than print"
    return _by_options(name, observer, words)


def _by_options(name: str, observer: Observer, words: tuple[str, ...]) -> Reading | str:
    operands: list[str] = []
    options: list[str] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == "--":
            operands += rest
            break
        if word == "-" or not word.startswith("-"):
            operands.append(word)
            continue
        if not (observer.numbers and word[1:].isdigit()) and not _permits(observer, word):
            return f"nothing says that {name} {word} only reads"
        options.append(word)
        if word in observer.values and word != "--color" and rest:
            rest.pop(0)
    searches = name in ("grep", "egrep", "fgrep") and any(
        option == "--recursive" or (option[:2] != "--" and "r" in option) for option in options
    )
    return _by_operands(name, observer, operands, searches=searches)


def _by_operands(name: str, observer: Observer, operands: list[str], *, searches: bool) -> Reading | str:
    kind, texts = observer.operands, tuple(operands)
    if kind in ("pattern read", "pattern tree"):
        if not operands:
            return f"{name} has no pattern"
        texts, operands = texts[:1], operands[1:]
    elif kind == "none" and operands and name not in ("set", "cd"):
        return f"nothing says that {name} with an operand only reads"
    elif kind in ("none", "text"):
        operands = []
    else:
        texts = ()
    if not observer.accepts(texts):
        return f"nothing says what {name} does with {texts[0]!r}"
    searches = searches or kind == "pattern tree"
    if (searches or kind == "list") and not operands:
        operands = ["."]
    return Reading(tuple(each for each in operands if each != "-"), contents=kind != "list", trees=searches)


def _permits(observer: Observer, word: str) -> bool:
    name, equals, _ = word.partition("=")
    if word in observer.flags or word in observer.values or (equals and name in observer.values and word.startswith("--")):
        return True
    if word.startswith("--"):
        return False
    for n, letter in enumerate(word[1:], 1):
        if f"-{letter}" in observer.values:
            return n + 1 < len(word)  # the rest is its value
        if f"-{letter}" not in observer.flags:
            return False
    return True


def _find(words: tuple[str, ...]) -> Reading | str:
    first = next((n for n, word in enumerate(words) if word.startswith("-") or word in ("!", "(")), len(words))
    rest = list(words[first:])
    while rest:
        word = rest.pop(0)
        if word in _FIND_VALUES and rest:
            rest.pop(0)
        elif word not in _FIND:
            return f"nothing says that find {word} only lists"
    return Reading(words[:first] or (".",), contents=False, trees=False)
