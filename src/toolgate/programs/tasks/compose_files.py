"""Compose files: each started service is the `docker run` that it describes."""

import re
import shlex
from collections.abc import Iterator
from typing import Any

from toolgate.documents import InvalidDocument, read_yaml
from toolgate.model.effect import Reported, Run
from toolgate.model.seen import Seen
from toolgate.model.word import Word, known, unknown
from toolgate.programs.containers import COMPOSE, COMPOSE_RUN
from toolgate.programs.manifests import unread_step
from toolgate.programs.nearest import File, files, folder, nearest, step
from toolgate.programs.program import Program

_NAMES = ("compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml")
_OVERRIDES = ("compose.override.yaml", "compose.override.yml", "docker-compose.override.yml", "docker-compose.override.yaml")
_STARTING = ("up", "run", "start", "create", "restart", "watch")


def services(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    at = next((n for n, word in enumerate(argv) if word.text == "compose"), 0)
    top = COMPOSE.read(argv[at:], stop=True)
    rest = argv[at:][top.rest :]
    verb = rest[0].text if rest else None
    if (not at and not (argv[0].tail.endswith("compose"))) or verb not in _STARTING or top.flag("--dry-run") is True:
        return
    given = COMPOSE_RUN.read(rest, stop=verb == "run")
    wanted = [word.text for word in rest[given.rest :]][:1] if verb == "run" else [word.text for word in given.operands]
    command = rest[given.rest :][1:] if verb == "run" else ()
    for file in _compose_files(tuple(top.all("--file")), seen):
        try:
            table = read_yaml(file.text)
        except InvalidDocument as problem:
            yield step(unread_step(str(problem)), file, seen)
            continue
        found = table.get("services") if isinstance(table, dict) else None
        for name, service in found.items() if isinstance(found, dict) else ():
            if isinstance(service, dict) and (not wanted or name in wanted):
                yield _run(name, service, command, file, seen)


def _compose_files(named: tuple[Word, ...], seen: Seen) -> Iterator[File]:
    here = folder(None, seen)
    if named:
        for name in named:
            yield from files((name,), here, seen)
        return
    yield from nearest(_NAMES, None, seen)
    yield from files(tuple(map(known, _OVERRIDES)), here, seen)


def _run(name: str, service: dict[str, Any], command: tuple[Word, ...], file: File, seen: Seen) -> Run:
    """Return the command that starts a service's container. Privileges in a committed file have been agreed to."""
    within = file.path.rpartition("/")[0] or "/"
    agreed = not file.src and seen.as_committed(seen.place(known(file.path))) is True
    words = [known("docker"), known("run")]
    for volume in _texts(service.get("volumes")):
        words += [known("-v"), _filled(volume)]
    for mount in (each for each in _list(service.get("volumes")) if isinstance(each, dict)):
        words += [known("-v"), _filled(f"{mount.get('source', '')}:{mount.get('target', '')}")]
    if not agreed:
        words += [known("--privileged")] if str(service.get("privileged")).lower() == "true" else []
        for key, option in (("pid", "--pid"), ("userns_mode", "--userns"), ("uts", "--uts")):
            words += [known(option), _filled(str(service[key]))] if isinstance(service.get(key), str) else []
        for key, option in (("cap_add", "--cap-add"), ("devices", "--device")):
            for value in _texts(service.get(key)):
                words += [known(option), _filled(value)]
    words = [word for word in words if not (agreed and word.contains("docker.sock") is True)]
    entry = _words(service.get("entrypoint"))
    words += [known("--entrypoint"), entry[0]] if entry else []
    words += [known(str(service.get("image") or name)), *entry[1:], *(command or _words(service.get("command")))]
    line = file.text.count("\n", 0, max(file.text.find(f"{name}:"), 0)) + 1
    return Run(
        tuple(word.from_commands(file.src) for word in words),
        seen.origin,
        f"{file.path.rpartition('/')[2]}:{line}",
        cwd=known(within),
    )


def _words(value: object) -> list[Word]:
    if isinstance(value, str):
        try:
            return [_filled(word) for word in shlex.split(value)]
        except ValueError:
            return [unknown(value)]
    return [_filled(each) for each in _texts(value)]


def _filled(text: str) -> Word:
    """Return a text with `${NAME}`, from the environment or `.env`, unknown; `$$` is a dollar sign in the container."""
    result = known("")
    for part in re.split(r"(\$\$|\$\{[^{}]*\}|\$\w+)", text):
        result = result + (known("$") if part == "$$" else unknown(part) if part.startswith("$") else known(part))
    return result


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _texts(value: object) -> list[str]:
    return [each for each in _list(value) if isinstance(each, str)]


ROWS: dict[str, Program] = {
    **dict.fromkeys(("docker", "podman", "nerdctl", "docker-compose", "podman-compose"), Program(does=services)),
}
