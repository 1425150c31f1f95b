"""Effects of the tools of known MCP servers, by their arguments. GROWS: a kind of server is one table, and a name in this list.

A row gives arguments a role; `a|b` is the first one present, `edits[].newText` goes through a list, `options.path` into an
object:

read, write, delete   paths; `content` is the text of a write
move                  a path, with `to`
connect               an address
shell                 a command line, run in `cwd`
run                   a program's argv with `{argument}`s filled in; `{flag?--word}` is included if the argument is true,
                      `{files[]}` is a word per item, `{flags--}` an option per field of an object, and a word with a
                      missing argument is left out, with `-C`, `-i` or `-n` before it
operation             one of the vocabulary, with `target`

A policy describes further tools by rows of the same form (`[mcp]`).
"""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from toolgate.model.rule import DescribedTool

from .environments import connect_by_name, is_local_data
from .names import bare_server, split_words

TABLES = ("browser", "cloud", "clusters", "databases", "redis", "filesystem", "git", "shell")


@dataclass(frozen=True, slots=True)
class TableEffect:
    """One effect of a call: a role, with the values of its arguments."""

    role: str
    values: tuple[str, ...]


@lru_cache(1)
def _load_tables() -> tuple[Mapping[str, Any], ...]:
    import tomllib  # imported late: such tools are rarely called
    from importlib.resources import files

    return tuple(tomllib.loads(files(__name__).joinpath(f"{name}.toml").read_text(encoding="utf-8")) for name in TABLES)


def effects_of_known_tool(server: str, tool: str, arguments: Mapping[str, object]) -> Iterator[TableEffect]:
    """Yields the effects of this call; none for a tool that no table knows."""
    for row in _find_rows(bare_server(server), tool):
        for effect in _effects_of_row(row, arguments):
            if effect.role == "run":
                yield TableEffect("run", connect_by_name(server, arguments, effect.values))
            elif not (effect.role == "operation" and is_local_data(server, arguments, effect.values[0])):
                yield effect


def effects_of_described_tool(
    server: str, tool: str, arguments: Mapping[str, object], rows: tuple[DescribedTool, ...]
) -> tuple[tuple[TableEffect, ...], tuple[TableEffect, ...]]:
    """Returns the effects by a policy's rows, and by those of its rows that only add effects."""
    if not rows:
        return (), ()
    name = _normalise_name(server, tool)
    its_own = [row for row in rows if _normalise_name(row.server, row.tool) == name]
    declared, added = (
        tuple(done for row in its_own if row.adds is adds for done in _effects_of_row(row.does, arguments))
        for adds in (False, True)
    )
    return declared, added


def has_row(server: str, tool: str, rows: tuple[DescribedTool, ...]) -> bool:
    """Returns whether a policy describes this tool completely."""
    return any(not row.adds and _normalise_name(row.server, row.tool) == _normalise_name(server, tool) for row in rows)


def _normalise_name(server: str, tool: str) -> str:
    """Returns a server's and a tool's name as one text to compare: hosts replace other characters by `_`, and join both by a
    hyphen that either may contain."""
    return "".join(char if char.isascii() and char.isalnum() else "-" for char in f"{server}/{tool}".lower())


def _find_rows(server: str, tool: str) -> list[Mapping[str, Any]]:
    named = [table["tools"][tool] for table in _load_tables() if server in table["servers"] and tool in table["tools"]]
    if named or not _OTHER_LANGUAGES.isdisjoint(split_words(server)):
        return named
    return [table["tools"][tool] for table in _load_tables() if table.get("anywhere") and tool in table["tools"]]


_OTHER_LANGUAGES = frozenset(
    "python ipython node nodejs javascript typescript deno bun ruby perl php lua sql r julia "
    "redis valkey keydb mongo mongodb postgres postgresql mysql mariadb clickhouse cassandra neo4j memcached etcd".split()
)
"""Words in the names of servers whose `run` takes no text of a shell."""


def _effects_of_row(row: Mapping[str, Any], arguments: Mapping[str, object]) -> Iterator[TableEffect]:
    for role in ("read", "delete", "connect"):
        yield from (TableEffect(role, (value,)) for value in _items_at(row.get(role, ""), arguments))
    content = "\n".join(_texts_at(row.get("content", ""), arguments))
    yield from (TableEffect("write", (value, content)) for value in _items_at(row.get("write", ""), arguments))
    for source in _items_at(row.get("move", ""), arguments):
        yield from (TableEffect("move", (source, target)) for target in _items_at(row["to"], arguments))
    folder = next(iter(_texts_at(row.get("cwd", ""), arguments)), "")
    yield from (TableEffect("shell", (value, folder)) for value in _texts_at(row.get("shell", ""), arguments))
    template = row.get("run", ())
    argv = tuple(_build_argv(template, arguments))
    is_filled = not any("{" in part for part in template) or any(part not in template for part in argv)
    if argv and (is_filled or "delete" in template or "destroy" in template):
        yield TableEffect("run", argv)
    if "operation" in row:
        yield TableEffect("operation", (row["operation"], *_texts_at(row.get("target", ""), arguments)))


def _texts_at(path: str, arguments: Mapping[str, object]) -> list[str]:
    """Returns the texts at an argument path; a list of words is a command line, a list of command lines is one each."""
    return [text for one in _values_at(path, arguments) for text in _texts_of(one)]


def _texts_of(value: object) -> list[str]:
    if not isinstance(value, list):
        return [str(value)]
    words = [str(each) for each in value]
    are_lines = len(words) > 1 and all(len(each.split()) > 1 for each in words)
    return words if are_lines else [shlex.join(words)]


def _items_at(path: str, arguments: Mapping[str, object]) -> list[str]:
    """Returns the texts at an argument path; a list is several of the kind."""
    return [str(one) for found in _values_at(path, arguments) for one in (found if isinstance(found, list) else [found])]


def _values_at(path: str, arguments: Mapping[str, object]) -> list[Any]:
    for alternative in path.split("|") if path else ():
        if found := _walk_path(alternative, arguments):
            return found
    return []


def _walk_path(path: str, arguments: Mapping[str, object]) -> list[Any]:
    found: list[Any] = [arguments]
    for step in path.split("."):
        name = step.removesuffix("[]")
        found = [one[name] for one in found if isinstance(one, Mapping) and one.get(name) is not None]
        if name != step:
            found = [one for each in found for one in (each if isinstance(each, list) else [each]) if one is not None]
    return found


def _build_argv(template: Sequence[str], arguments: Mapping[str, object]) -> Iterator[str]:
    held = ""
    for part in template:
        name, flag, word = part.strip("{}").partition("?") if part.startswith("{") and "?" in part else (part, "", "")
        if flag:
            if arguments.get(name) is True:
                yield word
            continue
        if "[]" in part:
            yield from _items_at(part[1:-1], arguments)
            continue
        if part.endswith("--}"):
            yield from _options_at(part[1:-3], arguments)
            continue
        filled = _fill_word(part, arguments)
        if held and filled is not None:
            yield held
        held = ""
        if filled is not None and filled in ("-C", "-n", "-i"):
            held = filled  # an option whose value may be left out
        elif filled is not None:
            yield filled


def _options_at(path: str, arguments: Mapping[str, object]) -> Iterator[str]:
    """Yields the fields of an object as options: `{"context": "kind-dev", "force": true}` is `--context=kind-dev --force`."""
    for fields in _values_at(path, arguments):
        for name, value in fields.items() if isinstance(fields, Mapping) else ():
            yield f"--{name}" if value is True else f"--{name}={'false' if value is False else value}"


def _fill_word(part: str, arguments: Mapping[str, object]) -> str | None:
    """Returns the word with its arguments filled in; None if one is missing."""
    result, rest = "", part
    while "{" in rest:
        before, _, after = rest.partition("{")
        name, _, rest = after.partition("}")
        values = _texts_at(name, arguments)
        if not values:
            return None
        result += before + values[0]
    return result + rest
