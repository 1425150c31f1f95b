"""Lowers calls of tools that are neither shells nor file tools: by a table of their server, otherwise by arguments and name."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from toolgate.flows.issuers import without_secrets
from toolgate.model.action import CallTool, OtherTool
from toolgate.model.effect import (
    DEFAULT_ORIGIN,
    Carrier,
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
from toolgate.model.word import EMPTY, Word, join_words, known_word, unknown_word
from toolgate.programs import find_program
from toolgate.shell.domain.frame import Frame
from toolgate.shell.domain.protocol import NO_SCOPE, Command
from toolgate.shell.run.commands import run_with_capture

from .worklist import Lowering

if TYPE_CHECKING:
    from toolgate.tools import TableEffect
    from toolgate.tools.arguments import ArgumentFinding

ResolvePath = Callable[[str], Place]
ReadAlternatives = Callable[[Place], tuple[Word | None, ...]]
_UNSURE_ORIGIN = DEFAULT_ORIGIN._replace(sure=None)
_MACHINE_PATH_PREFIXES = tuple("~ /etc/ /dev/ /usr/ /bin/ /sbin/ /lib /boot/ /var/ /root/ /System/ /Library/".split())
"""Prefixes of a text that is a path of this machine under any key."""
_CONTENT_KEYS = ("content", "contents", "text", "data", "body", "newstring", "newtext", "newstr", "code", "value")


def lower_server_tool(call: CallTool, scene: Scene, place: ResolvePath, described_tools: tuple[DescribedTool, ...]) -> Lowering:
    """Lowers a call of an MCP server's tool."""
    yield Operation("mcp.call", DEFAULT_ORIGIN, known_word(f"{call.server}/{call.tool}"))
    return (yield from _lower_by_name(call.server, call.tool, call.arguments, scene, place, described_tools))


def lower_host_tool(call: OtherTool, scene: Scene, place: ResolvePath, contents: ReadAlternatives) -> Lowering:
    """Lowers a call of a host's tool other than its shell and file tools. `contents`: returns every text that a file may hold."""
    name = known_word(call.name)
    yield Operation("tool.other", DEFAULT_ORIGIN, name)
    match call.role:
        case "unknown":
            return (yield from _lower_by_name("", call.name, call.arguments, scene, place, ()))
        case "agent":
            yield from _send_text(call.arguments, "agent", "another agent")
            if _is_unattended_agent(call.arguments, scene, place, contents):
                yield Operation("agent.start", DEFAULT_ORIGIN, name, (("unguarded", False), ("unasked", True)))
        case "search":
            yield from _send_text(call.arguments, "search", "a search engine")
        case "schedule":
            from toolgate.tools.named_acts import is_of_this_conversation, reads_schedules

            if not is_of_this_conversation(call.arguments) and not reads_schedules(call.arguments):
                yield Operation("schedule.change", DEFAULT_ORIGIN, name)
            yield from _send_text(call.arguments, "agent", "another agent")
        case "conversation":
            pass
    return EMPTY


def _is_unattended_agent(arguments: Mapping[str, object], scene: Scene, place: ResolvePath, contents: ReadAlternatives) -> bool:
    """Returns whether the agent is started in a mode without questions, by the call or by the file that describes its kind."""
    if str(arguments.get("mode", arguments.get("permission_mode"))) in _UNATTENDED_MODES:
        return True
    kind = next((each for key in _AGENT_KEYS if isinstance(each := arguments.get(key), str)), "")
    if not _AGENT_NAME.fullmatch(kind):
        return False
    files = (f"{folder}/.claude/agents/{kind}.md" for folder in (scene.project, scene.home))
    return any(text is not None and _UNATTENDED_MODE.search(text.text or "") for file in files for text in contents(place(file)))


_AGENT_KEYS = ("subagent_type", "agent_type", "agent")
_AGENT_NAME = re.compile(r"[\w-]{1,64}")
_UNATTENDED_MODE = re.compile(r"^permissionMode:\s*[\"']?(?:bypassPermissions|dontAsk)\b", re.MULTILINE)
_UNATTENDED_MODES = ("bypassPermissions", "dontAsk")


def _send_text(arguments: Mapping[str, object], sink: Sink, recipient: str) -> Iterator[Effect]:
    from toolgate.tools.arguments import find_leaves

    text = "\n".join(value for _, value in find_leaves(arguments) if isinstance(value, str))
    if text:
        yield Send(known_word(recipient), known_word(text), sink, DEFAULT_ORIGIN)


def lower_connection(url: str, place: ResolvePath) -> Lowering:
    """Lowers a request for an address; `file:` reads a file of this machine."""
    yield Connect(known_word(url), DEFAULT_ORIGIN)
    if url.lower().startswith("file:"):
        from urllib.parse import unquote

        yield Read(place(unquote(url[5:].removeprefix("//").removeprefix("localhost"))), DEFAULT_ORIGIN)
    return EMPTY


def _lower_by_name(
    server: str,
    tool: str,
    arguments: Mapping[str, object],
    scene: Scene,
    place: ResolvePath,
    described_tools: tuple[DescribedTool, ...],
) -> Lowering:
    """Lowers a tool by a table if there is one, otherwise by its arguments and name, and returns what it prints.

    Rows that only add come last, so that they change nothing that is known without them.
    """
    from toolgate import tools  # only where such a tool is called

    declared, added = tools.effects_of_described_tool(server, tool, arguments, described_tools)
    known_of_it = (*tools.effects_of_known_tool(server, tool, arguments), *declared)
    printed: list[Word] = []
    for done in known_of_it:
        printed.append((yield from _lower_tool_effect(done, scene, place)))
    if known_of_it:
        printed.append((yield from _lower_remaining_arguments(server, tool, arguments, scene, place)))
    else:
        is_described = tools.has_row(server, tool, described_tools)
        printed.append((yield from _lower_unknown(server, tool, arguments, scene, place, is_described=is_described)))
    for done in added:
        printed.append((yield from _lower_tool_effect(done, scene, place)))
    return join_words(printed)


def _build_file_effect(role: str, there: Place, more: list[str], place: ResolvePath) -> Effect:
    match role:
        case "read":
            return Read(there, DEFAULT_ORIGIN)
        case "write":
            return Write(there, known_word(more[0]), False, DEFAULT_ORIGIN)
        case "delete":
            return Delete(there, True, DEFAULT_ORIGIN)
        case _:
            return Move(there, place(more[0]), DEFAULT_ORIGIN)


def _write_self_starting_file(there: Place, content: str) -> Iterator[Effect]:
    """Yields a file that a forge, or whoever gets the repository, will run: `.github/workflows/x.yml`."""
    from toolgate.programs.tasks.self_starting import is_self_starting

    if is_self_starting(there.path or ""):
        yield Write(there, known_word(content), False, DEFAULT_ORIGIN)


def _lower_tool_effect(tool_effect: "TableEffect | ArgumentFinding", scene: Scene, place: ResolvePath) -> Lowering:
    """Lowers one effect of a server's tool as a program of this machine would have it."""
    origin = DEFAULT_ORIGIN
    match tool_effect.role, tool_effect.values:
        case (("read" | "write" | "delete" | "move"), (path, *more)):
            yield _build_file_effect(tool_effect.role, place(path), more, place)
        case "connect", (url,):
            yield from lower_connection(url, place)
        case "shell", (text, folder):
            cwd = known_word(place(folder).path or folder) if folder else known_word(scene.cwd)
            frame = Frame(
                (cwd,),
                (known_word(scene.home),),
                without_secrets(scene.environ),
                site=Site(user=scene.user),
                via=(Carrier("mcp"),),
            )
            printed: Word = yield run_with_capture(text, frame)
            return printed
        case "run", argv:
            output: Word = yield Command(tuple(map(known_word, argv)), known_word(scene.cwd), NO_SCOPE, via=(Carrier("mcp"),))
            return output
        case "operation", (name, *target):
            yield Operation(name, origin, known_word(" ".join(target)) if any(target) else None)
        case "code", (language, text):
            yield Interpret(language, known_word(text), origin, via=Carrier(language))
        case "written", (path, content):
            yield from _write_self_starting_file(place(path), content)
        case "cell", (source,):
            from .notebooks import lower_cell

            shown: Word = yield from lower_cell(source, known_word(scene.cwd))
            return shown
        case "unread", (why,):
            yield Opaque(why, origin, is_unread=True)
        case _:
            pass
    return EMPTY


def _lower_unknown(
    server: str, tool: str, arguments: Mapping[str, object], scene: Scene, place: ResolvePath, *, is_described: bool
) -> Lowering:
    """Lowers a tool by its arguments, and by its name unless a policy describes it."""
    from toolgate.tools import acts, names, page_code, recipients, secret_tools, undescribed
    from toolgate.tools import arguments as reading
    from toolgate.tools.clients import QUERY_CLIENTS
    from toolgate.tools.environments import estimates_query

    estimated = QUERY_CLIENTS if estimates_query(server, arguments) else ()
    read = reading.read_arguments(names.bare_server(server), tool, arguments)
    findings = [_name_database(finding, server, arguments) for finding in read if finding.values[0] not in estimated]
    paths = [finding.values for finding in findings if finding.role == "path"]
    keyed = any(how == "keyed" for _, how, _ in paths)
    if not keyed and undescribed.changes_files(tool):
        yield Operation("tool.unread", DEFAULT_ORIGIN, known_word(tool))
    content = _find_content(arguments) if paths else None
    for path, how, act_of_path in paths:
        is_sure = how == "keyed" or path.startswith((*_MACHINE_PATH_PREFIXES, f"{scene.home}/"))
        yield from _lower_path(path, undescribed.guess_file_effect(tool, act_of_path), content, place, is_sure=is_sure)
    attached = unknown_word("the attached files", frozenset((DEFAULT_ORIGIN.command,)))
    if paths and recipients.sends_files(tool):
        yield Send(known_word(server or tool), attached, "attachment", DEFAULT_ORIGIN)
    if keyed:
        yield from (Connect(known_word(each), DEFAULT_ORIGIN, attached) for each in recipients.find_recipients(arguments))
    printed: list[Word] = []
    for finding in findings:
        printed.append((yield from _lower_tool_effect(finding, scene, place)))
    yield from _find_act(server, tool, arguments, findings, is_described=is_described)
    if receiver := page_code.find_receiver(_texts_of(arguments)):
        yield Operation("tool.act", DEFAULT_ORIGIN, known_word(f"{tool} ({receiver})"), (("leaks", True),))
    is_shown = page_code.runs_in_page(tool) and page_code.returns_store(_texts_of(arguments))
    if is_shown or secret_tools.shows_secrets(server, tool, arguments):
        yield Operation("credential.print", DEFAULT_ORIGIN, known_word(tool))
    if acts.is_scheduling(tool, arguments):
        yield Operation("schedule.change", DEFAULT_ORIGIN, known_word(tool))
    text = "\n".join(_texts_of(arguments))
    if text:
        yield Send(known_word(server or tool), known_word(text), "message", DEFAULT_ORIGIN)
    return join_words(printed)


def _name_database(finding: "ArgumentFinding", server: str, arguments: Mapping[str, object]) -> "ArgumentFinding":
    """Returns a command for a database with what the server's name and the arguments say of it."""
    from toolgate.tools.environments import connect_by_name

    return finding._replace(values=connect_by_name(server, arguments, finding.values)) if finding.role == "run" else finding


def _find_act(
    server: str, tool: str, arguments: Mapping[str, object], findings: "list[ArgumentFinding]", *, is_described: bool
) -> Iterator[Operation]:
    """Yields what a call does at a service: by its name and arguments, on a page, or else by what is at stake."""
    from toolgate.tools import acts, operated_pages, stakes

    requested = any(each.role == "run" and each.values[0] == "curl" for each in findings)
    keyed = any(each.role == "path" and each.values[1] == "keyed" for each in findings)
    act = acts.find_act(server, tool, arguments, is_requested=requested, names_paths=keyed)
    if act is not None and not is_described:
        origin = DEFAULT_ORIGIN if act.is_severe else _UNSURE_ORIGIN
        yield Operation("tool.act", origin, known_word(act.target), ((act.kind, True),))
        if act.is_severe:
            return
    kind: str | None = operated_pages.find_act_of_page(tool, arguments)
    if kind is None and not is_described and (stakes.speaks_for_itself(server, tool) or not any(map(_is_given_code, findings))):
        kind = stakes.find_stake(server, tool, arguments)
    if kind is not None:
        yield Operation("tool.act", DEFAULT_ORIGIN, known_word(tool), ((kind, True),))


def _is_given_code(finding: "ArgumentFinding") -> bool:
    """Returns whether a call is given something to run, which is judged as such, and not by the words around it."""
    from toolgate.tools.clients import INTERPRETERS

    if finding.role == "run":
        program = finding.values[0].rpartition("/")[2]
        return program in INTERPRETERS or find_program(program) is not None
    return finding.role in ("code", "cell") or (finding.role == "shell" and " " in finding.values[0])


def _lower_remaining_arguments(
    server: str, tool: str, arguments: Mapping[str, object], scene: Scene, place: ResolvePath
) -> Lowering:
    """Lowers the words of a command if a table reads only the command, the method of a request, a container's mounts, and files
    that run by themselves."""
    from toolgate.tools import arguments as reading
    from toolgate.tools import names

    printed: list[Word] = []
    for finding in reading.read_arguments(names.bare_server(server), tool, arguments):
        is_request = finding.values[0] == "curl" and "-X" in finding.values
        is_container = finding.values[:2] == ("docker", "run")
        if finding.role == "written" or (
            finding.role == "run" and (is_request or is_container or isinstance(arguments.get("args"), list | tuple))
        ):
            printed.append((yield from _lower_tool_effect(finding, scene, place)))
    return join_words(printed)


def _texts_of(arguments: Mapping[str, object]) -> list[str]:
    from toolgate.tools.arguments import find_leaves

    return [value for _, value in find_leaves(arguments) if isinstance(value, str)]


def _find_content(arguments: Mapping[str, object]) -> str | None:
    """Returns the text that a tool writes to a path it is given, from an argument of a known name."""
    from toolgate.tools.arguments import find_leaves

    held = dict(
        reversed([(key, value) for key, value in find_leaves(arguments) if key in _CONTENT_KEYS and isinstance(value, str)])
    )
    return next((str(held[key]) for key in _CONTENT_KEYS if key in held), None)


def _lower_path(path: str, verb: str, content: str | None, place: ResolvePath, *, is_sure: bool) -> Iterator[Effect]:
    """Lowers a path passed to a tool: it is read, unless the tool's name says that it is written or deleted."""
    there, origin = place(path), DEFAULT_ORIGIN if is_sure else _UNSURE_ORIGIN
    if verb == "deletes":
        yield Delete(there, True, origin)
    elif verb == "changes":
        yield Write(there, None if content is None else known_word(content), None, origin)
    else:
        yield Read(there, origin)
        if verb == "unknown":
            yield Write(there, None, None, _UNSURE_ORIGIN)
