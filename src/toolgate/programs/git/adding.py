"""`git add` of folders: which files for secrets would be among what is added.

`git add .` takes every file that no `.gitignore` names, a `.env` as well.
"""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from itertools import islice

from toolgate.environment_files import iter_assignments
from toolgate.flows.issuers import sets_secret
from toolgate.ignore_rules import RuleFile, parse_rules
from toolgate.model.effect import Read, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.place import Place
from toolgate.model.word import Word, glob_hole, known_word
from toolgate.programs.argv.options import ParsedOptions

from .config_files import work_tree

_MAX_FOLDERS = 40
"""Folders of a project that are searched, besides its own."""
_OWN_EXCLUDES = (".config/git/ignore", ".gitignore", ".gitignore_global")
"""The usual files of a user's own rules, in the home folder."""


def add(options: ParsedOptions, _argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """A file that is added by name is read, and goes wherever the repository goes; so does a file for secrets in a folder."""
    if options.has_flag("--dry-run") is True:
        return
    named = [word for word in options.operands if word.text not in (".", "*")]
    yield from (Read(context.resolve_place(word), context.origin) for word in named)
    if options.has_flag("--update", "--patch", "--interactive", "--edit") is True:
        return
    folders = options.operands or ((known_word("."),) if options.has_flag("--all") is True else ())
    for folder in folders:
        path = known_word(".") if folder.text == "*" else folder
        for place in _find_added_secrets(path, context, takes_ignored=options.has_flag("--force") is True):
            yield Read(place, context.origin)


def _find_added_secrets(folder: Word, context: ExecutionContext, *, takes_ignored: bool) -> Iterator[Place]:
    """Yields the files for secrets that adding this folder would add. `takes_ignored`: what a `.gitignore` names is added as well."""
    path = context.resolve_place(folder).path
    top = work_tree(context) or context.cwd.text
    if path is None or top is None or not (path == top or path.startswith(f"{top.rstrip('/')}/")):
        return
    for file in _list_files_for_secrets(path, context):
        place = context.resolve_place(known_word(file))
        is_new = context.is_as_committed(place) is not True and (takes_ignored or not is_ignored(file, top, context))
        if is_new and not _is_without_secrets(known_word(file), context):
            yield place


def _list_files_for_secrets(folder: str, context: ExecutionContext) -> Iterator[str]:
    """Yields the files for secrets in a folder and in those directly below it."""
    names = context.list_files(Word((f"{folder.rstrip('/')}/", glob_hole("*"))))
    yield from filter(_is_for_secrets, names)
    folders = (
        name for name in names if not name.endswith("/.git") and context.is_folder(context.resolve_place(known_word(name)))
    )
    for each in islice(folders, _MAX_FOLDERS):
        yield from filter(_is_for_secrets, context.list_files(Word((f"{each}/", glob_hole("*")))))


def _is_for_secrets(path: str) -> bool:
    """Returns whether a file's name is one of files for secrets. Which of them are templates is told by their zones."""
    name = path.rpartition("/")[2]
    return any(fnmatchcase(name, pattern) for pattern in _NAMES)


_NAMES = (".env", ".env.*", "*.env", "master.key", "id_rsa", "id_ed25519", "id_ecdsa")


def _is_without_secrets(file: Word, context: ExecutionContext) -> bool:
    """Returns whether this is an environment file with plain settings alone: `PORT=3000`."""
    texts = [text.text for text in context.read_alternatives(file)]
    settings = [setting for text in texts for setting in iter_assignments(text or "")]
    if None in texts or not settings:
        return False
    return not any(sets_secret(name, value) for name, value in settings)


def is_ignored(file: str, top: str, context: ExecutionContext) -> bool:
    """Returns whether rules of the project or of the user name the file, or a folder that it is in."""
    names = file[len(top.rstrip("/")) + 1 :].split("/")
    return any(
        _decide("/".join(names[:count]), top, context, is_folder=count < len(names)) is True for count in range(1, len(names) + 1)
    )


def _decide(name: str, top: str, context: ExecutionContext, *, is_folder: bool) -> bool | None:
    """Returns what the nearest rule says of a path; None if there is none."""
    *folders, _ = name.split("/")
    for count in range(len(folders), -1, -1):
        folder = "/".join(folders[:count])
        beneath = name[len(folder) + 1 :] if folder else name
        for rules in _read_rules(f"{top}/{folder}/.gitignore" if folder else f"{top}/.gitignore", context):
            if (found := rules.match_path(beneath, is_folder)) is not None:
                return found
    own = (f"{top}/.git/info/exclude", *(f"{context.home}/{each}" for each in _OWN_EXCLUDES))
    answers = (rules.match_path(name, is_folder) for file in own for rules in _read_rules(file, context))
    return next((answer for answer in answers if answer is not None), None)


def _read_rules(file: str, context: ExecutionContext) -> Iterator[RuleFile]:
    for text in context.read_alternatives(known_word(file)):
        yield parse_rules("".join(part if isinstance(part, str) else "\n*\n" for part in text.parts))
