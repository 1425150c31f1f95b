"""Event -> effects: what a call would do, read without doing any of it.

One stack of generators. The shell's reading yields commands; each is lowered by its program's row, which reports effects, more
commands (`Run`) and code (`Interpret`); those go on the stack in turn, until nothing is left. Here alone are the budget of steps,
the overlay, the numbers of commands and the flows between them.
"""

from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

from . import languages, programs
from .model.action import Action, CallTool, EditFile, Fetch, OtherTool, ReadFile, RunShell, Search, WriteFile
from .model.effect import (
    HERE_AND_NOW,
    Connect,
    Delete,
    Effect,
    Effects,
    Interpret,
    Link,
    Move,
    Opaque,
    Operation,
    Origin,
    Permission,
    Prints,
    Read,
    Reported,
    Run,
    Site,
    Write,
)
from .model.event import Scene
from .model.place import LOCAL, Place
from .model.word import EMPTY, NOTHING, Hole, Maybe, Word, known, unknown
from .model.world import ABSENT, UNKNOWN, GitState, World
from .overlay import File, Folder, Gone, Overlay
from .overlay import Link as LinkEntry
from .paths import places
from .shell import partial
from .shell.commands import program
from .shell.protocol import NO_SCOPE, Beyond, Command, Contents, IsFolder, Number, Scope, Tick, Where
from .shell.state import Frame

STEPS = 20_000
DEPTH = 24
Lowering = Generator[Any, Any, Word]


def understand(action: Action, scene: Scene, world: World) -> Effects:
    """The effects of one action, in order. What cannot be read is in them as Opaque."""
    work = _Worklist(scene, world)
    work.run(_start(action, scene, work))
    return Effects(tuple(work.effects), frozenset(work.flows))


def _start(action: Action, scene: Scene, work: "_Worklist") -> Lowering:
    base = known(scene.cwd)
    match action:
        case RunShell(text=text, language="shell"):
            return program(text, Frame((base,), (known(scene.home),), scene.environ, site=Site(user=scene.user)))
        case _:
            return _tool(action, base, scene, work)


def _tool(action: Action, base: Word, scene: Scene, work: "_Worklist") -> Lowering:
    """A tool that is no shell: what it does stands in its arguments."""
    origin = HERE_AND_NOW

    def place(path: str) -> Place:
        text = scene.home + path[1:] if path == "~" or path.startswith("~/") else path
        return work.place(known(text), base, origin.site)

    path = getattr(action, "path", None)
    if isinstance(action, WriteFile | EditFile) and (not path or "\0" in str(path)):
        yield Opaque("the path of this file is empty or no path", origin)
        return EMPTY
    match action:
        case RunShell(text=text, language=language):
            yield Interpret(language, known(text), origin, via=language)
        case ReadFile(path=path) | Search(path=path):
            yield Read(place(path or "."), origin)
        case WriteFile(path=path, content=content):
            yield Write(place(path), known(content), False, origin)
        case EditFile(path=path, replacements=replacements):
            target = place(path)
            yield Read(target, origin)
            yield Write(target, known("\n".join(each.new for each in replacements)), None, origin)
        case Fetch(url=url):
            yield Connect(known(url), origin)
        case CallTool(server=server, tool=tool):
            yield Operation("mcp.call", origin, known(f"{server}/{tool}"))
        case OtherTool(name=name):
            yield Operation("tool.other", origin, known(name))
    return EMPTY


@dataclass(slots=True)
class _Moment:
    """What a program's row sees (model.seen.Seen)."""

    command: Command
    origin: Origin
    work: "_Worklist"
    used: set[int]

    @property
    def home(self) -> str:
        return self.work.scene.home

    @property
    def site(self) -> Site:
        return self.command.site

    @property
    def cwd(self) -> Word:
        return self.command.cwd

    @property
    def stdin(self) -> Word:
        self.used |= self.command.stdin.src
        return self.command.stdin

    def variable(self, name: str) -> Word | None:
        scope = self.command.scope
        return scope.get(name) if name in scope.assigned or name in scope.variables else None

    def repository(self) -> str | None:
        top = self.work.world.git(self.command.cwd.text) if self.command.cwd.text is not None else UNKNOWN
        return top.root if isinstance(top, GitState) else None

    def place(self, word: Word, *, follow: bool = True, base: Word | None = None) -> Place:
        return self.work.place(word, self.command.cwd if base is None else base, self.command.site, follow=follow)

    def read(self, word: Word) -> Word:
        texts = self.contents(word)
        content = texts[0] if len(texts) == 1 else unknown(word.shown, NOTHING.union(*(text.src for text in texts)))
        self.used |= content.src - {self.origin.command}
        return content.from_commands(frozenset({self.origin.command}))

    def contents(self, word: Word) -> tuple[Word, ...]:
        place = self.place(word)
        texts = self.work.contents(place)
        known_texts = tuple(text for text in texts if text is not None)
        if len(known_texts) < len(texts) and not self._surely_nothing(place):
            known_texts = (*known_texts, unknown(word.shown))
        for text in known_texts:
            self.used |= text.src
        return known_texts

    def _surely_nothing(self, place: Place) -> bool:
        """No such file: whatever reads it fails."""
        return place.machine == LOCAL and place.path is not None and self.work.overlay.exists(place.path) is False

    def is_folder(self, place: Place) -> Maybe:
        return self.work.is_folder(place)

    def made(self, word: Word) -> None:
        path = self.place(word).path
        if path is not None and self.site.machine == LOCAL and self.work.overlay.exists(path) is not True:
            self.work.overlay.change(path, Folder(), always=self.command.always)

    def filled(self, word: Word, content: Word) -> None:
        path = self.place(word).path
        if path is not None and self.site.machine == LOCAL:
            self.work.overlay.change(path, Folder(content), always=self.command.always)

    def output(self, why: str, like: str = "**") -> Word:
        return Word((Hole(like, why),), False, frozenset({self.origin.command}))


class _Worklist:
    def __init__(self, scene: Scene, world: World) -> None:
        self.scene, self.world, self.overlay = scene, world, Overlay(world)
        self.effects: list[Effect] = []
        self.flows: set[tuple[int, int]] = set()
        self._steps, self._number = STEPS, 0
        self._always: dict[int, bool] = {}
        self._ambiguous: dict[Place, tuple[Place, ...]] = {}

    # ---- the stack

    def run(self, first: Lowering) -> None:
        """Everything on the stack until it is empty, or the budget is."""
        stack: list[Lowering] = [first]
        answer: Any = None
        try:
            while stack:
                self._steps -= 1
                if self._steps < 0:
                    raise Beyond("this call does more than the gate follows in one call")
                try:
                    yielded = stack[-1].send(answer)
                except StopIteration as stop:
                    stack.pop()
                    answer = stop.value
                    continue
                answer = self._answer(yielded, stack)
        except Beyond as beyond:
            self.effects.append(Opaque(str(beyond), HERE_AND_NOW))

    def _answer(self, yielded: Any, stack: list[Lowering]) -> Any:
        match yielded:
            case Tick():
                return None
            case Number():
                self._number += 1
                return self._number
            case Command():
                stack.append(self._lower(yielded))
                return None
            case Where(word=word, cwd=cwd, site=site):
                return self.place(word, cwd, site)
            case IsFolder(place=place):
                return self.is_folder(place)
            case Contents(place=place):
                return self.contents(place)
            case _ if hasattr(yielded, "send"):
                stack.append(yielded)
                return None
            case _:
                self.record(yielded)
                return None

    # ---- what reading asks about the machine

    def place(self, word: Word, base: Word, site: Site, *, follow: bool = True) -> Place:
        """One place; where links may lead to several, the others are remembered and every effect on it is recorded for each."""
        found = places(word, base, self.overlay, site, follow=follow)
        if len(found) > 1:
            self._ambiguous[found[0]] = found
        return found[0]

    def is_folder(self, place: Place) -> Maybe:
        return self.overlay.is_folder(place.path) if place.path is not None and place.machine == LOCAL else None

    def contents(self, place: Place) -> tuple[Word | None, ...]:
        if place.machine != LOCAL:
            return (None,)
        if place.path is None:
            return self._matched(place)
        if self.overlay.is_folder(place.path) is True:  # `node .`: there is no one text to read
            return ()
        return (EMPTY,) if place.path == "/dev/null" else self.overlay.contents(place.path)

    def _matched(self, place: Place) -> tuple[Word | None, ...]:
        """What the files hold that a glob finds in one folder; None where they cannot be told."""
        if (
            place.anchor is None
            or "/" in place.rest
            or "**" in place.rest
            or not all(_is_known_or_glob(part) for part in place.word.parts)
        ):
            return (None,)
        names = self.world.listing(place.anchor, _LISTED)
        if not isinstance(names, tuple):
            return () if names is ABSENT else (None,)
        found = [name for name in names if fnmatchcase(name, place.rest)]
        if len(found) > _MATCHED:
            return (None,)
        return tuple(text for name in found for text in self.overlay.contents(f"{place.anchor.rstrip('/')}/{name}"))

    # ---- effects

    def record(self, effect: Effect) -> None:
        for each in self._each_place(effect):
            self.effects.append(each)
            self._change(each)

    def _each_place(self, effect: Effect) -> Iterator[Effect]:
        if isinstance(effect, _PLACED) and (others := self._ambiguous.get(effect.place)):
            yield from (replace(effect, place=other) for other in others)
        else:
            yield effect

    def _change(self, effect: Effect) -> None:
        """The overlay after the effect."""
        always = self._always.get(effect.origin.command, True) and not self._ambiguous
        match effect:
            case Write(place=Place(path=str(path), machine="local"), content=content, append=append):
                self._written(path, content, append, effect.origin, always=always)
            case Delete(place=Place(path=str(path), machine="local")):
                self.overlay.change(path, Gone(), always=always)
            case Link(place=Place(path=str(path), machine="local"), to=Place(path=str(target)), symbolic=symbolic):
                if symbolic is not False:
                    self.overlay.change(path, LinkEntry(target), always=always)
                else:
                    for content in self.overlay.contents(target):
                        self.overlay.change(path, File(content or unknown(target)), always=False)
            case Move(place=Place(path=str(path), machine="local"), to=Place(path=str(target))):
                for content in self.overlay.contents(path):
                    self.overlay.change(target, File(content or unknown(path)), always=always)
                self.overlay.change(path, Gone(), always=always)
            case _:
                pass

    def _written(self, path: str, content: Word | None, append: Maybe, origin: Origin, *, always: bool) -> None:
        if content is None:
            if append is not True:
                self.overlay.change(path, File(unknown(path, frozenset({origin.command}))), always=always)
            return
        self.flows |= {(source, origin.command) for source in content.src if source != origin.command}
        content = content.from_commands(frozenset({origin.command}))
        if append is False:
            self.overlay.change(path, File(content), always=always)
            return
        for before in self.overlay.contents(path):
            self.overlay.change(path, File((before or EMPTY) + content), always=always and append is True)

    # ---- commands

    def _lower(self, command: Command) -> Lowering:
        """A command -> its effects. Returns what it prints."""
        if not command.number:
            self._number += 1
            command.number = self._number
        self._always[command.number] = command.always
        if command.depth > DEPTH:
            raise Beyond("commands carry commands deeper than the gate follows")
        origin = Origin(command.number, command.span, command.via, command.site, command.sure)
        moment = _Moment(command, origin, self, set().union(*(word.src for word in command.argv)))
        self.effects.append(Run(command.argv, origin, cwd=command.cwd))
        printed = yield from self._readings(command, moment)
        self.flows |= {(source, origin.command) for source in moment.used if source != origin.command}
        return printed

    def _readings(self, command: Command, moment: _Moment) -> Lowering:
        """What the name may stand for: a program with a row, a script, or both."""
        name = command.argv[0].text or _known_end(command.argv[0])
        if name is None:
            yield Interpret("shell", command.argv[0], moment.origin, via="a name that is not known")
            return moment.output(command.argv[0].shown)
        bare = name.rpartition("/")[2]
        row = programs.row(bare)
        scripts = self._scripts(command, moment) if "/" in name and not name.startswith(_PROGRAM_FOLDERS) else []
        printed: Word | None = None
        for code, language in scripts:
            interpreted = Interpret(language, code, moment.origin, command.argv, name, file=name)
            printed = yield from self._interpret(interpreted, command, moment)
        if row is not None:
            return (yield from self._reported(row.effects(command.argv, moment), row.silent, command, moment))
        if not scripts:
            _ = moment.stdin  # whatever it is may read it
            for carried in _carried(command, moment.origin):
                yield from self._started(carried, command, moment)
        return printed if printed is not None and not printed.parts else moment.output(command.argv[0].shown)

    def _scripts(self, command: Command, moment: _Moment) -> list[tuple[Word, str]]:
        """What a file that is run by its path holds, when it is text: with the language its first line names."""
        found: list[tuple[Word, str]] = []
        for code in moment.contents(command.argv[0]):
            if code.text is not None:
                language = _language(code.text)
                if language is not None:
                    found.append((code, language))
            elif code.src - {moment.origin.command}:  # text that this call brought here and nobody has read
                found.append((code, "shell"))
        return found

    def _reported(self, reported: Iterator[Reported], silent: bool, command: Command, moment: _Moment) -> Lowering:
        printed: Word | None = None
        for effect in reported:
            output: Word | None = None
            match effect:
                case Prints(word=word):
                    output = word
                case Run():
                    output = yield from self._started(effect, command, moment)
                case Interpret():
                    output = yield from self._interpret(effect, command, moment)
                case _:
                    yield effect
            if output is not None:
                printed = output if printed is None else printed + output
        if printed is None:
            return EMPTY if silent else moment.output(command.argv[0].shown)
        return printed

    def _started(self, run: Run, command: Command, moment: _Moment) -> Lowering:
        """A command that another one carries: changed as its carrier says."""
        site = run.site or command.site
        cwd = command.cwd
        if run.cwd is not None:
            place = self.place(run.cwd, command.cwd, site)
            cwd = known(place.path) if place.path is not None and site == command.site else run.cwd
        sure = command.sure if run.sure is True else None if command.sure is not False else False
        printed: Word = yield Command(
            run.argv,
            cwd,
            command.scope.with_assigned(dict(run.env), clean=run.clean),
            moment.stdin if run.stdin is None else run.stdin,
            command.span,
            (*command.via, run.via),
            site,
            0,
            sure,
            command.always,
            command.depth + 1,
        )
        return printed

    # ---- code

    def _interpret(self, code: Interpret, command: Command, moment: _Moment) -> Lowering:
        """Code in the same place as the command, or at the site its carrier names. What cannot be read is recorded as it is."""
        moment.used |= code.code.src
        self.flows |= {(source, command.number) for source in code.code.src if source != command.number}
        if code.language == "shell":
            return (yield from self._in_shell(code, command, moment))
        text, read = languages.spelled(code.code), languages.reader(code.language)
        if text is None and code.language == "sed":  # a whole script from a variable: only its e command would run anything
            return moment.output(code.via)
        if text is None or read is None:
            yield code
            return moment.output(code.via)
        if code.code.text is None and code.code.src:
            yield replace(code, partial=True)
        via = (*command.via, code.via)
        inner_command = replace(command, via=via, depth=command.depth + 1)
        inner_moment = _Moment(inner_command, replace(moment.origin, via=via), self, moment.used)
        return (yield from self._reported(read(code, text, inner_moment), False, inner_command, inner_moment))

    def _in_shell(self, code: Interpret, command: Command, moment: _Moment) -> Lowering:
        spelled = partial.spelled(code.code) if code.code.text is None else (code.code.text, {})
        if spelled is None:
            yield code
            return moment.output(code.via)
        text, parts = spelled
        if parts and code.code.src:
            yield replace(code, partial=True)
        site = code.site or command.site
        here = site.machine == command.site.machine
        own = known(self.scene.home)
        home = (own, known("/root")) if site.user == "root" else (own,)  # sudo may keep HOME or set it
        scope = command.scope if here else NO_SCOPE
        frame = Frame(
            (command.cwd if here else known("/"),),
            home if here else (unknown("~"),),
            _Environ(scope) if here else {},
            {**scope.all(), **{name: (part,) for name, part in parts.items()}},
            site,
            (*command.via, code.via),
            code.args,
            _THE_REST if code.code == command.stdin and code.code.parts else command.stdin,
            command.span,
            command.sure,
            command.always,
            command.depth + 1,
        )
        printed: Word = yield program(text, frame)
        return printed.from_commands(code.code.src)


class _Environ(Mapping[str, str]):
    """The caller's environment as a nested shell inherits it: what the text itself set is given apart, and hides it."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    def __getitem__(self, name: str) -> str:
        if name in self._scope.variables:
            raise KeyError(name)
        return self._scope.environ[name]

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._scope.environ if name not in self._scope.variables)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _known_end(name: Word) -> str | None:
    """`$VENV/bin/python`: which program it is, if not where it lies."""
    folder, slash, _ = name.tail.rpartition("/")
    return name.tail if slash and name.text is None and (folder or name.tail) else None


def _is_known_or_glob(part: str | Hole) -> bool:
    return isinstance(part, str) or part.why[:1] in ("*", "?", "[")


_THE_REST = unknown("the rest of the text")  # a shell that reads its commands from standard input shares it with them
_LISTED, _MATCHED = 2_000, 16
_PLACED = (Read, Write, Delete, Move, Link, Permission)
_PROGRAM_FOLDERS = ("/bin/", "/usr/bin/", "/sbin/", "/usr/sbin/", "/usr/local/bin/", "/opt/homebrew/bin/")


def _language(text: str) -> str | None:
    """What would run a text file: what its first line names, else a shell; None for what is no script."""
    if "\0" in text:
        return None
    if not text.startswith("#!"):
        return "shell"
    words = text.split("\n", 1)[0][2:].split()
    names = [word.rpartition("/")[2] for word in words if "=" not in word and not word.startswith("-")]
    name = names[1] if len(names) > 1 and names[0] == "env" else names[0] if names else "sh"
    return languages.of_interpreter(name)


def _carried(command: Command, origin: Origin) -> Iterator[Run]:
    """A program that nobody described may run what stands in its arguments: maybe."""
    for n, word in enumerate(command.argv[1:], 1):
        text = word.text
        if text is not None and programs.row(text.rpartition("/")[2]) is not None and text != ".":
            yield Run(command.argv[n:], origin, f"{command.argv[0].shown}?", sure=None)
            return
