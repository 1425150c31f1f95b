"""Tasks that a build script of Gradle declares: those that a command line does not need do not run.

A task is needed if the command line names it, or if code that runs mentions it: another needed task, or the script itself.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .texts import find_closing

_LAZY = re.compile(
    r"\btasks\s*\.\s*register(?:<[\w.]+>)?\s*\(?\s*[\"'](?P<name>[\w.-]+)[\"'](?:\s*,\s*[\w.:]+)?\s*\)?\s*(?=\{)"
    r"|\bval\s+(?P<property>\w+)\s+by\s+tasks\.registering(?:\s*\([^()]*\))?\s*(?=\{)"
)
_EAGER = re.compile(
    r"(?<![\w.])(?:tasks\s*\.\s*create(?:<[\w.]+>)?\s*\(\s*[\"'](?P<created>[\w.-]+)[\"'][^(){}\n]*\)?|task\s*\(?\s*[\"']?(?P<task>[\w-]+)[\"']?\s*(?:\([^(){}\n]*\))?[^(){}\n]*)\s*(?=\{)"
)
_ACTIONS = re.compile(r"\b(?:doLast|doFirst)\s*(?=\{)")
_COMMAND_LINE = re.compile(r"\b(?:commandLine|executable|args)\b[^\n]*(?:\([^()]*\)|\[[^\]]*\])?")
_ABBREVIATION = re.compile(r"[a-z]+|[A-Z][a-z]*")


class _Task(NamedTuple):
    name: str
    start: int
    body: int
    end: int
    is_lazy: bool


def drop_unneeded_tasks(text: str, command_line: Sequence[str], others: str = "") -> str:
    """Returns a build script without what its unneeded tasks do; unchanged if the command line names no task. `others`: the
    project's other build scripts."""
    named = [word.rpartition(":")[2] for word in command_line[1:] if not word.startswith("-")]
    tasks = sorted(_list_tasks(text), key=lambda task: task.start)
    if not named or not tasks:
        return text
    needed = _find_needed(text, tasks, named, others)
    for task in reversed(tasks):
        if task not in needed:
            body = "{}" if task.is_lazy else _drop_actions(text[task.body : task.end])
            text = f"{text[: task.body]}{body}{text[task.end :]}"
    return text


def _list_tasks(text: str) -> Iterator[_Task]:
    for pattern in (_LAZY, _EAGER):
        for match in pattern.finditer(text):
            name = next(group for group in match.groups() if group)
            yield _Task(name, match.start(), match.end(), find_closing(text, match.end()), pattern is _LAZY)


def _find_needed(text: str, tasks: list[_Task], named: list[str], others: str) -> list[_Task]:
    script, at = [others], 0
    for task in tasks:
        script.append(text[at : task.start])
        at = max(at, task.end)
    running = "\n".join((*script, text[at:]))
    needed = [task for task in tasks if any(_names_task(word, task.name) for word in named)]
    for _ in range(len(tasks) + 1):
        running = "\n".join((running, *(text[task.body : task.end] for task in needed)))
        more = [
            task for task in tasks if task not in needed and re.search(rf"(?<![\w-]){re.escape(task.name)}(?![\w-])", running)
        ]
        if not more:
            break
        needed += more
    return needed


def _names_task(word: str, name: str) -> bool:
    """Returns whether a word of the command line is a task's name, or an abbreviation of it: `fD` is `finalizeDocs`."""
    if word == name:
        return True
    parts, humps = _ABBREVIATION.findall(word), _ABBREVIATION.findall(name)
    return 0 < len(parts) <= len(humps) and all(hump.startswith(part) for part, hump in zip(parts, humps, strict=False))


def _drop_actions(body: str) -> str:
    """Returns the body of a task without its actions: it is configured, but does not run."""
    while (found := _ACTIONS.search(body)) is not None:
        body = f"{body[: found.start()]}{body[find_closing(body, found.end()) :]}"
    return _COMMAND_LINE.sub("", body)


_ASKED = re.compile(
    r"(?:\bproviders\s*\.\s*gradleProperty\(\s*[\"'](?P<provided>[\w.-]+)[\"']\s*\)(?:\.get\(\)|\.orNull|\.getOrElse\([^()]*\)|\.orElse\([^()]*\)\.get\(\))"
    r"|(?<![\w.])(?:(?:project|rootProject)\s*\.\s*)?(?:findProperty|property|getProperty)\(\s*[\"'](?P<found>[\w.-]+)[\"']\s*\)(?:\s+as\s+String\??|\.toString\(\)|!!)*"
    r"|(?<![\w.])(?:project|rootProject)\s*\.\s*(?P<member>\w+)(?![\w(]))(?P<otherwise>\s*\?:\s*(?:[\"'][^\"'\n]*[\"']|[\w.]+))?"
)
_SETTING = re.compile(r"(?m)^[ \t]*([\w.-]+)[ \t]*[=:][ \t]*(.*?)[ \t]*$")


def write_properties(text: str, command_line: Sequence[str], settings: str) -> str:
    """Returns a build script with the project's properties written out: those that the command line gives, and those of
    `gradle.properties`. One that nothing sets takes the value that the script gives in its place."""
    properties = dict(_SETTING.findall(settings))
    for word in command_line[1:]:
        if word.startswith("-P") and "=" in word:
            name, _, value = word[2:].partition("=")
            properties[name] = value

    def write_value(match: re.Match[str]) -> str:
        value = properties.get(match["provided"] or match["found"] or match["member"])
        if value is not None and not set('"\\$') & set(value):
            return f'"{value}"'
        is_absent = value is None and match["found"] is not None and match["otherwise"] is not None
        return match["otherwise"].partition("?:")[2].strip() if is_absent else match[0]

    return _ASKED.sub(write_value, text)
