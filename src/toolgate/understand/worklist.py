"""Runs a stack of generators until it is empty.

The shell's evaluation yields commands; each is lowered by its program's row, which reports effects, more commands (`Run`) and
code (`Interpret`); those are pushed in turn. This module keeps the step budget, the numbers of commands, and the flows
between them.
"""

from collections.abc import Generator, Iterator, Mapping, Set
from dataclasses import replace
from itertools import chain, count
from types import GeneratorType
from typing import Any

from toolgate import languages, programs
from toolgate.model.effect import (
    DEFAULT_ORIGIN,
    Carrier,
    Effect,
    Interpret,
    Opaque,
    Origin,
    PrintedOutput,
    ReportedEffect,
    Run,
    Write,
)
from toolgate.model.errors import LimitError
from toolgate.model.event import Scene
from toolgate.model.place import LOCAL
from toolgate.model.unread_code import find_unread_code, opaque_for_unread
from toolgate.model.word import EMPTY, Word, known_word, unknown_named, unknown_word
from toolgate.model.world import World
from toolgate.programs import aspects
from toolgate.programs.argv import conventions
from toolgate.shell.domain.frame import DisplayedOutput, Frame
from toolgate.shell.domain.protocol import (
    MAX_DEPTH,
    NO_SCOPE,
    AskIsFolder,
    Command,
    ListFolders,
    NextNumber,
    ReadContents,
    ResolvePlace,
    Scope,
    Tick,
)
from toolgate.shell.domain.values import ANY_ARGUMENTS
from toolgate.shell.run import unknown_parts
from toolgate.shell.run.commands import run_with_capture
from toolgate.shell.run.eval_builtins import strip_nuls
from toolgate.shell.syntax.dialects import Dialect

from .code_readings import CodeReadings
from .environment import InheritedEnvironment, find_relocated_settings, find_search_path, read_startup_files
from .invocations import build_start_key, combine_sureness, command_origin, known_program_path, list_carriers, source_file
from .machine_state import MachineState
from .program_context import ProgramContext, find_project_program
from .repetition import Repetitions
from .shebang import read_scripts, shell_program

MAX_STEPS = 20_000
Lowering = Generator[Any, Any, Word]


class Worklist:
    def __init__(self, scene: Scene, world: World, wrappers: Mapping[str, str]) -> None:
        """`wrappers`: programs that run the command they are given, known from a policy, with their options."""
        self.scene, self.machine_state = scene, MachineState(world)
        self.effects: list[Effect] = []
        self.flows: set[tuple[int, int]] = set()
        self.shown = DisplayedOutput()
        self._wrappers = wrappers
        self._steps, self._numbers = MAX_STEPS, count(1)
        self._always: dict[int, bool] = {}
        self._within: list[tuple[object, ...]] = []
        self._repetitions, self._code_readings = Repetitions(self.machine_state), CodeReadings(self.machine_state)

    # ---- the stack

    def run(self, first: Lowering) -> None:
        """Runs the stack until it, or the budget, is empty. What the first returns is shown to the caller."""
        stack: list[Lowering] = [first]
        answer: Any = None
        try:
            while stack:
                self._steps -= 1
                if self._steps < 0:
                    raise LimitError("this call does more than the gate follows in one call")
                try:
                    yielded = stack[-1].send(answer)
                except StopIteration as stop:
                    stack.pop()
                    answer = stop.value
                    continue
                answer = self._answer_request(yielded, stack)
            self.shown.add_words((answer,))
        except LimitError as beyond:
            self.effects.append(Opaque(str(beyond), DEFAULT_ORIGIN))

    def _answer_request(self, yielded: Any, stack: list[Lowering]) -> Any:
        kind = type(yielded)
        if kind is Command:
            stack.append(self._lower_command(yielded))
        elif kind is NextNumber:
            return next(self._numbers)
        elif kind is ResolvePlace:
            return self.machine_state.resolve_place(*yielded)
        elif kind is AskIsFolder:
            return self.machine_state.is_folder(yielded.place)
        elif kind is ListFolders:
            return self.machine_state.list_folders(yielded.place)
        elif kind is ReadContents:
            return self.machine_state.read_alternatives(yielded.place)
        elif kind is GeneratorType:
            stack.append(yielded)
        elif kind is Write and self._starts_by_itself(yielded):
            self.record_effect(yielded._replace(followed=self.machine_state.knows_result(yielded)))
            stack.append(self._lower_self_starting_file(yielded))
        elif kind is not Tick:
            self.record_effect(yielded)
        return None

    # ---- effects

    def record_effect(self, effect: Effect) -> None:
        always = self._always.get(effect.origin.command, True)
        for each in self.machine_state.iter_effect_per_place(effect):
            self.effects.append(each)
            if isinstance(each, Write) and each.content is not None:
                self._add_flow(each.content.src, each.origin.command)
            self.machine_state.apply_effect(each, always=always)

    def _starts_by_itself(self, write: Write) -> bool:
        """Returns whether the new content of a file is judged now, though it changes nothing yet."""
        from toolgate.programs.tasks.self_starting import is_self_starting

        return write.content is not None and write.place.machine == LOCAL and is_self_starting(write.place.path or "")

    def _lower_self_starting_file(self, write: Write) -> Lowering:
        from toolgate.programs.tasks.self_starting import read_content

        path, number, part = write.place.path or "", write.origin.command, write.content or EMPTY
        held = [text for text in self.machine_state.read_alternatives(write.place) if text is not None and number in text.src]
        name = path.rpartition("/")[2]
        texts = [*(held or [part]), *([part] if write.edits and name == "package.json" else [])]  # its reader completes a part
        for text in texts:
            folder = known_word(self.scene.project or self.scene.home)
            command = Command((known_word(name),), folder, NO_SCOPE, via=(Carrier(name),), number=next(self._numbers))
            command.always, command.site = False, write.origin.site
            context = self._make_context(command, command_origin(command), set())
            self._always[command.number] = False
            yield from self._relay_effects(read_content(path, text, context), True, command, context)
        return EMPTY

    def _add_flow(self, sources: Set[int], target: int) -> None:
        """Records that the output of these commands reaches that one."""
        if sources:
            self.flows.update([(source, target) for source in sources if source != target])

    # ---- commands

    def _lower_command(self, command: Command) -> Lowering:
        """Lowers a command to its effects. Returns its output."""
        if not command.argv:
            return EMPTY  # a carrier without a command
        if not command.number:
            command.number = next(self._numbers)
        self._always[command.number] = command.always
        key = self._repetitions.build_key(command, self._within)
        if key is not None and (earlier := self._repetitions.find(key)) is not None:
            self.effects += earlier.repeat_effects(command)
            self._add_flow(earlier.find_sources(command), command.number)
            return earlier.print_as(command)
        started_as, first = build_start_key(command, self.machine_state.version), len(self.effects)
        if started_as and started_as in self._within:
            return EMPTY  # a script that starts itself again, unchanged
        if command.depth > MAX_DEPTH:
            text = " ".join(word.display_text for word in command.argv)[:60]
            why = f"{command.file or 'this call'} runs it through more than {MAX_DEPTH} commands"
            yield opaque_for_unread(text, why, command_origin(command))
            return EMPTY
        origin = command_origin(command)
        used = {number for word in command.argv for number in word.src}
        context = self._make_context(command, origin, used)
        self.effects += list(find_search_path(command, self.effects, origin))
        self.effects.append(Run(command.argv, origin, cwd=command.cwd, place=self.machine_state.find_program(command)))
        self._within.append(started_as)
        printed = yield from self._lower_by_name(command, context)
        self._within.pop()
        self._add_flow(context.used, origin.command)
        if key is not None:
            self._repetitions.remember(key, command, printed, self.effects[first:], context.used)
        return printed

    def _make_context(self, command: Command, origin: Origin, used: set[int]) -> ProgramContext:
        return ProgramContext(command, origin, self.machine_state, self.scene.home, self.scene.project, used)

    def _lower_by_name(self, command: Command, context: ProgramContext) -> Lowering:
        """Lowers what the name may mean: a program with a row, a script, or both."""
        if not command.argv[0].parts:
            return EMPTY  # no program has an empty name
        name = command.argv[0].text or known_program_path(command.argv[0]) or find_project_program(command.argv[0], context)
        if name is None:
            yield from self._interpret_written_file(command.argv[0], "", command, context)
            if not self.machine_state.is_written_script(context.resolve_place(command.argv[0])):
                yield Interpret("shell", command.argv[0], context.origin, via=Carrier("a name that is not known"))
            return context.unknown_output(command.argv[0].display_text)
        bare = name.rpartition("/")[2]
        row = programs.find_program(bare)
        place = context.resolve_place(command.argv[0], follow=False) if row is None and "/" in name else None
        if place is not None and (linked := self.machine_state.find_linked_program(place)):
            row, bare = programs.find_linked_program(linked), linked
        if row is None and bare in self._wrappers:
            row = programs.build_wrapper(self._wrappers[bare])
        if "/" not in name:
            yield from self._lower_written_program(name, command, context)
        if name.startswith(_SERVICE_FOLDERS):
            service_command = (known_word("service"), known_word(bare, command.argv[0].src), *command.argv[1:])
            return (yield from self._start_command(Run(service_command, context.origin, Carrier(name)), command, context))
        scripts = read_scripts(command.argv[0], context) if "/" in name and not name.startswith(_PROGRAM_FOLDERS) else []
        outputs: list[Word] = []
        for code, language in scripts:
            interpreted = Interpret(language, code, context.origin, command.argv, Carrier(name), file=name)
            outputs.append((yield from self._interpret_code(interpreted, command, context)))
        yield from self._relay_effects(aspects.find_aspects(bare, command.argv, context), True, command, context)
        if bare in REQUESTING_PROGRAMS:
            from .service_requests import find_request_acts

            yield from find_request_acts(command.argv, context)
        if row is not None:
            return (yield from self._relay_effects(row.effects_of_call(command.argv, context), row.silent, command, context))
        if not scripts:
            _ = context.stdin  # an unknown program may read it
            yield from self._relay_effects(conventions.find_carried_commands(bare, command.argv, context), True, command, context)
            yield from conventions.guess_file_effects(command.argv, context)
        return context.join_outputs(outputs)

    def _lower_written_program(self, name: str, command: Command, context: ProgramContext) -> Lowering:
        """Lowers a program that this call has written to a folder of PATH, as it may be the one that runs."""
        if command.site.machine != LOCAL or not self.machine_state.overlay.may_hold_file(name):
            return EMPTY
        overlay, path = self.machine_state.overlay, command.scope.get("PATH")
        if path is None and "PATH" not in command.scope.variables:
            if not overlay.files_written_as(name):
                return EMPTY
            path = _DEFAULT_PATH
        folders = (unknown_word("$PATH") if path is None else path).split_at(":")
        places = [context.resolve_place(folder + known_word(f"/{name}")).path for folder in folders]
        written_here = [each for each in places if each is not None and overlay.is_written_here(each)]
        anywhere = overlay.files_written_as(name) if None in places else ()
        for file in dict.fromkeys((*written_here, *anywhere)):
            yield from self._interpret_written_file(known_word(file), file, command, context)
        return EMPTY

    def _interpret_written_file(self, file: Word, path: str, command: Command, context: ProgramContext) -> Lowering:
        for code, language in read_scripts(file, context):
            via = Carrier(file.display_text)
            interpreted = Interpret(language, code, context.origin, command.argv, via, file=path)
            yield from self._interpret_code(interpreted, command, context)
        return EMPTY

    def _relay_effects(
        self, reported: Iterator[ReportedEffect], silent: bool, command: Command, context: ProgramContext
    ) -> Lowering:
        printed: Word | None = None
        for effect in chain(reported, context.drain_unread()):
            output: Word | None = None
            match effect:
                case PrintedOutput(word=word):
                    output = word
                case Run():
                    output = yield from self._start_command(effect, command, context)
                case Interpret():
                    output = yield from self._interpret_code(effect, command, context)
                case _:
                    yield effect
            if output is not None:
                printed = output if printed is None else printed + output
        if printed is None:
            return EMPTY if silent else context.unknown_output(command.argv[0].display_text)
        return printed

    def _start_command(self, run: Run, command: Command, context: ProgramContext) -> Lowering:
        """Runs a command that another one carries, with the carrier's changes."""
        site, cwd = run.site or command.site, command.cwd
        if run.cwd is not None:
            place = self.machine_state.resolve_place(run.cwd, command.cwd, site)
            cwd = known_word(place.path) if place.path is not None and site == command.site else run.cwd
        printed: Word = yield Command(
            run.argv,
            cwd,
            (self._empty_scope() if run.clean else command.scope).add_assigned(dict(run.env)),
            context.stdin if run.stdin is None else run.stdin,
            command.span,
            list_carriers(command, run.via),
            site,
            0,
            combine_sureness(run.sure, command),
            command.always,
            command.depth + 1,
            command.file,
            command.merges_errors,
        )
        self._add_flow(printed.src if run.is_captured else set(), command.number)
        return printed

    # ---- code

    def _interpret_code(self, code: Interpret, command: Command, context: ProgramContext) -> Lowering:
        """Runs code in the command's context, or at its carrier's site. Unreadable code is recorded unchanged."""
        context.used |= code.code.src
        self._add_flow(code.code.src, command.number)
        yield from find_unread_code(code.code, context.origin)
        if code.language == "shell":
            return (yield from self._interpret_shell_text(code, command, context))
        text, read = languages.mark_unknown_parts(code.code), languages.reader_for_language(code.language)
        text = None if text is None else languages.decode_text(code.language, text)
        if text is None and code.language == "sed":  # a whole script from a variable: only its e command would run anything
            return context.unknown_output(code.runner)
        if text is None or read is None:
            yield code._replace(origin=code.origin._replace(file=source_file(code, command)))
            return context.unknown_output(code.runner)
        yield from ([] if code.file else find_relocated_settings(text, context.origin))
        if code.code.src or code.file:
            yield code._replace(followed=True)
        via = list_carriers(command, code.via)
        own, folder = source_file(code, command), self._code_folder(code, command)
        inner_command = replace(command, cwd=folder, via=via, depth=command.depth + 1, file=own, always=False)
        inner_origin = context.origin._replace(via=via, file=inner_command.file)
        inner_context = self._make_context(inner_command, inner_origin, context.used)
        reading = ("code", code.language, code.file, code.args, text)
        if code.file and reading in self._within:
            return context.unknown_output(code.runner)  # a program that builds or runs its own source, unchanged
        self._within.append(reading)
        always, self._always[command.number] = self._always[command.number], False  # a statement before may have failed
        reported = self._code_readings.report_effects(read, code, text, inner_command, inner_context)
        printed: Word = yield from self._relay_effects(reported, False, inner_command, inner_context)
        self._always[command.number] = always
        self._within.pop()
        return printed

    def _empty_scope(self) -> Scope:
        """Returns an empty environment. Without HOME some shells look up `~`, others take it as a name, and `$HOME` is empty."""
        return Scope({"HOME": (known_word(self.scene.home), EMPTY)}, {"HOME": True}, {}, {})

    def _interpret_shell_text(self, code: Interpret, command: Command, context: ProgramContext) -> Lowering:
        site = code.site or command.site
        is_same_machine, own = site.machine == command.site.machine, known_word(self.scene.home)
        scope = command.scope if is_same_machine else NO_SCOPE
        spelled = unknown_parts.replace_unknown_parts(code.code, variables := scope.exported_values())
        if spelled is None:
            yield code._replace(origin=code.origin._replace(file=source_file(code, command)))
        text, parts = (strip_nuls(spelled[0]), spelled[1]) if spelled is not None else ("", {})  # its environment is still read
        if spelled is not None and (code.code.src or code.file):
            yield code._replace(followed=True)
        home = (own, known_word("/root")) if site.user == "root" else (own,)  # sudo may keep HOME or set it
        reader = shell_program(command, text)
        is_sh_dash = reader == "dash" or (is_same_machine and self.machine_state.is_sh_dash)
        for startup in read_startup_files(reader, context) if is_same_machine else ():
            text = f"{startup}\n{text}"
        frame = Frame(
            (self._code_folder(code, command) if is_same_machine else known_word("/"),),
            home if is_same_machine else (unknown_named("~", variable="HOME"),),
            InheritedEnvironment(scope) if is_same_machine else {},
            {**variables, **{name: (part,) for name, part in parts.items()}},
            site,
            list_carriers(command, code.via),
            code.args or (ANY_ARGUMENTS if code.file else ()),  # who starts a hook, and with which arguments, is not known
            _REMAINING_TEXT if code.code == command.stdin and code.code.parts else command.stdin,
            command.span,
            combine_sureness(code.sure, command),
            command.always,
            command.depth + 1,
            source_file(code, command),
            dialect=Dialect(is_same_machine and reader not in _BASH_LIKE, reader == "zsh", is_sh_dash=is_sh_dash),
            functions=scope.inherited_functions() if reader in _FUNCTION_IMPORTERS else {},
            shown=None if command.merges_errors else self.shown,
        )
        printed: Word = yield run_with_capture(text, frame)
        return printed.from_commands(code.code.src) if spelled is not None else context.unknown_output(code.runner)

    def _code_folder(self, code: Interpret, command: Command) -> Word:
        if code.cwd is None:
            return command.cwd
        place = self.machine_state.resolve_place(code.cwd, command.cwd, command.site)
        return known_word(place.path) if place.path is not None else code.cwd


_REMAINING_TEXT = unknown_word("the rest of the text")  # a shell that reads its commands from standard input shares it with them
_SERVICE_FOLDERS = ("/etc/init.d/", "/etc/rc.d/", "/usr/local/etc/rc.d/")
_PROGRAM_FOLDERS = ("/bin/", "/usr/bin/", "/sbin/", "/usr/sbin/", "/usr/local/bin/", "/opt/homebrew/bin/")
REQUESTING_PROGRAMS = ("curl", "http", "https", "xh", "xhs")
_DEFAULT_PATH = known_word(":".join(folder.removesuffix("/") for folder in _PROGRAM_FOLDERS))  # if the caller's is unknown
_FUNCTION_IMPORTERS = ("bash", "rbash", "sh")
_BASH_LIKE = frozenset(("bash", "rbash", "zsh", "ksh", "mksh", "fish", "csh", "tcsh"))
