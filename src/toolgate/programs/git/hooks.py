"""The repository's own scripts that git runs at a subcommand (githooks(5))."""

from collections.abc import Iterator

from toolgate.model.effect import Run
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.place import LOCAL
from toolgate.model.word import Maybe, Word, known_word

from .config_files import common_git_folder, effective_settings, possible_values, work_tree

_MESSAGE_HOOKS = ("prepare-commit-msg", "commit-msg")
HOOKS: dict[str, tuple[str, ...]] = {
    "commit": ("pre-commit", *_MESSAGE_HOOKS, "post-commit"),
    "merge": ("pre-merge-commit", *_MESSAGE_HOOKS, "post-merge"),
    "pull": ("pre-merge-commit", *_MESSAGE_HOOKS, "post-merge", "pre-rebase", "post-rewrite"),
    "push": ("pre-push",),
    "checkout": ("post-checkout",),
    "switch": ("post-checkout",),
    "rebase": ("pre-rebase", "post-checkout", "post-commit", "post-rewrite"),
    "cherry-pick": ("prepare-commit-msg", "post-commit"),
    "revert": ("prepare-commit-msg", "post-commit"),
    "am": ("applypatch-msg", "pre-applypatch", "post-applypatch"),
}
_SKIPPED_BY_NO_VERIFY = frozenset(
    ("pre-commit", "commit-msg", "pre-merge-commit", "pre-push", "applypatch-msg", "pre-applypatch", "pre-rebase")
)
"""Hooks that `--no-verify` skips."""


def run_hooks(subcommand: str, unverified: Maybe, folder: Word | None, seen: ExecutionContext) -> Iterator[Run]:
    """Run the hooks that exist. `folder`: core.hooksPath, if set on the command line."""
    top = work_tree(seen) if seen.site.machine == LOCAL and subcommand in HOOKS else None
    if top is None:
        return
    folders = (folder,) if folder is not None else tuple(_hook_folders(top, seen))
    for name in HOOKS[subcommand]:
        if unverified is True and name in _SKIPPED_BY_NO_VERIFY:
            continue
        for each in folders:
            beneath = each if each.starts_with("/") is True else known_word(f"{top.rstrip('/')}/") + each
            hook = beneath + known_word(f"/{name}")
            if seen.read_alternatives(hook):
                yield Run((hook,), seen.origin, f"git's {name}", cwd=known_word(top))


def _hook_folders(top: str, seen: ExecutionContext) -> Iterator[Word]:
    """Yield the folders of the repository's hooks: those configured, else the one in the git folder."""
    found = effective_settings(seen)
    paths = possible_values(found, "core.hookspath")
    for path in paths:
        yield known_word(seen.home) + path.drop_first(1) if path.starts_with("~/") is True else path
    if not any(setting.sure for setting in found if setting.name == "core.hookspath"):
        yield known_word(f"{common_git_folder(top, seen)}/hooks")
