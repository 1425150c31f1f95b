"""Reads the conditions of Claude Code's own prompts: the mode, the user's permission rules, and the shell of a command.

Measured with 2.1.328: the native client's command line can be read from the system, and a command runs after `source
~/.claude/shell-snapshots/snapshot-bash-*.sh`, or in a login shell if there is no snapshot.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from toolgate.hosts.formats.payload import parse_payload
from toolgate.model.event import Scene, ToolCall
from toolgate.model.permission import HostRule, ShellSetup, Unreadable
from toolgate.model.request import Request
from toolgate.model.world import ABSENT, World

from .places import MANAGED_FOLDERS, MANAGED_PREFERENCES, own_folder

_INPUTS: Mapping[str, frozenset[str]] = {
    "Bash": frozenset(("command", "description", "timeout")),
    "Read": frozenset(("file_path", "offset", "limit")),
    "Write": frozenset(("file_path", "content")),
    "Edit": frozenset(("file_path", "old_string", "new_string", "replace_all")),
}
"""The inputs that do not alter a call: none leaves the sandbox or runs in the background."""
_MODES = ("default", "acceptEdits")


def reason_to_ask(event: ToolCall, request: Request) -> str:
    """Returns why the host's question is always left to its user for this call, or an empty text if it is not."""
    mode = parse_payload(request.payload).get("permission_mode")
    if mode not in _MODES:
        return f"the host's mode is {mode}"
    if event.scene.caller.agent:
        return "a sub-agent makes this call"
    allowed = _INPUTS.get(event.tool)
    if allowed is None:
        return f"calls of {event.tool} are left to the host"
    strange = sorted(set(event.raw_input) - allowed)
    return f"the call is made with {strange[0]}" if strange else ""


# ---- permission rules

_LARGEST = 262_144
_FLAGS = frozenset(
    "-p --print --verbose --continue -c --resume -r --fork-session --include-partial-messages --ide -d --debug".split()
)
_VALUES = frozenset(
    "--model --output-format --input-format --permission-mode --resume --session-id --max-turns --fallback-model --effort"
    " --append-system-prompt --system-prompt --add-dir --name -n".split()
)
_ALLOWED = ("--allowedTools", "--allowed-tools")
_DENIED = ("--disallowedTools", "--disallowed-tools")
_RULE = re.compile(r"([A-Za-z][\w*-]*)(?:\((.*)\))?", re.DOTALL)


def permission_rules(scene: Scene, command_line: Sequence[str], world: World) -> tuple[HostRule, ...]:
    """Returns the deny and ask rules of every scope: managed settings, the command line, the project and the user."""
    said, extra = _of_command_line(command_line)
    found = list(_iter_host_rules(said, scene.project))
    for path in (*_files(scene, world), *extra):
        found += _of_file(path, world)
    return tuple(found)


def _files(scene: Scene, world: World) -> Iterator[str]:
    if any(name.startswith("CLAUDE_CODE_MANAGED_SETTINGS") for name in scene.environ):
        raise Unreadable("a variable says where managed settings are")
    if world.kind(MANAGED_PREFERENCES) is not ABSENT:
        raise Unreadable(f"{MANAGED_PREFERENCES} cannot be read")
    for folder in MANAGED_FOLDERS:
        yield f"{folder}/managed-settings.json"
        listed = world.listing(f"{folder}/managed-settings.d", 100)
        if listed is ABSENT:
            continue
        if not isinstance(listed, tuple):
            raise Unreadable(f"{folder}/managed-settings.d cannot be read")
        yield from (f"{folder}/managed-settings.d/{name}" for name in listed if name.endswith(".json"))
    host_folder = own_folder(scene.home, scene.environ)
    yield from (f"{host_folder}/{name}" for name in ("settings.json", "settings.local.json", "remote-settings.json"))
    folder = ""
    for name in ("", *scene.project.strip("/").split("/")):
        folder = f"{folder}/{name}".rstrip("/") if name else ""
        yield from (f"{folder}/.claude/{file}" for file in ("settings.json", "settings.local.json"))


def _of_file(path: str, world: World) -> list[HostRule]:
    text = world.read(path, _LARGEST)
    if text is ABSENT:
        return []
    if not isinstance(text, str):
        raise Unreadable(f"{path} cannot be read")
    try:
        settings = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        raise Unreadable(f"{path} is no JSON") from None
    return list(_of_settings(settings, path))


def _of_settings(settings: object, path: str) -> Iterator[HostRule]:
    permissions = settings.get("permissions", {}) if isinstance(settings, dict) else None
    if not isinstance(permissions, dict):
        raise Unreadable(f"{path} is not of the host's form")
    folder = path.rpartition("/.claude/")[0] or path.rpartition("/")[0]
    for kind in ("deny", "ask"):
        rules = permissions.get(kind, [])
        if not isinstance(rules, list) or not all(isinstance(rule, str) for rule in rules):
            raise Unreadable(f"`permissions.{kind}` of {path} is no list of rules")
        yield from _iter_host_rules(rules, folder)


def _iter_host_rules(rules: Sequence[str], folder: str) -> Iterator[HostRule]:
    for rule in rules:
        found = _RULE.fullmatch(rule.strip())
        if found is None:
            raise Unreadable(f"the host's rule {rule[:80]!r} cannot be read")
        yield HostRule(found[1], found[2], folder)


def _of_command_line(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Returns the deny rules of a command line, and the settings files that it names."""
    start = next((n for n, word in enumerate(words) if word.rpartition("/")[2] in ("claude", "claude.exe", "cli.js")), None)
    if start is None:
        raise Unreadable("the client's command line is not known")
    denied: list[str] = []
    files: list[str] = []
    rest = list(words[start + 1 :])
    while rest:
        name, equals, value = rest.pop(0).partition("=")
        if name in _DENIED or name in _ALLOWED:
            values = [value] if equals else []
            while not equals and rest and not rest[0].startswith("-"):
                values.append(rest.pop(0))
            denied += [each for text in values for each in _split(text)] if name in _DENIED else []
        elif name == "--settings":
            file = value if equals else rest.pop(0) if rest else ""
            if not file.startswith("/"):
                raise Unreadable("the client's settings are given in a way that is not read")
            files.append(file)
        elif name in _VALUES:
            if not equals and rest:
                rest.pop(0)
        elif name.startswith("-") and name not in _FLAGS:
            raise Unreadable(f"the client was started with {name}")
    return denied, files


def _split(text: str) -> Iterator[str]:
    """Splits rules at commas and blanks outside brackets."""
    depth, rule = 0, ""
    for char in text:
        depth += (char == "(") - (char == ")")
        if char in ", " and depth == 0:
            if rule:
                yield rule
            rule = ""
        else:
            rule += char
    if rule:
        yield rule


# ---- the shell

_START_UP = (".bash_profile", ".bash_login", ".profile", ".bashrc")
_MOST_SNAPSHOTS = 20
_PLAIN_LINE = re.compile(r"#.*|unalias [\w -]*(2>/dev/null \|\| true)?|shopt -[su] \w+|set [-+]o (?!allexport)[\w-]+|\s*")
_FUNCTION = re.compile(r"eval \$'(?:function )?([^\s'()]+) ?\(\) ?(?:[^'\\]|\\.)*' > /dev/null 2>&1")
_ALIAS = re.compile(r"alias (?:-- )?([^\s='\"]+)=(?:'[^']*'|[\w-]+)")
_PATH = re.compile(r"export PATH=(?:'([^']*)'|([\w/:.@+-]*))")
_HOSTS_OWN = "# Check for rg availability"
"""From this line on, a snapshot contains the client's own replacements of find, grep, rg and pkill."""


def shell_setup(scene: Scene, environ: Mapping[str, str], world: World) -> ShellSetup:
    """Returns the aliases, functions and PATH of the shell that the client starts."""
    if environ.get("SHELL", "/bin/bash").rpartition("/")[2] != "bash":
        raise Unreadable("the shell's start-up files are not read")
    host_folder = own_folder(scene.home, environ)
    before = world.listing(f"{host_folder}/session-env/{scene.caller.session}", 1) if scene.caller.session else ()
    if before is not ABSENT and before != ():
        raise Unreadable("hooks of the user's own set variables for every command")
    folder = f"{host_folder}/shell-snapshots"
    listed = world.listing(folder, _MOST_SNAPSHOTS)
    if isinstance(listed, tuple) and listed:
        found = [_of_snapshot(f"{folder}/{name}", world) for name in listed]
        return ShellSetup(frozenset().union(*(names for names, _ in found)), tuple(dict.fromkeys(path for _, path in found)))
    if listed is not ABSENT and listed != ():
        raise Unreadable(f"{folder} cannot be read")
    for name in _START_UP:
        if world.kind(f"{scene.home.rstrip('/')}/{name}") is not ABSENT:
            raise Unreadable(f"~/{name} was not read")
    return ShellSetup(frozenset(), (environ.get("PATH", ""),))


def _of_snapshot(path: str, world: World) -> tuple[frozenset[str], str]:
    """Returns the names that a snapshot defines, and the PATH that it sets."""
    text = world.read(path, _LARGEST)
    if not isinstance(text, str):
        raise Unreadable(f"{path} cannot be read")
    before, hosts_own, after = text.partition(_HOSTS_OWN)
    names: set[str] = set()
    for line in before.splitlines():
        if found := _FUNCTION.fullmatch(line) or _ALIAS.fullmatch(line):
            names.add(found[1])
        elif not _PLAIN_LINE.fullmatch(line):
            raise Unreadable(f"{path} holds a line that is not read")
    set_to = [found[1] or found[2] or "" for line in after.splitlines() if (found := _PATH.fullmatch(line))]
    if not hosts_own or len(set_to) != 1:
        raise Unreadable(f"{path} is not of the form that is known")
    return frozenset(names), set_to[0]
