"""The variables that environment files set: `.env`, and the files that `--env-file` names."""

from collections.abc import Iterable

from toolgate.documents import iter_assignments
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word


def read_assignments(files: Iterable[Word], context: ExecutionContext) -> dict[str, Word]:
    """Returns the variables of environment files by name; a later file sets a variable again."""
    texts = [text.text or "" for file in files for text in context.read_alternatives(file)]
    return {name: known_word(value) for text in texts for name, value in iter_assignments(text)}
