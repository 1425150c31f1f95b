"""A reporter for code that changes its folder: paths are taken from every folder that the code goes to."""

from __future__ import annotations

from typing import Any

from toolgate.model.effect import Carrier
from toolgate.model.generalization import generalize
from toolgate.model.place import Place
from toolgate.model.word import Word

from .path_words import append_path
from .reporter import Reporter
from .shared_state import Evaluation
from .values import NULL, Value, word_of, words_of


class FolderReporter(Reporter):
    """`folders`: where the code runs, and where it goes."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.folders: list[Word] = [self.seen.cwd]

    def change_folder(self, path: Value | None, *, is_sure: bool = False) -> None:
        """Records that the code goes to a folder. If it is sure, it is nowhere else from then on."""
        words = words_of(path) if path is not None else []
        reached = list(dict.fromkeys(append_path(folder, word) for folder in self.folders for word in words))
        if is_sure and len(words) == 1:
            self.folders = reached
        else:
            self.folders += [each for each in reached if each not in self.folders]
        if len(self.folders) > _MOST_FOLDERS:
            self.folders = [self.seen.cwd, generalize(self.folders)]

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
        super()._start_program(argv, self._folder(cwd), stdin, env)

    def shell(self, command: Value | None, via: Carrier | None = None, cwd: Value | None = None) -> None:
        super().shell(command, via, self._folder(cwd))

    def _folder(self, cwd: Value | None) -> Value | None:
        if (cwd is None or cwd is NULL) and len(self.folders) <= 2:
            return self.folders[-1] if self.folders[-1] != self.seen.cwd else None
        return None if cwd is None or cwd is NULL else word_of(cwd)


_MOST_FOLDERS = 8


def change_folder(evaluation: Evaluation, path: Value | None = None, block: Value | None = None) -> Value:
    """Goes to a folder (`chdir`), and back after the block if there is one."""
    assert isinstance(evaluation.report, FolderReporter)
    evaluation.report.change_folder(path, is_sure=evaluation.is_certain and (block is None or block is NULL))
    return NULL


def visit_folder(evaluation: Evaluation, path: Value | None = None) -> Value:
    """Goes to a folder for a block of code, and back."""
    assert isinstance(evaluation.report, FolderReporter)
    evaluation.report.change_folder(path)
    return NULL
