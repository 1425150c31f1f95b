"""Effects of a call, as rules see them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeVar

from .action import Replacement
from .place import LOCAL, Place
from .quoted_command import quote_command
from .stakes import Stakes
from .word import Maybe, Word

Span = tuple[int, int]
_D = TypeVar("_D")
_T = TypeVar("_T")


class Site(NamedTuple):
    """Where and as whom something runs. `mounts` are pairs: a path there, and the path on this machine or the name of the
    volume mounted there."""

    machine: str = LOCAL
    user: str = ""
    mounts: tuple[tuple[str, str], ...] = ()


LOCAL_SITE = Site()


class Carrier(NamedTuple):
    """What runs a command or code that it was given: `sudo`, `sh -c`, `deploy.sh:12`. `option` is how it was given. `guessed`:
    the program has no row, so the command in its arguments may only be mentioned there."""

    program: str
    option: str = ""
    guessed: bool = False

    def __str__(self) -> str:
        label = f"{self.program} {self.option}" if self.option else self.program
        return f"{label}?" if self.guessed else label


NOTEBOOK_CELL = "a notebook's cell"
"""The carrier of code in a notebook, whose kernel keeps functions for later cells."""


class Origin(NamedTuple):
    """The command an effect comes from. `span`: its position in the request's own text. `via`: its carriers, the outermost
    first. `sure`: whether this reading of the text is right. `file`: the file with the text, if it existed before
    this call, so that its author is responsible and not the caller."""

    command: int = 0
    span: Span = (0, 0)
    via: tuple[Carrier, ...] = ()
    site: Site = LOCAL_SITE
    sure: Maybe = True
    file: str = ""


DEFAULT_ORIGIN = Origin()


class Read(NamedTuple):
    """`tree`: a folder is read recursively (`tar c`, `cp -r`, `grep -r`)."""

    place: Place
    origin: Origin
    tree: bool = False


class Write(NamedTuple):
    """`content` is None if the written text is not known. `edits`: the replacements of an edit; `content` is then their new
    texts only. `folder`: an empty folder is created.

    `tree`: a folder receives files and folders whose names are unknown here: a copy of `source` or, if that is None, the
    content of an archive or a server. `empty`: nothing is written into it; it exists afterwards.

    `followed`: the file starts by itself, and everything that it runs afterwards was read.
    """

    place: Place
    content: Word | None
    append: Maybe
    origin: Origin
    edits: tuple[Replacement, ...] = ()
    folder: bool = False
    tree: Maybe = False
    source: Place | None = None
    empty: bool = False
    followed: bool = False


class Delete(NamedTuple):
    place: Place
    recursive: Maybe
    origin: Origin


class Move(NamedTuple):
    place: Place
    to: Place
    origin: Origin


class Link(NamedTuple):
    """`place` is the new name, `to` its target."""

    place: Place
    to: Place
    symbolic: Maybe
    origin: Origin


class Permission(NamedTuple):
    """A change of mode, owner or access list. `mode` as written (`777`, `u+s`, `bob:bob`)."""

    place: Place
    mode: Word
    recursive: Maybe
    origin: Origin


class Mount(NamedTuple):
    """Replaces the tree at `place`: by the tree at `to` if that is a place, too (a bind mount), otherwise by the content of
    the mount or, after an unmount, the content below it."""

    place: Place
    origin: Origin
    to: Place | None = None


class Run(NamedTuple):
    """A command. Programs report one to have it lowered: `via` names the carrier, and `site`, `cwd`, `stdin` and `env` are its
    changes. One is recorded for every command; `place` is then the location of its program, if given by a path, with links
    not followed. `is_captured`: the program that reports it reads its output."""

    argv: tuple[Word, ...]
    origin: Origin
    via: Carrier | None = None
    site: Site | None = None
    cwd: Word | None = None
    stdin: Word | None = None
    env: tuple[tuple[str, Word], ...] = ()
    clean: bool = False
    sure: Maybe = True
    place: Place | None = None
    is_captured: bool = False


class Interpret(NamedTuple):
    """Code for an interpreter, recorded if it is not read, or if commands generated it. `file`: where it was read from; empty
    for inline code. `cwd`: where it runs, if not in the command's directory.

    `followed`: its known text was read, and only its origin still matters. `sure`: whether it is run. `of_test`: a test runner
    collects or loads it. `of_project`: a program that builds, installs or tests a project runs it, not a command that names it.
    `is_repeated`: an earlier command of this call ran the same file, with other arguments or in another state.
    `environment_files`: files whose variables the interpreter sets first."""

    language: str
    code: Word
    origin: Origin
    args: tuple[Word, ...] = ()
    via: Carrier | None = None
    site: Site | None = None
    file: str = ""
    cwd: Word | None = None
    followed: bool = False
    sure: Maybe = True
    of_test: bool = False
    of_project: bool = False
    is_repeated: bool = False
    environment_files: tuple[Word, ...] = ()

    @property
    def runner(self) -> str:
        """Returns what runs the code, for messages: the carrier or else the language."""
        return str(self.via or self.language)

    @property
    def is_program(self) -> bool:
        """Returns whether a command starts the code: no framework, build or test loads it, and no session goes on with it."""
        is_whole = bool(self.file) or (self.via is not None and self.via.option != "")
        return is_whole and not self.of_project and not self.of_test

    @property
    def is_standard_input(self) -> bool:
        return self.via is not None and self.via.option.endswith("<stdin")


REMOTE_LANGUAGES = frozenset(("sql", "mongo", "dockerfile", "kubernetes"))
"""Languages that run in a database or a container. Unreadable texts in them are dumps, migrations and images."""


class Connect(NamedTuple):
    """`target` as written: a URL, `host`, `host:port`, a remote's name. `sends`: the body, if there is one; `shows`: headers,
    cookies, user name and password, which identify the caller to the other side."""

    target: Word
    origin: Origin
    sends: Word | None = None
    listens: bool = False
    shows: Word | None = None


Sink = Literal["message", "attachment", "search", "agent", "commit", "image", "model"]


class Send(NamedTuple):
    """Text that somebody else reads: a third party's page or message, a search engine, another agent, readers of the
    repository or the image, the model. `to`: the reader's name for people."""

    to: Word
    text: Word
    sink: Sink
    origin: Origin


class Escalate(NamedTuple):
    """`only_looks`: the command run with these rights is known and changes nothing."""

    how: str
    user: str
    origin: Origin
    only_looks: bool = False


class Environment(NamedTuple):
    name: str
    value: Word
    origin: Origin


class Operation(NamedTuple):
    """An operation that is not a file, connection or process: `git.push`, `package.publish`. operations.toml declares names
    and flags. `stakes`: what would be lost, if that was counted. `work_tree`: the top folder of git's working tree; empty
    if unknown or irrelevant."""

    name: str
    origin: Origin
    target: Word | None = None
    flags: tuple[tuple[str, Maybe], ...] = ()
    stakes: Stakes | None = None
    work_tree: str = ""

    def get_flag(self, name: str) -> Maybe:
        for key, value in self.flags:
            if key == name:
                return value
        return False


class PrintedOutput(NamedTuple):
    """The content of standard output. It is not judged."""

    word: Word


class Opaque(NamedTuple):
    """Something that could not be determined. `is_unread`: text that would run was not read completely."""

    why: str
    origin: Origin
    is_unread: bool = False


Effect = (
    Read
    | Write
    | Delete
    | Move
    | Link
    | Permission
    | Mount
    | Run
    | Interpret
    | Connect
    | Send
    | Escalate
    | Environment
    | Operation
    | Opaque
)
ReportedEffect = Effect | PrintedOutput


def kind_of(effect: Effect) -> str:
    """Returns the effect's kind, as rules, records and people name it."""
    return type(effect).__name__


def list_places(effect: Effect) -> tuple[Place, ...]:
    """Returns every place that an effect touches, source and target."""
    match effect:
        case Move(place=place, to=to) | Link(place=place, to=to):
            return place, to
        case Mount(place=place, to=source):
            return (place,) if source is None else (place, source)
        case Read(place=place) | Write(place=place) | Delete(place=place) | Permission(place=place):
            return (place,)
        case _:
            return ()


@dataclass(frozen=True, slots=True)
class Effects:
    """Effects in the order in which they would happen. `flows`: pairs of commands (from, to) where the output of one reaches
    the other. `shown`: the commands whose output the caller reads; `shown_variables`: the variables whose values it
    contains; `shown_texts`: the known parts of it."""

    all: tuple[Effect, ...] = ()
    flows: frozenset[tuple[int, int]] = frozenset()
    shown: frozenset[int] = frozenset()
    shown_variables: frozenset[str] = frozenset()
    shown_texts: tuple[str, ...] = ()
    _by_command: dict[int, list[Effect]] = field(default_factory=dict, init=False, repr=False, compare=False)
    _by_kind: dict[type, list[Any]] = field(default_factory=dict, init=False, repr=False, compare=False)
    _feeding: dict[frozenset[int], frozenset[int]] = field(default_factory=dict, init=False, repr=False, compare=False)
    _derived: dict[Callable[["Effects"], Any], Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def derive(self, compute: Callable[["Effects"], _D]) -> _D:
        """Returns what a function computes from these effects. It is computed once, because rules ask for each effect of a
        call."""
        if compute not in self._derived:
            self._derived[compute] = compute(self)
        found: _D = self._derived[compute]
        return found

    def of_command(self, command: int) -> Sequence[Effect]:
        """Returns the effects of one command."""
        if not self._by_command:
            for effect in self.all:
                self._by_command.setdefault(effect.origin.command, []).append(effect)
        return self._by_command.get(command, ())

    def of_kind(self, kind: type[_T]) -> Sequence[_T]:
        """Returns every effect of one kind. It is indexed, because rules call this for each effect of a call."""
        if not self._by_kind:
            for effect in self.all:
                self._by_kind.setdefault(type(effect), []).append(effect)
        return self._by_kind.get(kind, ())

    def commands_feeding(self, commands: frozenset[int]) -> frozenset[int]:
        """Returns every command whose output reaches one of these, including themselves."""
        if not commands or not self.flows:
            return commands
        found = self._feeding.get(commands)
        if found is None:
            reached, waiting = set(commands), list(commands)
            while waiting:
                fresh = [source for source in self._direct_sources(waiting.pop()) if source not in reached]
                reached.update(fresh)
                waiting += fresh
            found = self._feeding[commands] = frozenset(reached)
        return found

    def describe(self, operation: Operation) -> str:
        """Returns what a reason names of an operation: its object, or its command if the object is only words of it."""
        named = operation.target.display_text.strip() if operation.target is not None else ""
        run = self._find_run(operation)
        spoken = " ".join(word.display_text for word in run.argv).casefold().split() if run is not None else []
        return self.quote_command(operation) if spoken and set(named.casefold().split()) <= set(spoken) else named

    def quote_command(self, operation: Operation) -> str:
        """Returns the command of an operation as a reason quotes it: no values of options, but git's paths after `--`."""
        run = self._find_run(operation)
        target = operation.target.display_text.strip() if operation.target is not None else ""
        if run is None:
            return target
        words = [word.display_text for word in run.argv]
        at = words.index("--") if operation.name.startswith("git.") and "--" in words else len(words)
        return quote_command(words[:at], target, words[at:])

    def _find_run(self, operation: Operation) -> Run | None:
        return next((each for each in self.of_command(operation.origin.command) if isinstance(each, Run) and each.argv), None)

    def readers_of(self, command: int) -> Sequence[int]:
        """Returns the commands that a command's output reaches directly."""
        return self.derive(_index_readers).get(command, ())

    def has_input(self, command: int) -> bool:
        """Returns whether another command's output reaches this one."""
        return bool(self._direct_sources(command))

    def _direct_sources(self, command: int) -> Sequence[int]:
        return self.derive(_index_sources).get(command, ())


def _index_readers(effects: Effects) -> dict[int, list[int]]:
    return _group_pairs(effects.flows)


def _index_sources(effects: Effects) -> dict[int, list[int]]:
    return _group_pairs((target, source) for source, target in effects.flows)


def _group_pairs(pairs: Iterable[tuple[int, int]]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found
