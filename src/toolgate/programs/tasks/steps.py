"""Steps of task files, and the scripts of package.json with their lines."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from toolgate.model.word import Unread, Word, known_word, unread_word


class Step(NamedTuple):
    """One command line, or one script. `file`: its file, if not the task file itself. `folder`: where
    it runs, relative to the task file."""

    text: Word
    line: int
    file: str = ""
    language: str = "shell"
    folder: str = ""


def unread_step(cause: str) -> Step:
    """Returns a step for a part of a task file that the gate has not read."""
    return Step(unread_word("a task file", Unread(cause)), 1)


def define_variables(line: Word, variables: Mapping[str, Word]) -> Word:
    """Returns a command line with assignments before it: those of the exported variables that it mentions, or that tell programs
    which system to use."""
    text = "".join(part for part in line.parts if isinstance(part, str))
    mentioned = set(_find_variables(text))
    for name in sorted(name for name in variables if name in mentioned or _CHOOSES_SYSTEM(name)):
        value = variables[name]
        if value.text is not None and "$(" not in value.text:
            value = known_word(value.text.replace('"', '\\"'), value.src)
        line = known_word(f'export {name}="') + value + known_word('"; ') + line
    return line


_CHOOSES_SYSTEM = re.compile(
    r"(?:\w+_)?(?:ENV|ENVIRONMENT|URL|URI|DSN|HOST|PROFILE|CONTEXT|WORKSPACE|STAGE|PROJECT)|DJANGO_SETTINGS_MODULE|KUBECONFIG"
).fullmatch
"""Matches the names of variables that choose a database, a cluster or an environment."""
_find_variables = re.compile(r"\$\{?(\w+)").findall


FileFinder = Callable[[str], Iterable[str]]
"""Returns the texts of the files that a name or a pattern matches."""


# ---- package.json


def decode_json_text(text: str) -> str:
    """Decodes a JSON file as Node does: without a byte order mark, and with U+FFFD for invalid UTF-8."""
    text = text.removeprefix("\ufeff")
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def package_scripts(text: str) -> Mapping[str, str] | None:
    """Returns the scripts by name; None if the text is no package.json. An empty one has none: npm refuses it."""
    if not text.strip():
        return {}
    try:
        scripts = json.loads(decode_json_text(text)).get("scripts", {})
    except (ValueError, AttributeError, RecursionError):
        return None
    return {name: body for name, body in scripts.items() if isinstance(body, str)} if isinstance(scripts, dict) else None


def set_fields(text: str, settings: Iterable[str]) -> str | None:
    """Returns the manifest after `npm pkg set scripts.NAME=CODE config.out=dist`; None if the text is no package.json."""
    if package_scripts(text) is None:
        return None
    if not text.strip():
        return text  # npm refuses an empty file, and leaves it
    manifest = json.loads(decode_json_text(text))
    for setting in settings:
        path, _, value = setting.partition("=")
        keys = path.split(".", 1 if path.startswith("scripts.") else -1)
        table = manifest
        for key in keys[:-1]:
            if not isinstance(table.get(key), dict):
                table[key] = {}
            table = table[key]
        table[keys[-1]] = value
    return json.dumps(manifest, indent=2)


def line_of_key(text: str, key: str) -> int:
    at = text.find(json.dumps(key), max(text.find('"scripts"'), 0))
    return text.count("\n", 0, max(at, 0)) + 1
