"""What a call would do, in the few words that rules see."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeVar

from .action import Replacement
from .place import LOCAL, Place
from .stakes import Stakes
from .word import Maybe, Word

Span = tuple[int, int]
_T = TypeVar("_T")


class Site(NamedTuple):
    """Where and as whom something runs. `mounts` are pairs: a path there, and the path on this machine or the name
    of the volume that lies there."""

    machine: str = LOCAL
    user: str = ""
    mounts: tuple[tuple[str, str], ...] = ()


HERE = Site()


class GuessedCarrier(str):
    """The name of a program without a row. The command in its arguments may only be mentioned there."""

    __slots__ = ()


class Origin(NamedTuple):
    """Which command an effect comes from. `span` points into the request's own text; `via` names what carried it there
    (`sudo`, `sh -c`, `deploy.sh:12`); `sure` says whether this reading of the text is right; `file` is where the text stands
    that was there before this call: its author's word, not the caller's."""

    command: int = 0
    span: Span = (0, 0)
    via: tuple[str, ...] = ()
    site: Site = HERE
    sure: Maybe = True
    file: str = ""


HERE_AND_NOW = Origin()


class Read(NamedTuple):
    """`tree`: a folder is read with everything in it (`tar c`, `cp -r`, `grep -r`)."""

    place: Place
    origin: Origin
    tree: bool = False


class Write(NamedTuple):
    """`content` is None where what is written is not text we could follow. `edits`: what an edit puts in the place of what;
    `content` is then the new texts alone. `folder`: it is a folder that is made, with nothing in it.

    `tree`: a folder receives files and folders whose names stand elsewhere: a copy of `source`, or, where that is None, whatever
    an archive or a server holds. `empty`: nothing is written into it; it is there afterwards."""

    place: Place
    content: Word | None
    append: Maybe
    origin: Origin
    edits: tuple[Replacement, ...] = ()
    folder: bool = False
    tree: Maybe = False
    source: Place | None = None
    empty: bool = False


class Delete(NamedTuple):
    place: Place
    recursive: Maybe
    origin: Origin


class Move(NamedTuple):
    place: Place
    to: Place
    origin: Origin


class Link(NamedTuple):
    """`place` is the new name, `to` what it leads to."""

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
    """What is at `place`, and all beneath it, is something else from then on: what is at `to`, where that is a place too (a bind
    mount); else whatever the mount brings, or leaves when it goes."""

    place: Place
    origin: Origin
    to: Place | None = None


class Run(NamedTuple):
    """A command. Programs report one to have it lowered in turn: `via` names the carrier, `site`, `cwd`, `stdin` and `env` are
    what the carrier changes for it. One is recorded for every command; `place` is then where its program lies, if a path names
    that, the links that lead there not followed."""

    argv: tuple[Word, ...]
    origin: Origin
    via: str = ""
    site: Site | None = None
    cwd: Word | None = None
    stdin: Word | None = None
    env: tuple[tuple[str, Word], ...] = ()
    clean: bool = False
    sure: Maybe = True
    place: Place | None = None


class Interpret(NamedTuple):
    """Code for an interpreter, recorded when left unread, or when commands made it. `file`: where it was read from; empty where
    given inline. `cwd`: where it runs, if not where the command does.

    `followed`: what is known of it was read; only where it came from is still of interest. `sure`: is it run?
    """

    language: str
    code: Word
    origin: Origin
    args: tuple[Word, ...] = ()
    via: str = ""
    site: Site | None = None
    file: str = ""
    cwd: Word | None = None
    followed: bool = False
    sure: Maybe = True


ELSEWHERE = frozenset(("sql", "mongo", "dockerfile", "kubernetes"))
"""Languages of what runs in a database or a container. Texts of theirs that nobody can read are dumps, migrations and images."""


class Connect(NamedTuple):
    """`target` as written: a URL, `host`, `host:port`, a remote's name. `sends` is the body, as far as there is one; `shows` what
    stands around it: headers, cookies, a user's name and password, by which the caller is known to the other side."""

    target: Word
    origin: Origin
    sends: Word | None = None
    listens: bool = False
    shows: Word | None = None


Sink = Literal["message", "search", "agent", "commit", "image", "model"]


class Send(NamedTuple):
    """Text that somebody else reads: a third party's page or message, a search engine, another agent, whoever has the repository
    or the image, the model. `to` is what a person would call the reader."""

    to: Word
    text: Word
    sink: Sink
    origin: Origin


class Escalate(NamedTuple):
    """`only_looks`: what is run so is known, and shows something without changing anything."""

    how: str
    user: str
    origin: Origin
    only_looks: bool = False


class Environment(NamedTuple):
    name: str
    value: Word
    origin: Origin


class Operation(NamedTuple):
    """What is no file, connection or process: `git.push`, `package.publish`. operations.toml declares names and flags.
    `stakes`: what would be lost, where that was counted. `work_tree`: the top folder of the one that git works on; empty where
    that is not known, or does not matter."""

    name: str
    origin: Origin
    target: Word | None = None
    flags: tuple[tuple[str, Maybe], ...] = ()
    stakes: Stakes | None = None
    work_tree: str = ""

    def flag(self, name: str) -> Maybe:
        for key, value in self.flags:
            if key == name:
                return value
        return False


class Prints(NamedTuple):
    """What standard output holds. Not judged."""

    word: Word


class Opaque(NamedTuple):
    """What could not be told. `is_unread`: text that would run was not read as a whole, wherever it stands."""

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
Reported = Effect | Prints


def kind_of(effect: Effect) -> str:
    """As rules, records and people name it."""
    return type(effect).__name__


def places(effect: Effect) -> tuple[Place, ...]:
    """Every place that an effect touches: where from and where to."""
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
    """In the order they would happen. `flows` are pairs of commands (from, to) where output of the one reaches the other.
    `shown`:
    the commands whose output whoever made the call reads, `shown_variables` the variables whose values stand in it."""

    all: tuple[Effect, ...] = ()
    flows: frozenset[tuple[int, int]] = frozenset()
    shown: frozenset[int] = frozenset()
    shown_variables: frozenset[str] = frozenset()
    _by_command: dict[int, list[Effect]] = field(default_factory=dict, init=False, repr=False, compare=False)
    _by_kind: dict[type, list[Any]] = field(default_factory=dict, init=False, repr=False, compare=False)
    _sources: dict[int, list[int]] = field(default_factory=dict, init=False, repr=False, compare=False)
    _feeding: dict[frozenset[int], frozenset[int]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def of(self, command: int) -> Sequence[Effect]:
        """What one command does."""
        if not self._by_command:
            for effect in self.all:
                self._by_command.setdefault(effect.origin.command, []).append(effect)
        return self._by_command.get(command, ())

    def of_kind(self, kind: type[_T]) -> Sequence[_T]:
        """Every effect of one kind. A rule is asked for each effect of a call, so it must not look through all of them."""
        if not self._by_kind:
            for effect in self.all:
                self._by_kind.setdefault(type(effect), []).append(effect)
        return self._by_kind.get(kind, ())

    def feeding(self, commands: frozenset[int]) -> frozenset[int]:
        """Every command whose output reaches one of these, themselves included."""
        if not commands or not self.flows:
            return commands
        found = self._feeding.get(commands)
        if found is None:
            reached, waiting = set(commands), list(commands)
            while waiting:
                fresh = [source for source in self._fed_by(waiting.pop()) if source not in reached]
                reached.update(fresh)
                waiting += fresh
            found = self._feeding[commands] = frozenset(reached)
        return found

    def is_fed(self, command: int) -> bool:
        """Does the output of another command reach this one?"""
        return bool(self._fed_by(command))

    def _fed_by(self, command: int) -> Sequence[int]:
        if not self._sources:
            for source, target in self.flows:
                self._sources.setdefault(target, []).append(source)
        return self._sources.get(command, ())


def changed(effects: Effects) -> Iterator[str]:
    """The paths on this machine that a call changes, as far as they are known, links followed."""
    for effect in effects.all:
        match effect:
            case Write(place) | Delete(place) | Permission(place) | Link(place) | Mount(place):
                places: tuple[Place, ...] = (place,)
            case Move(place, to):
                places = (place, to)
            case _:
                continue
        yield from (f"{each.path or each.anchor or ''}/{each.rest}" for each in places if each.machine == LOCAL)
