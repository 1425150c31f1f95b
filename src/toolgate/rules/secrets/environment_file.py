"""Reading an environment file (`.env`, `.env.production`, `.envrc`), or the key of Rails' credentials (`master.key`).

Such files hold a project's secrets, and what an agent reads goes into the model's context. `.env.example`, `.env.sample` or
`.env.template` list the names of the variables and can be read. `source .env` and `export $(cat .env | xargs)` show nothing;
`grep -c`, `wc -l` and `cut -d= -f1` show no value.

Source: files by name, also by a glob that matches them (`.env*`), of this machine, a server or a running container. Sink: the
model.
"""

import re
from collections.abc import Iterator

from toolgate.flows.reductions import is_reduced
from toolgate.model.decision import Match
from toolgate.model.effect import Effects, Environment, Move, Read, Run, Write
from toolgate.model.rule import RuleContext
from toolgate.model.word import Hole, is_glob, maybe_any


def check(read_effect: Read, _options: None, context: RuleContext) -> Iterator[Match]:
    is_of_image = read_effect.place.machine.startswith("container:") and not read_effect.place.machine.startswith(
        "container:running/"
    )
    if is_of_image or read_effect.place.is_anywhere:
        return
    sure = maybe_any((read_effect.place.is_in("environment"), _is_moved_environment_file(read_effect, context)))
    if sure is not False and not _is_value_hidden(read_effect, context):
        yield Match(
            read_effect,
            f"Reads {read_effect.place.display_text}, a file for secrets.",
            "look at .env.example, which has the names only.",
            sure,
        )


def _is_moved_environment_file(read_effect: Read, context: RuleContext) -> bool:
    """Returns whether an environment file got the name that is read in this call."""
    return read_effect.place.path is not None and read_effect.place.path in context.effects.derive(_list_moved_environment_files)


def _list_moved_environment_files(effects: Effects) -> frozenset[str | None]:
    return frozenset(move.to.path for move in effects.of_kind(Move) if move.place.is_in("environment") is True)


def _is_value_hidden(read_effect: Read, context: RuleContext) -> bool:
    return (
        _is_read_into_variables(read_effect, context)
        or _is_edited_in_place(read_effect, context)
        or _shows_only_names(read_effect.origin.command, context.effects, reads_file=True)
        or _is_written_before(read_effect, context)
    )


def _is_written_before(read_effect: Read, context: RuleContext) -> bool:
    """Returns whether the call itself has written the whole file, with text that it shows."""
    return read_effect.place.path is not None and any(
        write.place.path == read_effect.place.path
        and write.origin.command < read_effect.origin.command
        and write.append is False
        and write.content is not None
        and write.content.text is not None
        for write in context.effects.of_kind(Write)
    )


_NAME_PATTERNS = re.compile(
    r"\^(?:\[[A-Za-z0-9_-]+\][*+]?){2}|\^?(?:export )?\(?\[\^?[A-Za-z0-9_=-]+\][*+]=?\)?|\^?\(?\[\^=\][*+]\)?=?"
)
_NAME_SCRIPTS = re.compile(r"s([/|#,@])=\.\*(?:\$)?\1=?[\w*<>.]*\1g?")
_MAX_SCRIPT = 2_000
_FIRST_FIELDS = re.compile(r"(?:[^{}]{0,200}\{ *print(?: *(?:\"[^\"]*\"|\$1|NR|,))+ *;? *\} *;?)+").fullmatch
"""Matches a program of awk that prints nothing but texts of its own and the first field."""
_FIRST_FIELD = re.compile(r"(?:/[\w^!#=]*/ *)?\{ *print \$1 *;? *\}")


_MAX_FILTERS = 6
_PASSING_FILTERS = ("cat", "grep", "egrep", "sort", "sed", "tr", "head", "tail", "uniq")


def _shows_only_names(command: int, effects: Effects, *, reads_file: bool, depth: int = 0) -> bool:
    """Returns whether a command prints only names or a number, or a filter of text does that all of its output goes to."""
    runs = [run for run in effects.of_command(command) if isinstance(run, Run)]
    if len(runs) != 1 or not runs[0].argv:
        return False
    if _has_only_names_or_counts(runs[0], reads_file=reads_file):
        return True
    if runs[0].argv[0].file_name not in _PASSING_FILTERS or depth >= _MAX_FILTERS:
        return False
    return is_reduced(command, effects, lambda each: _shows_only_names(each, effects, reads_file=False, depth=depth + 1))


def _has_only_names_or_counts(run: Run, *, reads_file: bool) -> bool:
    """Returns whether a command prints only a number, or the names before the first `=` of each line. `reads_file`: its last
    argument is a file."""
    if not all(word.text is not None or all(map(_is_known_or_glob, word.parts)) for word in run.argv):
        return False
    name, *words = [word.outline for word in run.argv]
    options = [word for word in words if word.startswith("-") and word != "-"]
    operands = [word for word in words if word not in options]
    joined = "".join(options)
    match name.rpartition("/")[2]:
        case "wc":
            return not any(option.startswith("--f") for option in options)
        case "grep" | "egrep" | "fgrep" | "rg":
            if any(option.startswith("-") and option.lstrip("-")[:1] in ("c", "q", "l", "L") for option in options):
                return not re.search(r"-[a-zA-Z]*[oABC]|passthru|json|vimgrep|--only", joined)
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
            return (
                joined == "-F="
                and bool(operands)
                and (_FIRST_FIELD.fullmatch(operands[0]) or _FIRST_FIELDS(operands[0][:_MAX_SCRIPT])) is not None
            )
        case "cmp" | "stat" | "file" | "md5sum" | "sha1sum" | "sha256sum" | "sha512sum" | "shasum" | "cksum" | "b2sum":
            return True  # a digest, a size, or the place of a difference
        case "dotenv-linter":
            return True  # the names of variables and of rules
        case "diff":
            return not {"-q", "--brief"}.isdisjoint(options)
        case _:
            return False


def _finds_settings(options: list[str], operands: list[str]) -> bool:
    """Returns whether a search prints nothing but settings whose names say that they are no secrets: `grep ^PORT= .env`."""
    names = _ALTERNATIVES.split(operands[0]) if operands else []
    return set("".join(options)) <= set("-EhHniwFx") and bool(names) and all(map(_NAME_OF_SETTING, names))


_ALTERNATIVES = re.compile(r"\\?\|")
_NAME_OF_SETTING = re.compile(
    r"\(?\^?\(?(?:(?:[A-Z0-9_]|\[[A-Z0-9a-z_-]+\][*+]?)*_)?"
    r"(?:PORT|HOST|HOSTNAME|VERSION|REGION|ENV|ENVIRONMENT|MODE|DEBUG|LEVEL|ENABLED|TAG|TIMEOUT|DRIVER|DIALECT|LOCALE|TZ)\)?[=$]?\)?"
).fullmatch


def _is_known_or_glob(part: str | Hole) -> bool:
    return isinstance(part, str) or is_glob(part)


def _keeps_only_names(script: str, *, prints_all: bool) -> bool:
    """Returns whether a substitution of sed replaces each assignment by what stands before its `=`. `prints_all`: other lines are
    printed, too."""
    if _NAME_SCRIPTS.fullmatch(script):
        return True
    found = _SUBSTITUTION_OF_VALUE.fullmatch(script)
    if found is None or re.search(r"&|\\0", found["by"]) or _GROUP.sub("", found["value"]):
        return False
    return not prints_all or _ANY_NAME.fullmatch(re.sub(r"[()?\\]|export\s*", "", found["name"])) is not None


_ANY_NAME = re.compile(r"(?:\[[^\]]*\]|w|\.)[*+]")
_SUBSTITUTION_OF_VALUE = re.compile(
    r"s(?P<mark>[/|#,@])\^?(?P<name>(?:(?!(?P=mark))[^=])*)=(?P<value>\(?\.\*\)?)\$?(?P=mark)(?P<by>(?:(?!(?P=mark)).)*)(?P=mark)[gp]*"
)
_GROUP = re.compile(r"\.\*")


_FIRST_FIELD_OPTIONS = (["-d=", "-f1"], ["-d=", "-f1", "-s"], ["--delimiter==", "--fields=1"])
_TEXT_FILTERS = ("cat", "grep", "egrep", "sed", "cut", "tr", "xargs", "echo", "awk", "sort", "envsubst")


def _is_read_into_variables(read_effect: Read, context: RuleContext) -> bool:
    """Returns whether the text that is read goes only into variables of the shell (`export $(grep -v '^#' .env | xargs)`)."""
    effects = context.effects
    sets = [effects.commands_feeding(each.value.src) for each in effects.of_kind(Environment) if not each.name]
    if not any(read_effect.origin.command in commands for commands in sets):
        return False
    reached, grows = {read_effect.origin.command}, True
    while grows:
        fresh = {target for source, target in effects.flows if source in reached} - reached
        reached |= fresh
        grows = bool(fresh)
    programs = [run.argv[0].text or "" for number in reached for run in effects.of_command(number) if isinstance(run, Run)]
    return all(name.rpartition("/")[2] in _TEXT_FILTERS for name in programs)


_SUBSTITUTION = re.compile(r"s([/|#,@])(?:(?!\1).)*\1(?:(?!\1).)*\1[gI0-9]*|/[^/]*/d|\d+d")


def _is_edited_in_place(read_effect: Read, context: RuleContext) -> bool:
    """Returns whether the command is `sed -i 's/PORT=.*/PORT=4000/' .env`, which prints nothing and is an edit like one of the
    host's tool."""
    runs = [run for run in context.effects.of_command(read_effect.origin.command) if isinstance(run, Run)]
    if len(runs) != 1 or runs[0].argv[0].file_name not in ("sed", "gsed") or len(runs[0].argv) != 4:
        return False
    option, script, file = (word.text or "" for word in runs[0].argv[1:])
    return option in ("-i", "-i.bak", "--in-place") and file != "" and _SUBSTITUTION.fullmatch(script) is not None
