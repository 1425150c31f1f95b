"""git's configuration files and their effective settings, included files among them (git-config(1)).

A file that is included on a condition applies where the condition may hold, and never replaces another setting.
"""

import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import NamedTuple

from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Maybe, Word, known_word

_MAX_INCLUDE_DEPTH = 10  # nested includes: git has the same limit
_SECTION = re.compile(r'[ \t]*\[([-.A-Za-z0-9]+)[ \t]*(?:"((?:[^"\\]|\\.)*)")?\]')
_KEY = re.compile(r"[ \t]*([A-Za-z][-A-Za-z0-9]*)[ \t]*(=[ \t]*)?")
_VALUE_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"?|\\(.)|([#;])|([^"\\#;]+)', re.DOTALL)
_LINE_CONTINUATION, _CONTINUATION_MARK = re.compile(r"\\\r?\n"), "\0"  # no line of text holds a NUL
_INCLUDE_SETTINGS = ("include.path", "includeif.*.path")
_ESCAPES = {"n": "\n", "t": "\t", "b": "\b"}


class Setting(NamedTuple):
    """`name`: section, the subsection as written if there is one, and key, joined by dots. `sure`: it applies unless a later
    one overrides it. `file` and `line`: its location."""

    name: str
    value: Word
    sure: bool = True
    file: str = ""
    line: int = 0

    @property
    def generic_name(self) -> str:
        """Returns the name with a star for its subsection: `filter.*.clean`."""
        return _generic_name(self.name)

    @property
    def subsection(self) -> str:
        return self.name.partition(".")[2].rpartition(".")[0]


@lru_cache(maxsize=1024)
def _generic_name(name: str) -> str:
    section, _, rest = name.partition(".")
    return f"{section}.*.{rest.rpartition('.')[2]}" if "." in rest else name


def parse_config(text: str) -> Iterator[tuple[str, str, int]]:
    """Yields the settings of one file in order, each with its first line. A key without a value is true."""
    section, number, after = "", 0, 1
    for joined in _LINE_CONTINUATION.sub(_CONTINUATION_MARK, text).split("\n"):
        number, after = after, after + 1 + joined.count(_CONTINUATION_MARK)
        line, at = joined.replace(_CONTINUATION_MARK, ""), 0
        while (match := _SECTION.match(line, at)) is not None:
            section, at = match[1].lower(), match.end()
            if match[2] is not None:
                section += "." + re.sub(r"\\(.)", r"\1", match[2])
        match = _KEY.match(line, at)
        if match is not None and section:
            yield f"{section}.{match[1].lower()}", _parse_value(line[match.end() :]) if match[2] else "true", number


def _parse_value(source: str) -> str:
    """Parses a value: quotes group, a backslash escapes, a comment ends it."""
    value, kept = "", 0
    for quoted, escaped, comment, plain in _VALUE_TOKEN.findall(source):
        if comment:
            break
        value += plain or _ESCAPES.get(escaped, escaped)
        if not plain:
            value += re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[1]), quoted)
            kept = len(value)
    return value[:kept] + value[kept:].rstrip()


def effective_settings(context: ExecutionContext) -> tuple[Setting, ...]:
    """Returns the settings for a git that runs here, in git's order: the last one of a name applies."""
    top = work_tree(context)
    files = (_SYSTEM_CONFIG, *user_config_files(context.home), *_files_of_environment(context))
    key = ("git settings", top, files, context.get_variables("GIT_DIR"), context.cwd, context.site)
    return context.derive_from_files(key, lambda: tuple(_read_settings(files, top, context)))


def _read_settings(files: tuple[str, ...], top: str | None, context: ExecutionContext) -> Iterator[Setting]:
    for file in files:
        yield from _read_config_file(file, top, context, 0)
    if top is not None:
        yield from _read_config_file(f"{common_git_folder(top, context)}/config", top, context, 0)


_SYSTEM_CONFIG = "/etc/gitconfig"


def _files_of_environment(context: ExecutionContext) -> Iterator[str]:
    """Yields the files that variables make git read instead of others; here they are read in addition."""
    for name in ("GIT_CONFIG_SYSTEM", "GIT_CONFIG_GLOBAL"):
        value = context.get_variable(name)
        if value is not None and (path := context.resolve_place(value).path) is not None:
            yield path


def user_config_files(home: str) -> tuple[str, ...]:
    """Returns the user's configuration files, in the order in which git reads them."""
    return f"{home}/.config/git/config", f"{home}/.gitconfig"


def possible_values(settings: Sequence[Setting], name: str) -> list[Word]:
    """Returns the possible values of a setting: the last one that surely applies, and later ones that may."""
    values: list[Word] = []
    for setting in reversed(settings):
        if setting.name == name:
            values.append(setting.value)
            if setting.sure:
                break
    return list(dict.fromkeys(values))


def _read_config_file(file: str, top: str | None, context: ExecutionContext, depth: int) -> Iterator[Setting]:
    texts = context.read_followed_code(known_word(file))
    for text in texts:
        found, includes = _settings_of_text(text, file, len(texts) == 1)
        if includes and depth < _MAX_INCLUDE_DEPTH:
            for setting in found:
                yield setting
                yield from _included_settings(setting, top, context, depth)
        else:
            yield from found


@lru_cache(maxsize=64)
def _settings_of_text(text: Word, file: str, sure: bool) -> tuple[tuple[Setting, ...], bool]:
    """Returns the settings of a text, and whether it includes other files."""
    source = "".join(part if isinstance(part, str) else "\n" for part in text.parts)
    found = tuple(Setting(name, known_word(value, text.src), sure, file, line) for name, value, line in parse_config(source))
    return found, any(setting.generic_name in _INCLUDE_SETTINGS for setting in found)


def _included_settings(setting: Setting, top: str | None, context: ExecutionContext, depth: int) -> Iterator[Setting]:
    if setting.generic_name not in _INCLUDE_SETTINGS:
        return
    holds = True if setting.generic_name == "include.path" else _condition_holds(setting.subsection, setting.file, top, context)
    if holds is not False:
        for each in _read_config_file(
            _resolve_beside(setting.value.text or "", setting.file, context.home), top, context, depth + 1
        ):
            yield each._replace(sure=each.sure and setting.sure and holds is True)


def _resolve_beside(path: str, file: str, home: str) -> str:
    """Resolves a path in a file, which is relative to that file's folder."""
    if path.startswith("~/"):
        return home + path[1:]
    return path if path.startswith("/") else f"{file.rpartition('/')[0]}/{path}"


def _condition_holds(condition: str, file: str, top: str | None, context: ExecutionContext) -> Maybe:
    """Evaluates the condition of `includeIf`; only the repository's location is known here."""
    kind, _, pattern = condition.partition(":")
    if kind not in ("gitdir", "gitdir/i"):
        return None
    if top is None:
        return False
    folder = common_git_folder(top, context)
    if pattern.startswith(("~/", "./")):
        pattern = _resolve_beside(pattern.removeprefix("./"), file, context.home)
    elif not pattern.startswith("/"):
        pattern = f"*/{pattern}"
    pattern += "*" if pattern.endswith("/") else ""
    if kind == "gitdir/i":
        folder, pattern = folder.lower(), pattern.lower()
    return True if fnmatchcase(folder, pattern) or fnmatchcase(f"{folder}/", pattern) else None


def work_tree(context: ExecutionContext) -> str | None:
    """Returns the top of the work tree: what git's variables name, else that of the repository around the current directory."""
    for tree in context.get_variables("GIT_WORK_TREE"):
        if (path := context.resolve_place(tree).path) is not None:
            return path
    return context.cwd.text if context.get_variables("GIT_DIR") else context.find_repository()


def common_git_folder(top: str, context: ExecutionContext) -> str:
    """Returns what GIT_DIR names, else `.git`; for a linked work tree, the folder that all of them share."""
    named = [path for value in context.get_variables("GIT_DIR") if (path := context.resolve_place(value).path) is not None]
    if named:  # of several, the one that exists
        return next((path for path in named if context.read_alternatives(known_word(f"{path}/config"))), named[0])
    return re.sub(r"/worktrees/[^/]+$", "", work_tree_git_folder(top, context))


def work_tree_git_folder(top: str, context: ExecutionContext) -> str:
    """Returns the folder with the work tree's own HEAD and index."""
    git_folder = f"{top.rstrip('/')}/.git"
    for text in context.read_alternatives(known_word(git_folder)):
        if (found := re.match(r"gitdir:\s*(\S+)", text.text or "")) is not None:
            return found[1] if found[1].startswith("/") else f"{top}/{found[1]}"
    return git_folder
