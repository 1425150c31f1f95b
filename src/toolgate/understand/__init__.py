"""Lowers actions to effects: what a call would do, without doing it."""

from collections.abc import Callable, Iterator, Mapping

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
from toolgate.model.effect import HERE_AND_NOW, Effects, Interpret, Opaque, Operation, Read, Site, Write
from toolgate.model.event import Scene
from toolgate.model.place import Place
from toolgate.model.rule import DescribedTool
from toolgate.model.word import EMPTY, Word, known, unknown
from toolgate.model.world import World
from toolgate.shell.commands import unheard
from toolgate.shell.frame import Frame
from toolgate.shell.protocol import NO_SCOPE, Command

from .worklist import Lowering, Worklist

__all__ = ["understand"]


def understand(
    action: Action,
    scene: Scene,
    world: World,
    described: tuple[DescribedTool, ...] = (),
    wrappers: tuple[tuple[str, str], ...] = (),
) -> Effects:
    """Returns the effects of one action, in order. Unreadable parts are included as Opaque. `described`, `wrappers`: tools,
    and programs that run the command they are given, known from a policy."""
    work = Worklist(scene, world, dict(wrappers))
    work.run(_start(action, scene, work, described))
    if any(mentioned(text) for text in _texts(action)):
        work.effects.append(Operation("gate.code", HERE_AND_NOW))
    shown = work.shown
    return Effects(tuple(work.effects), frozenset(work.flows), frozenset(shown.commands), frozenset(shown.variables))


def _start(action: Action, scene: Scene, work: Worklist, described: tuple[DescribedTool, ...]) -> Lowering:
    base = known(scene.cwd)

    def place(path: str) -> Place:
        text = scene.home + path[1:] if path == "~" or path.startswith("~/") else path
        return work.around.place(known(text), base, HERE_AND_NOW.site)

    match action:
        case RunShell(text=text, language="shell", typed=typed):
            login = scene.environ.get("SHELL", "").rpartition("/")[2]
            site = Site(user=scene.user)
            dialect = "sh" if login in ("", "sh", "dash", "ash") else "bash"
            stdin = unknown("what is typed into it later") if typed else EMPTY
            frame = Frame(
                (base,),
                (known(scene.home),),
                scene.environ,
                site=site,
                zsh=login == "zsh",
                dialect=dialect,
                shown=work.shown,
                stdin=stdin,
            )
            return unheard(text, frame)
        case RunShell(text=text, language="powershell"):
            return _command((known("pwsh"), known("-Command"), known(text)), base)
        case ApplyPatch(text=text):
            return _command((known("apply_patch"), known(text)), base)
        case ReadFile() | Search() | WriteFile() | EditFile():
            return _on_files(action, place, work.around.contents, base)
        case _:
            return _tool(action, scene, place, work.around.contents, described)


def _texts(value: object) -> Iterator[str]:
    """Yields every text in a call."""
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


def _on_files(
    action: ReadFile | Search | WriteFile | EditFile,
    place: Callable[[str], Place],
    contents: Callable[[Place], tuple[Word | None, ...]],
    cwd: Word,
) -> Lowering:
    origin = HERE_AND_NOW
    if isinstance(action, WriteFile | EditFile) and (not action.path or "\0" in action.path):
        yield Opaque("the path of this file is empty or no path", origin)
        return EMPTY
    match action:
        case ReadFile(path=path):
            yield Read(place(path or "."), origin)
        case Search(paths=paths, tree=tree):
            for each in paths:
                yield Read(place(each or "."), origin, tree)
        case WriteFile(path=path, content=content):
            yield Write(place(path), known(content), False, origin)
        case EditFile(path=path, replacements=replacements, cell=cell):
            target = place(path)
            yield Read(target, origin)
            yield Write(target, known("\n".join(each.new for each in replacements)), None, origin, replacements)
            if cell.strip():
                from .notebooks import lower_cell

                yield from lower_cell(cell, cwd, contents(target))
    return EMPTY


def _tool(
    action: CallTool | RunShell | Fetch | AskUser | OtherTool,
    scene: Scene,
    place: Callable[[str], Place],
    contents: Callable[[Place], tuple[Word | None, ...]],
    described: tuple[DescribedTool, ...],
) -> Lowering:
    """Lowers a tool that is not a shell, by its arguments."""
    from .tool_calls import lower_connection, lower_host_tool, lower_server_tool  # most calls are of shells and files

    origin = HERE_AND_NOW
    match action:
        case RunShell(text=text, language=language):
            yield Interpret(language, known(text), origin, via=language)
        case Fetch(url=url):
            yield from lower_connection(url, place)
        case CallTool():
            yield from lower_server_tool(action, scene, place, described)
        case AskUser():
            yield Operation("user.ask", origin)
        case OtherTool():
            yield from lower_host_tool(action, scene, place, contents)
    return EMPTY
