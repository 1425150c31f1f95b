"""What a known MCP server's tool does, by its arguments. GROWS: a kind of server is one table, and a name in this list.

A row gives arguments a role; `a|b` is the first that is there, `edits[].newText` goes through a list:

read, write, delete   paths; `content` is what a write writes
move                  a path, with `to`
connect               an address
shell                 a command line, run in `cwd`
run                   a program's argv with `{argument}`s put in; `{flag?--word}` stands there where the argument is true, and
                      a word whose argument is missing falls away, with an option before it
operation             one of the vocabulary, with `target`
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

TABLES = ("browser", "clusters", "databases", "filesystem", "git", "shell")


@dataclass(frozen=True, slots=True)
class Done:
    """One thing that a call does: a role, with the values of its arguments."""

    role: str
    values: tuple[str, ...]


@lru_cache(1)
def _tables() -> tuple[Mapping[str, Any], ...]:
    import tomllib  # only where such a tool is called
    from importlib.resources import files

    return tuple(tomllib.loads(files(__name__).joinpath(f"{name}.toml").read_text(encoding="utf-8")) for name in TABLES)


def lowered(server: str, tool: str, arguments: Mapping[str, object]) -> Iterator[Done]:
    """What this call does; nothing for a tool that no table knows."""
    for row in _rows(_bare(server), tool):
        yield from _done(row, arguments)


def _rows(server: str, tool: str) -> list[Mapping[str, Any]]:
    named = [table["tools"][tool] for table in _tables() if server in table["servers"] and tool in table["tools"]]
    return named or [table["tools"][tool] for table in _tables() if table.get("anywhere") and tool in table["tools"]]


def _bare(server: str) -> str:
    """`mcp-server-git`, `git_mcp`, `my-git-server`: by what is left of the name."""
    words = [
        word
        for word in server.lower().replace("_", "-").split("-")
        if word not in ("mcp", "server", "my", "local", "the", "official")
    ]
    return "-".join(words)


def _done(row: Mapping[str, Any], arguments: Mapping[str, object]) -> Iterator[Done]:
    for role in ("read", "delete", "connect"):
        yield from (Done(role, (value,)) for value in _values(row.get(role, ""), arguments))
    content = "\n".join(_values(row.get("content", ""), arguments))
    yield from (Done("write", (value, content)) for value in _values(row.get("write", ""), arguments))
    for source in _values(row.get("move", ""), arguments):
        yield from (Done("move", (source, target)) for target in _values(row["to"], arguments))
    folder = next(iter(_values(row.get("cwd", ""), arguments)), "")
    yield from (Done("shell", (value, folder)) for value in _values(row.get("shell", ""), arguments))
    if "run" in row:
        yield Done("run", tuple(_argv(row["run"], arguments)))
    if "operation" in row:
        yield Done("operation", (row["operation"], *_values(row.get("target", ""), arguments)))


def _values(path: str, arguments: Mapping[str, object]) -> list[str]:
    """The texts that an argument path leads to; a list of words is a command line."""
    for alternative in path.split("|") if path else ():
        name, _, inner = alternative.partition("[]")
        value = arguments.get(name)
        if value is None:
            continue
        each = value if isinstance(value, list) and "[]" in alternative else [value]
        if inner:
            each = [one.get(inner.lstrip(".")) for one in each if isinstance(one, dict)]
        return [" ".join(map(str, one)) if isinstance(one, list) else str(one) for one in each if one is not None]
    return []


def _argv(template: list[str], arguments: Mapping[str, object]) -> Iterator[str]:
    held = ""
    for part in template:
        name, flag, word = part.strip("{}").partition("?") if part.startswith("{") and "?" in part else (part, "", "")
        if flag:
            if arguments.get(name) is True:
                yield word
            continue
        filled = _filled(part, arguments)
        if held and filled is not None:
            yield held
        held = ""
        if filled is not None and filled in ("-C", "-n"):
            held = filled  # an option whose value may be missing
        elif filled is not None:
            yield filled


def _filled(part: str, arguments: Mapping[str, object]) -> str | None:
    """The word with its arguments put in; None where one is missing."""
    result, rest = "", part
    while "{" in rest:
        before, _, after = rest.partition("{")
        name, _, rest = after.partition("}")
        values = _values(name, arguments)
        if not values:
            return None
        result += before + "; ".join(values)
    return result + rest
