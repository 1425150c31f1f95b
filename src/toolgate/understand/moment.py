"""What a program's row, or code in a language, sees of the moment it runs in (model.seen.Seen)."""

from dataclasses import dataclass

from toolgate.model.effect import Origin, Site
from toolgate.model.place import LOCAL, Place
from toolgate.model.word import EMPTY, NOTHING, Hole, Maybe, Word, of_process, unknown
from toolgate.model.world import UNKNOWN, GitState
from toolgate.overlay import Folder
from toolgate.shell.protocol import Command

from .surroundings import Surroundings


@dataclass(slots=True)
class Moment:
    """`used`: the commands whose output this one has looked at."""

    command: Command
    origin: Origin
    around: Surroundings
    home: str
    used: set[int]

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

    def repository(self) -> str | None:
        top = self.around.world.git(self.command.cwd.text) if self.command.cwd.text is not None else UNKNOWN
        return top.root if isinstance(top, GitState) else None

    def place(self, word: Word, *, follow: bool = True, base: Word | None = None) -> Place:
        return self.around.place(word, self.command.cwd if base is None else base, self.command.site, follow=follow)

    def read(self, word: Word) -> Word:
        texts = self.contents(word)
        content = texts[0] if len(texts) == 1 else unknown(word.shown, NOTHING.union(*(text.src for text in texts)))
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
        return known_texts if len(known_texts) == len(texts) else (*known_texts, unknown(word.shown))

    def as_committed(self, place: Place) -> Maybe:
        return self.around.as_committed(place)

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
        return Word((Hole(like, why),), False, frozenset({self.origin.command}))
