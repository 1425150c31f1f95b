"""Reports the effects of JavaScript."""

from __future__ import annotations

from toolgate.languages.evaluation.folders import FolderReporter
from toolgate.languages.evaluation.values import ListValue, Value
from toolgate.model.word import known_word


class JavaScriptReporter(FolderReporter):
    def script_arguments(self) -> Value:
        arguments: list[Value] = [known_word("node")]
        for word in self.code.args:
            if word.splits and word.text is None:
                return ListValue("array", arguments, word.as_single_word())
            arguments.append(word)
        return ListValue("array", arguments)
