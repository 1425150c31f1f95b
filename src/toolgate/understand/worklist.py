"""Runs a stack of generators until it is empty.

The shell's evaluation yields commands; each is lowered by its program's row, which reports effects, more commands (`Run`) and
code (`Interpret`); those are pushed in turn. This module keeps the step budget, the numbers of commands, and the flows
between them.
"""

from collections.abc import Generator, Iterator, Mapping, Set
from dataclasses import replace
from types import GeneratorType
from typing import Any

from toolgate import languages, programs
from toolgate.model.effect import HERE_AND_NOW, Effect, Environment, Interpret, Opaque, Origin, Prints, Reported, Run, Write
from toolgate.model.event import Scene
from toolgate.model.place import LOCAL
from toolgate.model.unread import find_unread_code, unread_code
from toolgate.model.word import EMPTY, Maybe, Word, known, unknown
from toolgate.model.world import World
from toolgate.programs import aspects, convention
from toolgate.shell import partial
from toolgate.shell.commands import program
from toolgate.shell.evaluation import without_nuls
from toolgate.shell.frame import Frame, Shown
from toolgate.shell.protocol import NO_SCOPE, Beyond, Command, Contents, IsFolder, Number, Scope, Tick, Where

from .environment import InheritedEnvironment, moved_settings, read_at_the_start
from .moment import Moment
from .shebang import language_of, may_be_unread_script, shell_of
from .surroundings import Surroundings

STEPS = 20_000
DEPTH = 24
Lowering = Generator[Any, Any, Word]


class Worklist:
    def __init__(self, scene: Scene, world: World, wrappers: Mapping[str, str]) -> None:
        """`wrappers`: programs that run the command they are given, known from a policy, with their options."""
        self.scene, self.around = scene, Surroundings(world)
        self.effects: list[Effect] = []
        self.flows: set[tuple[int, int]] = set()
        self.shown = Shown()
        self._wrappers = wrappers
        self._steps, self._number = STEPS, 0
        self._always: dict[int, bool] = {}
        self._within: list[tuple[object, ...]] = []

    # ---- the stack

    def run(self, first: Lowering) -> None:
        """Runs the stack until it, or the budget, is empty."""
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
            if kind is Write and yielded.content is not None and yielded.place.machine == LOCAL:
                stack.append(self._started_later(yielded))
        return None

    # ---- effects

    def record(self, effect: Effect) -> None:
        always = self._always.get(effect.origin.command, True)
        for each in self.around.each_place(effect):
            self.effects.append(each)
            if isinstance(each, Write) and each.content is not None:
                self._flow(each.content.src, each.origin.command)
            self.around.change(each, always=always)

    def _started_later(self, write: Write) -> Lowering:
        """Lowers the new content of a file that starts by itself: it is judged now, though it changes nothing yet."""
        from toolgate.programs.tasks.self_starting import read_content, starts_by_itself

        path = write.place.path or ""
        if not starts_by_itself(path):
            return EMPTY
        held = [text for text in self.around.contents(write.place) if text is not None]
        texts = [text for text in held if write.origin.command in text.src] or [write.content or EMPTY]
        name = path.rpartition("/")[2]
        for text in texts:
            self._number += 1
            command = Command(
                (known(name),), known(self.scene.project or self.scene.home), NO_SCOPE, via=(name,), number=self._number
            )
            command.always, command.site = False, write.origin.site
            moment = Moment(command, _origin(command), self.around, self.scene.home, self.scene.project, set())
            self._always[command.number] = False
            yield from self._reported(read_content(path, text, moment), True, command, moment)
        return EMPTY

    def _flow(self, sources: Set[int], target: int) -> None:
        """Records that the output of these commands reaches that one."""
        if sources:
            self.flows |= {(source, target) for source in sources if source != target}

    # ---- commands

    def _lower(self, command: Command) -> Lowering:
        """Lowers a command to its effects. Returns its output."""
        if not command.argv:
            return EMPTY  # a carrier without a command
        if not command.number:
            self._number += 1
            command.number = self._number
        self._always[command.number] = command.always
        started_as = _started_as(command) if command.file else ()
        if command.file and started_as in self._within:
            return EMPTY  # a script that starts itself again, unchanged
        if command.depth > DEPTH and command.file:
            text = " ".join(word.shown for word in command.argv)[:60]
            yield unread_code(text, f"{command.file} runs it through more than {DEPTH} commands", _origin(command))
            return EMPTY
        if command.depth > DEPTH:
            raise Beyond("commands carry commands deeper than the gate follows")
        origin = _origin(command)
        moment = Moment(
            command,
            origin,
            self.around,
            self.scene.home,
            self.scene.project,
            {number for word in command.argv for number in word.src},
        )
        self._other_search_path(command, origin)
        self.effects.append(Run(command.argv, origin, cwd=command.cwd, place=self.around.program_at(command)))
        self._within.append(started_as)
        printed = yield from self._readings(command, moment)
        self._within.pop()
        self._flow(moment.used, origin.command)
        return printed

    def _other_search_path(self, command: Command, origin: Origin) -> None:
        """Records a PATH that was set other than by an assignment (`read PATH`, `for PATH in`), which reports itself."""
        is_set = "PATH" in command.scope.variables
        if is_set and not any(isinstance(each, Environment) and each.name == "PATH" for each in self.effects):
            self.effects.append(Environment("PATH", command.scope.get("PATH") or unknown("$PATH"), origin))

    def _readings(self, command: Command, moment: Moment) -> Lowering:
        """Lowers what the name may mean: a program with a row, a script, or both."""
        if not command.argv[0].parts:
            return EMPTY  # no program has an empty name
        name = command.argv[0].text or _known_end(command.argv[0]) or self._of_the_project(command.argv[0], moment)
        if name is None:
            yield Interpret("shell", command.argv[0], moment.origin, via="a name that is not known")
            return moment.output(command.argv[0].shown)
        bare = name.rpartition("/")[2]
        row = programs.called(bare)
        if row is None and "/" in name and (linked := self.around.linked_program(moment.place(command.argv[0], follow=False))):
            row, bare = programs.linked(linked), linked
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
        yield from self._reported(aspects.find_aspects(bare, command.argv, moment), True, command, moment)
        if row is not None:
            return (yield from self._reported(row.effects(command.argv, moment), row.silent, command, moment))
        if not scripts:
            _ = moment.stdin  # an unknown program may read it
            yield from convention.read_by(command.argv, moment)
            yield from convention.written_by(command.argv, moment)
            from toolgate.programs.takings import taken_away  # most programs have a row

            yield from taken_away(command.argv, moment)
            for carried in convention.carried_by(command.argv, moment):
                yield from self._started(carried, command, moment)
        return EMPTY if silent else moment.output(command.argv[0].shown)

    def _of_the_project(self, word: Word, moment: Moment) -> str | None:
        """Returns the name of a program that a glob finds in the project: it is the project's own, like a script of it."""
        place, project = moment.place(word), self.scene.project.rstrip("/")
        if not project or place.anchor is None or "**" in place.rest or place.machine != LOCAL:
            return None
        return f"./{word.shown}" if f"{place.anchor}/".startswith(f"{project}/") else None

    def _found(self, name: str, command: Command, moment: Moment) -> Lowering:
        """Lowers a program that this call has written to a folder of PATH, as it may be the one that runs."""
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
        """Returns the texts of a file that is run by its path, with the language of each first line."""
        found: list[tuple[Word, str]] = []
        for code in moment.contents(file):
            if code.text is not None:
                language = language_of(code.text)
                if language is not None:
                    found.append((code, language))
            elif code.src - {moment.origin.command} or may_be_unread_script(code):  # unread text
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
        yield from moment.take_unread()
        if printed is None:
            return EMPTY if silent else moment.output(command.argv[0].shown)
        return printed

    def _started(self, run: Run, command: Command, moment: Moment) -> Lowering:
        """Runs a command that another one carries, with the carrier's changes."""
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
        """Runs code in the command's context, or at its carrier's site. Unreadable code is recorded unchanged."""
        moment.used |= code.code.src
        self._flow(code.code.src, command.number)
        yield from find_unread_code(code.code, moment.origin)
        if code.language == "shell":
            return (yield from self._in_shell(code, command, moment))
        text, read = languages.spelled(code.code), languages.reader(code.language)
        text = None if text is None else languages.decode(code.language, text)
        if text is None and code.language == "sed":  # a whole script from a variable: only its e command would run anything
            return moment.output(code.via)
        if text is None or read is None:
            yield code._replace(origin=code.origin._replace(file=_own_file(code, command)))
            return moment.output(code.via)
        yield from ([] if code.file else moved_settings(text, moment.origin))
        if code.code.src or code.file:
            yield code._replace(followed=True)
        via = (*command.via, code.via)
        inner_command = replace(command, via=via, depth=command.depth + 1, file=_own_file(code, command))
        inner_origin = moment.origin._replace(via=via, file=inner_command.file)
        inner_moment = Moment(inner_command, inner_origin, self.around, self.scene.home, self.scene.project, moment.used)
        return (yield from self._reported(read(code, text, inner_moment), False, inner_command, inner_moment))

    def _cleaned(self) -> Scope:
        """Returns an empty environment. Without HOME some shells look up `~`, others take it as a name, and `$HOME` is empty."""
        return Scope({"HOME": (known(self.scene.home), EMPTY)}, {"HOME": True}, {}, {})

    def _in_shell(self, code: Interpret, command: Command, moment: Moment) -> Lowering:
        spelled = partial.spelled(code.code) if code.code.text is None else (code.code.text, {})
        if spelled is None:
            yield code._replace(origin=code.origin._replace(file=_own_file(code, command)))
        text, parts = (without_nuls(spelled[0]), spelled[1]) if spelled is not None else ("", {})  # its environment is still read
        if spelled is not None and (code.code.src or code.file):
            yield code._replace(followed=True)
        site = code.site or command.site
        here = site.machine == command.site.machine
        own = known(self.scene.home)
        home = (own, known("/root")) if site.user == "root" else (own,)  # sudo may keep HOME or set it
        scope = command.scope if here else NO_SCOPE
        reader = shell_of(command, text)
        for startup in read_at_the_start(reader, moment) if here else ():
            text = f"{startup}\n{text}"
        frame = Frame(
            (self._folder(code, command) if here else known("/"),),
            home if here else (unknown("~"),),
            InheritedEnvironment(scope) if here else {},
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
        return printed.from_commands(code.code.src) if spelled is not None else moment.output(code.via)

    def _folder(self, code: Interpret, command: Command) -> Word:
        if code.cwd is None:
            return command.cwd
        place = self.around.place(code.cwd, command.cwd, command.site)
        return known(place.path) if place.path is not None else code.cwd


def _origin(command: Command) -> Origin:
    return Origin(command.number, command.span, command.via, command.site, command.sure, command.file)


def _started_as(command: Command) -> tuple[object, ...]:
    """Returns the state that a started program sees: its words, directory, and what this call added to its environment.
    Unknown values with the same name are equal."""
    scope = command.scope
    exported = (name for name, is_exported in scope.exported.items() if is_exported is not False)
    environ = {name: scope.get(name) for name in (*exported, *scope.assigned)}
    shown = frozenset((name, None if value is None else value.shown) for name, value in environ.items())
    return tuple(word.shown for word in command.argv), command.cwd.shown, command.stdin.shown, shown


def _as_sure(carried: Maybe, command: Command) -> Maybe:
    return command.sure if carried is True else None if command.sure is not False else False


def _own_file(code: Interpret, command: Command) -> str:
    """Returns the file that contains this code, unless this call wrote it."""
    return code.file if code.file and not code.code.src else command.file


def _known_end(name: Word) -> str | None:
    """Returns the known end of a program's path: `$VENV/bin/python`."""
    folder, slash, _ = name.tail.rpartition("/")
    return name.tail if slash and name.text is None and (folder or name.tail) else None


_THE_REST = unknown("the rest of the text")  # a shell that reads its commands from standard input shares it with them
_SERVICES = ("/etc/init.d/", "/etc/rc.d/", "/usr/local/etc/rc.d/")
_PROGRAM_FOLDERS = ("/bin/", "/usr/bin/", "/sbin/", "/usr/sbin/", "/usr/local/bin/", "/opt/homebrew/bin/")
_USUAL_PATH = known(":".join(folder.removesuffix("/") for folder in _PROGRAM_FOLDERS))  # if the caller's is unknown


_IMPORTS_FUNCTIONS = ("bash", "rbash", "sh")
_LIKE_BASH = frozenset(("bash", "rbash", "zsh", "ksh", "mksh", "fish", "csh", "tcsh"))
