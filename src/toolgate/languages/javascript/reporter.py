"""Reports the effects of JavaScript."""

from __future__ import annotations

from toolgate.languages.evaluation.folders import FolderReporter
from toolgate.languages.evaluation.values import ListValue, Value
from toolgate.model.word import Word, known_word


class JavaScriptReporter(FolderReporter):
    def script_arguments(self) -> Value:
        arguments: list[Value] = [known_word("node")]
        for word in self.code.args:
            if word.splits and word.text is None:
                return ListValue("array", arguments, word.as_single_word())
            arguments.append(word)
        return ListValue("array", arguments)

    def _start_program(self, argv: tuple[Word, ...], cwd: Value | None, stdin: Value | None, env: Value | None) -> None:
        if not self.is_excused and any(self._is_own_text(word) for word in argv[1:]):
            self.operation("process.replicate")
        super()._start_program(argv, cwd, stdin, env)

    def _is_own_text(self, word: Word) -> bool:
        """Returns whether code of a command line hands on calls that it is made of itself."""
        own = self.code.code.text
        if not own or self.code.file or word.text is None:
            return False
        bare = word.text.strip().removesuffix("()").strip("();")
        return len(bare) > _SHORT and "(" in bare and bare in own


_SHORT = 24
