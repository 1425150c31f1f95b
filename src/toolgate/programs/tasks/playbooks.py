"""Ansible playbooks: the commands and file changes of their tasks, on this machine or on others."""

import re
import shlex
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from toolgate.documents import InvalidDocument, read_yaml
from toolgate.model.effect import Interpret, Reported, Site
from toolgate.model.seen import Seen
from toolgate.model.word import Word, known, unknown
from toolgate.programs.manifests import unread_step
from toolgate.programs.nearest import File, files, folder, step
from toolgate.programs.program import INFORMATION, Program

_DEEPEST = 6
_CHECKS = ("--check", "-C", "--syntax-check", "--list-tasks", "--list-hosts", "--list-tags")
_LOCAL = ("localhost", "127.0.0.1", "::1")


def playbooks(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    words = [word.text for word in argv[1:]]
    if not {*INFORMATION, *_CHECKS}.isdisjoint(words):
        return
    local = any(before in ("-c", "--connection") and after == "local" for before, after in pairwise(words))
    for word in argv[1:]:
        if word.tail.endswith((".yml", ".yaml")) and word.starts("-") is not True:
            yield from _in_files(word, folder(None, seen), local, seen, 0)


def _in_files(name: Word, within: str | None, local: bool, seen: Seen, depth: int) -> Iterator[Reported]:
    for file in files((name,), within, seen) if depth <= _DEEPEST else ():
        try:
            top = read_yaml(file.text)
        except InvalidDocument as problem:
            yield step(unread_step(str(problem)), file, seen)
            continue
        for each in top if isinstance(top, list) else ():
            if isinstance(each, dict):
                yield from _play(each, file, local, seen, depth)


def _play(play: dict[str, Any], file: File, local: bool, seen: Seen, depth: int) -> Iterator[Reported]:
    """Run a play, or a task if the file contains tasks only."""
    beneath = file.path.rpartition("/")[0]
    here = local or play.get("connection") == "local" or play.get("hosts", "localhost") in _LOCAL
    for key in ("import_playbook", "ansible.builtin.import_playbook"):
        if isinstance(play.get(key), str):
            yield from _in_files(_filled(play[key]), beneath, local, seen, depth + 1)
    for role in play["roles"] if isinstance(play.get("roles"), list) else ():
        name = role.get("role") or role.get("name") if isinstance(role, dict) else role
        for part in ("tasks", "handlers") if isinstance(name, str) else ():
            yield from _in_files(known(f"roles/{name}/{part}/main.yml"), beneath, here, seen, depth + 1)
    tasks = [each for key in ("pre_tasks", "tasks", "post_tasks", "handlers") for each in _items(play.get(key))]
    for task in tasks if tasks else (play,):
        yield from _task(task, file, here, _is_true(play.get("become")), seen, depth)


def _task(task: dict[str, Any], file: File, here: bool, as_root: bool, seen: Seen, depth: int) -> Iterator[Reported]:
    for key in ("block", "rescue", "always"):
        for each in _items(task.get(key)):
            yield from _task(each, file, here, as_root, seen, depth)
    as_root = as_root or _is_true(task.get("become"))
    here = here or task.get("delegate_to") in _LOCAL or "local_action" in task
    for key, value in task.items():
        module = key.removeprefix("ansible.builtin.").removeprefix("ansible.legacy.")
        if module in ("include_tasks", "import_tasks"):
            name = value.get("file") if isinstance(value, dict) else value
            if isinstance(name, str):
                yield from _in_files(_filled(name), file.path.rpartition("/")[0], here, seen, depth + 1)
            continue
        for command in _commands(module, value):
            site = Site("local" if here else "ssh:ansible", "root") if as_root or not here else None
            line = file.text.count("\n", 0, max(file.text.find(key), 0)) + 1
            name = file.path.rpartition("/")[2]
            yield Interpret(
                "shell", command.from_commands(file.src), seen.origin, via=f"{name}:{line}", site=site, file=file.path
            )


def _commands(module: str, value: object) -> Iterator[Word]:
    """Yield a task as command lines for a shell."""
    given = _arguments(value)
    free = given.get("cmd") or given.get("_raw_params") or (value if isinstance(value, str) else None)
    argv = given.get("argv")
    path = next((given[key] for key in ("path", "dest", "name") if isinstance(given.get(key), str)), None)
    match module:
        case "shell" | "command" | "raw" | "win_shell" | "win_command":
            if isinstance(argv, list):
                yield _filled(shlex.join(str(each) for each in argv))
            elif isinstance(free, str):
                yield _filled(free)
        case "local_action":
            first, _, rest = free.partition(" ") if isinstance(free, str) else ("", "", "")
            yield from _commands(first.removeprefix("ansible.builtin."), rest)
        case "file" if path is not None and given.get("state") == "absent":
            yield _filled(f"rm -rf -- {_quoted(path)}")
        case "copy" | "template" | "get_url" | "lineinfile" | "blockinfile" | "replace" if path is not None:
            yield _filled(f"cp -- {_quoted(str(given.get('src', '/dev/null')))} {_quoted(path)}")
        case _:
            return


def _arguments(value: object) -> dict[str, Any]:
    """Return a module's arguments: a table, or `key=value` words."""
    if isinstance(value, dict):
        return value
    if not isinstance(value, str):
        return {}
    try:
        words = shlex.split(value)
    except ValueError:
        return {}
    return {name: setting for name, equals, setting in (word.partition("=") for word in words) if equals and name.isidentifier()}


def _quoted(text: str) -> str:
    """Quote a text for the shell, except for Jinja expressions."""
    return "".join(part if part.startswith("{{") else shlex.quote(part) for part in _JINJA.split(text) if part) or "''"


_JINJA = re.compile(r"(\{\{(?:[^{}]|\{[^{}]*\})*+\}\})", re.DOTALL)


def _filled(text: str) -> Word:
    result = known("")
    for part in _JINJA.split(text):
        result = result + (unknown(part) if part.startswith("{{") else known(part))
    return result


def _items(value: object) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _is_true(value: object) -> bool:
    return str(value).lower() in ("yes", "true", "on", "1")


ROWS: dict[str, Program] = {**dict.fromkeys(("ansible-playbook", "ansible-pull"), Program(does=playbooks))}
