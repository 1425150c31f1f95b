"""One stack of generators, until nothing is left on it.

The shell's reading yields commands; each is lowered by its program's row, which reports effects, more commands (`Run`) and code
(`Interpret`); those go on the stack in turn. Here alone are the budget of steps, the numbers of commands, and the flows between
them.
"""

from collections.abc import Generator, Iterator, Mapping, Set
from dataclasses import replace
from types import GeneratorType
from typing import Any

from toolgate import languages, programs
from toolgate.model.effect import HERE_AND_NOW, Effect, Environment, Interpret, Opaque, Origin, Prints, Reported, Run, Write
from toolgate.model.event import Scene
from toolgate.model.place import LOCAL
from toolgate.model.word import EMPTY, Maybe, Word, known, unknown
from toolgate.model.world import World
from toolgate.programs import convention
from toolgate.shell import partial
from toolgate.shell.commands import program
from toolgate.shell.protocol import NO_SCOPE, Beyond, Command, Contents, IsFolder, Number, Scope, Tick, Where
from toolgate.shell.state import Frame

from .moment import Moment
from .surroundings import Surroundings

STEPS = 20_000
DEPTH = 24
Lowering = Generator[Any, Any, Word]


class Worklist:
    def __init__(self, scene: Scene, world: World, wrappers: Mapping[str, str]) -> None:
        """`wrappers`: programs that a policy knows to run the command they are given, with their options."""
        self.scene, self.around = scene, Surroundings(world)
        self.effects: list[Effect] = []
        self.flows: set[tuple[int, int]] = set()
        self._wrappers = wrappers
        self._steps, self._number = STEPS, 0
        self._always: dict[int, bool] = {}

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
        kind = type(yielded)
        if kind is Command:
            stack.append(self._lower(yielded))
        elif kind is Number:
            self._number += 1
            return self._number
        elif kind is Where:
            return self.around.place(*yielded)
        elif kind is IsFolder:
            return self.around.is_folder(yielded.place)
        elif kind is Contents:
            return self.around.contents(yielded.place)
        elif kind is GeneratorType:
            stack.append(yielded)
        elif kind is not Tick:
            self.record(yielded)
        return None

    # ---- effects

    def record(self, effect: Effect) -> None:
        always = self._always.get(effect.origin.command, True)
        for each in self.around.each_place(effect):
            self.effects.append(each)
            if isinstance(each, Write) and each.content is not None:
                self._flow(each.content.src, each.origin.command)
            self.around.change(each, always=always)

    def _flow(self, sources: Set[int], target: int) -> None:
        """What these commands printed reaches that one."""
        if sources:
            self.flows |= {(source, target) for source in sources if source != target}

    # ---- commands

    def _lower(self, command: Command) -> Lowering:
        """A command -> its effects. Returns what it prints."""
        if not command.argv:
            return EMPTY  # a carrier that was given nothing to carry
        if not command.number:
            self._number += 1
            command.number = self._number
        self._always[command.number] = command.always
        if command.depth > DEPTH and command.file:
            return EMPTY  # what a project's own files go on to run is theirs
        if command.depth > DEPTH:
            raise Beyond("commands carry commands deeper than the gate follows")
        origin = Origin(command.number, command.span, command.via, command.site, command.sure, command.file)
        moment = Moment(command, origin, self.around, self.scene.home, {number for word in command.argv for number in word.src})
        if "PATH" in command.scope.variables:
            self._other_search_path(command, origin)
        self.effects.append(Run(command.argv, origin, cwd=command.cwd))
        printed = yield from self._readings(command, moment)
        self._flow(moment.used, origin.command)
        return printed

    def _other_search_path(self, command: Command, origin: Origin) -> None:
        """PATH was set otherwise than by an assignment (`read PATH`, `for PATH in`), which reports itself."""
        if not any(isinstance(each, Environment) and each.name == "PATH" for each in self.effects):
            self.effects.append(Environment("PATH", command.scope.get("PATH") or unknown("$PATH"), origin))

    def _readings(self, command: Command, moment: Moment) -> Lowering:
        """What the name may stand for: a program with a row, a script, or both."""
        name = command.argv[0].text or _known_end(command.argv[0]) or self._of_the_project(command.argv[0], moment)
        if not command.argv[0].parts:
            return EMPTY  # no program has an empty name
        if name is None:
            yield Interpret("shell", command.argv[0], moment.origin, via="a name that is not known")
            return moment.output(command.argv[0].shown)
        bare = name.rpartition("/")[2]
        row = programs.called(bare)
        if row is None and bare in self._wrappers:
            row = programs.wrapper(self._wrappers[bare])
        if "/" not in name:
            yield from self._found(name, command, moment)
        if name.startswith(_SERVICES):
            asked = (known("service"), known(bare, command.argv[0].src), *command.argv[1:])
            return (yield from self._started(Run(asked, moment.origin, name), command, moment))
        scripts = self._scripts(command.argv[0], moment) if "/" in name and not name.startswith(_PROGRAM_FOLDERS) else []
        silent = bool(scripts)
        for code, language in scripts:
            interpreted = Interpret(language, code, moment.origin, command.argv, name, file=name)
            printed = yield from self._interpret(interpreted, command, moment)
            silent = silent and not printed.parts
        if row is not None:
            return (yield from self._reported(row.effects(command.argv, moment), row.silent, command, moment))
        if not scripts:
            _ = moment.stdin  # whatever it is may read it
            yield from convention.written_by(command.argv, moment)
            from toolgate.programs.takings import taken_away  # most programs have a row

            yield from taken_away(command.argv, moment)
            for carried in _carried(command, moment.origin):
                yield from self._started(carried, command, moment)
        return EMPTY if silent else moment.output(command.argv[0].shown)

    def _of_the_project(self, word: Word, moment: Moment) -> str | None:
        """A program that a glob finds in the project, whatever its name: it is the project's own, as a script of it is."""
        place, project = moment.place(word), self.scene.project.rstrip("/")
        if not project or place.anchor is None or "**" in place.rest or place.machine != LOCAL:
            return None
        return f"./{word.shown}" if f"{place.anchor}/".startswith(f"{project}/") else None

    def _found(self, name: str, command: Command, moment: Moment) -> Lowering:
        """A program that this call has put into a folder of PATH: it may be the one that is run."""
        if command.site.machine != LOCAL or not self.around.overlay.may_hold(name):
            return EMPTY
        overlay, path = self.around.overlay, command.scope.get("PATH")
        if path is None and "PATH" not in command.scope.variables:
            if not overlay.written_as(name):
                return EMPTY
            path = _USUAL_PATH
        path = unknown("$PATH") if path is None else path
        folders = path.pieces(":")
        places = [moment.place(folder + known(f"/{name}")).path for folder in folders]
        here = [each for each in places if each is not None and overlay.written_here(each)]
        anywhere = overlay.written_as(name) if None in places else ()
        for file in dict.fromkeys((*here, *anywhere)):
            for code, language in self._scripts(known(file), moment):
                interpreted = Interpret(language, code, moment.origin, command.argv, file, file=file)
                yield from self._interpret(interpreted, command, moment)
        return EMPTY

    def _scripts(self, file: Word, moment: Moment) -> list[tuple[Word, str]]:
        """What a file that is run by its path holds, when it is text: with the language its first line names."""
        found: list[tuple[Word, str]] = []
        for code in moment.contents(file):
            if code.text is not None:
                language = _language(code.text)
                if language is not None:
                    found.append((code, language))
            elif code.src - {moment.origin.command}:  # text that this call brought here and nobody has read
                found.append((code, "shell"))
        return found

    def _reported(self, reported: Iterator[Reported], silent: bool, command: Command, moment: Moment) -> Lowering:
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

    def _started(self, run: Run, command: Command, moment: Moment) -> Lowering:
        """A command that another one carries: changed as its carrier says."""
        site = run.site or command.site
        cwd = command.cwd
        if run.cwd is not None:
            place = self.around.place(run.cwd, command.cwd, site)
            cwd = known(place.path) if place.path is not None and site == command.site else run.cwd
        sure = _as_sure(run.sure, command)
        printed: Word = yield Command(
            run.argv,
            cwd,
            (self._cleaned() if run.clean else command.scope).with_assigned(dict(run.env)),
            moment.stdin if run.stdin is None else run.stdin,
            command.span,
            (*command.via, run.via),
            site,
            0,
            sure,
            command.always,
            command.depth + 1,
            command.file,
        )
        return printed

    # ---- code

    def _interpret(self, code: Interpret, command: Command, moment: Moment) -> Lowering:
        """Code in the same place as the command, or at the site its carrier names. What cannot be read is recorded as it is."""
        moment.used |= code.code.src
        self._flow(code.code.src, command.number)
        if code.language == "shell":
            return (yield from self._in_shell(code, command, moment))
        text, read = languages.spelled(code.code), languages.reader(code.language)
        if text is None and code.language == "sed":  # a whole script from a variable: only its e command would run anything
            return moment.output(code.via)
        if text is None or read is None:
            yield code._replace(origin=code.origin._replace(file=_own_file(code, command)))
            return moment.output(code.via)
        if code.code.src:
            yield code._replace(followed=True)
        via = (*command.via, code.via)
        inner_command = replace(command, via=via, depth=command.depth + 1, file=_own_file(code, command))
        inner_origin = moment.origin._replace(via=via, file=inner_command.file)
        inner_moment = Moment(inner_command, inner_origin, self.around, self.scene.home, moment.used)
        return (yield from self._reported(read(code, text, inner_moment), False, inner_command, inner_moment))

    def _cleaned(self) -> Scope:
        """No environment. Without HOME some shells look up where `~` is, to others it is a name, and `$HOME` is nothing."""
        return Scope({"HOME": (known(self.scene.home), EMPTY)}, {"HOME": True}, {}, {})

    def _in_shell(self, code: Interpret, command: Command, moment: Moment) -> Lowering:
        spelled = partial.spelled(code.code) if code.code.text is None else (code.code.text, {})
        if spelled is None:
            yield code._replace(origin=code.origin._replace(file=_own_file(code, command)))
            return moment.output(code.via)
        text, parts = spelled
        if code.code.src:
            yield code._replace(followed=True)
        site = code.site or command.site
        here = site.machine == command.site.machine
        own = known(self.scene.home)
        home = (own, known("/root")) if site.user == "root" else (own,)  # sudo may keep HOME or set it
        scope = command.scope if here else NO_SCOPE
        reader = _shell_of(command, text)
        for startup in _read_at_the_start(reader, moment) if here else ():
            text = f"{startup}\n{text}"
        frame = Frame(
            (self._folder(code, command) if here else known("/"),),
            home if here else (unknown("~"),),
            _Environ(scope) if here else {},
            {**scope.all(), **{name: (part,) for name, part in parts.items()}},
            site,
            (*command.via, code.via),
            code.args,
            _THE_REST if code.code == command.stdin and code.code.parts else command.stdin,
            command.span,
            _as_sure(code.sure, command),
            command.always,
            command.depth + 1,
            _own_file(code, command),
            zsh=reader == "zsh",
            dialect="bash" if reader in _LIKE_BASH or not here else "sh",
            is_dash=reader == "dash" or (here and self.around.sh_is_dash),
            functions=scope.inherited() if reader in _IMPORTS_FUNCTIONS else {},
        )
        printed: Word = yield program(text, frame)
        return printed.from_commands(code.code.src)

    def _folder(self, code: Interpret, command: Command) -> Word:
        if code.cwd is None:
            return command.cwd
        place = self.around.place(code.cwd, command.cwd, command.site)
        return known(place.path) if place.path is not None else code.cwd


def _as_sure(carried: Maybe, command: Command) -> Maybe:
    return command.sure if carried is True else None if command.sure is not False else False


def _own_file(code: Interpret, command: Command) -> str:
    """The file that this code stands in, unless this very call made it."""
    return code.file if code.file and not code.code.src else command.file


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


def _read_at_the_start(reader: str, moment: Moment) -> list[str]:
    """The files that a shell which asks nobody reads first, where this call says which."""
    name, file = _AT_THE_START.get(reader, ("", ""))
    value = moment.variable(name)
    return [] if value is None or not value.parts else [text.text or "" for text in moment.contents(value + known(file))]


def _known_end(name: Word) -> str | None:
    """`$VENV/bin/python`: which program it is, if not where it lies."""
    folder, slash, _ = name.tail.rpartition("/")
    return name.tail if slash and name.text is None and (folder or name.tail) else None


_THE_REST = unknown("the rest of the text")  # a shell that reads its commands from standard input shares it with them
_SERVICES = ("/etc/init.d/", "/etc/rc.d/", "/usr/local/etc/rc.d/")
_PROGRAM_FOLDERS = ("/bin/", "/usr/bin/", "/sbin/", "/usr/sbin/", "/usr/local/bin/", "/opt/homebrew/bin/")
_USUAL_PATH = known(":".join(folder.removesuffix("/") for folder in _PROGRAM_FOLDERS))  # where the caller's is not known


_AT_THE_START = {"bash": ("BASH_ENV", ""), "rbash": ("BASH_ENV", ""), "zsh": ("ZDOTDIR", "/.zshenv")}
_IMPORTS_FUNCTIONS = ("bash", "rbash", "sh")
_LIKE_BASH = frozenset(("bash", "rbash", "zsh", "ksh", "mksh", "fish", "csh", "tcsh"))


def _shell_of(command: Command, text: str) -> str:
    """The program that reads a shell text: what its first line names where it is run by its path, else the command itself.
    Whoever else has text run gives it to sh."""
    name = command.argv[0].tail.rpartition("/")[2]
    if text.startswith("#!") and languages.of_interpreter(name) != "shell":
        return _interpreter(text)
    return name


def _language(text: str) -> str | None:
    """What would run a text file: what its first line names, else a shell; None for what is no script."""
    if "\0" in text:
        return None
    if not text.startswith("#!"):
        return "shell"
    return languages.of_interpreter(_interpreter(text))


def _interpreter(text: str) -> str:
    """The program that a script's first line names."""
    words = text.split("\n", 1)[0][2:].split()
    names = [word.rpartition("/")[2] for word in words if "=" not in word and not word.startswith("-")]
    return names[1] if len(names) > 1 and names[0] == "env" else names[0] if names else "sh"


def _carried(command: Command, origin: Origin) -> Iterator[Run]:
    """A program that nobody described may run what stands in its arguments: maybe."""
    for n, word in enumerate(command.argv[1:], 1):
        text = word.text
        if text is not None and programs.row(text.rpartition("/")[2]) is not None and text != ".":
            yield Run(command.argv[n:], origin, f"{command.argv[0].shown}?", sure=None)
            return
