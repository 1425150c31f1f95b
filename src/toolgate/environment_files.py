"""The variables that environment files set: `.env`, and the files that `--env-file` names."""

from collections.abc import Iterable, Iterator

from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word


def read_assignments(files: Iterable[Word], context: ExecutionContext) -> dict[str, Word]:
    """Returns the variables of environment files by name; a later file sets a variable again."""
    texts = [text.text or "" for file in files for text in context.read_alternatives(file)]
    return {name: known_word(value) for text in texts for name, value in iter_assignments(text)}


def iter_assignments(text: str) -> Iterator[tuple[str, str]]:
    """Yields the names and values of an environment file: `NAME=value`, `export NAME="value"  # comment`."""
    for line in text.splitlines():
        name, found, value = line.strip().removeprefix("export ").partition("=")
        if found and name.strip().isidentifier():
            yield name.strip(), _read_assigned(value.strip())


def _read_assigned(value: str) -> str:
    quote = value[:1]
    end = value.find(quote, 1) if quote in ("'", '"') else -1
    return value[1:end] if end > 0 else value.partition(" #")[0].rstrip()
