"""The environment files whose secrets a search through a folder would show: `grep -rn API_KEY .` in a project with a `.env`."""

import re
from collections.abc import Iterator, Sequence

from toolgate.environment_files import iter_assignments
from toolgate.flows.issuers import sets_secret
from toolgate.model.effect import Read
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, glob_hole, known_word
from toolgate.programs.argv.options import ParsedOptions
from toolgate.programs.git.adding import is_ignored
from toolgate.programs.git.config_files import work_tree

_SHOWS_NO_LINES = ("--files-with-matches", "--count", "-q", "--only-matching")
_CHOOSES_FILES = ("--include", "--glob", "--iglob", "--type", "--exclude", "--exclude-from")
_LITERAL = re.compile(r"[A-Za-z0-9_]{3,}")
_ALTERNATIVES = re.compile(r"\\?\|")


def list_shown_secrets(
    options: ParsedOptions, folders: Sequence[Word], context: ExecutionContext, *, keeps_to_ignore_files: bool
) -> Iterator[Read]:
    """Yields the environment files directly in these folders that have a secret on a line which a search matches and shows.
    `keeps_to_ignore_files`: what a `.gitignore` names is not searched."""
    is_limited = any(next(options.values_of(name), None) is not None for name in _CHOOSES_FILES)
    if is_limited or options.has_flag(*_SHOWS_NO_LINES) is not False:
        return
    patterns = list(options.values_of("--regexp")) or options.operands[:1]
    wanted = [word for pattern in patterns for word in _list_wanted(pattern.text or "")]
    if not wanted:
        return
    top = work_tree(context) or context.cwd.text or "/"
    for folder in folders or (known_word("."),):
        path = context.resolve_place(folder).path
        for file in context.list_files(Word((f"{path}/.env", glob_hole("*")))) if path else ():
            place = context.resolve_place(known_word(file))
            is_searched = not keeps_to_ignore_files or not is_ignored(file, top, context)
            if is_searched and any(
                _shows_secret(text.text or "", wanted) for text in context.read_alternatives(known_word(file))
            ):
                yield Read(place, context.origin)


def _list_wanted(pattern: str) -> list[str]:
    """Lists a literal text of each alternative of a pattern, in lower case: the longest run of letters."""
    runs = (_LITERAL.findall(alternative) for alternative in _ALTERNATIVES.split(pattern))
    return [max(each, key=len).lower() for each in runs if each]


def _shows_secret(text: str, wanted: Sequence[str]) -> bool:
    settings = ((name, value) for name, value in iter_assignments(text) if sets_secret(name, value))
    return any(each in f"{name}={value}".lower() for name, value in settings for each in wanted)
