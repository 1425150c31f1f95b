"""Lowers actions to effects: what a call would do, without doing it."""

from collections.abc import Callable, Iterator, Mapping

from toolgate.consent.codes import has_code
from toolgate.flows.issuers import without_secrets
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
from toolgate.model.effect import DEFAULT_ORIGIN, Carrier, Effects, Interpret, Opaque, Operation, Read, Site, Write
from toolgate.model.event import Scene
from toolgate.model.place import Place
from toolgate.model.rule import DescribedTool
from toolgate.model.word import EMPTY, Word, known_word, unknown_word
from toolgate.model.world import World
from toolgate.shell.domain.frame import Frame
from toolgate.shell.domain.protocol import NO_SCOPE, Command
from toolgate.shell.run.commands import run_without_capture
from toolgate.shell.syntax.dialects import dialect_of_login_shell

from .worklist import Lowering, Worklist

__all__ = ["understand"]


def understand(
    action: Action,
    scene: Scene,
    world: World,
    described_tools: tuple[DescribedTool, ...] = (),
    wrappers: tuple[tuple[str, str], ...] = (),
    list_written: Callable[[], tuple[str, ...]] = tuple,
) -> Effects:
    """Returns the effects of one action, in order. Unreadable parts are included as Opaque. `described_tools`, `wrappers`: tools,
    and programs that run the command they are given, known from a policy. `list_written`: returns the files of code that
    earlier calls of the session wrote."""
    work = Worklist(scene, world, dict(wrappers))
    work.machine_state.list_written_earlier = list_written
    work.run(_lower_action(action, scene, work, described_tools))
    if any(has_code(text) for text in _iter_texts(action)):
        work.effects.append(Operation("gate.code", DEFAULT_ORIGIN))
    shown = work.shown
    return Effects(
        tuple(work.effects), frozenset(work.flows), frozenset(shown.commands), frozenset(shown.variables), tuple(shown.texts)
    )


def _lower_action(action: Action, scene: Scene, work: Worklist, described_tools: tuple[DescribedTool, ...]) -> Lowering:
    base = known_word(scene.cwd)

    def resolve_path(path: str) -> Place:
        text = scene.home + path[1:] if path == "~" or path.startswith("~/") else path
        return work.machine_state.resolve_place(known_word(text), base, DEFAULT_ORIGIN.site)

    match action:
        case RunShell(text=text, language="shell", typed=typed):
            login = scene.environ.get("SHELL", "").rpartition("/")[2]
            site = Site(user=scene.user)
            dialect = dialect_of_login_shell(login, text)
            stdin = unknown_word("later input") if typed else EMPTY
            frame = Frame(
                (base,),
                (known_word(scene.home),),
                without_secrets(scene.environ),
                site=site,
                dialect=dialect,
                shown=work.shown,
                stdin=stdin,
            )
            return run_without_capture(text, frame)
        case RunShell(text=text, language="powershell"):
            return _lower_command((known_word("pwsh"), known_word("-Command"), known_word(text)), base)
        case ApplyPatch(text=text):
            return _lower_command((known_word("apply_patch"), known_word(text)), base)
        case ReadFile() | Search() | WriteFile() | EditFile():
            return _lower_file_action(action, resolve_path, work.machine_state.read_alternatives, base)
        case _:
            return _lower_tool(action, scene, resolve_path, work.machine_state.read_alternatives, described_tools)


def _iter_texts(value: object) -> Iterator[str]:
    """Yields every text in a call."""
    match value:
        case str():
            yield value
        case Mapping():
            for each in value.values():
                yield from _iter_texts(each)
        case tuple() | list():
            for each in value:
                yield from _iter_texts(each)
        case _:
            pass


def _lower_command(argv: tuple[Word, ...], cwd: Word) -> Lowering:
    printed: Word = yield Command(argv, cwd, NO_SCOPE)
    return printed


def _lower_file_action(
    action: ReadFile | Search | WriteFile | EditFile,
    place: Callable[[str], Place],
    contents: Callable[[Place], tuple[Word | None, ...]],
    cwd: Word,
) -> Lowering:
    origin = DEFAULT_ORIGIN
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
            yield Write(place(path), known_word(content), False, origin)
        case EditFile(path=path, replacements=replacements, cell=cell):
            target = place(path)
            yield Read(target, origin)
            yield Write(target, known_word("\n".join(each.new for each in replacements)), None, origin, replacements)
            if cell.strip():
                from .notebooks import lower_cell

                folder = cwd if target.path is None else known_word(target.path.rpartition("/")[0] or "/")
                yield from lower_cell(cell, folder, contents(target))
    return EMPTY


def _lower_tool(
    action: CallTool | RunShell | Fetch | AskUser | OtherTool,
    scene: Scene,
    place: Callable[[str], Place],
    contents: Callable[[Place], tuple[Word | None, ...]],
    described_tools: tuple[DescribedTool, ...],
) -> Lowering:
    """Lowers a tool that is not a shell, by its arguments."""
    from .tool_calls import lower_connection, lower_host_tool, lower_server_tool  # most calls are of shells and files

    origin = DEFAULT_ORIGIN
    match action:
        case RunShell(text=text, language=language):
            yield Interpret(language, known_word(text), origin, via=Carrier(language))
        case Fetch(url=url):
            yield from lower_connection(url, place)
        case CallTool():
            return (yield from lower_server_tool(action, scene, place, described_tools))
        case AskUser():
            yield Operation("user.ask", origin)
        case OtherTool():
            return (yield from lower_host_tool(action, scene, place, contents))
    return EMPTY
