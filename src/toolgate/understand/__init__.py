"""Event -> effects: what a call would do, read without doing any of it."""

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from toolgate.consent.codes import mentioned
from toolgate.model.action import (
    Action,
    ApplyPatch,
    AskUser,
    CallTool,
    EditFile,
    Fetch,
    OtherTool,
    ReadFile,
    RunShell,
    Search,
    WriteFile,
)
from toolgate.model.effect import HERE_AND_NOW, Connect, Delete, Effects, Interpret, Move, Opaque, Operation, Read, Site, Write
from toolgate.model.event import Scene
from toolgate.model.place import Place
from toolgate.model.rule import DescribedTool
from toolgate.model.word import EMPTY, Word, known
from toolgate.model.world import World
from toolgate.shell.commands import program, unheard
from toolgate.shell.protocol import NO_SCOPE, Command
from toolgate.shell.state import Frame

from .worklist import Lowering, Worklist

if TYPE_CHECKING:
    from toolgate.tools import Done

__all__ = ["understand"]


def understand(
    action: Action,
    scene: Scene,
    world: World,
    described: tuple[DescribedTool, ...] = (),
    wrappers: tuple[tuple[str, str], ...] = (),
) -> Effects:
    """The effects of one action, in order. What cannot be read is in them as Opaque. `described`, `wrappers`: tools, and programs
    that run the command they are given, that a policy knows."""
    work = Worklist(scene, world, dict(wrappers))
    work.run(_start(action, scene, work, described))
    if any(mentioned(text) for text in _texts(action)):
        work.effects.append(Operation("gate.code", HERE_AND_NOW))
    return Effects(tuple(work.effects), frozenset(work.flows))


def _start(action: Action, scene: Scene, work: Worklist, described: tuple[DescribedTool, ...]) -> Lowering:
    base = known(scene.cwd)

    def place(path: str) -> Place:
        text = scene.home + path[1:] if path == "~" or path.startswith("~/") else path
        return work.around.place(known(text), base, HERE_AND_NOW.site)

    match action:
        case RunShell(text=text, language="shell"):
            login = scene.environ.get("SHELL", "").rpartition("/")[2]
            site = Site(user=scene.user)
            dialect = "sh" if login in ("", "sh", "dash", "ash") else "bash"
            frame = Frame((base,), (known(scene.home),), scene.environ, site=site, zsh=login == "zsh", dialect=dialect)
            return unheard(text, frame)
        case RunShell(text=text, language="powershell"):
            return _command((known("pwsh"), known("-Command"), known(text)), base)
        case ApplyPatch(text=text):
            return _command((known("apply_patch"), known(text)), base)
        case ReadFile() | Search() | WriteFile() | EditFile():
            return _on_files(action, place)
        case _:
            return _tool(action, scene, place, described)


def _texts(value: object) -> Iterator[str]:
    """Every text that a call brings along."""
    match value:
        case str():
            yield value
        case Mapping():
            for each in value.values():
                yield from _texts(each)
        case tuple() | list():
            for each in value:
                yield from _texts(each)
        case _:
            pass


def _command(argv: tuple[Word, ...], cwd: Word) -> Lowering:
    yield Command(argv, cwd, NO_SCOPE)
    return EMPTY


def _connected(url: str, place: Callable[[str], Place]) -> Lowering:
    yield Connect(known(url), HERE_AND_NOW)
    if url.lower().startswith("file:"):
        from urllib.parse import unquote

        yield Read(place(unquote(url[5:].removeprefix("//").removeprefix("localhost"))), HERE_AND_NOW)
    return EMPTY


def _called(done: "Done", scene: Scene, place: Callable[[str], Place]) -> Lowering:
    """One thing that a server's tool does, as a program of this machine would do it."""
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
            yield from _connected(url, place)
        case "shell", (text, folder):
            cwd = known(place(folder).path or folder) if folder else known(scene.cwd)
            yield program(text, Frame((cwd,), (known(scene.home),), scene.environ, site=Site(user=scene.user), via=("mcp",)))
        case "run", argv:
            yield Command(tuple(map(known, argv)), known(scene.cwd), NO_SCOPE, via=("mcp",))
        case "operation", (name, *target):
            yield Operation(name, origin, known(" ".join(target)))
        case _:
            pass
    return EMPTY


_COMMANDS = frozenset(("command", "cmd", "cmdline", "script", "commands"))
"""Arguments that hold command lines: only with one of them is a host's own tool looked for in the tables of servers' tools."""


def _by_its_name(
    server: str,
    tool: str,
    arguments: Mapping[str, object],
    scene: Scene,
    place: Callable[[str], Place],
    described: tuple[DescribedTool, ...],
) -> Lowering:
    """What a tool does that some table knows, by its server's name or its own; else what its name says that it may do.

    Rows that only add come last: nothing that they change is there for what is known without them.
    """
    from toolgate import tools  # only where such a tool is called

    said, added = tools.described(server, tool, arguments, described)
    known_of_it = (*tools.lowered(server, tool, arguments), *said)
    for done in known_of_it:
        yield from _called(done, scene, place)
    if not known_of_it:
        yield from _guessed(tool, arguments, place)
    for done in added:
        yield from _called(done, scene, place)
    return EMPTY


def _guessed(tool: str, arguments: Mapping[str, object], place: Callable[[str], Place]) -> Lowering:
    """What a tool that nobody described may do to the files that its arguments name: by its own name, and not for sure."""
    from toolgate.tools import undescribed

    origin = HERE_AND_NOW._replace(sure=None)
    doing = undescribed.doing(tool)
    named = tuple(undescribed.paths(arguments))
    if not named and undescribed.changes_files(tool):
        yield Operation("tool.unread", HERE_AND_NOW, known(tool))
    for path in named:
        if doing == "reads":
            yield Read(place(path), origin)
        elif doing == "deletes":
            yield Delete(place(path), True, origin)
        else:
            yield Write(place(path), None, None, origin)
    return EMPTY


def _on_files(action: ReadFile | Search | WriteFile | EditFile, place: Callable[[str], Place]) -> Lowering:
    origin = HERE_AND_NOW
    if isinstance(action, WriteFile | EditFile) and (not action.path or "\0" in action.path):
        yield Opaque("the path of this file is empty or no path", origin)
        return EMPTY
    match action:
        case ReadFile(path=path):
            yield Read(place(path or "."), origin)
        case Search(paths=paths):
            for each in paths:
                yield Read(place(each or "."), origin)
        case WriteFile(path=path, content=content):
            yield Write(place(path), known(content), False, origin)
        case EditFile(path=path, replacements=replacements):
            target = place(path)
            yield Read(target, origin)
            yield Write(target, known("\n".join(each.new for each in replacements)), None, origin, replacements)
    return EMPTY


def _tool(
    action: CallTool | RunShell | Fetch | AskUser | OtherTool,
    scene: Scene,
    place: Callable[[str], Place],
    described: tuple[DescribedTool, ...],
) -> Lowering:
    """A tool that is no shell: what it does stands in its arguments."""
    origin = HERE_AND_NOW
    match action:
        case RunShell(text=text, language=language):
            yield Interpret(language, known(text), origin, via=language)
        case Fetch(url=url):
            yield from _connected(url, place)
        case CallTool(server=server, tool=tool, arguments=arguments):
            yield Operation("mcp.call", origin, known(f"{server}/{tool}"))
            yield from _by_its_name(server, tool, arguments, scene, place, described)
        case AskUser():
            yield Operation("user.ask", origin)
        case OtherTool(name=name, arguments=arguments):
            yield Operation("tool.other", origin, known(name))
            if not _COMMANDS.isdisjoint(arguments):
                yield from _by_its_name("", name, arguments, scene, place, ())
            else:
                yield from _guessed(name, arguments, place)
    return EMPTY
