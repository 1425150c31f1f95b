"""awk support: commands, pipes, files and variables of awk programs.

Most programs only print parts of their input; those are told by their text. All others are read by the abstract evaluator.
"""

import re
from collections.abc import Iterator

from toolgate.model.effect import Interpret, PrintedOutput, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import unknown_word

_MAY_DO_MORE = re.compile(r'system|getline|readfile|ENVIRON|[|>@"]')
"""Matches programs that may do more than print parts of their input: nothing else in awk starts a command or opens a file."""


def read(code: Interpret, text: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    files = [word for word in code.args if not word.assigned_name]
    sources = context.unknown_output("").src | (frozenset() if files else context.stdin.src)
    for file in files:
        sources |= context.stdin.src if file.text == "-" else context.read(file).src
    unknown = unknown_word(f"$(awk {' '.join(text.split())[:60]})", sources)
    if not _MAY_DO_MORE.search(text) and (files or context.stdin.text is None):
        yield PrintedOutput(unknown)
        return
    from toolgate.languages.scripting.reading import read_code

    from .language import AWK

    for effect in read_code(AWK, code, text, context):
        if not isinstance(effect, PrintedOutput):
            yield effect
        elif effect.word.text is not None:
            yield PrintedOutput(effect.word.from_commands(sources))
        else:
            yield PrintedOutput(unknown.from_commands(sources | effect.word.src))
