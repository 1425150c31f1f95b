"""Compose files: each started service is the `docker run` that it describes."""

import re
import shlex
from collections.abc import Iterator
from typing import Any

from toolgate.documents import InvalidDocument, read_yaml
from toolgate.model.effect import Carrier, ReportedEffect, Run
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word, unknown_word
from toolgate.programs.argv.program import Program
from toolgate.programs.infrastructure.containers import COMPOSE_OPTIONS, COMPOSE_RUN_OPTIONS
from toolgate.programs.tasks.steps import unread_step
from toolgate.programs.tasks.task_files import File, find_nearest, interpret_step, read_candidates, resolve_folder

_COMPOSE_NAMES = ("compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml")
_OVERRIDES = ("compose.override.yaml", "compose.override.yml", "docker-compose.override.yml", "docker-compose.override.yaml")
_START_VERBS = ("up", "run", "start", "create", "restart", "watch")


def start_services(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    at = next((n for n, word in enumerate(argv) if word.text == "compose"), 0)
    top = COMPOSE_OPTIONS.parse(argv[at:], stop=True)
    rest = argv[at:][top.rest :]
    verb = rest[0].text if rest else None
    if (not at and not (argv[0].tail.endswith("compose"))) or verb not in _START_VERBS or top.has_flag("--dry-run") is True:
        return
    options = COMPOSE_RUN_OPTIONS.parse(rest, stop=verb == "run")
    services = [word.text for word in rest[options.rest :]][:1] if verb == "run" else [word.text for word in options.operands]
    command = rest[options.rest :][1:] if verb == "run" else ()
    for file in _compose_files(tuple(top.values_of("--file")), context):
        try:
            table = read_yaml(file.text)
        except InvalidDocument as problem:
            yield interpret_step(unread_step(str(problem)), file, context)
            continue
        found = table.get("services") if isinstance(table, dict) else None
        for name, service in found.items() if isinstance(found, dict) else ():
            if isinstance(service, dict) and (not services or name in services):
                yield _run_service(name, service, command, file, context)


def _compose_files(files: tuple[Word, ...], context: ExecutionContext) -> Iterator[File]:
    here = resolve_folder(None, context)
    if files:
        for name in files:
            yield from read_candidates((name,), here, context)
        return
    yield from find_nearest(_COMPOSE_NAMES, None, context)
    yield from read_candidates(tuple(map(known_word, _OVERRIDES)), here, context)


def _run_service(name: str, service: dict[str, Any], command: tuple[Word, ...], file: File, context: ExecutionContext) -> Run:
    """Returns the command that starts a service's container. Privileges in a committed file have been agreed to."""
    within = file.path.rpartition("/")[0] or "/"
    agreed = not file.src and context.is_as_committed(context.resolve_place(known_word(file.path))) is True
    words = [known_word("docker"), known_word("run")]
    for volume in _list_texts(service.get("volumes")):
        words += [known_word("-v"), _interpolate(volume)]
    for mount in (each for each in _as_list(service.get("volumes")) if isinstance(each, dict)):
        words += [known_word("-v"), _interpolate(f"{mount.get('source', '')}:{mount.get('target', '')}")]
    if not agreed:
        words += [known_word("--privileged")] if str(service.get("privileged")).lower() == "true" else []
        for key, option in (("pid", "--pid"), ("userns_mode", "--userns"), ("uts", "--uts")):
            words += [known_word(option), _interpolate(str(service[key]))] if isinstance(service.get(key), str) else []
        for key, option in (("cap_add", "--cap-add"), ("devices", "--device")):
            for value in _list_texts(service.get(key)):
                words += [known_word(option), _interpolate(value)]
    words = [word for word in words if not (agreed and word.contains("docker.sock") is True)]
    entry = _split_words(service.get("entrypoint"))
    words += [known_word("--entrypoint"), entry[0]] if entry else []
    words += [known_word(str(service.get("image") or name)), *entry[1:], *(command or _split_words(service.get("command")))]
    line = file.text.count("\n", 0, max(file.text.find(f"{name}:"), 0)) + 1
    return Run(
        tuple(word.from_commands(file.src) for word in words),
        context.origin,
        Carrier(f"{file.path.rpartition('/')[2]}:{line}"),
        cwd=known_word(within),
    )


def _split_words(value: object) -> list[Word]:
    if isinstance(value, str):
        try:
            return [_interpolate(word) for word in shlex.split(value)]
        except ValueError:
            return [unknown_word(value)]
    return [_interpolate(each) for each in _list_texts(value)]


def _interpolate(text: str) -> Word:
    """Returns a text with `${NAME}`, from the environment or `.env`, unknown; `$$` is a dollar sign in the container."""
    result = known_word("")
    for part in re.split(r"(\$\$|\$\{[^{}]*\}|\$\w+)", text):
        result = result + (known_word("$") if part == "$$" else unknown_word(part) if part.startswith("$") else known_word(part))
    return result


def _as_list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _list_texts(value: object) -> list[str]:
    return [each for each in _as_list(value) if isinstance(each, str)]


ROWS: dict[str, Program] = {
    **dict.fromkeys(("docker", "podman", "nerdctl", "docker-compose", "podman-compose"), Program(does=start_services)),
}
