"""What a call of Ansible says of its plays: the variables that it and a play set, and the machines of a group."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import pairwise
from typing import Any

from toolgate.documents import InvalidDocument, read_yaml
from toolgate.model.address import is_loopback
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word
from toolgate.programs.tasks.task_files import read_candidates, resolve_folder

Variables = Mapping[str, str]
_EXPRESSION = re.compile(
    r"\{\{\s*(?P<name>[A-Za-z_]\w*)\s*(?:\|\s*(?:default|d)\(\s*(?:'(?P<single>[^'{}]*)'|\"(?P<double>[^\"{}]*)\")[^{}()]*\)\s*)?\}\}"
)
"""Matches `{{ name }}` and `{{ name | default('value') }}`."""
_ASSIGNMENT = re.compile(r"(?P<name>[A-Za-z_]\w*)=(?:'(?P<single>[^']*)'|\"(?P<double>[^\"]*)\"|(?P<plain>\S*))")
_MAX_DEPTH = 12


def read_extra_variables(argv: tuple[Word, ...], context: ExecutionContext) -> dict[str, str]:
    """Returns the variables that `-e` sets: as pairs, as JSON or in a file."""
    found: dict[str, str] = {}
    for option, value in pairwise(argv[1:]):
        text = value.text or ""
        if option.text not in ("-e", "--extra-vars"):
            continue
        if text.startswith("@"):
            found |= _read_file(known_word(text[1:]), resolve_folder(None, context), context)
        elif text.startswith("{"):
            with suppress(ValueError, RecursionError):
                found |= _list_texts(json.loads(text))
        else:
            found |= {
                match["name"]: match["single"] or match["double"] or match["plain"] or "" for match in _ASSIGNMENT.finditer(text)
            }
    return found


def read_play_variables(play: Mapping[str, Any], beneath: str, context: ExecutionContext) -> dict[str, str]:
    """Returns the variables of a play: those in its files, and its own."""
    files = play.get("vars_files")
    found: dict[str, str] = {}
    for name in files if isinstance(files, list) else ():
        if isinstance(name, str):
            found |= _read_file(known_word(name), beneath, context)
    return found | _list_texts(play.get("vars"))


def _read_file(name: Word, within: str | None, context: ExecutionContext) -> dict[str, str]:
    found: dict[str, str] = {}
    for file in read_candidates((name,), within, context):
        with suppress(InvalidDocument):
            found |= _list_texts(read_yaml(file.text))
    return found


def _list_texts(table: object) -> dict[str, str]:
    entries = table.items() if isinstance(table, dict) else ()
    return {str(name): str(value) for name, value in entries if isinstance(value, str | int)}


def fill_in_variables(value: Any, variables: Variables, depth: int = _MAX_DEPTH) -> Any:
    """Returns a part of a play with the variables whose values are known; of others, the default."""
    if isinstance(value, str):
        return _fill_in_text(value, variables)
    if isinstance(value, list) and depth:
        return [fill_in_variables(each, variables, depth - 1) for each in value]
    if isinstance(value, dict) and depth:
        return {key: fill_in_variables(each, variables, depth - 1) for key, each in value.items()}
    return value


def _fill_in_text(text: str, variables: Variables, depth: int = 3) -> str:
    def find_value(match: re.Match[str]) -> str:
        default: str | None = match["single"] if match["single"] is not None else match["double"]
        known = variables.get(match["name"], default)
        return match[0] if known is None else known

    filled = _EXPRESSION.sub(find_value, text)
    return _fill_in_text(filled, variables, depth - 1) if filled != text and depth else filled


# ---- machines


def is_local_group(name: str, argv: tuple[Word, ...], context: ExecutionContext) -> bool:
    """Returns whether all hosts of a group are virtual machines of this machine: an inventory gives them ports of 127.0.0.1."""
    limits = [value.text or "" for option, value in pairwise(argv[1:]) if option.text in ("-l", "--limit")]
    inventories = [value for option, value in pairwise(argv[1:]) if option.text in ("-i", "--inventory", "--inventory-file")]
    group = limits[0] if limits else name
    lines = [
        line
        for inventory in inventories
        for file in read_candidates((inventory,), resolve_folder(None, context), context)
        for line in _list_hosts(file.text, group)
    ]
    return bool(lines) and all(map(_is_local_machine, lines))


def _list_hosts(inventory: str, group: str) -> Iterator[str]:
    """Yields the lines of the hosts that belong to a group of an inventory in INI, or that have its name."""
    section = ""
    for line in inventory.splitlines():
        text = line.partition("#")[0].strip()
        if text.startswith("["):
            section = text.strip("[]")
        elif text and ((":" not in section and group in (section, "all")) or text.split()[0] == group):
            yield text


def _is_local_machine(line: str) -> bool:
    name, *settings = line.split()
    given = dict(setting.partition("=")[::2] for setting in settings)
    return "ansible_port" in given and is_loopback(given.get("ansible_host", name))
