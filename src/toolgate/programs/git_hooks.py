"""The repository's own scripts that git runs at a subcommand (githooks(5))."""

from collections.abc import Iterator

from toolgate.model.effect import Run
from toolgate.model.place import LOCAL
from toolgate.model.seen import Seen
from toolgate.model.word import Maybe, Word, known

from .git_files import git_folder, last, settings, work_tree

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
"""Hooks that `--no-verify` skips."""


def triggered(subcommand: str, unverified: Maybe, folder: Word | None, seen: Seen) -> Iterator[Run]:
    """Run the hooks that exist. `folder`: core.hooksPath, if set on the command line."""
    top = work_tree(seen) if seen.site.machine == LOCAL and subcommand in HOOKS else None
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
    """Yield the folders of the repository's hooks: those configured, else the one in the git folder."""
    found = settings(seen)
    paths = last(found, "core.hookspath")
    for path in paths:
        yield known(seen.home) + path.cut(1) if path.starts("~/") is True else path
    if not any(setting.sure for setting in found if setting.name == "core.hookspath"):
        yield known(f"{git_folder(top, seen)}/hooks")
