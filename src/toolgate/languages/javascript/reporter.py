"""Reports the effects of JavaScript: paths are resolved in every folder that the code changes to."""

from __future__ import annotations

from typing import Any

from toolgate.languages.evaluation.paths import under
from toolgate.languages.evaluation.reporter import Reporter
from toolgate.languages.evaluation.values import NULL, ListValue, Value, word_of, words_of
from toolgate.model.place import Place
from toolgate.model.word import Word, known


class JavaScriptReporter(Reporter):
    """`folders`: the working directory, and those the code changes to."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.folders: list[Word] = [self.seen.cwd]

    def change_folder(self, path: Value | None) -> None:
        for word in words_of(path) if path is not None else ():
            folder = under(self.seen.cwd, word)
            if folder not in self.folders:
                self.folders.append(folder)

    def _places(self, kind: str, path: Value | None, *more: object, follow: bool = True) -> list[Place]:
        """Resolves paths. In a trusted file, wholly unknown ones are its author's responsibility."""
        if path is None or path is NULL:
            return []
        found: list[Place] = []
        for word in words_of(path):
            if self.is_trusted and not word.head and word.text is None:
                continue
            if self.is_new(kind, word, *more):
                bases = self.folders if word.starts("/") is not True else self.folders[:1]
                found += [self.seen.place(word, follow=follow, base=base) for base in bases]
        return found

    def _start(self, argv: tuple[Word, ...], cwd: Value | None, stdin: Value | None, env: Value | None) -> None:
        if not self.is_trusted and any(self._is_own_text(word) for word in argv[1:]):
            self.operation("process.replicate")
        super()._start(argv, self._folder(cwd), stdin, env)

    def shell(self, command: Value | None, via: str = "", cwd: Value | None = None) -> None:
        super().shell(command, via, self._folder(cwd))

    def _folder(self, cwd: Value | None) -> Value | None:
        if (cwd is None or cwd is NULL) and len(self.folders) == 2:
            return self.folders[1]
        return None if cwd is None or cwd is NULL else word_of(cwd)

    def _is_own_text(self, word: Word) -> bool:
        """Returns whether inline code passes its own text on."""
        own = self.code.code.text
        if not own or self.code.file or word.text is None:
            return False
        bare = word.text.strip().removesuffix("()").strip("();")
        return len(bare) > _SHORT and bare in own

    def script_arguments(self) -> Value:
        arguments: list[Value] = [known("node")]
        for word in self.code.args:
            if word.splits and word.text is None:
                return ListValue("array", arguments, word.whole())
            arguments.append(word)
        return ListValue("array", arguments)


_SHORT = 24
