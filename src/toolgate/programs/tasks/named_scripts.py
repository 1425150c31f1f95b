"""Scripts in project manifests: Python's pyproject.toml and Pipfile, composer.json, and package.json of workspaces."""

import json
import re
import shlex
import tomllib
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import Any

from toolgate.model.effect import Carrier, Interpret, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word
from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.program import Program, combine_programs
from toolgate.programs.tasks.command_keys import COMMAND_KEYS
from toolgate.programs.tasks.steps import Step, decode_json_text, line_of_key, package_scripts, unread_step
from toolgate.programs.tasks.task_files import File, find_nearest, interpret_step, read_candidates
from toolgate.programs.tasks.workspaces import find_packages

TableFinder = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""Returns the table of scripts in a manifest."""
_MAX_REFERENCE_DEPTH = 24
_TOO_DEEP = unread_step(f"scripts name each other through more than {_MAX_REFERENCE_DEPTH} others")


def _table_finder(*keys: str) -> TableFinder:
    def find_table(manifest: Mapping[str, Any]) -> Mapping[str, Any]:
        table: Any = manifest
        for key in keys:
            table = table.get(key, {}) if isinstance(table, dict) else {}
        return table if isinstance(table, dict) else {}

    return find_table


def _hatch_scripts(manifest: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the scripts of all environments: `env:NAME` selects one, and the default is not certain."""
    found: dict[str, Any] = {}
    for name, environment in _table_finder("tool", "hatch", "envs")(manifest).items():
        scripts = environment.get("scripts", {}) if isinstance(environment, dict) else {}
        for script, body in scripts.items() if isinstance(scripts, dict) else ():
            found |= {script: body, f"{name}:{script}": body}
    return found


def _script_program(find: TableFinder, manifests: tuple[str, ...], verbs: tuple[str, ...]) -> Program:
    """A tool that runs a script of a TOML manifest: by its name alone, or after one of `verbs`."""

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        options = _FOLDER_OPTIONS.parse(argv, stop=True)
        operands = argv[options.rest :]
        if operands and operands[0].text in verbs:
            operands = operands[1:]
        operands = operands[_FOLDER_OPTIONS.parse((argv[0], *operands), stop=True).rest - 1 :]
        if not operands:
            return
        name, rest = operands[0].text, operands[1:]
        folder = next((value for option, value in pairwise(argv) if option.text in _FOLDER_NAMES), None)
        for file in find_nearest(manifests, folder, context):
            try:
                scripts = {**_include_tasks(file, find, context), **find(tomllib.loads(file.text))}
            except (tomllib.TOMLDecodeError, RecursionError):
                yield interpret_step(unread_step("it does not parse as TOML"), file, context)
                continue
            for hook in (f"pre_{name}", "pre_run", f"post_{name}", "post_run"):
                yield from _run_script(scripts, hook, (), file, context)
            yield from _run_script(scripts, name or "", rest, file, context)

    return Program(does=report_effects)


_FOLDER_OPTIONS = Flags(
    "-C,--directory= -p,--project= -q,--quiet -v,--verbose -n -e,--env= -s,--site-packages -d,--dry-run -h,--help"
)
_FOLDER_NAMES = ("-C", "--directory", "-p", "--project")


def _include_tasks(file: File, find: TableFinder, context: ExecutionContext) -> dict[str, Any]:
    """Returns the tasks in the files that poe's settings include."""
    included = _table_finder("tool", "poe")(tomllib.loads(file.text)).get("include")
    found: dict[str, Any] = {}
    for name in [included] if isinstance(included, str) else included if isinstance(included, list) else ():
        path = name.get("path") if isinstance(name, dict) else name
        for other in read_candidates((known_word(path),), file.path.rpartition("/")[0], context) if isinstance(path, str) else ():
            found |= find(tomllib.loads(other.text))
    return found


def _run_script(
    scripts: Mapping[str, Any], name: str, rest: tuple[Word, ...], file: File, context: ExecutionContext, depth: int = 0
) -> Iterator[ReportedEffect]:
    line = file.text.count("\n", 0, max(file.text.find(name), 0)) + 1
    for body in _iter_bodies(scripts.get(name)):
        first = body.split()[0].lstrip("-") if body.split() else ""
        if first in scripts and first != name:  # hatch and pdm: a script by its name
            if depth == _MAX_REFERENCE_DEPTH:
                yield interpret_step(_TOO_DEEP, file, context)
                return
            yield from _run_script(scripts, first, (), file, context, depth + 1)
        if not isinstance(body, _Reference):
            yield interpret_step(Step(_append_arguments(known_word(body), rest), line), file, context)


class _Reference(str):
    """The name of another script."""

    __slots__ = ()


def _iter_needed(task: Mapping[str, Any]) -> Iterator[str]:
    """Yields what runs before a task of poe: its dependencies, the tasks whose output it uses, and the control of a switch."""
    needed, used = task.get("deps"), task.get("uses")
    names = [*(needed if isinstance(needed, list) else ()), *(used.values() if isinstance(used, dict) else ())]
    yield from (_Reference(each.split()[0]) for each in names if isinstance(each, str) and each.split())
    yield from _iter_bodies(task.get("control"))


def _iter_bodies(script: object) -> Iterator[str]:  # noqa: C901 - one case for each form of a task
    """Yields the command lines of a script: one text, a list of them, or a table with a key for its kind."""
    match script:
        case str():
            yield script
        case list():
            for each in script:
                yield from (_resolve_item(each) if isinstance(each, str) else _iter_bodies(each))
        case {"deps": _, **rest} | {"uses": _, **rest} | {"control": _, **rest}:
            yield from _iter_needed(script if isinstance(script, dict) else {})
            yield from _iter_bodies(rest)
        case {"switch": list(cases)}:
            yield from (body for each in cases for body in _iter_bodies(each))
        case {"composite": list(commands)}:
            yield from (str(each) for each in commands)
        case {"sequence": list(commands)} | {"parallel": list(commands)}:
            for each in commands:
                yield from (_resolve_item(each) if isinstance(each, str) else _iter_bodies(each))
        case {"ref": str(name)}:
            yield _Reference(name.split()[0] if name.split() else "")
        case {"shell": str(text), "interpreter": str(program)} if program.startswith("python"):
            yield f"python -c {shlex.quote(text)}"
        case {"shell": str(text)} | {"cmd": str(text)}:
            yield text
        case {"cmd": list(words)}:
            yield shlex.join(str(each) for each in words)
        case {"script": str(call)} | {"call": str(call)}:
            module, _, function = call.partition(":")
            called = function if function.endswith(")") else f"{function or 'main'}()"
            yield f"python -c {shlex.quote(f'import {module}; {module}.{called}')}"
        case {"expr": str(expression)}:
            yield f"python -c {shlex.quote(expression)}"
        case _:
            return


def _resolve_item(text: str) -> Iterator[str]:
    """Yields both meanings of a list item: the name of another script, and a command line."""
    yield _Reference(text) if " " not in text else text
    yield text


def _append_arguments(body: Word, rest: tuple[Word, ...]) -> Word:
    for word in rest:
        body = body + known_word(" ") + (known_word(shlex.quote(word.text), word.src) if word.text is not None else word)
    return body


# ---- composer.json


_INSTALL_SCRIPTS = (
    "pre-install-cmd",
    "post-install-cmd",
    "pre-update-cmd",
    "post-update-cmd",
    "pre-autoload-dump",
    "post-autoload-dump",
)
_COMPOSER_SUBCOMMANDS = frozenset(
    "require remove show search validate audit outdated init config diagnose about archive browse create-project".split()
)


def composer(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`composer run NAME`, `composer NAME`, and the scripts that run on install."""
    operands = [word for word in argv[1:] if word.starts_with("-") is not True]
    flags = {word.text for word in argv[1:]}
    if operands and operands[0].text in ("run", "run-script"):
        operands = operands[1:]
    verb = operands[0].text if operands else None
    if verb is None or verb in _COMPOSER_SUBCOMMANDS:
        return
    names: tuple[str, ...] = ("pre-command-run", f"pre-{verb}-cmd", f"pre-{verb}", verb, f"post-{verb}", f"post-{verb}-cmd")
    if verb in ("install", "i", "update", "u", "dump-autoload", "dumpautoload"):
        names = () if "--no-scripts" in flags else ("pre-command-run", *_INSTALL_SCRIPTS)
    for file in find_nearest(("composer.json",), None, context):
        scripts = scripts_of_any_form(file.text)
        for name in names:
            yield from _run_static_methods(file, scripts.get(name), context)
            for body in _composer_bodies(scripts, name, 0):
                step = Step(known_word(body), line_of_key(file.text, name)) if body is not None else _TOO_DEEP
                yield interpret_step(step, file, context)


def scripts_of_any_form(text: str) -> Mapping[str, Any]:
    """Returns the scripts of a JSON manifest; their bodies are texts or lists."""
    try:
        scripts = json.loads(decode_json_text(text)).get("scripts", {})
    except (ValueError, AttributeError, RecursionError):
        return {}
    return scripts if isinstance(scripts, dict) else {}


def _composer_bodies(scripts: Mapping[str, Any], name: str, depth: int) -> Iterator[str | None]:
    """Yields the commands of a script, those of scripts that it names among them; None for scripts that are not followed."""
    if depth > _MAX_REFERENCE_DEPTH:
        yield None
        return
    bodies = scripts.get(name, ())
    for body in (bodies,) if isinstance(bodies, str) else bodies:
        if not isinstance(body, str):
            continue
        if body.startswith(("@php ", "@composer ")):
            yield body[1:]
        elif body.startswith("@"):
            yield from _composer_bodies(scripts, body[1:].split()[0] if body[1:].split() else "", depth + 1)
        elif "::" not in body or " " in body:  # a static PHP method is not a command
            yield body


def _run_static_methods(file: File, bodies: object, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Runs `Acme\\Setup::run` from the file in which the autoloader finds the class."""
    folder = file.path.rpartition("/")[0]
    for body in (bodies,) if isinstance(bodies, str) else bodies if isinstance(bodies, list) else ():
        found = _STATIC_METHOD.fullmatch(body) if isinstance(body, str) else None
        if found is None:
            continue
        call = known_word(f"\n{found['name'].rpartition(chr(92))[2]}::{found['method']}(null);\n")
        for path in _find_class_files(file.text, found["name"]):
            for text in context.read_followed_code(known_word(f"{folder}/{path}")):
                code = text + call if text.text is not None else text
                yield Interpret("php", code, context.origin, via=Carrier("composer"), file=f"{folder}/{path}", of_project=True)


_STATIC_METHOD = re.compile(r"\\?(?P<name>[A-Za-z_][\w\\]*)::(?P<method>\w+)")


def _find_class_files(manifest: str, name: str) -> Iterator[str]:
    """Yields the files in which a class may be, by the autoloader's prefixes in composer.json."""
    try:
        top = json.loads(decode_json_text(manifest))
    except (ValueError, RecursionError):
        return
    for key in ("autoload", "autoload-dev"):
        prefixes = top.get(key, {}).get("psr-4", {}) if isinstance(top, dict) and isinstance(top.get(key), dict) else {}
        for prefix, folders in prefixes.items() if isinstance(prefixes, dict) else ():
            rest = name.removeprefix(prefix)
            for folder in (folders,) if isinstance(folders, str) else folders if isinstance(folders, list) else ():
                if rest != name and isinstance(folder, str):
                    yield f"{folder.rstrip('/')}/{rest.replace(chr(92), '/')}.php".lstrip("/")


# ---- workspaces


def run_in_workspaces(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """turbo, nx, lerna run a script of each package of a workspace, by its name."""
    operands = [word.text or "" for word in argv[1:] if word.starts_with("-") is not True]
    names = [name for name in operands if name not in ("run", "run-many", "affected", "exec")]
    targets = [word.text for before, word in pairwise(argv) if before.text in ("-t", "--target", "--targets")]
    named = [name for name in (*names, *(",".join(each for each in targets if each).split(","))) if name]
    workspaces = list(dict.fromkeys(script for name in named for script in _scripts_of_target(name)))
    for root in find_nearest(("package.json",), None, context):
        for file in (root, *find_packages(root, context)):
            scripts = package_scripts(file.text) or {}
            for name in workspaces:
                for each in (f"pre{name}", name, f"post{name}") if name in scripts else ():
                    if each in scripts:
                        yield interpret_step(Step(known_word(scripts[each]), line_of_key(file.text, each)), file, context)


def _scripts_of_target(name: str) -> Iterator[str]:
    """Yields the scripts that a target may name: `db:push`, turbo's `@shop/db#push`, nx's `shop:build`."""
    yield name.rpartition("#")[2]
    yield name.rpartition(":")[2]


ROWS: dict[str, Program] = {
    "poe": _script_program(_table_finder("tool", "poe", "tasks"), ("pyproject.toml", "poe_tasks.toml"), ()),
    "taskipy": _script_program(_table_finder("tool", "taskipy", "tasks"), ("pyproject.toml",), ()),
    "pdm": _script_program(_table_finder("tool", "pdm", "scripts"), ("pyproject.toml",), ("run",)),
    "hatch": _script_program(_hatch_scripts, ("pyproject.toml",), ("run",)),
    "rye": _script_program(_table_finder("tool", "rye", "scripts"), ("pyproject.toml",), ("run",)),
    "pixi": _script_program(_table_finder("tasks"), ("pixi.toml",), ("run",)),
    "pipenv": _script_program(_table_finder("scripts"), ("Pipfile",), ("run",)),
    "composer": Program(does=composer),
    **dict.fromkeys(("turbo", "lerna"), Program(does=run_in_workspaces)),
    "nx": combine_programs(Program(does=run_in_workspaces), COMMAND_KEYS["nx"]),
}
