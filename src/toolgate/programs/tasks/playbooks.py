"""Ansible playbooks: the commands and file changes of their tasks, on this machine or on others."""

import json
import re
import shlex
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from typing import Any, NamedTuple

from toolgate.documents import InvalidDocument, read_yaml
from toolgate.model.effect import Carrier, Interpret, ReportedEffect, Run, Site
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word, unknown_word
from toolgate.programs.argv.program import INFORMATION_OPTIONS, Program, combine_programs
from toolgate.programs.tasks.code_files import LoadRow, load_code
from toolgate.programs.tasks.playbook_variables import (
    Variables,
    fill_in_variables,
    is_local_group,
    read_extra_variables,
    read_play_variables,
)
from toolgate.programs.tasks.steps import Step, unread_step
from toolgate.programs.tasks.task_files import File, interpret_step, read_candidates, resolve_folder

_MAX_INCLUDE_DEPTH = 24
_TOO_DEEP = unread_step(f"files include each other through more than {_MAX_INCLUDE_DEPTH} others")
_READ_ONLY_OPTIONS = ("--check", "-C", "--syntax-check", "--list-tasks", "--list-hosts", "--list-tags")
_LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")


def ansible_playbook(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    words = [word.text for word in argv[1:]]
    if not {*INFORMATION_OPTIONS, *_READ_ONLY_OPTIONS}.isdisjoint(words):
        return
    local = any(before in ("-c", "--connection") and after == "local" for before, after in pairwise(words))
    target = Target(argv, "local" if local else _OTHERS, read_extra_variables(argv, context))
    values = {id(value) for option, value in pairwise(argv) if option.text in _VALUED_OPTIONS}
    for word in argv[1:]:
        if word.tail.endswith((".yml", ".yaml")) and word.starts_with("-") is not True and id(word) not in values:
            yield from _run_files(word, resolve_folder(None, context), target, context, 0)


class Target(NamedTuple):
    """Where tasks run. `argv`: the command line; `machine`: the machine of the tasks; `variables`: what is known of variables."""

    argv: tuple[Word, ...]
    machine: str
    variables: Variables

    @property
    def is_here(self) -> bool:
        return self.machine == "local"


_OTHERS = "ssh:ansible"
_VALUED_OPTIONS = ("-e", "--extra-vars", "-i", "--inventory", "--inventory-file", "--vault-password-file")


def _run_files(name: Word, within: str | None, target: Target, context: ExecutionContext, depth: int) -> Iterator[ReportedEffect]:
    for file in read_candidates((name,), within, context):
        if depth > _MAX_INCLUDE_DEPTH:
            yield interpret_step(_TOO_DEEP, file, context)
            continue
        try:
            top = read_yaml(file.text)
        except InvalidDocument as problem:
            yield interpret_step(unread_step(str(problem)), file, context)
            continue
        for each in top if isinstance(top, list) else ():
            if isinstance(each, dict):
                yield from _run_play(each, file, target, context, depth)


def _run_play(
    play: dict[str, Any], file: File, target: Target, context: ExecutionContext, depth: int
) -> Iterator[ReportedEffect]:
    """Runs a play, or a task if the file contains tasks only."""
    beneath = file.path.rpartition("/")[0]
    variables = {**target.variables, **read_play_variables(play, beneath, context), **read_extra_variables(target.argv, context)}
    play = fill_in_variables(play, variables)
    target = target._replace(machine=_find_machine(play, target, context), variables=variables)
    for key in ("import_playbook", "ansible.builtin.import_playbook"):
        if isinstance(play.get(key), str):
            yield from _run_files(_interpolate(play[key]), beneath, target, context, depth + 1)
    yield from _run_roles(play.get("roles"), beneath, target, context, depth)
    for text in _find_piped_commands(json.dumps(play)):
        yield interpret_step(Step(_interpolate(text), 1), file, context)
    tasks = [each for key in ("pre_tasks", "tasks", "post_tasks", "handlers") for each in _list_tables(play.get(key))]
    for task in tasks if tasks else (play,):
        yield from _run_task(task, file, target, _is_true(play.get("become")), context, depth)


def _find_machine(play: dict[str, Any], target: Target, context: ExecutionContext) -> str:
    """Returns the machine on which the tasks of a play run. A file of tasks is read as for this machine, unless a virtual one
    includes it."""
    hosts = play.get("hosts")
    if hosts is None:
        return "local" if target.machine == _OTHERS else target.machine
    if target.is_here or play.get("connection") == "local" or hosts in _LOCAL_HOSTS:
        return "local"
    if not isinstance(hosts, str):
        return _OTHERS
    return f"container:{hosts}" if is_local_group(hosts, target.argv, context) else _OTHERS


def _run_roles(roles: object, beneath: str, target: Target, context: ExecutionContext, depth: int) -> Iterator[ReportedEffect]:
    """Runs the tasks of roles, and of the roles that these depend on."""
    for role in roles if isinstance(roles, list) and depth <= _MAX_INCLUDE_DEPTH + 1 else ():
        name = role.get("role") or role.get("name") if isinstance(role, dict) else role
        if not isinstance(name, str):
            continue
        for file in read_candidates((known_word(f"roles/{name}/meta/main.yml"),), beneath, context):
            with suppress(InvalidDocument):
                meta = read_yaml(file.text)
                yield from _run_roles(
                    meta.get("dependencies") if isinstance(meta, dict) else (), beneath, target, context, depth + 1
                )
        for part in ("tasks", "handlers"):
            yield from _run_files(known_word(f"roles/{name}/{part}/main.yml"), beneath, target, context, depth + 1)


_find_piped_commands = re.compile(r"""(?:lookup|query|q)\(\s*'(?:ansible\.builtin\.)?pipe'\s*,\s*'([^']+)'""").findall
"""Commands whose output an expression takes: they run on this machine."""


def _run_task(
    task: dict[str, Any], file: File, target: Target, as_root: bool, context: ExecutionContext, depth: int
) -> Iterator[ReportedEffect]:
    for key in ("block", "rescue", "always"):
        for each in _list_tables(task.get(key)):
            yield from _run_task(each, file, target, as_root, context, depth)
    as_root = as_root or _is_true(task.get("become"))
    if task.get("delegate_to") in _LOCAL_HOSTS or "local_action" in task:
        target = target._replace(machine="local")
    for key, value in task.items():
        module = key.removeprefix("ansible.builtin.").removeprefix("ansible.legacy.")
        if module in ("include_tasks", "import_tasks"):
            name = value.get("file") if isinstance(value, dict) else value
            if isinstance(name, str):
                yield from _run_files(_interpolate(name), file.path.rpartition("/")[0], target, context, depth + 1)
            continue
        for command in _commands_of_module(module, value):
            site = Site(target.machine, "root") if as_root or not target.is_here else None
            line = file.text.count("\n", 0, max(file.text.find(key), 0)) + 1
            name = file.path.rpartition("/")[2]
            yield Interpret(
                "shell", command.from_commands(file.src), context.origin, via=Carrier(f"{name}:{line}"), site=site, file=file.path
            )


def _commands_of_module(module: str, value: object) -> Iterator[Word]:
    """Yields a task as command lines for a shell."""
    arguments = _parse_arguments(value)
    free = arguments.get("cmd") or arguments.get("_raw_params") or (value if isinstance(value, str) else None)
    argv = arguments.get("argv")
    path = next((arguments[key] for key in ("path", "dest", "name") if isinstance(arguments.get(key), str)), None)
    match module:
        case "shell" | "command" | "raw" | "win_shell" | "win_command":
            if isinstance(argv, list):
                yield _interpolate(shlex.join(str(each) for each in argv))
            elif isinstance(free, str):
                yield _interpolate(free)
        case "script":
            if isinstance(free, str) and free:
                yield _interpolate(free if "/" in free.split()[0] else f"./{free}")
        case "local_action":
            first, _, rest = free.partition(" ") if isinstance(free, str) else ("", "", "")
            yield from _commands_of_module(first.removeprefix("ansible.builtin."), rest)
        case "file" if path is not None and arguments.get("state") == "absent":
            yield _interpolate(f"rm -rf -- {_quote_text(path)}")
        case "copy" | "template" | "get_url" | "lineinfile" | "blockinfile" | "replace" if path is not None:
            yield _interpolate(f"cp -- {_quote_text(str(arguments.get('src', '/dev/null')))} {_quote_text(path)}")
        case _:
            return


def _parse_arguments(value: object) -> dict[str, Any]:
    """Returns a module's arguments: a table, or `key=value` words."""
    if isinstance(value, dict):
        return value
    if not isinstance(value, str):
        return {}
    try:
        words = shlex.split(value)
    except ValueError:
        return {}
    return {name: setting for name, equals, setting in (word.partition("=") for word in words) if equals and name.isidentifier()}


def _quote_text(text: str) -> str:
    """Quotes a text for the shell, except for Jinja expressions."""
    return "".join(part if part.startswith("{{") else shlex.quote(part) for part in _JINJA.split(text) if part) or "''"


_JINJA = re.compile(r"(\{\{(?:[^{}]|\{[^{}]*\})*+\}\})", re.DOTALL)


def _interpolate(text: str) -> Word:
    result = known_word("")
    for part in _JINJA.split(text):
        result = result + (unknown_word(part) if part.startswith("{{") else known_word(part))
    return result


def _list_tables(value: object) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _is_true(value: object) -> bool:
    return str(value).lower() in ("yes", "true", "on", "1")


_PLUGIN_KINDS = "action become cache callback connection filter inventory lookup module_utils strategy test vars".split()
_PLUGINS = LoadRow(("library/*.py", *(f"{kind}_plugins/*.py" for kind in _PLUGIN_KINDS), "module_utils/*.py"))


def run_inventories(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """An inventory that is a script is run, even for a syntax check."""
    names = [value for option, value in pairwise(argv[1:]) if option.text in ("-i", "--inventory", "--inventory-file")]
    if not names:
        for file in read_candidates((known_word("ansible.cfg"),), resolve_folder(None, context), context):
            found = re.search(r"^\s*inventory\s*=\s*(\S+)", file.text, re.MULTILINE)
            names = [known_word(found[1], file.src)] if found is not None else []
    for name in names:
        if any(file.text.startswith("#!") for file in read_candidates((name,), resolve_folder(None, context), context)):
            path = name if "/" in name.outline else known_word("./") + name
            yield Run((path, known_word("--list")), context.origin, Carrier("ansible", "inventory"))


_ANSIBLE = combine_programs(load_code(_PLUGINS), combine_programs(Program(does=run_inventories), Program(does=ansible_playbook)))
ROWS: dict[str, Program] = dict.fromkeys(("ansible-playbook", "ansible-pull"), _ANSIBLE)
