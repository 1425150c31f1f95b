"""Task files of Task (YAML), mise (TOML) and Deno (JSON with comments): what a name in them would run, and on which line."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from toolgate.model.word import EMPTY, Hole, Word, joined, known

from .manifests import Step

_MOST = 200
_Call = tuple[str, dict[str, Word]]
_ANYTHING = Word((Hole("?*", "a variable of the task"),))


# ---- Taskfile.yml


def task_steps(text: str, wanted: list[str], given: Mapping[str, Word]) -> list[Step]:
    """The commands of these tasks and of what they need. Whatever is no task file has none."""
    import yaml

    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError):
        return []
    top = _mapping(root)
    tasks = _mapping(top.get("tasks"))
    names = {alias: name for name, task in tasks.items() for alias in (name, *_texts(_mapping(task).get("aliases")))}
    steps: list[Step] = []
    waiting: list[_Call] = [(name, {}) for name in wanted or ["default"]]
    done: list[_Call] = []
    while waiting and len(done) < _MOST:
        called, passed = waiting.pop(0)
        name = names.get(called, "")
        if (name, passed) in done or name not in tasks:
            continue
        done.append((name, passed))
        task, own = tasks[name], _mapping(tasks[name])
        values = {**_settings(top.get("vars")), **given, **passed, **_settings(own.get("vars"))}
        waiting = [*_called(own.get("deps")), *waiting]
        commands = (own.get("cmds") or own.get("cmd")) if own else task
        asked = (*_items(own.get("preconditions")), *_items(own.get("status")))
        for node in (*_dynamic(top.get("vars")), *_dynamic(own.get("vars")), *asked, *_items(commands)):
            waiting += _called(node)
            for command in _commands(node):
                line = command.start_mark.line + 1 + (command.style in ("|", ">"))
                steps.append(Step(_filled(command.value, values), line))
    return steps


def _mapping(node: Any) -> dict[str, Any]:
    pairs = getattr(node, "value", None)
    if not isinstance(pairs, list) or not all(isinstance(pair, tuple) for pair in pairs):
        return {}
    return {str(key.value): value for key, value in pairs}


def _items(node: Any) -> list[Any]:
    if node is None:
        return []
    value = node.value
    return [node] if isinstance(value, str) or (value and isinstance(value[0], tuple)) else list(value)


def _texts(node: Any) -> list[str]:
    return [item.value for item in _items(node) if isinstance(item.value, str)]


def _called(node: Any) -> list[_Call]:
    """The tasks that `deps` or a command names, with the variables that they are given; a plain text is one in `deps` alone."""
    found: list[_Call] = []
    for item in _items(node):
        if isinstance(item.value, str):
            found += [(item.value, {})] if node is not item else []
            continue
        inner = _mapping(item)
        for call in (inner, _mapping(inner.get("defer"))):
            if "task" in call and isinstance(call["task"].value, str):
                found.append((call["task"].value, _settings(call.get("vars"))))
    return found


def _commands(node: Any) -> Iterator[Any]:
    """`- echo`, `- cmd: echo`, `- defer: echo`, `sh: echo`: the node of each command's text."""
    if isinstance(node.value, str):
        yield node
        return
    inner = _mapping(node)
    for key in ("cmd", "defer", "sh"):
        if key in inner and isinstance(inner[key].value, str):
            yield inner[key]


def _settings(node: Any) -> dict[str, Word]:
    return {name: known(value.value) for name, value in _mapping(node).items() if isinstance(value.value, str)}


def _dynamic(node: Any) -> Iterator[Any]:
    """`vars: {X: {sh: date}}` runs a command for a value."""
    yield from (value for value in _mapping(node).values() if "sh" in _mapping(value))


def _filled(command: str, values: Mapping[str, Word]) -> Word:
    result, at = EMPTY, 0
    for match in re.finditer(r"\{\{-?\s*(?:\.(\w+)\s*)?.*?\}\}", command):
        plain = match[1] is not None and re.fullmatch(r"\{\{-?\s*\.\w+\s*-?\}\}", match[0]) is not None
        result = result + known(command[at : match.start()]) + (values.get(match[1], _ANYTHING) if plain else _ANYTHING)
        at = match.end()
    return result + known(command[at:])


# ---- mise.toml


def mise_steps(text: str, wanted: str, words: list[Word]) -> list[Step]:
    import tomllib  # dear to import, and rarely met

    try:
        tasks = tomllib.loads(text).get("tasks", {})
    except (tomllib.TOMLDecodeError, RecursionError):
        return []
    tasks = tasks if isinstance(tasks, dict) else {}
    steps: list[Step] = []
    waiting, done = [wanted], set[str]()
    while waiting and len(done) < _MOST:
        name = waiting.pop(0)
        task = tasks.get(name)
        if name in done or task is None:
            continue
        done.add(name)
        table = task if isinstance(task, dict) else {"run": task}
        waiting = [*map(_first_word, _list(table.get("depends"))), *waiting, *map(_first_word, _list(table.get("depends_post")))]
        for command in _list(table.get("run")):
            if isinstance(command, dict):
                waiting += [str(each) for each in (command.get("task"), *_list(command.get("tasks"))) if each]
            elif isinstance(command, str):
                more = [EMPTY, *words] if name == wanted else []
                steps.append(Step(known(command) + joined(more) if more else known(command), _line_of(text, name)))
    return steps


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _first_word(depends: Any) -> str:
    return str(depends).partition(" ")[0]


def _line_of(text: str, name: str) -> int:
    quoted = rf"[\"']?{re.escape(name)}[\"']?"
    found = re.search(rf"(?m)^\s*(?:\[tasks\.{quoted}\]|(?:tasks\.)?{quoted}(?:\.run)?\s*=)", text)
    return text.count("\n", 0, found.end()) + 1 if found else 1


# ---- deno.json


def deno_steps(text: str, wanted: str, words: list[Word]) -> list[Step]:
    try:
        tasks = json.loads(_without_comments(text)).get("tasks", {})
    except (ValueError, AttributeError, RecursionError):
        return []
    steps: list[Step] = []
    waiting, done = [wanted], set[str]()
    while waiting and isinstance(tasks, dict) and len(done) < _MOST:
        name = waiting.pop(0)
        task = tasks.get(name)
        if name in done or task is None:
            continue
        done.add(name)
        table = task if isinstance(task, dict) else {"command": task}
        waiting = [*map(str, _list(table.get("dependencies"))), *waiting]
        if isinstance(command := table.get("command"), str):
            more = [EMPTY, *words] if name == wanted else []
            line = text.count("\n", 0, max(text.find(json.dumps(name), max(text.find('"tasks"'), 0)), 0)) + 1
            steps.append(Step(known(command) + joined(more) if more else known(command), line))
    return steps


def _without_comments(text: str) -> str:
    """JSON with comments and commas at an end, as Deno reads it."""
    bare = re.sub(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', lambda match: match[1] or "", text, flags=re.DOTALL)
    return re.sub(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])', lambda match: match[1] or "", bare)
