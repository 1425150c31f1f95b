"""Reports the effects of a text, each once, in the order they are found."""

from __future__ import annotations

from collections.abc import Callable

from toolgate.languages import UNKNOWN_PART
from toolgate.languages import word_from_text as marked_word
from toolgate.locality import uses_test_database
from toolgate.model.effect import (
    Carrier,
    Connect,
    Delete,
    Effect,
    Environment,
    Interpret,
    Link,
    Move,
    Opaque,
    Operation,
    Origin,
    Permission,
    Read,
    Run,
    Write,
)
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.place import Place
from toolgate.model.word import Hole, HoleKind, Maybe, Word, join_words, known_word, unknown_word, variable_word, word_of_kind

from .authorship import Responsibility, serves_development
from .client_acts import deletes_every_node, is_graph_query
from .file_changes import find_written_text, is_written
from .leaf_texts import find_open_files, leaf_words
from .obtained_secrets import hands_on_secret
from .opened_files import OpenedFiles
from .openings import Openings
from .safeguard_changes import report_request
from .source_units import SourceUnit
from .step_budget import StepBudget
from .values import (
    NULL,
    Constant,
    ListValue,
    MapValue,
    Unknown,
    Value,
    collect_sources,
    holds_environment,
    holds_kind,
    list_alternatives,
    truth_of,
    word_of,
    words_of,
)

_KINDS_OF_VALUES = {HoleKind.VARIABLE_NAME: HoleKind.ENVIRONMENT, HoleKind.SECRET_NAME: HoleKind.SECRET}
_WHOLE_CODE_OPERATIONS = ("process.replicate", "memory.fill", "disk.fill")
_EFFECT_COST = 15


class Reporter(Responsibility):
    """Reports effects. Rows of a library's table call its methods by name: `delete(path, True)`."""

    def __init__(self, code: Interpret, context: ExecutionContext, work: StepBudget) -> None:
        self.code, self.seen, self.language = code, context, code.language
        self.unit = SourceUnit("__main__", code.file, bool(code.file) and not code.code.src, context.origin)
        self.is_test = code.of_test and uses_test_database(code.code.text or "prod", context)
        self.work, self.effects, self.operations = work, list[Effect](), set[str]()
        self.printed: list[Word] = []
        self.contents: dict[Word, Value] = {}  # the file that a text is the whole content of
        self.openings, self.opened_files = Openings(context), OpenedFiles()
        self.namespaces: list[str] = []
        """The namespaces of tasks that enclose the current code."""
        for file in code.environment_files:
            self.openings.load_environment_file(file)
        self.nested = 0  # levels of code run at run time that enclose this one
        self._said: set[object] = set()
        self.home_cell: dict[str, Value] = {"HOME": known_word(context.home)}
        self.has_stopped_replicas = False  # whether the code has set an object's number of copies to none
        self.variables: dict[str, Value] = {}  # those that the code has set, or has loaded from a file
        self.is_certain: Callable[[], bool] = lambda: False
        """Returns whether the current code certainly runs."""

    # ---- position

    def enter_unit(self, unit: object) -> None:
        assert isinstance(unit, SourceUnit)
        self.unit = unit

    @property
    def origin(self) -> Origin:
        return self.unit.origin

    @property
    def own_command(self) -> frozenset[int]:
        return frozenset({self.seen.origin.command})

    def unknown_output(self, why: str) -> Word:
        """Returns unknown text as output of this command."""
        return unknown_word(why, self.own_command)

    def response(self) -> Word:
        """Returns the unknown response of a server that this command reads."""
        return word_of_kind(HoleKind.RESPONSE, self.own_command)

    def effects_in_order(self) -> list[Effect]:
        """Returns the effects, with those of the code as a whole first: following its commands may take the whole budget of
        the call."""
        return sorted(self.opened_files.fill_in_texts(self.effects), key=_is_of_one_statement)

    def add_effect(self, effect: Effect) -> None:
        self.work.spend_steps(_EFFECT_COST)
        self.effects.append(effect)

    def is_new(self, *said: object) -> bool:
        """Returns whether this is to be reported: it was not yet, and no test has replaced it."""
        mark = (self.unit.file, *said)
        if mark in self._said or said[0] in self.openings.simulated:
            return False
        self._said.add(mark)
        return True

    # ---- what the evaluator asks

    def unknown_name(self, name: str) -> Value:
        return marked_word(name) if UNKNOWN_PART in name else Unknown(name)

    def record_patch(self, name: str, value: Value) -> None:
        self.openings.note_setting(name.rpartition(".")[2].lower(), value)
        if name.startswith("os.environ."):
            for word in words_of(value):
                self.environment(name.removeprefix("os.environ."), word)

    def known_names(self, key: Value) -> list[str]:
        return [word.text for word in words_of(key) if word.text is not None]

    @property
    def home(self) -> Value:
        return self.home_cell["HOME"]

    def environment(self, name: str, value: Word) -> None:
        if self.is_new("environment", name, value):
            self.add_effect(Environment(name, value, self.origin))

    def variable(self, key: Value) -> Value:
        """Returns an environment variable by its name; a part of the whole environment for a name that was found in it."""
        if isinstance(key, Unknown) and key.kind in _KINDS_OF_VALUES:
            return word_of_kind(_KINDS_OF_VALUES[key.kind])
        name = word_of(key).text
        found = None if not name else self.home if name == "HOME" else self.variables.get(name) or self.seen.get_variable(name)
        return found or (variable_word(name) if name else unknown_word(f"${word_of(key).display_text}"))

    def script_arguments(self) -> Value:
        """Returns the program's arguments. A script's name, or `-`, is the first of them."""
        own = self.code.file or self.code.is_standard_input
        arguments: list[Value] = []
        for word in self.code.args if own else (known_word("-c"), *self.code.args):
            if word.splits and word.text is None:
                return ListValue("list", arguments, word.as_single_word())
            arguments.append(word)
        return ListValue("list", arguments)

    def report_gate_control(self, target: Word) -> None:
        """Reports that the gate's own modules are imported or named, which does not prove that they are used."""
        if self.is_new("control", target):
            self.add_effect(Operation("gate.control", self.origin._replace(sure=None), target))

    def fill_memory(self) -> None:
        if not self.is_excused:
            self.operation("memory.fill")

    # ---- files

    def _resolve_places(self, kind: str, path: Value | None, *more: object, follow: bool = True) -> list[Place]:
        if path is None or path is NULL:
            return []
        words = [word for word in words_of(path) if self.is_new(kind, word, *more)]
        return [self.seen.resolve_place(word, follow=follow) for word in words]

    def delete(self, path: Value | None, recursive: Value | None = None) -> None:
        is_recursive = False if recursive is None else truth_of(recursive)
        for place in self._resolve_places("delete", path, is_recursive, follow=False):
            self.add_effect(Delete(place, is_recursive, self.origin))

    def read(self, path: Value | None, tree: Value | None = None) -> None:
        is_tree = tree is not None and truth_of(tree) is True
        for place in self._resolve_places("read", path, is_tree):
            self.add_effect(Read(place, self.origin, is_tree))
            self.seen.read(place.word)

    def write(
        self,
        path: Value | None,
        content: Value | None = None,
        append: Value | None = None,
        folder: Value | None = None,
        tree: Value | None = None,
    ) -> None:
        text = None if content is None else word_of(content)
        is_append = False if append is None else truth_of(append)
        for place in self._resolve_places("write", path, text, is_append):
            self.add_effect(Write(place, text, is_append, self.origin, folder=folder is not None, tree=tree is not None))

    def copy(self, path: Value | None, destination: Value | None, tree: Value | None = None) -> None:
        if path is None or destination is None:
            return
        is_tree = tree is not None
        for source in words_of(path):
            for target in words_of(destination):
                if self.is_new("copy", source, target):
                    place = self.seen.resolve_place(source)
                    self.add_effect(Read(place, self.origin, is_tree))
                    content = self.seen.read(source)
                    self.add_effect(
                        Write(self.seen.resolve_place(target), content, False, self.origin, tree=is_tree, source=place)
                    )

    def move(self, path: Value | None, destination: Value | None) -> None:
        if path is None or destination is None:
            return
        for source in words_of(path):
            for target in words_of(destination):
                if self.is_new("move", source, target):
                    self.add_effect(
                        Move(self.seen.resolve_place(source, follow=False), self.seen.resolve_place(target), self.origin)
                    )

    def link(self, place: Value | None, destination: Value | None, symbolic: Value | None = None) -> None:
        if place is None or destination is None:
            return
        is_symbolic = True if symbolic is None else truth_of(symbolic)
        for name in words_of(place):
            for target in words_of(destination):
                if self.is_new("link", name, target):
                    self.add_effect(
                        Link(
                            self.seen.resolve_place(name, follow=False), self.seen.resolve_place(target), is_symbolic, self.origin
                        )
                    )

    def permit(self, path: Value | None, mode: Value | None = None) -> None:
        if isinstance(mode, Constant) and isinstance(mode.value, int):
            mode_word = known_word(oct(mode.value)[2:])
        else:
            mode_word = unknown_word("a mode") if mode is None else word_of(mode)
        for place in self._resolve_places("permit", path, mode_word):
            self.add_effect(Permission(place, mode_word, False, self.origin))

    # ---- programs

    def command_line(self, command: Value | None) -> None:
        """Reports a text that a method of an unknown object may pass to a shell, if it begins like a command line."""
        for word in words_of(command) if command is not None else ():
            if not is_graph_query(word.text or ""):
                self.shell(word if " " in word.head else None)
            elif deletes_every_node(word.text or "") and not self.is_excused:
                self.operation("database.delete", known_word("every node"), disposable=False)

    def shell(self, command: Value | None, via: Carrier | None = None, cwd: Value | None = None) -> None:
        for word in words_of(command) if command is not None else ():
            is_left = self.is_trusted and word.text is None and not word.head and not holds_kind(word, HoleKind.RESPONSE, 1)
            known = word if word.text is not None or self.is_trusted else word.from_commands(self.own_command)
            made = self._hand_on_environment(self._as_written(known))
            if not is_left and self.is_new("shell", made):
                folder = None if cwd is None or cwd is NULL else word_of(cwd)
                self.add_effect(Interpret("shell", made, self.origin, via=via or Carrier(self.language), cwd=folder))

    def _as_written(self, word: Word) -> Word:
        """Returns a word without this command among its sources if its text is known, and was not decoded: nobody sent it."""
        is_open = word.text is None or "text.decode" in self.operations
        return word if is_open else Word(word.parts, word.splits, word.src - self.own_command)

    def _hand_on_environment(self, word: Word) -> Word:
        """Returns a word of a command. One that holds the whole environment is the output of this code."""
        if not holds_kind(word, HoleKind.ENVIRONMENT, 1):
            return word
        self.operation("environment.print")
        return word.from_commands(self.own_command)

    def run(
        self,
        argv: Value | None,
        shell: Value | None = None,
        cwd: Value | None = None,
        stdin: Value | None = None,
        env: Value | None = None,
    ) -> None:
        """Reports a program with its arguments, or a text for the shell."""
        in_shell = False if shell is None else truth_of(shell)
        for each in list_alternatives(argv) if argv is not None else ():
            if isinstance(each, ListValue):
                self._run_words(each, in_shell, cwd, stdin, env)
                continue
            for word in words_of(each):
                if word.text is not None and " " not in word.text and in_shell is False:
                    self._start_program((word,), cwd, stdin, env)
                else:
                    self.shell(word, cwd=cwd)

    def _run_words(self, argv: ListValue, in_shell: Maybe, cwd: Value | None, stdin: Value | None, env: Value | None) -> None:
        words = [self._as_written(word_of(each)) for each in argv.items]
        if argv.rest is not None:
            rest = word_of(argv.rest)
            words.append(Word(rest.parts or (Hole(),), True, collect_sources(argv.rest)))
        if words and in_shell is not False:
            self.shell(words[0], cwd=cwd)
        if words and in_shell is not True and not (self.is_trusted and not words[0].head):
            self._start_program(tuple(map(self._hand_on_environment, words)), cwd, stdin, env)

    def _start_program(self, argv: tuple[Word, ...], cwd: Value | None, stdin: Value | None, env: Value | None) -> None:
        if self.code.file and not self.is_excused and self.is_certain() and argv[-1].text == self.code.file and len(argv) > 1:
            self.operation("process.replicate")
        folder = None if cwd is None or cwd is NULL else word_of(cwd)
        fed = None if stdin is None or stdin is NULL else word_of(stdin)
        assignments: tuple[tuple[str, Word], ...] = ()
        if isinstance(env, MapValue):
            assignments = tuple((key, word_of(value)) for key, value in env.known_entries if isinstance(key, str))
        if self.is_new("run", argv, folder, fed):
            self.add_effect(Run(argv, self.origin, Carrier(self.language), cwd=folder, stdin=fed, env=assignments))

    def command(self, *words: Value | None) -> None:
        """Reports a program with the same effect, by the words of its command line. Lists among them are flattened."""
        found: list[Word] = []
        for each in words:
            if isinstance(each, ListValue):
                found += map(word_of, each.items)
            elif each is not None and each is not NULL:
                found.append(word_of(each))
        found = list(map(self._as_written, found))
        if not self.is_excused and not self.openings.emulates(found) and self.is_new("command", *found):
            self.add_effect(Run(tuple(found), self.origin, Carrier(self.language)))

    # ---- connections

    def connect(self, target: Value | None, *sends: Value | None, method: Value | None = None) -> None:
        given = [each for each in sends if each is not None and each is not NULL]
        body = [word for each in given for word in leaf_words(each)]
        for file in (path for each in given for path in find_open_files(each)):
            body.append(unknown_word(f"the content of {file.display_text}", self.own_command | self.seen.read(file).src))
        if any(holds_environment(each) for each in (*sends, target) if each is not None):
            self.operation("environment.print")
            body.append(self.unknown_output("the environment"))
        if not self.is_excused and any(hands_on_secret(each) for each in (*sends, target) if each is not None):
            self.operation("credential.obtain")
            body.append(self.unknown_output("a secret"))
        for word in map(self.openings.resolve_address, words_of(target)) if target is not None else ():
            sent = join_words(body) if body else None
            if self.is_new("connect", word, sent):
                self.add_effect(Connect(word, self.origin, sent))
            report_request(self, word, method, *sends)

    def operation(self, name: str, target: Value | None = None, **flags: Value | Maybe) -> None:
        facts = tuple((key, truth_of(value) if not isinstance(value, bool | None) else value) for key, value in flags.items())
        self.operations.add(name)
        if self.is_new("operation", name, word := None if target is None else word_of(target), facts):
            self.add_effect(Operation(name, self.origin, word, facts))

    def delete_kept_object(self, name: str, library: str) -> None:
        """Reports that a method of a library's client deletes something at a service, unless a file's author is responsible."""
        if not self.is_excused and not self.openings.harms_nobody(library):
            self.operation("cloud.delete", known_word(name), local=self.openings.is_library_local(library))

    def sql(self, query: Value | None, call: str = "execute") -> None:
        """Reports SQL that is sent, unless the code's author is responsible for it; a database in memory loses nothing."""
        arguments, via = self.openings.database_arguments, Carrier(self.language, call)
        is_left = self.openings.is_in_memory or serves_development(self)
        for word in words_of(query) if query is not None and not is_left else ():
            if word.head and self.is_new("sql", word):
                self.add_effect(Interpret("sql", word, self.origin, arguments, via, of_test=self.is_test))

    # ---- code

    def interpret(self, code: Value | None, language: str = "", via: Carrier | None = None) -> None:
        """Reports code generated here, which is read next."""
        own = Carrier(f"{self.language}'s code")
        for word in words_of(code) if code is not None else ():
            made = self._as_written(word) if word.text is not None else word.from_commands(self.own_command)
            if self.is_new("interpret", language, made):
                self.add_effect(Interpret(language or self.language, made, self.origin, self.code.args, via or own))

    def interpret_file(self, path: Value | None, language: str = "", args: tuple[Word, ...] | None = None) -> None:
        for word in words_of(path) if path is not None else ():
            if not self.is_new("file", word):
                continue
            if is_written(self, word):
                text = find_written_text(self, word) or self.unknown_output(f"the content of {word.display_text}")
                self.interpret(text, language, Carrier(word.display_text))
                continue
            arguments, file = self.code.args if args is None else args, word.display_text
            for content in self.seen.read_followed_code(word):
                self.add_effect(Interpret(language or self.language, content, self.origin, arguments, Carrier(file), file=file))

    def opaque(self, why: str) -> None:
        if self.is_new("opaque", why):
            self.add_effect(Opaque(why, self.origin))


def _is_of_one_statement(effect: Effect) -> bool:
    return not (isinstance(effect, Operation) and effect.name in _WHOLE_CODE_OPERATIONS)
