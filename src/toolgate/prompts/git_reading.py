"""Recognises git calls that only list, and checks that the repository's configuration keeps it so.

Calls that show file contents are left to the host, since git may store a file of secrets. So is git under a setting that is not
known to be harmless: many settings run programs.
"""

import re
from collections.abc import Iterable

from toolgate.model.word import Unread
from toolgate.model.world import ABSENT, GitState, NoAnswer, World

from .operand_reading import READS_NOTHING, Reading
from .surroundings import MOST_ENTRIES

_NO_PATCH = frozenset(("--stat", "--name-only", "--name-status", "--shortstat", "--numstat"))
_LOG = frozenset(
    "--oneline --graph --decorate --all --stat --name-only --name-status --shortstat --numstat --no-color --no-merges --merges"
    " --reverse --first-parent --follow --no-patch --date-order --abbrev-commit".split()
)
_FLAGS: dict[str, frozenset[str]] = {
    "status": frozenset("-s -b -sb --short --branch --porcelain --long -uno -unormal -uall --no-color".split()),
    "log": _LOG,
    "show": _LOG,
    "diff": _NO_PATCH | {"--cached", "--staged", "--no-color", "--no-ext-diff"},
    "branch": frozenset("-a -v -vv -r -av -avv --list --all --remotes --show-current --verbose --no-color".split()),
    "remote": frozenset(("-v", "--verbose")),
    "tag": frozenset(("-l", "--list")),
    "ls-files": frozenset("-m -o -d -s -c --others --modified --deleted --cached --exclude-standard".split()),
    "rev-parse": frozenset("--show-toplevel --abbrev-ref --short --verify --git-dir --is-inside-work-tree -q".split()),
    "describe": frozenset("--tags --always --all --long --abbrev=0".split()),
    "stash list": frozenset(),
    "worktree list": frozenset(("--porcelain",)),
}
_NO_OPERANDS = ("branch", "remote", "tag", "stash list", "worktree list")
_VALUES = re.compile(
    r"-\d+|-n\d+|--(max-count|since|until|after|before|author|grep|date)=[^%]*|--(format|pretty)=(format:)?([^%]|%[^GN])*"
)
_SEPARATE = frozenset(("-n", "--since", "--until", "--author", "--grep"))


def read_git(words: tuple[str, ...]) -> Reading | str:
    """Returns an empty reading for a git call that only lists, otherwise the reason for the doubt."""
    rest = [word for n, word in enumerate(words) if not (n == 0 and word == "--no-pager")]
    name = rest.pop(0) if rest else ""
    if rest and f"{name} {rest[0]}" in _FLAGS:
        name = f"{name} {rest.pop(0)}"
    if name not in _FLAGS:
        return f"nothing says that git {name} only lists"
    options: set[str] = set()
    operands: list[str] = []
    while rest:
        word = rest.pop(0)
        if word == "--":
            operands += rest
            break
        if word in _SEPARATE and name in ("log", "show") and rest:
            rest.pop(0)
        elif word in _FLAGS[name] or (name in ("log", "show") and _VALUES.fullmatch(word)):
            options.add(word)
        elif word.startswith("-"):
            return f"nothing says that git {name} {word} only lists"
        else:
            operands.append(word)
    if operands and name in _NO_OPERANDS:
        return f"git {name} with an operand changes something"
    if name in ("diff", "show") and options.isdisjoint(_NO_PATCH | {"--no-patch"}):
        return f"git {name} shows contents of files"
    return READS_NOTHING


_LARGEST = 65_536
_HOOKS = ("post-index-change", "reference-transaction", "fsmonitor-watchman", "query-watchman")
_SECTION = re.compile(r'\[\s*([\w.-]+)\s*(?:"((?:[^"\\\n]|\\.)*)")?\s*\]')
_SETTING = re.compile(r"([A-Za-z][\w-]*)\s*(?:=\s*(.*))?")
_HARMLESS = re.compile(
    r"core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf"
    r"|quotepath|excludesfile|abbrev|whitespace|untrackedcache|preloadindex|longpaths|editor|commentchar)"
    r"|(remote|branch|url|user|author|committer|init|color|column|pull|push|fetch|merge|rebase|rerere|status|advice|commit|tag|alias"
    r"|credential|safe|help|github|gui|stash|feature|index|pack|gc|maintenance|http|https|protocol|transfer|receive|log|sequence)\..*"
    r"|diff\.(algorithm|renames|renamelimit|colormoved|colormovedws|mnemonicprefix|noprefix)"
)
_RUNS = re.compile(
    r".*\.gpgsign|log\.showsignature|remote\..*\.(promisor|partialclonefilter|vcs|uploadpack|receivepack)|.*\.(textconv|command)"
)


def doubt_of_git(world: World, folder: str, home: str, environ: Iterable[str]) -> str:
    """Returns why git in this folder might run a program that its configuration names, or an empty text if it cannot."""
    if any(name.startswith("GIT_") and name not in ("GIT_EDITOR", "GIT_TERMINAL_PROMPT") for name in environ):
        return "a variable changes how git works"
    state = world.git(folder)
    if not isinstance(state, GitState) or not state.ours:
        return "the repository is not known, or not the user's"
    if world.kind(f"{state.root}/.git") != "folder" or world.kind(f"{state.root}/.gitmodules") is not ABSENT:
        return "the repository is a part of another one, or has parts that are"
    if world.kind(f"{state.root}/.git/config.worktree") is not ABSENT:
        return "the working tree has settings of its own"
    if any(world.kind(f"{state.root}/.git/hooks/{name}") is not ABSENT for name in _HOOKS):
        return "the repository has a hook that reading runs"
    if not _is_one_repository(world, state.root):
        return "the repository may hold other ones"
    own = (f"{home}/.gitconfig", f"{home}/.config/git/config")
    for path in (f"{state.root}/.git/config", *own, "/etc/gitconfig"):
        if why := _doubt_of_file(world.read(path, _LARGEST)):
            return f"{path} {why}"
    return ""


def _is_one_repository(world: World, root: str) -> bool:
    """Returns whether no folder of the repository contains another one, where git would also run, under that one's settings."""
    left, waiting = MOST_ENTRIES, [root]
    while waiting:
        folder = waiting.pop()
        listed = world.listing(folder, left)
        if not isinstance(listed, tuple) or (".git" in listed and folder != root):
            return False
        left -= len(listed)
        paths = (f"{folder}/{name}" for name in listed if name != ".git")
        waiting += [path for path in paths if world.kind(path) == "folder"]
    return True


def _doubt_of_file(text: str | Unread | NoAnswer) -> str:
    if text is ABSENT:
        return ""
    if not isinstance(text, str):
        return "cannot be read"
    section = ""
    for line in text.splitlines():
        stripped = line.strip()
        if not stripped or stripped.startswith(("#", ";")):
            continue
        if stripped.endswith("\\"):
            return "goes on over several lines"
        heading, setting = _SECTION.fullmatch(stripped), _SETTING.fullmatch(stripped)
        if heading is not None:
            section = heading[1].lower() + (f".{heading[2]}" if heading[2] is not None else "")
        elif setting is not None:
            name = f"{section}.{setting[1].lower()}"
            if not _HARMLESS.fullmatch(name) or _RUNS.fullmatch(name):
                return f"sets {name}, under which git may run a program"
        else:
            return "holds a line that is not plain"
    return ""
