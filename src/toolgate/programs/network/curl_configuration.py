"""Options of curl in a file or on its standard input: `url = "https://.."`, `request = "DELETE"` (curl(1), `--config`)."""

import re
from collections.abc import Iterator

from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word
from toolgate.programs.argv.options import ParsedOptions

_LINE = re.compile(
    r"^[ \t]*(?:--?)?(?P<name>[\w-]+)(?:[ \t]*[=:][ \t]*|[ \t]+|[ \t]*$)(?:\"(?P<quoted>(?:[^\"\\]|\\.)*)\"|(?P<plain>\S*))",
    re.MULTILINE,
)


def list_configured_words(options: ParsedOptions, context: ExecutionContext) -> tuple[Word, ...]:
    """Returns the words that the configuration adds to the call; none if there is no configuration, if nothing of it is known,
    or if the call has them already."""
    words = [word for file in options.values_of("--config") for word in _read_words(file, context)]
    values = {value.text for _, value in options.values}
    is_included = all(word.text in values or word.starts_with("-") is True for word in words)
    return () if is_included else tuple(words)


def _read_words(file: Word, context: ExecutionContext) -> Iterator[Word]:
    text = context.stdin if file.text == "-" else context.read(file)
    for found in _LINE.finditer(text.text or ""):
        name, value = found["name"], found["quoted"] if found["quoted"] is not None else found["plain"]
        yield known_word(f"-{name}" if len(name) == 1 else f"--{name}", text.src)
        if value:
            yield known_word(re.sub(r"\\(.)", r"\1", value), text.src)
