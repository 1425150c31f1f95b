"""Task files of Task (YAML), mise (TOML) and Deno (JSON with comments): the steps of a task, with their lines."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

from toolgate.documents import InvalidDocument, compose_yaml, read_json_with_comments
from toolgate.model.word import EMPTY, Hole, Word, joined, known

from .manifests import Find, Step, decode, unread_step

_MOST = 200
_Call = tuple[str, dict[str, Word]]
_ANYTHING = Word((Hole("?*", "a variable of the task"),))


# ---- Taskfile.yml


@dataclass(frozen=True, slots=True)
class _Task:
    """`space`: the namespace of its file with a colon, `""` for the first file. `top`: that file. `folder`: where it runs."""

    node: Any
    space: str
    top: dict[str, Any]
    given: dict[str, Word]
    file: str
    folder: str


def task_steps(text: str, wanted: list[str], given: Mapping[str, Word], find: Find) -> list[Step]:
    """Return the commands of these tasks and their dependencies. `find`: returns the texts of a file, by its path
    relative to this one."""
    tasks: dict[str, _Task] = {}
    steps = _load(text, _Task(None, "", {}, {}, "", ""), find, tasks, 0)
    names = {f"{task.space}{alias}": name for name, task in tasks.items() for alias in _texts(_mapping(task.node).get("aliases"))}
    waiting: list[_Call] = [(name, {}) for name in wanted or ["default"]]
    done: list[_Call] = []
    while waiting and len(done) < _MOST:
        called, passed = waiting.pop(0)
        name = next((each for each in (called, names.get(called), f"{called}:default") if each in tasks), "")
        if (name, passed) in done or name not in tasks:
            continue
        done.append((name, passed))
        task = tasks[name]
        own = _mapping(task.node)
        values = {**_settings(task.top.get("vars")), **task.given, **given, **passed, **_settings(own.get("vars"))}
        waiting = [*_within(task, _called(own.get("deps"))), *waiting]
        commands = (own.get("cmds") or own.get("cmd")) if own else task.node
        asked = (*_items(own.get("preconditions")), *_items(own.get("status")))
        folder = _joined(task.folder, _filled(_text(own.get("dir")), values).text or "")
        for node in (*_dynamic(task.top.get("vars")), *_dynamic(own.get("vars")), *asked, *_items(commands)):
            waiting += _within(task, _called(node))
            for command in _commands(node):
                line = command.start_mark.line + 1 + (command.style in ("|", ">"))
                steps.append(Step(_filled(command.value, values), line, task.file.rpartition("/")[2], folder=folder))
    return steps + _left_out(waiting)


def _left_out(waiting: Sequence[object]) -> list[Step]:
    return [unread_step(f"it runs more than {_MOST} tasks")] if waiting else []


_DEEPEST = 8
TASKFILES = tuple(
    f"{name}.{end}" for name in ("Taskfile", "taskfile", "Taskfile.dist", "taskfile.dist") for end in ("yml", "yaml")
)


def _load(text: str, at: _Task, find: Find, tasks: dict[str, _Task], depth: int) -> list[Step]:
    """Add the tasks of a file and of its includes, by their qualified names. Returns a step for each file that was not read."""
    try:
        top = _mapping(compose_yaml(text))
    except InvalidDocument:
        return [unread_step(f"{at.file or 'it'} does not parse as YAML")]
    left: list[Step] = []
    for name, node in _mapping(top.get("tasks")).items():
        tasks.setdefault(f"{at.space}{name}", replace(at, node=node, top=top))
    includes = _mapping(top.get("includes"))
    if includes and depth >= _DEEPEST:
        return [unread_step(f"its files include each other through more than {_DEEPEST} others")]
    for space, node in includes.items():
        how = _mapping(node)
        path = _joined(at.file.rpartition("/")[0], _text(how.get("taskfile") if how else node))
        given = {**at.given, **_settings(how.get("vars"))}
        folder = _joined(at.folder, _text(how.get("dir")))
        spaces = ("",) if _text(how.get("flatten")) == "true" else (space, *_texts(how.get("aliases")))
        for file in (path, *(f"{path}/{name}" for name in TASKFILES)):
            for other in find(file):
                for each in spaces:
                    inner = f"{at.space}{each}:" if each else at.space
                    left += _load(other, _Task(None, inner, {}, given, file, folder), find, tasks, depth + 1)
    return left


def _within(task: _Task, calls: list[_Call]) -> list[_Call]:
    """Qualify the tasks that a task calls with its namespace, unless they begin with a colon."""
    return [(name[1:] if name.startswith(":") else f"{task.space}{name}", passed) for name, passed in calls]


def _joined(folder: str, path: str) -> str:
    path = path.removeprefix("./")
    return path if path.startswith("/") or not folder else f"{folder}/{path}" if path else folder


def _text(node: Any) -> str:
    value = getattr(node, "value", "")
    return value if isinstance(value, str) else ""


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
    """Return the tasks that `deps` or a command calls, with the variables passed to them; a plain text is a task only in
    `deps`."""
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
    """Yield the node of each command's text: `- echo`, `- cmd: echo`, `- defer: echo`, `sh: echo`."""
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
    """Yield variables that run a command for their value: `vars: {X: {sh: date}}`."""
    yield from (value for value in _mapping(node).values() if "sh" in _mapping(value))


def _filled(command: str, values: Mapping[str, Word]) -> Word:
    result, at = EMPTY, 0
    for match in re.finditer(r"\{\{-?\s*(?:\.(\w+)\s*)?.*?\}\}", command):
        plain = match[1] is not None and re.fullmatch(r"\{\{-?\s*\.\w+\s*-?\}\}", match[0]) is not None
        result = result + known(command[at : match.start()]) + (values.get(match[1], _ANYTHING) if plain else _ANYTHING)
        at = match.end()
    return result + known(command[at:])


# ---- mise.toml


def mise_steps(text: str, wanted: str, words: list[Word], find: Find) -> list[Step]:
    tasks: dict[str, tuple[dict[str, Any], int, str]] = {}
    steps = _load_mise(text, "", tasks, find)
    waiting, done = [wanted], set[str]()
    while waiting and len(done) < _MOST:
        name = waiting.pop(0)
        named = next((each for each, (table, _, _) in tasks.items() if name == each or name in _list(table.get("alias"))), None)
        if named is None or named in done:
            continue
        done.add(named)
        table, line, file = tasks[named]
        waiting = [*map(_first_word, _list(table.get("depends"))), *waiting, *map(_first_word, _list(table.get("depends_post")))]
        folder = str(table.get("dir", ""))
        for command in _list(table.get("run")):
            if isinstance(command, dict):
                waiting += [str(each) for each in (command.get("task"), *_list(command.get("tasks"))) if each]
            elif isinstance(command, str):
                more = [EMPTY, *words] if name == wanted else []
                steps.append(Step(known(command) + joined(more) if more else known(command), line, file, folder=folder))
    return steps + _left_out(waiting)


def mise_folders(text: str) -> list[str]:
    """Return the folders whose programs are tasks, and the task files that a configuration includes."""
    import tomllib  # slow to import, and rarely needed

    try:
        return list(map(str, _list(_table(tomllib.loads(text).get("task_config")).get("includes"))))
    except (tomllib.TOMLDecodeError, RecursionError):
        return []


def _load_mise(text: str, file: str, found: dict[str, tuple[dict[str, Any], int, str]], find: Find) -> list[Step]:
    """Add the tasks of a file. Returns a step for each file that was not read."""
    import tomllib

    try:
        root = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return [unread_step(f"{file or 'it'} does not parse as TOML")]
    left: list[Step] = []
    for name, task in _table(root if file else root.get("tasks")).items():
        found.setdefault(name, (task if isinstance(task, dict) else {"run": task}, _line_of(text, name), file))
    for included in () if file else mise_folders(text):
        for other in find(included) if included.endswith(".toml") else ():
            left += _load_mise(other, included, found, find)
    return left


def _table(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _first_word(depends: Any) -> str:
    return str(depends).partition(" ")[0]


def _line_of(text: str, name: str) -> int:
    quoted = rf"[\"']?{re.escape(name)}[\"']?"
    found = re.search(rf"(?m)^\s*(?:\[(?:tasks\.)?{quoted}\]|(?:tasks\.)?{quoted}(?:\.run)?\s*=)", text)
    return text.count("\n", 0, found.end()) + 1 if found else 1


# ---- deno.json


def deno_steps(text: str, wanted: str, words: list[Word]) -> list[Step]:
    try:
        top = read_json_with_comments(decode(text))
    except InvalidDocument:
        return [unread_step("it does not parse as JSON")]
    tasks = top.get("tasks", {}) if isinstance(top, dict) else {}
    steps: list[Step] = []
    waiting, done = [wanted], set[str]()
    while waiting and isinstance(tasks, dict) and len(done) < _MOST:
        name = waiting.pop(0)
        if "*" in name:
            waiting = [*(each for each in tasks if fnmatchcase(each, name) and "*" not in each), *waiting]
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
    return steps + _left_out(waiting if isinstance(tasks, dict) else ())
