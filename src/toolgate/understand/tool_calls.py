"""Lowers calls of tools that are neither shells nor file tools: by a table of their server, otherwise by arguments and name."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from toolgate.model.action import CallTool, OtherTool
from toolgate.model.effect import (
    HERE_AND_NOW,
    Connect,
    Delete,
    Effect,
    Interpret,
    Move,
    Opaque,
    Operation,
    Read,
    Send,
    Sink,
    Site,
    Write,
)
from toolgate.model.event import Scene
from toolgate.model.place import Place
from toolgate.model.rule import DescribedTool
from toolgate.model.word import EMPTY, Word, known
from toolgate.shell.commands import program
from toolgate.shell.frame import Frame
from toolgate.shell.protocol import NO_SCOPE, Command

from .worklist import Lowering

if TYPE_CHECKING:
    from toolgate.tools import Done
    from toolgate.tools.arguments import Finding

Where = Callable[[str], Place]
Contents = Callable[[Place], tuple[Word | None, ...]]
_UNSURE = HERE_AND_NOW._replace(sure=None)
_OF_THE_MACHINE = tuple("~ /etc/ /dev/ /usr/ /bin/ /sbin/ /lib /boot/ /var/ /root/ /System/ /Library/".split())
"""Prefixes of a text that is a path of this machine under any key."""
_CONTENT = ("content", "contents", "text", "data", "body", "newstring", "newtext", "newstr", "code", "value")


def lower_server_tool(call: CallTool, scene: Scene, place: Where, described: tuple[DescribedTool, ...]) -> Lowering:
    """Lowers a call of an MCP server's tool."""
    yield Operation("mcp.call", HERE_AND_NOW, known(f"{call.server}/{call.tool}"))
    yield from _lower_by_name(call.server, call.tool, call.arguments, scene, place, described)
    return EMPTY


def lower_host_tool(call: OtherTool, scene: Scene, place: Where, contents: Contents) -> Lowering:
    """Lowers a call of a host's tool other than its shell and file tools. `contents`: returns every text that a file may hold."""
    name = known(call.name)
    yield Operation("tool.other", HERE_AND_NOW, name)
    match call.role:
        case "unknown":
            yield from _lower_by_name("", call.name, call.arguments, scene, place, ())
        case "agent":
            yield from _send_text(call.arguments, "agent", "another agent")
            if _asks_nobody(call.arguments, scene, place, contents):
                yield Operation("agent.start", HERE_AND_NOW, name, (("unguarded", False), ("unasked", True)))
        case "search":
            yield from _send_text(call.arguments, "search", "a search engine")
        case "schedule":
            yield Operation("schedule.change", HERE_AND_NOW, name)
            yield from _send_text(call.arguments, "agent", "another agent")
        case "conversation":
            pass
    return EMPTY


def _asks_nobody(arguments: Mapping[str, object], scene: Scene, place: Where, contents: Contents) -> bool:
    """Returns whether the agent is started in a mode without questions, by the call or by the file that describes its kind."""
    if str(arguments.get("mode", arguments.get("permission_mode"))) in _UNASKED_MODES:
        return True
    kind = next((each for key in _KINDS if isinstance(each := arguments.get(key), str)), "")
    if not _NAME.fullmatch(kind):
        return False
    files = (f"{folder}/.claude/agents/{kind}.md" for folder in (scene.project, scene.home))
    return any(text is not None and _UNASKED.search(text.text or "") for file in files for text in contents(place(file)))


_KINDS = ("subagent_type", "agent_type", "agent")
_NAME = re.compile(r"[\w-]{1,64}")
_UNASKED = re.compile(r"^permissionMode:\s*[\"']?(?:bypassPermissions|dontAsk)\b", re.MULTILINE)
_UNASKED_MODES = ("bypassPermissions", "dontAsk")


def _send_text(arguments: Mapping[str, object], sink: Sink, to: str) -> Iterator[Effect]:
    from toolgate.tools.arguments import find_leaves

    text = "\n".join(value for _, value in find_leaves(arguments) if isinstance(value, str))
    if text:
        yield Send(known(to), known(text), sink, HERE_AND_NOW)


def lower_connection(url: str, place: Where) -> Lowering:
    """Lowers a request for an address; `file:` reads a file of this machine."""
    yield Connect(known(url), HERE_AND_NOW)
    if url.lower().startswith("file:"):
        from urllib.parse import unquote

        yield Read(place(unquote(url[5:].removeprefix("//").removeprefix("localhost"))), HERE_AND_NOW)
    return EMPTY


def _lower_by_name(
    server: str, tool: str, arguments: Mapping[str, object], scene: Scene, place: Where, described: tuple[DescribedTool, ...]
) -> Lowering:
    """Lowers a tool by a table if there is one, otherwise by its arguments and name.

    Rows that only add come last, so that they change nothing that is known without them.
    """
    from toolgate import tools  # only where such a tool is called

    said, added = tools.described(server, tool, arguments, described)
    known_of_it = (*tools.lowered(server, tool, arguments), *said)
    for done in known_of_it:
        yield from _lower_done(done, scene, place)
    if known_of_it:
        yield from _lower_beside_table(server, tool, arguments, scene, place)
    if not known_of_it:
        yield from _lower_unknown(server, tool, arguments, scene, place, is_described=tools.has_row(server, tool, described))
    for done in added:
        yield from _lower_done(done, scene, place)
    return EMPTY


def _lower_done(done: "Done | Finding", scene: Scene, place: Where) -> Lowering:
    """Lowers one effect of a server's tool as a program of this machine would have it."""
    origin = HERE_AND_NOW
    match done.role, done.values:
        case "read", (path,):
            yield Read(place(path), origin)
        case "write", (path, content):
            yield Write(place(path), known(content), False, origin)
        case "delete", (path,):
            yield Delete(place(path), True, origin)
        case "move", (path, to):
            yield Move(place(path), place(to), origin)
        case "connect", (url,):
            yield from lower_connection(url, place)
        case "shell", (text, folder):
            cwd = known(place(folder).path or folder) if folder else known(scene.cwd)
            yield program(text, Frame((cwd,), (known(scene.home),), scene.environ, site=Site(user=scene.user), via=("mcp",)))
        case "run", argv:
            yield Command(tuple(map(known, argv)), known(scene.cwd), NO_SCOPE, via=("mcp",))
        case "operation", (name, *target):
            yield Operation(name, origin, known(" ".join(target)) if any(target) else None)
        case "code", (language, text):
            yield Interpret(language, known(text), origin, via=language)
        case "cell", (source,):
            from .notebooks import lower_cell

            yield from lower_cell(source, known(scene.cwd))
        case "unread", (why,):
            yield Opaque(why, origin, is_unread=True)
        case _:
            pass
    return EMPTY


def _lower_unknown(
    server: str, tool: str, arguments: Mapping[str, object], scene: Scene, place: Where, *, is_described: bool
) -> Lowering:
    """Lowers a tool by its arguments, and by its name unless a policy describes it."""
    from toolgate.tools import acts, keepers, names, undescribed
    from toolgate.tools import arguments as reading

    findings = list(reading.read_arguments(names.bare_server(server), tool, arguments))
    paths = [finding.values for finding in findings if finding.role == "path"]
    keyed = any(how == "keyed" for _, how in paths)
    if not keyed and undescribed.changes_files(tool):
        yield Operation("tool.unread", HERE_AND_NOW, known(tool))
    content = _content(arguments) if paths else None
    for path, how in paths:
        is_sure = how == "keyed" or path.startswith((*_OF_THE_MACHINE, f"{scene.home}/"))
        yield from _lower_path(path, undescribed.doing(tool), content, place, is_sure=is_sure)
    for finding in findings:
        yield from _lower_done(finding, scene, place)
    requested = any(finding.role == "run" and finding.values[0] == "curl" for finding in findings)
    act = acts.find_act(tool, arguments, is_requested=requested, names_paths=keyed)
    if act is not None and not is_described:
        origin = HERE_AND_NOW if act.is_severe else _UNSURE
        yield Operation("tool.act", origin, known(act.target), ((act.kind, True),))
    if keepers.shows_secrets(server, tool):
        yield Operation("credential.print", HERE_AND_NOW, known(tool))
    if acts.is_scheduling(tool, arguments):
        yield Operation("schedule.change", HERE_AND_NOW, known(tool))
    text = "\n".join(value for _, value in reading.find_leaves(arguments) if isinstance(value, str))
    if text:
        yield Send(known(server or tool), known(text), "message", HERE_AND_NOW)
    return EMPTY


def _lower_beside_table(server: str, tool: str, arguments: Mapping[str, object], scene: Scene, place: Where) -> Lowering:
    """Lowers the words of a command if a table reads only the command, and the method of a request."""
    from toolgate.tools import arguments as reading
    from toolgate.tools import names

    for finding in reading.read_arguments(names.bare_server(server), tool, arguments):
        is_request = finding.values[0] == "curl" and "-X" in finding.values
        if finding.role == "run" and (is_request or isinstance(arguments.get("args"), list | tuple)):
            yield from _lower_done(finding, scene, place)
    return EMPTY


def _content(arguments: Mapping[str, object]) -> str | None:
    """Returns the text that a tool writes to a path it is given, from an argument of a known name."""
    from toolgate.tools.arguments import find_leaves

    held = dict(reversed([(key, value) for key, value in find_leaves(arguments) if key in _CONTENT and isinstance(value, str)]))
    return next((str(held[key]) for key in _CONTENT if key in held), None)


def _lower_path(path: str, doing: str, content: str | None, place: Where, *, is_sure: bool) -> Iterator[Effect]:
    """Lowers a path passed to a tool: it is read, unless the tool's name says that it is written or deleted."""
    there, origin = place(path), HERE_AND_NOW if is_sure else _UNSURE
    if doing == "deletes":
        yield Delete(there, True, origin)
    elif doing == "changes":
        yield Write(there, None if content is None else known(content), None, origin)
    else:
        yield Read(there, origin)
        if doing == "unknown":
            yield Write(there, None, None, _UNSURE)
