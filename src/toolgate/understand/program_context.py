"""The context in which a program's row, or code in a language, is read (model.execution_context.ExecutionContext)."""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

from toolgate.model.effect import LOCAL_SITE, Interpret, Opaque, Origin, Site
from toolgate.model.place import LOCAL, Place
from toolgate.model.stakes import Stakes
from toolgate.model.unread_code import opaque_for_unread
from toolgate.model.word import EMPTY, NO_SOURCES, Hole, Maybe, Word, known_word, pipe_content, unread_parts
from toolgate.model.world import ABSENT, UNKNOWN, GitState
from toolgate.overlay import Folder
from toolgate.shell.domain.protocol import Command

from .machine_state import Derivation, MachineState

_T = TypeVar("_T")

_LEAST_CODE_STEPS = 500  # for each text, however many there are
MAX_SHOWN_COMMAND = 60  # characters of a command that is shown as the name of its output


@dataclass(slots=True)
class ProgramContext:
    """`used`: the commands whose output this one has read. `_unread`: files that it runs and that were not read."""

    command: Command
    origin: Origin
    machine_state: MachineState
    home: str
    project: str
    used: set[int]
    _unread: list[Opaque | Interpret] = field(default_factory=list)

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

    def get_variable(self, name: str) -> Word | None:
        scope = self.command.scope
        return scope.get(name) if name in scope.assigned or name in scope.variables else None

    def get_variables(self, name: str) -> tuple[Word, ...]:
        return self.command.scope.possible_values(name)

    def read_project_file(self, name: str) -> tuple[str, ...]:
        place = self.machine_state.resolve_place(
            known_word(f"{self.project.rstrip('/')}/{name}"), known_word(self.project), LOCAL_SITE
        )
        texts = () if self.machine_state.is_absent(place) else self.machine_state.read_alternatives(place)
        return () if any(text is None or text.text is None for text in texts) else tuple(str(text.text) for text in texts if text)

    def contains_project(self, place: Place) -> Maybe:
        folder = place.anchor if place.path is None else place.path
        if folder is None or place.machine != LOCAL:
            return None
        above = any(f"{below}/".startswith(f"{folder.rstrip('/')}/") for below in (self.home, self.project.rpartition("/")[0]))
        return None if above and place.path is None else above

    def find_repository(self) -> str | None:
        top = self.machine_state.world.git(self.command.cwd.text) if self.command.cwd.text is not None else UNKNOWN
        return top.root if isinstance(top, GitState) else None

    def resolve_place(self, word: Word, *, follow: bool = True, base: Word | None = None) -> Place:
        return self.machine_state.resolve_place(
            word, self.command.cwd if base is None else base, self.command.site, follow=follow
        )

    def read(self, word: Word) -> Word:
        texts = self.read_alternatives(word)
        if len(texts) == 1:
            content = texts[0]
        else:
            several = Hole("**", word.display_text, called=f"$(cat {word.display_text})")
            content = Word((several,), src=NO_SOURCES.union(*(text.src for text in texts)))
        self.used |= content.src - {self.origin.command}
        return content.from_commands(frozenset({self.origin.command}))

    def read_alternatives(self, word: Word) -> tuple[Word, ...]:
        if (printed := pipe_content(word)) is not None:
            self.used |= printed.src
            return (printed,)
        path, read = word.text, self.machine_state.overlay.read
        if path is None or not path.startswith("/") or self.site.machine != LOCAL:
            texts = self._read_texts(word)
        elif path in read:
            texts = read[path]
        else:
            texts = read[path] = () if self.machine_state.overlay.is_plainly_absent(path) else self._read_texts(word)
        for text in texts:
            self.used |= text.src
        return texts

    def _read_texts(self, word: Word) -> tuple[Word, ...]:
        place = self.resolve_place(word)
        if self.machine_state.is_absent(place):
            return ()
        texts = self.machine_state.read_alternatives(place)
        known_texts = tuple(text for text in texts if text is not None)
        return (
            known_texts
            if len(known_texts) == len(texts)
            else (*known_texts, Word((Hole("**", word.display_text, called=f"$(cat {word.display_text})"),)))
        )

    def read_followed_code(self, word: Word) -> tuple[Word, ...]:
        texts = self.read_alternatives(word)
        for text in texts:
            self._unread += [
                opaque_for_unread(hole.why, hole.unread.cause, self.origin) for hole in unread_parts(text) if hole.unread
            ]
        return texts

    def derive_from_files(self, key: Hashable, derive: Callable[[], _T]) -> _T:
        derived, version = self.machine_state.derived, self.machine_state.version
        known: Derivation[_T] | None = derived.get(key)
        if known is None or known.version != version:
            own, unread, self.used = self.used, len(self._unread), set()
            value = derive()
            known, self.used = Derivation(value, frozenset(self.used), version), own
            if len(self._unread) == unread:  # what was not read is reported for each command
                derived[key] = known
        self.used |= known.sources
        return known.value

    def report_unknown_code(self, code: Interpret) -> None:
        self._unread.append(code)

    def drain_unread(self) -> Iterator[Opaque | Interpret]:
        """Yields the files that are run and were not read, or whose content is unknown, each once."""
        found, self._unread = self._unread, []
        yield from dict.fromkeys(found)

    def list_files(self, pattern: Word) -> tuple[str, ...]:
        return self.machine_state.list_files(self.resolve_place(pattern))

    def list_written_files(self, folder: str, name: str = "") -> tuple[str, ...]:
        if self.site.machine != LOCAL:
            return ()
        inside, name = f"{folder.rstrip('/')}/", name.lower()
        earlier = [path for path in self.machine_state.list_written_earlier() if path.startswith(inside) and name in path.lower()]
        earlier = [path for path in earlier if self.machine_state.world.kind(path) is not ABSENT]
        return tuple(dict.fromkeys((*self.machine_state.overlay.files_written_beneath(folder, name), *earlier)))

    def is_as_committed(self, place: Place) -> Maybe:
        return self.machine_state.is_as_committed(place)

    def is_as_staged(self, place: Place) -> Maybe:
        return self.machine_state.is_as_staged(place)

    def is_repository_clean(self) -> Maybe:
        top = self.find_repository() if self.site.machine == LOCAL else None
        if top is None or self.machine_state.overlay.is_changed_beneath(top):
            return None
        answer = self.machine_state.world.is_clean(top)
        return answer if isinstance(answer, bool) else None

    def count_lost_commits(self, dropped_refs: str, kept_ref: str = "") -> int | None:
        top = self.find_repository() if self.site.machine == LOCAL else None
        answer = self.machine_state.world.lost_commits(top, dropped_refs, kept_ref) if top is not None else UNKNOWN
        return answer if isinstance(answer, int) else None

    def lend_code_steps(self, most: int) -> int:
        return max(_LEAST_CODE_STEPS, min(most, self.machine_state.code_steps))

    def spend_code_steps(self, spent: int) -> None:
        self.machine_state.code_steps -= spent

    def has_loaded(self, file: str, content: Word) -> bool:
        return (file, content) in self.machine_state.loaded_modules

    def record_loaded(self, file: str, content: Word) -> None:
        self.machine_state.loaded_modules.add((file, content))

    def measure_stakes(self, path: str) -> Stakes | None:
        answer = self.machine_state.world.stakes(path) if self.site.machine == LOCAL else UNKNOWN
        return answer if isinstance(answer, Stakes) else None

    def is_folder(self, place: Place) -> Maybe:
        return self.machine_state.is_folder(place)

    def record_folder(self, word: Word) -> None:
        path = self.resolve_place(word).path
        if path is not None and self.site.machine == LOCAL and self.machine_state.overlay.exists(path) is not True:
            self.machine_state.overlay.record_change(path, Folder(), always=self.command.always)

    def record_replaced_folder(self, word: Word) -> None:
        path, state = self.resolve_place(word).path, self.machine_state
        if path is not None and self.site.machine == LOCAL and state.world.kind(path) is ABSENT:
            state.overlay.record_change(path, Folder(), always=self.command.always)

    def record_folder_contents(self, word: Word, content: Word) -> None:
        place = self.resolve_place(word)
        if place.path is not None and self.site.machine == LOCAL:
            is_new = self.command.always and self.machine_state.is_absent(place)  # one that exists may keep the files it has
            self.machine_state.overlay.record_change(place.path, Folder(content), always=is_new)

    def record_appended_text(self, word: Word, text: Word) -> None:
        path = self.resolve_place(word).path
        if path is not None and self.site.machine == LOCAL:
            text = text.from_commands(frozenset({self.origin.command}))
            filled = [before + text for before in self.read_alternatives(word) or (EMPTY,)]
            self.machine_state.overlay.record_contents(path, filled, always=self.command.always)

    def unknown_output(self, why: str, like: str = "**") -> Word:
        """`why`: the program's name, shown to people with its arguments, or a phrase for the output."""
        called = "" if " " in why or why.startswith("$") else _render_substitution(self.command.argv)
        return Word((Hole(like, why, called=called),), False, frozenset({self.origin.command}))

    def join_outputs(self, outputs: list[Word]) -> Word:
        """Returns the one output of this command's code; unknown, from all of them, if it may be one of several."""
        if len(set(outputs)) == 1:
            return outputs[0]
        sources = frozenset[int]().union(*(each.src for each in outputs))
        return self.unknown_output(self.command.argv[0].display_text).from_commands(sources)


def _render_substitution(argv: tuple[Word, ...]) -> str:
    text = " ".join(word.display_text for word in argv[:MAX_SHOWN_COMMAND])
    return f"$({text})" if len(text) <= MAX_SHOWN_COMMAND else f"$({text[:MAX_SHOWN_COMMAND].rstrip()} ...)"


def find_project_program(word: Word, context: ProgramContext) -> str | None:
    """Returns the name of a program that a glob finds in the project: it is the project's own, like a script of it."""
    place, project = context.resolve_place(word), context.project.rstrip("/")
    if not project or place.anchor is None or "**" in place.rest or place.machine != LOCAL:
        return None
    return f"./{word.display_text}" if f"{place.anchor}/".startswith(f"{project}/") else None
