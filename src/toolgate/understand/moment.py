"""The context in which a program's row, or code in a language, is read (model.execution_context.ExecutionContext)."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from toolgate.model.effect import HERE, Opaque, Origin, Site
from toolgate.model.place import LOCAL, Place
from toolgate.model.stakes import Stakes
from toolgate.model.unread import unread_code
from toolgate.model.word import EMPTY, NOTHING, Hole, Maybe, Word, known, of_process, unread_parts
from toolgate.model.world import UNKNOWN, GitState
from toolgate.overlay import Folder
from toolgate.shell.protocol import Command

from .surroundings import Surroundings

LONGEST = 60  # characters of a command that is shown as the name of its output


@dataclass(slots=True)
class Moment:
    """`used`: the commands whose output this one has read. `_unread`: files that it runs and that were not read."""

    command: Command
    origin: Origin
    around: Surroundings
    home: str
    project: str
    used: set[int]
    _unread: list[Opaque] = field(default_factory=list)

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

    def variables(self, name: str) -> tuple[Word, ...]:
        return self.command.scope.several(name)

    def project_file(self, name: str) -> tuple[str, ...]:
        place = self.around.place(known(f"{self.project.rstrip('/')}/{name}"), known(self.project), HERE)
        texts = () if self.around.is_nothing(place) else self.around.contents(place)
        return () if any(text is None or text.text is None for text in texts) else tuple(str(text.text) for text in texts if text)

    def is_above_project(self, place: Place) -> Maybe:
        folder = place.anchor if place.path is None else place.path
        if folder is None or place.machine != LOCAL:
            return None
        above = any(f"{below}/".startswith(f"{folder.rstrip('/')}/") for below in (self.home, self.project.rpartition("/")[0]))
        return None if above and place.path is None else above

    def repository(self) -> str | None:
        top = self.around.world.git(self.command.cwd.text) if self.command.cwd.text is not None else UNKNOWN
        return top.root if isinstance(top, GitState) else None

    def place(self, word: Word, *, follow: bool = True, base: Word | None = None) -> Place:
        return self.around.place(word, self.command.cwd if base is None else base, self.command.site, follow=follow)

    def read(self, word: Word) -> Word:
        texts = self.contents(word)
        if len(texts) == 1:
            content = texts[0]
        else:
            several = Hole("**", word.shown, called=f"$(cat {word.shown})")
            content = Word((several,), src=NOTHING.union(*(text.src for text in texts)))
        self.used |= content.src - {self.origin.command}
        return content.from_commands(frozenset({self.origin.command}))

    def contents(self, word: Word) -> tuple[Word, ...]:
        if (printed := of_process(word)) is not None:
            self.used |= printed.src
            return (printed,)
        path, read = word.text, self.around.overlay.read
        if path is None or not path.startswith("/") or self.site.machine != LOCAL:
            texts = self._texts(word)
        elif path in read:
            texts = read[path]
        else:
            texts = read[path] = self._texts(word)
        for text in texts:
            self.used |= text.src
        return texts

    def _texts(self, word: Word) -> tuple[Word, ...]:
        place = self.place(word)
        if self.around.is_nothing(place):
            return ()
        texts = self.around.contents(place)
        known_texts = tuple(text for text in texts if text is not None)
        return (
            known_texts
            if len(known_texts) == len(texts)
            else (*known_texts, Word((Hole("**", word.shown, called=f"$(cat {word.shown})"),)))
        )

    def follow(self, word: Word) -> tuple[Word, ...]:
        texts = self.contents(word)
        for text in texts:
            self._unread += [unread_code(hole.why, hole.unread.cause, self.origin) for hole in unread_parts(text) if hole.unread]
        return texts

    def take_unread(self) -> Iterator[Opaque]:
        """Yields the files that are run and were not read, each once."""
        found, self._unread = self._unread, []
        yield from dict.fromkeys(found)

    def list_files(self, pattern: Word) -> tuple[str, ...]:
        return self.around.list_files(self.place(pattern))

    def written_files(self, folder: str) -> tuple[str, ...]:
        return self.around.overlay.written_beneath(folder) if self.site.machine == LOCAL else ()

    def as_committed(self, place: Place) -> Maybe:
        return self.around.as_committed(place)

    def as_staged(self, place: Place) -> Maybe:
        return self.around.as_staged(place)

    def is_clean(self) -> Maybe:
        top = self.repository() if self.site.machine == LOCAL else None
        if top is None or self.around.overlay.is_changed_beneath(top):
            return None
        answer = self.around.world.is_clean(top)
        return answer if isinstance(answer, bool) else None

    def lost_commits(self, dropped: str, kept: str = "") -> int | None:
        top = self.repository() if self.site.machine == LOCAL else None
        answer = self.around.world.lost_commits(top, dropped, kept) if top is not None else UNKNOWN
        return answer if isinstance(answer, int) else None

    def stakes(self, path: str) -> Stakes | None:
        answer = self.around.world.stakes(path) if self.site.machine == LOCAL else UNKNOWN
        return answer if isinstance(answer, Stakes) else None

    def is_folder(self, place: Place) -> Maybe:
        return self.around.is_folder(place)

    def made(self, word: Word) -> None:
        path = self.place(word).path
        if path is not None and self.site.machine == LOCAL and self.around.overlay.exists(path) is not True:
            self.around.overlay.change(path, Folder(), always=self.command.always)

    def filled(self, word: Word, content: Word) -> None:
        path = self.place(word).path
        if path is not None and self.site.machine == LOCAL:
            self.around.overlay.change(path, Folder(content), always=self.command.always)

    def added(self, word: Word, text: Word) -> None:
        path = self.place(word).path
        if path is not None and self.site.machine == LOCAL:
            text = text.from_commands(frozenset({self.origin.command}))
            filled = [before + text for before in self.contents(word) or (EMPTY,)]
            self.around.overlay.fill(path, filled, always=self.command.always)

    def output(self, why: str, like: str = "**") -> Word:
        """`why`: the program's name, shown to people with its arguments, or a phrase for the output."""
        called = "" if " " in why or why.startswith("$") else _as_substitution(self.command.argv)
        return Word((Hole(like, why, called=called),), False, frozenset({self.origin.command}))


def _as_substitution(argv: tuple[Word, ...]) -> str:
    text = " ".join(word.shown for word in argv)
    return f"$({text})" if len(text) <= LONGEST else f"$({text[:LONGEST].rstrip()} ...)"
