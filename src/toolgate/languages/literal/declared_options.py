"""Switches that a program declares for its command line (clap, picocli, optparse and others), and those of the environment:
which of them a call sets."""

import re
from collections.abc import Iterator, Mapping

from toolgate.environment_files import iter_assignments
from toolgate.flows.issuers import secret_of_variable
from toolgate.languages.evaluation.plain_documents import fold_name
from toolgate.model.effect import Interpret
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word, variable_word
from toolgate.switch_variables import is_switch

from .texts import TEXT

_CLAP_FIELD = re.compile(
    r"#\[(?:arg|clap|structopt|argh)\((?P<settings>[^\]]{0,300})\)\]\s*(?:#\[[^\]]{0,300}\]\s*|///[^\n]*\s*){0,8}(?:pub(?:\([^)]*\))?\s+)?(?P<field>\w+)\s*:\s*bool\b"
)
_LITERAL_OPTION = re.compile(
    r"\"--([a-z][\w-]*)\"|(?:\.long|Arg::new|Option\.builder|flag|addOption)\s*\(\s*\"(?:\w\"\s*,\s*\")?([a-z][\w-]*)\""
)
_IS_ON = re.compile(r"\bdefault(?:_value(?:_t)?|Value|\s*=|\()*\s*[=(]?\s*\"?(?:true|TRUE|True)")
_LONG_NAME = re.compile(r"\blong\s*=\s*\"([\w-]+)\"")
_SHORT_NAME = re.compile(r"\bshort\b(?:\s*=\s*'(\w)')?")
_REACH = 160
_OTHERWISE = (
    rf"(?:\??\.(?:unwrap_or_else\(\s*(?:move\s*)?\|_?\w*\|\s*|unwrap_or\(\s*|orElse\(\s*|getOrElse\(\s*)(?:\w+::from\(\s*)?(?P<other>{TEXT})"
    rf"(?:\.\w+\(\))*\s*\)+|\s*(?:\?:|\?\?)\s*(?P<elvis>{TEXT}))?"
)
_READS_VARIABLE = re.compile(
    r"(?:(?:std::)?env::var(?:_os)?|System\.getenv|(?:System\.)?Environment\.GetEnvironmentVariable|Sys\.getenv)"
    rf"\s*\(\s*(?P<name>{TEXT})\s*\){_OTHERWISE}"
    rf"|(?:System\.get_env\(|\bget\(\s*ENV\s*,|System\.getenv\(\)\.getOrDefault\(|Sys\.getenv\()"
    rf"\s*(?P<key>{TEXT})\s*,\s*(?:unset\s*=\s*)?(?P<default>{TEXT})\s*\)"
)
"""Calls that read a variable of the environment, with what takes its place if it is not set."""


def find_switches(text: str, code: Interpret) -> Mapping[str, bool]:
    """Returns the switches that code declares, by their folded names, with whether the command line sets them. One that is on by
    itself is left out, and so are all of them if an argument is not known."""
    given = [word.text for word in code.args[1:]]
    known = {(each or "").partition("=")[0] for each in given}
    if None in given:
        return {}
    return {fold_name(name): not known.isdisjoint(options) for name, options in _list_declared(text)}


def _list_declared(text: str) -> Iterator[tuple[str, frozenset[str]]]:
    for match in _CLAP_FIELD.finditer(text):
        field, settings = match["field"], match["settings"]
        long, short = _LONG_NAME.search(settings), _SHORT_NAME.search(settings)
        options = {f"--{long[1] if long is not None else field.replace('_', '-')}"}
        options |= {f"-{short[1] or field[0]}"} if short is not None else set()
        if not _IS_ON.search(settings):
            yield field, frozenset(options)
    for match in _LITERAL_OPTION.finditer(text):
        name = match[1] or match[2]
        line = text[max(0, match.start() - _REACH) : match.end() + _REACH]
        shorts = re.findall(r"\"(-\w)\"|\.short\('(\w)'\)", line)
        if not _IS_ON.search(text, match.end(), match.end() + _REACH):
            yield name, frozenset((f"--{name}", *(one or f"-{other}" for one, other in shorts)))


def find_first_word(code: Interpret) -> str:
    """Returns the first argument that is no option, which names a subcommand; empty if it is not known."""
    given = [word.text for word in code.args[1:]]
    return next((each for each in given if each and not each.startswith("-")), "") if None not in given else ""


def write_variables(text: str, context: ExecutionContext) -> str:
    """Returns the code with the variables of the environment that this call sets; with their defaults, or with nothing for
    switches, where it does not set them."""

    loaded = _load_variables(text, context)

    def write_value(match: re.Match[str]) -> str:
        name = (match["name"] or match["key"])[1:-1]
        values = context.get_variables(name) or loaded.get(name, ())
        default = match["default"] or match["other"] or match["elvis"]
        if len(values) == 1 and (value := values[0].text) is not None and '"' not in value and "\\" not in value:
            return f'"{value}"'
        if values or not (default or is_switch(variable_word(name))):
            return match[0]
        return default or ('""' if match[0].startswith("Sys.") else "null")

    return _READS_VARIABLE.sub(write_value, text)


def _load_variables(text: str, context: ExecutionContext) -> Mapping[str, tuple[Word, ...]]:
    """Returns the variables of the environment files that code loads, but for those that name a secret; addresses without a
    password."""
    loads = _LOADS.search(text)
    if loads is None:
        return {}
    files = re.findall(r"\"([^\"\s]*\.env[\w.-]*)\"", text) or [".env"]
    found: dict[str, tuple[Word, ...]] = {}
    for file in files:
        for content in context.read_alternatives(known_word(file)):
            for name, value in iter_assignments((content.text or "")[:_MOST_CHARACTERS]):
                if secret_of_variable(name) is None or "://" in value:
                    found.setdefault(name, (known_word(_PASSWORD.sub(r"\1@", value)),))
    return found


_LOADS = re.compile(r"\bdotenvy?(?:::|\.|\()|\bDotNetEnv\b|\bDotenv\b|\bDotEnv\b|\breadRenviron\b|\bload_dot_env\b|\bdotenv\(")
_PASSWORD = re.compile(r"(://[^:/@\s]+):[^@/\s]*@")
_MOST_CHARACTERS = 64_000
