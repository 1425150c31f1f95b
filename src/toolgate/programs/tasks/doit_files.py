"""The command lines in the tasks of a dodo.py: the texts under `actions` in what its `task_` functions return."""

import ast
from collections.abc import Iterator

from toolgate.documents import InvalidDocument
from toolgate.model.word import known_word

from .steps import Step

_COMMANDS_WITHOUT_ACTIONS = ("list", "help", "info", "clean", "forget", "ignore", "dumpdb", "tabcompletion")
_MAX_LENGTH = 100_000


def list_actions(text: str, operands: tuple[str, ...]) -> Iterator[Step]:
    """Yields the actions of the tasks that are named, and of those that they depend on; of all tasks, if none is named. Raises
    InvalidDocument."""
    if operands[:1] and operands[0] in _COMMANDS_WITHOUT_ACTIONS:
        return
    tasks = {each.name.removeprefix("task_"): each for each in _parse(text).body if isinstance(each, ast.FunctionDef)}
    named = [name for each in operands if (name := each.partition(":")[0]) in tasks]
    waiting, seen = named or [name for name, task in tasks.items() if task.name.startswith("task_")], set[str]()
    while waiting:
        name = waiting.pop()
        if name in tasks and name not in seen:
            seen.add(name)
            yield from _list_texts(tasks[name], "actions")
            waiting += [step.text.text or "" for key in ("task_dep", "setup") for step in _list_texts(tasks[name], key)]


def _parse(text: str) -> ast.Module:
    if len(text) > _MAX_LENGTH:
        raise InvalidDocument("it is too long")
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise InvalidDocument("it is not Python") from None


def _list_texts(task: ast.FunctionDef, key: str) -> Iterator[Step]:
    """Yields the texts in the lists under a key of the dictionaries of a task; an action may be wrapped: `CmdAction("make")`."""
    for table in (node for node in ast.walk(task) if isinstance(node, ast.Dict)):
        for name, value in zip(table.keys, table.values, strict=True):
            if isinstance(name, ast.Constant) and name.value == key and isinstance(value, ast.List | ast.Tuple):
                items = [item.args[0] if isinstance(item, ast.Call) and item.args else item for item in value.elts]
                for item in items:
                    if isinstance(item, ast.Constant) and isinstance(item.value, str):
                        yield Step(known_word(item.value), item.lineno)
