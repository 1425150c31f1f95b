"""The scripts of a repository's own that git runs at a subcommand (githooks(5))."""

import re
from collections.abc import Iterator

from toolgate.model.effect import Run
from toolgate.model.place import LOCAL
from toolgate.model.seen import Seen
from toolgate.model.word import Maybe, Word, known

_MESSAGE = ("prepare-commit-msg", "commit-msg")
HOOKS: dict[str, tuple[str, ...]] = {
    "commit": ("pre-commit", *_MESSAGE, "post-commit"),
    "merge": ("pre-merge-commit", *_MESSAGE, "post-merge"),
    "pull": ("pre-merge-commit", *_MESSAGE, "post-merge", "pre-rebase", "post-rewrite"),
    "push": ("pre-push",),
    "checkout": ("post-checkout",),
    "switch": ("post-checkout",),
    "rebase": ("pre-rebase", "post-checkout", "post-commit", "post-rewrite"),
    "cherry-pick": ("prepare-commit-msg", "post-commit"),
    "revert": ("prepare-commit-msg", "post-commit"),
    "am": ("applypatch-msg", "pre-applypatch", "post-applypatch"),
}
_SKIPPED = frozenset(
    ("pre-commit", "commit-msg", "pre-merge-commit", "pre-push", "applypatch-msg", "pre-applypatch", "pre-rebase")
)
"""What --no-verify leaves out."""


def triggered(subcommand: str, unverified: Maybe, folder: Word | None, seen: Seen) -> Iterator[Run]:
    """The hooks that are there. `folder`: core.hooksPath, where the command line sets it."""
    top = seen.repository() if seen.site.machine == LOCAL and subcommand in HOOKS else None
    if top is None:
        return
    folders = (folder,) if folder is not None else tuple(_folders(top, seen))
    for name in HOOKS[subcommand]:
        if unverified is True and name in _SKIPPED:
            continue
        for each in folders:
            beneath = each if each.starts("/") is True else known(f"{top.rstrip('/')}/") + each
            hook = beneath + known(f"/{name}")
            if seen.contents(hook):
                yield Run((hook,), seen.origin, f"git's {name}", cwd=known(top))


def _folders(top: str, seen: Seen) -> Iterator[Word]:
    """Where the repository's hooks lie: where its configuration or the user's says, else beside it."""
    own = _git_folder(top, seen)
    for file in (f"{own}/config", f"{seen.home}/.gitconfig", f"{seen.home}/.config/git/config"):
        for text in seen.contents(known(file)):
            found = _HOOKS_PATH.findall(text.text or "")
            if found:
                path = found[-1].strip().strip('"')
                yield known(seen.home + path[1:] if path.startswith("~/") else path, text.src)
                return
    yield known(f"{own}/hooks")


_HOOKS_PATH = re.compile(r"(?im)^\s*hookspath\s*=\s*(.+?)\s*$")


def _git_folder(top: str, seen: Seen) -> str:
    """`.git`, or for a further working tree the folder that all of them share."""
    beside = f"{top.rstrip('/')}/.git"
    for text in seen.contents(known(beside)):
        if (found := re.match(r"gitdir:\s*(\S+)", text.text or "")) is not None:
            return re.sub(r"/worktrees/[^/]+$", "", found[1] if found[1].startswith("/") else f"{top}/{found[1]}")
    return beside
