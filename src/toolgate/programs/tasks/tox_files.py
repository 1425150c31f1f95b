"""Tox: the commands of the environments that a call runs, from each form of its settings."""

import configparser
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from toolgate.documents import InvalidDocument
from toolgate.model.word import Word, known_word, unknown_word
from toolgate.programs.tasks.steps import Step

COMMAND_KEYS = ("commands_pre", "commands", "commands_post")
_REFERENCE = re.compile(r"\{\[([^\]{}]+)\]([\w.-]+)\}")
_MAX_REFERENCES = 20


def list_ini_commands(text: str, operands: tuple[str, ...], top: str = "tox") -> Iterator[Step]:
    """Yields the commands of the environments that the command line names, or of the default ones. `top`: the section of
    tox's own settings."""
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        raise InvalidDocument("it does not parse as INI") from None
    named = {name for operand in operands for name in operand.split(",")} & {each.partition(":")[2] for each in parser.sections()}
    default = re.split(r"[\s,{}]+", parser.get(top, "envlist", fallback="") + "," + parser.get(top, "env_list", fallback=""))
    overriding = _select_overriding(operands, named)
    for section in parser.sections():
        kind, _, name = section.partition(":")
        if kind == "testenv" and (not name or name in (named or default)):
            for key in COMMAND_KEYS:
                if not name and overriding and all(parser.has_option(f"testenv:{each}", key) for each in overriding):
                    continue
                body = _expand_references(parser, parser.get(section, key, fallback="")).replace("\\\n", " ")
                for line in filter(None, map(str.strip, body.splitlines())):
                    yield Step(expand_line(line.lstrip("-! ")), text.count("\n", 0, max(text.find(line), 0)) + 1)


def _select_overriding(operands: tuple[str, ...], environments: set[str]) -> set[str]:
    """Returns the environments of a call if each has a section of its own; the keys of those replace the general ones."""
    selected = {name for operand in operands if operand not in _VERBS for name in operand.split(",")}
    return environments if selected == environments else set()


_VERBS = ("run", "r", "run-parallel", "p", "exec", "e", "legacy", "le")


def _expand_references(parser: configparser.ConfigParser, body: str) -> str:
    """Replaces `{[section]key}` by the value that it names."""
    for _ in range(_MAX_REFERENCES):
        found = _REFERENCE.search(body)
        if found is None:
            break
        body = body[: found.start()] + parser.get(found[1], found[2], fallback="") + body[found.end() :]
    return body


def list_toml_commands(text: str, operands: tuple[str, ...]) -> Iterator[Step]:
    """Yields the commands of `tox.toml`, and of `[tool.tox]` in pyproject.toml."""
    try:
        manifest = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        raise InvalidDocument("it does not parse as TOML") from None
    top = _table(_table(manifest, "tool"), "tox") if "tool" in manifest or "project" in manifest else manifest
    if isinstance(old := top.get("legacy_tox_ini"), str):
        yield from list_ini_commands(old, operands)
    environments = _table(top, "env")
    named = {name for operand in operands for name in operand.split(",")} & set(environments)
    default = [each for each in top.get("env_list") or () if isinstance(each, str)]
    tables = [_table(environments, name) for name in environments if name in (named or default)]
    overriding = [_table(environments, name) for name in _select_overriding(operands, named)]
    general = _table(top, "env_run_base")
    kept = {key: general.get(key) for key in COMMAND_KEYS if not overriding or any(key not in each for each in overriding)}
    for table in (kept, *tables):
        for command in (each for key in COMMAND_KEYS for each in table.get(key) or ()):
            if isinstance(command, list) and all(isinstance(word, str) for word in command):
                line = " ".join(f"'{word}'" if re.search(r"[\s;&|<>$]", word) and "'" not in word else word for word in command)
                yield Step(expand_line(line.lstrip("-! ")), 1)


def _table(top: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = top.get(key)
    return value if isinstance(value, dict) else {}


def expand_line(line: str) -> Word:
    """Returns a line of tox with its substitutions unknown; arguments after `--` are empty."""
    result = known_word("")
    for part in re.split(r"(\{[^{}]*\})", line):
        if part.startswith("{posargs"):
            result = result + known_word(part[9:-1] if part.startswith("{posargs:") else "")
        elif part.startswith("{tox"):
            result = result + known_word(".")
        elif part.startswith("{"):
            result = result + unknown_word(part)
        else:
            result = result + known_word(part)
    return result
