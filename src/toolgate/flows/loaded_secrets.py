"""Secrets that a call loads from environment files whose text is known: `. ./.env`, `dotenv -e .env -- COMMAND`."""

import re
from collections.abc import Iterator

from toolgate.flows.issuers import MIN_VALUE_LENGTH, secret_of_variable
from toolgate.model.effect import Effects, Environment, Interpret, Run

_ENVIRONMENT_FILE = re.compile(r"(?:^|/)\.env(?!.*(?:example|sample|template|dist|test))[\w.-]*$")
_ASSIGNMENT = re.compile(r"^[ \t]*(?:export[ \t]+)?(?P<name>[A-Z][A-Z0-9_]*)=[\"']?(?P<value>[^\s\"']+)", re.MULTILINE)
_LOADERS = ("dotenv", "dotenvx", "env-cmd")
_WITHOUT_SECRET = re.compile(r"\w[\w+.-]*://(?:[^/@\s]*@(?:localhost|127\.0\.0\.1|\[::1\]|\w+)(?:[:/]|$)|[^/@\s]*(?:/|$))")
"""Matches an address without a password, or of a service of this machine or of a network of containers."""


def is_environment_file(path: str) -> bool:
    """Returns whether a file's name is that of a file with secrets in variables."""
    return _ENVIRONMENT_FILE.search(path) is not None


def list_loaded_secrets(effects: Effects) -> dict[str, str]:
    """Returns the values of variables that are named after secrets."""
    return {
        name: value
        for name, value in _iter_variables(effects)
        if len(value) >= MIN_VALUE_LENGTH and secret_of_variable(name) is not None and not _WITHOUT_SECRET.match(value)
    }


def _iter_variables(effects: Effects) -> Iterator[tuple[str, str]]:
    for code in effects.of_kind(Interpret):
        if is_environment_file(code.file):
            yield from ((found["name"], found["value"]) for found in _ASSIGNMENT.finditer(code.code.text or ""))
    loaders = {run.origin.command for run in effects.of_kind(Run) if run.argv and run.argv[0].file_name in _LOADERS}
    for each in effects.of_kind(Environment):
        if each.origin.command in loaders and each.value.text is not None:
            yield each.name, each.value.text
