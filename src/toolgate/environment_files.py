"""The variables that environment files set: `.env`, and the files that `--env-file` names."""

from collections.abc import Iterable, Iterator

from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word


def read_assignments(files: Iterable[Word], context: ExecutionContext) -> dict[str, Word]:
    """Returns the variables of environment files by name; a later file sets a variable again."""
    texts = [text.text or "" for file in files for text in context.read_alternatives(file)]
    return {name: known_word(value) for text in texts for name, value in parse_assignments(text)}


def parse_assignments(text: str) -> Iterator[tuple[str, str]]:
    """Yields the names and values of an environment file. A value with a comment behind it is left out."""
    for line in text.splitlines():
        name, found, value = line.strip().removeprefix("export ").partition("=")
        if found and name.strip().isidentifier() and "#" not in value:
            yield name.strip(), value.strip().strip("\"'")
