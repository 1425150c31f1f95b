"""Task files of Task (YAML), mise (TOML) and Deno (JSON with comments): the steps of a task, with their lines."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

from toolgate.documents import InvalidDocument, compose_yaml, read_json_with_comments
from toolgate.model.word import EMPTY, Word, join_words, known_word

from .steps import FileFinder, Step, decode_json_text, define_variables, unread_step
from .task_templates import UNKNOWN_VALUE, interpolate

_MAX_TASKS = 200
_Call = tuple[str, dict[str, Word]]


# ---- Taskfile.yml


@dataclass(frozen=True, slots=True)
class _Task:
    """`space`: the namespace of its file with a colon, `""` for the first file. `top`: that file. `folder`: where it runs."""

    node: Any
    space: str
    top: dict[str, Any]
    variables: dict[str, Word]
    file: str
    folder: str


def task_steps(text: str, task_names: list[str], variables: Mapping[str, Word], find: FileFinder) -> list[Step]:
    """Returns the commands of these tasks and their dependencies. `find`: returns the texts of a file, by its path
    relative to this one."""
    tasks: dict[str, _Task] = {}
    steps = _load_taskfile(text, _Task(None, "", {}, {}, "", ""), find, tasks, 0)
    names = {
        f"{task.space}{alias}": name
        for name, task in tasks.items()
        for alias in _texts_of_node(_mapping_of_node(task.node).get("aliases"))
    }
    waiting: list[_Call] = [(name, {}) for name in task_names or ["default"]]
    done: list[_Call] = []
    while waiting and len(done) < _MAX_TASKS:
        called, passed = waiting.pop(0)
        name = next((each for each in (called, names.get(called), f"{called}:default") if each in tasks), "")
        if (name, passed) in done or name not in tasks:
            continue
        done.append((name, passed))
        task = tasks[name]
        own = _mapping_of_node(task.node)
        own_folder = variables.get("ROOT_DIR", UNKNOWN_VALUE) + known_word("/" + task.file.rpartition("/")[0])
        values = _evaluate_variables(task.top.get("vars"), {**variables, "TASKFILE_DIR": own_folder})
        included = _interpolate_all(task.variables, values)
        values = _evaluate_variables(own.get("vars"), {**values, **included, **variables, **passed})
        environment = _evaluate_variables(own.get("env"), _evaluate_variables(task.top.get("env"), values))
        names_of_environment = (*_mapping_of_node(task.top.get("env")), *_mapping_of_node(own.get("env")))
        exported = {name: environment[name] for name in names_of_environment}
        waiting = [*_qualify_calls(task, _calls_of_node(own.get("deps")), values), *waiting]
        commands = (own.get("cmds") or own.get("cmd")) if own else task.node
        conditions = (*_items_of_node(own.get("preconditions")), *_items_of_node(own.get("status")))
        folder = _join_folder(task.folder, interpolate(_scalar_text(own.get("dir")), values).text or "")
        for node in (
            *_dynamic_variables(task.top.get("vars")),
            *_dynamic_variables(own.get("vars")),
            *conditions,
            *_items_of_node(commands),
        ):
            waiting += _qualify_calls(task, _calls_of_node(node), values)
            for command, bound in ((each, more) for more in _bind_loop(node, values) for each in _command_nodes(node)):
                line = command.start_mark.line + 1 + (command.style in ("|", ">"))
                code = define_variables(interpolate(command.value, {**values, **bound}), exported)
                steps.append(Step(code, line, task.file.rpartition("/")[2], folder=folder))
    return steps + _unread_rest(waiting)


def _unread_rest(waiting: Sequence[object]) -> list[Step]:
    return [unread_step(f"it runs more than {_MAX_TASKS} tasks")] if waiting else []


_MAX_INCLUDE_DEPTH = 8
TASKFILES = tuple(
    f"{name}.{end}" for name in ("Taskfile", "taskfile", "Taskfile.dist", "taskfile.dist") for end in ("yml", "yaml")
)


def _load_taskfile(text: str, at: _Task, find: FileFinder, tasks: dict[str, _Task], depth: int) -> list[Step]:
    """Adds the tasks of a file and of its includes, by their qualified names. Returns a step for each file that was not read."""
    try:
        top = _mapping_of_node(compose_yaml(text))
    except InvalidDocument:
        return [unread_step(f"{at.file or 'it'} does not parse as YAML")]
    left: list[Step] = []
    for name, node in _mapping_of_node(top.get("tasks")).items():
        tasks.setdefault(f"{at.space}{name}", replace(at, node=node, top=top))
    includes = _mapping_of_node(top.get("includes"))
    if includes and depth >= _MAX_INCLUDE_DEPTH:
        return [unread_step(f"its files include each other through more than {_MAX_INCLUDE_DEPTH} others")]
    for space, node in includes.items():
        how = _mapping_of_node(node)
        path = _join_folder(at.file.rpartition("/")[0], _scalar_text(how.get("taskfile") if how else node))
        variables = {**at.variables, **_static_variables(how.get("vars"))}
        folder = _join_folder(at.folder, _scalar_text(how.get("dir")))
        spaces = ("",) if _scalar_text(how.get("flatten")) == "true" else (space, *_texts_of_node(how.get("aliases")))
        for file in (path, *(f"{path}/{name}" for name in TASKFILES)):
            for other in find(file):
                for each in spaces:
                    inner = f"{at.space}{each}:" if each else at.space
                    left += _load_taskfile(other, _Task(None, inner, {}, variables, file, folder), find, tasks, depth + 1)
    return left


def _qualify_calls(task: _Task, calls: list[_Call], values: Mapping[str, Word]) -> list[_Call]:
    """Qualifies the tasks that a task calls with its namespace, unless they begin with a colon. `values`: of its variables, to
    which those that it passes may refer."""
    return [
        (name[1:] if name.startswith(":") else f"{task.space}{name}", _interpolate_all(passed, values)) for name, passed in calls
    ]


def _interpolate_all(texts: Mapping[str, Word], values: Mapping[str, Word]) -> dict[str, Word]:
    return {name: interpolate(text.text or "", values) for name, text in texts.items()}


def _join_folder(folder: str, path: str) -> str:
    path = path.removeprefix("./")
    return path if path.startswith("/") or not folder else f"{folder}/{path}" if path else folder


def _scalar_text(node: Any) -> str:
    value = getattr(node, "value", "")
    return value if isinstance(value, str) else ""


def _mapping_of_node(node: Any) -> dict[str, Any]:
    pairs = getattr(node, "value", None)
    if not isinstance(pairs, list) or not all(isinstance(pair, tuple) for pair in pairs):
        return {}
    return {str(key.value): value for key, value in pairs}


def _items_of_node(node: Any) -> list[Any]:
    if node is None:
        return []
    value = node.value
    return [node] if isinstance(value, str) or (value and isinstance(value[0], tuple)) else list(value)


def _texts_of_node(node: Any) -> list[str]:
    return [item.value for item in _items_of_node(node) if isinstance(item.value, str)]


def _calls_of_node(node: Any) -> list[_Call]:
    """Returns the tasks that `deps` or a command calls, with the variables passed to them; a plain text is a task only in
    `deps`."""
    found: list[_Call] = []
    for item in _items_of_node(node):
        if isinstance(item.value, str):
            found += [(item.value, {})] if node is not item else []
            continue
        inner = _mapping_of_node(item)
        for call in (inner, _mapping_of_node(inner.get("defer"))):
            if "task" in call and isinstance(call["task"].value, str):
                found.append((call["task"].value, _static_variables(call.get("vars"))))
    return found


def _command_nodes(node: Any) -> Iterator[Any]:
    """Yields the node of each command's text: `- echo`, `- cmd: echo`, `- defer: echo`, `sh: echo`."""
    if isinstance(node.value, str):
        yield node
        return
    inner = _mapping_of_node(node)
    for key in ("cmd", "defer", "sh"):
        if key in inner and isinstance(inner[key].value, str):
            yield inner[key]


def _static_variables(node: Any) -> dict[str, Word]:
    return {name: known_word(value.value) for name, value in _mapping_of_node(node).items() if isinstance(value.value, str)}


def _evaluate_variables(node: Any, values: Mapping[str, Word]) -> dict[str, Word]:
    """Returns these values with the variables of `vars` or `env`, each of which may refer to those before it."""
    found = dict(values)
    found.update((name, _evaluate_variable(each, found)) for name, each in _mapping_of_node(node).items())
    return found


def _evaluate_variable(node: Any, values: Mapping[str, Word]) -> Word:
    """Returns the value of a variable; of one that is given as a command, what it prints."""
    command = _scalar_text(_mapping_of_node(node).get("sh"))
    if isinstance(node.value, str):
        return interpolate(node.value, values)
    return known_word("$(") + interpolate(command, values) + known_word(")") if command else UNKNOWN_VALUE


def _bind_loop(node: Any, values: Mapping[str, Word]) -> list[dict[str, Word]]:
    """Returns what the variable of a command's `for` is bound to, in each round; one empty mapping without it."""
    loop = _mapping_of_node(node).get("for")
    if loop is None:
        return [{}]
    how = _mapping_of_node(loop)
    name = _scalar_text(how.get("as")) or "ITEM"
    listed = values.get(_scalar_text(how.get("var")), UNKNOWN_VALUE).text
    items = (listed or "").split() if how else _texts_of_node(loop)
    return [{name: interpolate(item, values)} for item in items[:_MAX_TASKS]] or [{name: UNKNOWN_VALUE}]


def _dynamic_variables(node: Any) -> Iterator[Any]:
    """Yields variables that run a command for their value: `vars: {X: {sh: date}}`."""
    yield from (value for value in _mapping_of_node(node).values() if "sh" in _mapping_of_node(value))


# ---- mise.toml


def mise_steps(text: str, task_name: str, words: list[Word], find: FileFinder) -> list[Step]:
    tasks: dict[str, tuple[dict[str, Any], int, str]] = {}
    steps = _load_mise(text, "", tasks, find)
    waiting, done = [task_name], set[str]()
    while waiting and len(done) < _MAX_TASKS:
        name = waiting.pop(0)
        named = next(
            (each for each, (table, _, _) in tasks.items() if name == each or name in _as_list(table.get("alias"))), None
        )
        if named is None or named in done:
            continue
        done.add(named)
        table, line, file = tasks[named]
        waiting = [
            *map(_first_word, _as_list(table.get("depends"))),
            *waiting,
            *map(_first_word, _as_list(table.get("depends_post"))),
        ]
        folder = str(table.get("dir", ""))
        for command in _as_list(table.get("run")):
            if isinstance(command, dict):
                waiting += [str(each) for each in (command.get("task"), *_as_list(command.get("tasks"))) if each]
            elif isinstance(command, str):
                more = [EMPTY, *words] if name == task_name else []
                steps.append(
                    Step(known_word(command) + join_words(more) if more else known_word(command), line, file, folder=folder)
                )
    return steps + _unread_rest(waiting)


def mise_folders(text: str) -> list[str]:
    """Returns the folders whose programs are tasks, and the task files that a configuration includes."""
    import tomllib  # slow to import, and rarely needed

    try:
        return list(map(str, _as_list(_as_table(tomllib.loads(text).get("task_config")).get("includes"))))
    except (tomllib.TOMLDecodeError, RecursionError):
        return []


def _load_mise(text: str, file: str, found: dict[str, tuple[dict[str, Any], int, str]], find: FileFinder) -> list[Step]:
    """Adds the tasks of a file. Returns a step for each file that was not read."""
    import tomllib

    try:
        root = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return [unread_step(f"{file or 'it'} does not parse as TOML")]
    left: list[Step] = []
    for name, task in _as_table(root if file else root.get("tasks")).items():
        found.setdefault(name, (task if isinstance(task, dict) else {"run": task}, _line_of(text, name), file))
    for included in () if file else mise_folders(text):
        for other in find(included) if included.endswith(".toml") else ():
            left += _load_mise(other, included, found, find)
    return left


def _as_table(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _first_word(depends: Any) -> str:
    return str(depends).partition(" ")[0]


def _line_of(text: str, name: str) -> int:
    quoted = rf"[\"']?{re.escape(name)}[\"']?"
    found = re.search(rf"(?m)^\s*(?:\[(?:tasks\.)?{quoted}\]|(?:tasks\.)?{quoted}(?:\.run)?\s*=)", text)
    return text.count("\n", 0, found.end()) + 1 if found else 1


# ---- deno.json


def deno_steps(text: str, task_name: str, words: list[Word]) -> list[Step]:
    try:
        top = read_json_with_comments(decode_json_text(text))
    except InvalidDocument:
        return [unread_step("it does not parse as JSON")]
    tasks = top.get("tasks", {}) if isinstance(top, dict) else {}
    steps: list[Step] = []
    waiting, done = [task_name], set[str]()
    while waiting and isinstance(tasks, dict) and len(done) < _MAX_TASKS:
        name = waiting.pop(0)
        if "*" in name:
            waiting = [*(each for each in tasks if fnmatchcase(each, name) and "*" not in each), *waiting]
        task = tasks.get(name)
        if name in done or task is None:
            continue
        done.add(name)
        table = task if isinstance(task, dict) else {"command": task}
        waiting = [*map(str, _as_list(table.get("dependencies"))), *waiting]
        if isinstance(command := table.get("command"), str):
            more = [EMPTY, *words] if name == task_name else []
            line = text.count("\n", 0, max(text.find(json.dumps(name), max(text.find('"tasks"'), 0)), 0)) + 1
            steps.append(Step(known_word(command) + join_words(more) if more else known_word(command), line))
    return steps + _unread_rest(waiting if isinstance(tasks, dict) else ())
