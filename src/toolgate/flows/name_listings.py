"""Whether a command that reads settings prints only their names, a number, or no secret: `cut -d= -f1`, `wc -l`."""

import re
from collections.abc import Callable

from toolgate.model.effect import Effects, Run
from toolgate.model.word import Hole, is_glob, is_search_result

from .masked_values import masks_values, prints_names
from .reductions import is_reduced

_NAME_PATTERNS = re.compile(
    r"\^(?:\[[A-Za-z0-9_-]+\][*+]?){2}|\^?(?:export )?\(?\[\^?[A-Za-z0-9_=-]+\][*+]=?\)?|\^?\(?\[\^=\][*+]\)?=?"
)
_NAME_SCRIPTS = re.compile(r"s([/|#,@])=\.\*(?:\$)?\1=?[\w*<>.]*\1g?")
_MAX_SCRIPT = 2_000
_FIRST_FIELD = re.compile(r"(?:/[\w^!#=]*/ *)?\{ *print \$1 *;? *\}")


_MAX_FILTERS = 6
_PASSING_FILTERS = ("cat", "grep", "egrep", "sort", "sed", "tr", "head", "tail", "uniq")


Limit = Callable[[Run, bool], bool]
"""Whether a command prints nothing of its input's values; the second argument: whether its last word is a file."""


def shows_only_names(command: int, effects: Effects, *, reads_file: bool) -> bool:
    """Returns whether a command prints only names or a number, or a filter of text does that all of its output goes to."""
    return is_limited(command, effects, prints_names_or_counts, reads_file=reads_file)


def shows_only_masks(command: int, effects: Effects) -> bool:
    """Returns whether a command that reads a file of variables prints only names, numbers and masks."""
    return is_limited(command, effects, _prints_names_or_masks, reads_file=True)


def _prints_names_or_masks(run: Run, reads_file: bool) -> bool:
    if prints_names_or_counts(run, reads_file):
        return True
    options, operands = split_options([word.outline for word in run.argv[1:]])
    letters = set("".join(options))
    is_script = run.argv[0].file_name in ("sed", "gsed") and letters <= set("-nEre") and bool(operands)
    return is_script and masks_values(operands[0], extended=bool(letters & {"E", "r"}), quiet="n" in letters)


def is_limited(command: int, effects: Effects, limit: Limit, *, reads_file: bool) -> bool:
    """Returns whether a command, or a filter of text that all of its output goes to, prints only what a limit lets through."""
    return _is_limited_within(_MAX_FILTERS, command, effects, limit, {}, reads_file=reads_file)


def _is_limited_within(
    filters: int, command: int, effects: Effects, limit: Limit, known: dict[int, bool], *, reads_file: bool
) -> bool:
    """`filters`: the number of further filters that are followed; `known`: the answers for the filters looked at so far."""
    runs = [run for run in effects.of_command(command) if isinstance(run, Run)]  # several, where a word has several values
    if not runs or not all(run.argv for run in runs):
        return False
    if all(_has_known_words(run) and limit(run, reads_file) for run in runs):
        return True
    if any(run.argv[0].file_name not in _PASSING_FILTERS for run in runs) or not filters:
        return False

    def reduces(reader: int) -> bool:
        if reader not in known:
            known[reader] = False  # while it is looked at: a filter that feeds itself
            known[reader] = _is_limited_within(filters - 1, reader, effects, limit, known, reads_file=False)
        return known[reader]

    return is_reduced(command, effects, reduces)


def _has_known_words(run: Run) -> bool:
    return all(word.text is not None or all(map(_names_files, word.parts)) for word in run.argv)


def prints_names_or_counts(run: Run, reads_file: bool) -> bool:
    """Returns whether a command prints only a number, or the names before the first `=` of each line. `reads_file`: its last
    argument is a file."""
    if prints_counts(run, reads_file):
        return True
    words = [word.outline for word in run.argv[1:]]
    options, operands = split_options(words)
    joined = "".join(options)
    match run.argv[0].file_name:
        case "grep" | "egrep" | "fgrep" | "rg":
            if _finds_settings(options, operands):
                return True
            return (
                bool(re.fullmatch(r"(?:-[oEhP]+)+", joined))
                and "o" in joined
                and _NAME_PATTERNS.fullmatch(operands[0]) is not None
            )
        case "cut":
            return (
                sorted(" ".join(words[: len(words) - reads_file]).replace("-d ", "-d").replace("-f ", "-f").split())
                in _FIRST_FIELD_OPTIONS
            )
        case "sed" | "gsed":
            return set(joined) <= set("-nEre") and bool(operands) and _keeps_only_names(operands[0], prints_all="n" not in joined)
        case "awk" | "gawk" | "mawk":
            return joined == "-F=" and bool(operands) and _prints_no_secret(operands[0][:_MAX_SCRIPT])
        case _:
            return False


def prints_counts(run: Run, reads_file: bool) -> bool:
    """Returns whether a command prints only a number, a digest, a difference's place, or the keys of a JSON document."""
    options, operands = split_options([word.outline for word in run.argv[1:]])
    joined = "".join(options)
    match run.argv[0].file_name:
        case "wc":
            return not any(option.startswith("--f") for option in options)
        case "grep" | "egrep" | "fgrep" | "rg":
            is_counting = any(option.lstrip("-")[:1] in ("c", "q", "l", "L") for option in options)
            return is_counting and not re.search(r"-[a-zA-Z]*[oABC]|passthru|json|vimgrep|--only", joined)
        case "jq" | "gojq" | "jaq":
            return set(joined) <= set("-rceMCS") and 0 < len(operands) <= 1 + reads_file and _KEYS(operands[0]) is not None
        case "cmp":
            return not re.search(r"-[a-zA-Z]*[lb]|--verbose|--print", joined)
        case "file":
            return not re.search(r"-[a-zA-Z]*[fm]|--files-from|--magic-file", joined)
        case "diff":
            return not {"-q", "--brief"}.isdisjoint(options)
        case program:
            return program in _DESCRIBING_PROGRAMS


def split_options(words: list[str]) -> tuple[list[str], list[str]]:
    """Returns the words of a command that are options, and the others."""
    options = [word for word in words if word.startswith("-") and word != "-"]
    return options, [word for word in words if word not in options]


_DESCRIBING_PROGRAMS = frozenset("stat md5sum sha1sum sha256sum sha512sum shasum cksum b2sum dotenv-linter".split())
"""They print a digest, a size, or the names of variables and of rules."""
_KEYS = re.compile(
    r"\s*(?:\.[\w.\[\]\"-]*\s*(?://\s*(?:\{\}|\[\]|empty)\s*)?\|\s*)*(?:keys|keys_unsorted|length|type|has\(\"[^\"\\]*\"\))(?:\s*\[\])?"
    r"(?:\s*\|\s*(?:length|sort|unique|\.\[\]|join\(\"[^\"\\]*\"\)))*\s*"
).fullmatch
"""Matches filters of jq that print keys, a number, a type or a truth."""


def _finds_settings(options: list[str], operands: list[str]) -> bool:
    """Returns whether a search prints nothing but settings whose names say that they are no secrets: `grep ^PORT= .env`."""
    pattern = _BEHIND_NAME.sub(r"\1", operands[0].removesuffix(r"\K.*")) if operands else ""
    grouped = _GROUP_OF_NAMES.fullmatch(pattern)
    names = grouped["names"].split("|") if grouped is not None else [each.removesuffix("=") for each in _whole_names(pattern)]
    return set("".join(options)) <= set("-EhHnwFxoP") and bool(names) and all(map(_NAME_OF_SETTING, names))


def _whole_names(pattern: str) -> list[str]:
    """Returns the alternatives of a pattern; none if one of them may be a part of a longer name."""
    names = _ALTERNATIVES.split(pattern)
    return [each.removeprefix("^") for each in names] if all(each.endswith("=") for each in names) else []


_BEHIND_NAME = re.compile(r"\A\(\?<=(\^?\w+=)\)\.[*+]\Z")
"""Matches a pattern for what stands behind a name: `(?<=^PORT=).*`."""
_ALTERNATIVES = re.compile(r"\\?\|")
_GROUP_OF_NAMES = re.compile(r"\^?\((?P<names>[^()]+)\)=")
_NAME_OF_SETTING = re.compile(
    r"(?:(?:[A-Z0-9_]|\[[A-Z0-9a-z_-]+\][*+]?)*_)?"
    r"(?:PORT|HOST|HOSTNAME|VERSION|REGION|ENV|ENVIRONMENT|MODE|DEBUG|LEVEL|ENABLED|TAG|TIMEOUT|DRIVER|DIALECT|LOCALE|TZ|RATE|COUNT"
    r"|LIMIT|SIZE|WORKERS|BASE_URL|SITE_URL|PUBLIC_URL|PROJECT|PROJECT_NAME|APP_NAME|NAMESPACE|CONTEXT|CTX|PLATFORM|LANG|DB_NAME|STAGE)"
).fullmatch


def _names_files(part: str | Hole) -> bool:
    return isinstance(part, str) or is_glob(part) or is_search_result(part)


def _prints_no_secret(script: str) -> bool:
    """Returns whether a program of awk prints the first field, or the value of a setting whose name says that it is no secret."""
    if _FIRST_FIELD.fullmatch(script) or prints_names(script):
        return True
    found = _VALUE_OF_ONE.fullmatch(script.strip())
    return found is not None and _NAME_OF_SETTING(found["name"] or found["equal"]) is not None


_VALUE_OF_ONE = re.compile(
    r"(?:/\^?(?P<name>\w+)=/|\$1 *== *\"(?P<equal>\w+)\") *\{ *(?:gsub\([^(){}]*\) *; *)?print \$(?:2|0) *;? *(?:exit *;? *)?\}"
)


def _keeps_only_names(script: str, *, prints_all: bool) -> bool:
    """Returns whether a substitution of sed replaces each assignment by what stands before its `=`. `prints_all`: other lines are
    printed, too."""
    if _NAME_SCRIPTS.fullmatch(script):
        return True
    before, _, last = script.rpartition(";")
    if before and all(map(_CLEANING, before.split(";"))):
        return _keeps_only_names(last.strip(), prints_all=prints_all)
    found = _SUBSTITUTION_OF_VALUE.fullmatch(script)
    if found is None or re.search(r"&|\\0", found["by"]) or _GROUP.sub("", found["value"]):
        return False
    return not prints_all or _ANY_NAME.fullmatch(re.sub(r"[()?\\]|export\s*", "", found["name"])) is not None


_CLEANING = re.compile(r" *(?:s/\^(?:export(?: |\\s)|\\s|\[\[:space:\]\])[+*]?//|/\^\\?#/d|/\^(?:\\s\*)?\$/d) *").fullmatch
"""Matches commands of sed that leave out comments and empty lines, or `export`."""
_ANY_NAME = re.compile(r"(?:\[[^\]]*\]|w|\.)[*+]")
_SUBSTITUTION_OF_VALUE = re.compile(
    r"s(?P<mark>[/|#,@])\^?(?P<name>(?:(?!(?P=mark))[^=])*)=(?P<value>\(?\.\*\)?)\$?(?P=mark)(?P<by>(?:(?!(?P=mark)).)*)(?P=mark)[gp]*"
)
_GROUP = re.compile(r"\.\*")


_FIRST_FIELD_OPTIONS = (["-d=", "-f1"], ["-d=", "-f1", "-s"], ["--delimiter==", "--fields=1"])
