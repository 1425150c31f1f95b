"""The settings of a Django project that code runs with: their module, and the database that they name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from toolgate.environment_files import read_assignments
from toolgate.locality import is_in_development, is_remote_database
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word

_VARIABLE = "DJANGO_SETTINGS_MODULE"
_OPTION = re.compile(r"--settings=([\w.]+)").fullmatch
_DEFAULT = re.compile(r"DJANGO_SETTINGS_MODULE[\"']\s*,\s*[\"']([\w.]+)[\"']")
_OTHER_MODULE = re.compile(r"(?m)^from\s+(\.*[\w.]*)\s+import\s+\*")
_VALUE = r"(?:[\"'](?P<text>[^\"'\n]*)[\"']|[\w.]*(?:env|config)\w*(?:\.\w+)*\s*[\[(]\s*[\"'](?P<variable>\w+)[\"'])"
_HOST = re.compile(rf"[\"']HOST[\"']\s*:\s*{_VALUE}", re.IGNORECASE)
_NAME = re.compile(rf"[\"']NAME[\"']\s*:\s*{_VALUE}", re.IGNORECASE)
_URL = re.compile(
    rf"(?:dj_database_url\.(?:parse|config)|env\.(?:db|dj_db_url|db_url)|db_url)\s*\(\s*(?:default\s*=\s*)?{_VALUE}?"
)
_URL_VARIABLE = "DATABASE_URL"
_ENVIRONMENT_FILES = (".env",)
_MAX_MODULES = 4


def find_settings_module(arguments: Iterable[Word], own: dict[str, Word], context: ExecutionContext) -> str:
    """Returns the name of the settings module: from `--settings`, a variable, or `manage.py`; empty if it is not known. `own`:
    the variables that the code itself has set."""
    options = [found[1] for word in arguments if (found := _OPTION(word.text or "")) is not None]
    given = [own[_VARIABLE]] if _VARIABLE in own else context.get_variables(_VARIABLE)
    texts = [text.text or "" for text in context.read_alternatives(known_word("manage.py"))] if not given else []
    names = [*options, *(word.text or "" for word in given), *(name for text in texts for name in _DEFAULT.findall(text))]
    return next(iter(names), "")


def find_remote_database(module: str, context: ExecutionContext) -> Word | None:
    """Returns the address or the host of the database that these settings name, if it is on another machine."""
    text = next((each for each in _iter_modules(module, context) if "DATABASES" in each), "")
    section = text[text.find("DATABASES") :]
    for url in (_find_value(found, context, _URL_VARIABLE) for found in _URL.finditer(section)):
        if is_remote_database(url, None, context):
            return url
    name = next((_find_value(found, context) for found in _NAME.finditer(section)), known_word(""))
    hosts = [_find_value(found, context) for found in _HOST.finditer(section)]
    remote = (host for host in hosts if not is_in_development(name.outline) and is_remote_database(None, host, context))
    return next(remote, None)


def _iter_modules(module: str, context: ExecutionContext) -> Iterator[str]:
    """Yields the text of a module, and those of the modules that it takes all names from."""
    waiting = [module]
    for _ in range(_MAX_MODULES):
        if not waiting:
            return
        name = waiting.pop(0)
        path = name.replace(".", "/")
        for text in (
            text.text or "" for end in (".py", "/__init__.py") for text in context.read_alternatives(known_word(path + end))
        ):
            yield text
            waiting += [_resolve_module(other, name) for other in _OTHER_MODULE.findall(text)]


def _resolve_module(name: str, within: str) -> str:
    """Returns the full name of a module that another one names, relative to its own package."""
    levels = len(name) - len(name.lstrip("."))
    package = ".".join(within.split(".")[:-levels]) if levels else ""
    return f"{package}.{name.lstrip('.')}".strip(".")


def _find_value(match: re.Match[str], context: ExecutionContext, default: str = "") -> Word:
    """Returns a setting's text, or the value of the variable that it is read from."""
    if match["text"] is not None:
        return known_word(match["text"])
    variable = match["variable"] or default
    values = context.get_variables(variable) if variable else ()
    return values[0] if values else read_assignments(map(known_word, _ENVIRONMENT_FILES), context).get(variable, known_word(""))
