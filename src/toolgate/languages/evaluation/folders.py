"""A reporter for code that changes its folder: paths are taken from every folder that the code goes to."""

from __future__ import annotations

from typing import Any

from toolgate.model.place import Place
from toolgate.model.word import Word

from .path_words import append_path
from .reporter import Reporter
from .values import NULL, Value, word_of, words_of


class FolderReporter(Reporter):
    """`folders`: where the code runs, and where it goes."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.folders: list[Word] = [self.seen.cwd]

    def change_folder(self, path: Value | None) -> None:
        for word in words_of(path) if path is not None else ():
            folder = append_path(self.seen.cwd, word)
            if folder not in self.folders:
                self.folders.append(folder)

    def _resolve_places(self, kind: str, path: Value | None, *more: object, follow: bool = True) -> list[Place]:
        """In a file that was there, what is wholly unknown is its author's matter."""
        if path is None or path is NULL:
            return []
        found: list[Place] = []
        for word in words_of(path):
            if self.is_trusted and not word.head and word.text is None:
                continue
            if self.is_new(kind, word, *more):
                bases = self.folders if word.starts_with("/") is not True else self.folders[:1]
                found += [self.seen.resolve_place(word, follow=follow, base=base) for base in bases]
        return found

    def _start_program(self, argv: tuple[Word, ...], cwd: Value | None, stdin: Value | None, env: Value | None) -> None:
        if not self.is_trusted and any(self._is_own_text(word) for word in argv[1:]):
            self.operation("process.replicate")
        super()._start_program(argv, self._folder(cwd), stdin, env)

    def shell(self, command: Value | None, via: str = "", cwd: Value | None = None) -> None:
        super().shell(command, via, self._folder(cwd))

    def _folder(self, cwd: Value | None) -> Value | None:
        if (cwd is None or cwd is NULL) and len(self.folders) == 2:
            return self.folders[1]
        return None if cwd is None or cwd is NULL else word_of(cwd)

    def _is_own_text(self, word: Word) -> bool:
        """Does code of a command line hand on what it is made of itself?"""
        own = self.code.code.text
        if not own or self.code.file or word.text is None:
            return False
        bare = word.text.strip().removesuffix("()").strip("();")
        return len(bare) > _SHORT and bare in own


_SHORT = 24
