"""Reports the effects of JavaScript."""

from __future__ import annotations

from toolgate.languages.evaluation.folders import FolderReporter
from toolgate.languages.evaluation.values import ListValue, Value
from toolgate.model.word import known


class JavaScriptReporter(FolderReporter):
    def script_arguments(self) -> Value:
        arguments: list[Value] = [known("node")]
        for word in self.code.args:
            if word.splits and word.text is None:
                return ListValue("array", arguments, word.whole())
            arguments.append(word)
        return ListValue("array", arguments)
