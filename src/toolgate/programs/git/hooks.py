"""The repository's own scripts that git runs at a subcommand (githooks(5))."""

import re
from collections.abc import Iterator

from toolgate.model.effect import Carrier, Operation, Run
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.place import LOCAL
from toolgate.model.word import Word, known_word

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


_COMMIT_WITHOUT_CHECKS = re.compile(r"-[apqsv]*n[apqsvm]*")
"""`-n` of commit, alone or among other short options."""


def run_hooks(argv: tuple[Word, ...], folder: Word | None, context: ExecutionContext) -> Iterator[Run | Operation]:
    """Runs the hooks that exist, or reports that they are skipped. `folder`: core.hooksPath, if set on the command line."""
    subcommand = argv[0].text or ""
    shortened = _COMMIT_WITHOUT_CHECKS if subcommand == "commit" else None
    unverified = any(
        word.text == "--no-verify" or (shortened is not None and shortened.fullmatch(word.text or "")) for word in argv[1:]
    )
    top = work_tree(context) if context.site.machine == LOCAL and subcommand in HOOKS else None
    if top is None:
        return
    no_folder = folder is not None and folder.text in ("", "/dev/null")
    for name in HOOKS[subcommand]:
        is_skipped = (unverified and name in _SKIPPED_BY_NO_VERIFY) or no_folder
        found = [hook for each in _hook_folders(top, context) if _exists(hook := _hook_in(each, name, top), context)]
        is_expected = bool(found) or _is_configured(top, name, context)
        if is_expected and (is_skipped or _is_skipped_by_variable(found[0] if found else None, top, context)):
            yield Operation("git.hooks", context.origin, known_word(f"the {name} hook"), (("once", True),))
        if not is_skipped:
            hooks = found if folder is None else [hook for hook in (_hook_in(folder, name, top),) if _exists(hook, context)]
            yield from (Run((hook,), context.origin, Carrier("git", f"{name} hook"), cwd=known_word(top)) for hook in hooks)


def _hook_in(folder: Word, name: str, top: str) -> Word:
    beneath = folder if folder.starts_with("/") is True else known_word(f"{top.rstrip('/')}/") + folder
    return beneath + known_word(f"/{name}")


def _exists(hook: Word, context: ExecutionContext) -> bool:
    return bool(context.read_alternatives(hook))


def _is_configured(top: str, name: str, context: ExecutionContext) -> bool:
    """Returns whether the project describes a hook of this name, for a program that installs it."""
    files = (f".husky/{name}", *(_CONFIGURATIONS if name == "pre-commit" else ()))
    return any(_exists(known_word(f"{top.rstrip('/')}/{file}"), context) for file in files)


_CONFIGURATIONS = (".pre-commit-config.yaml", "lefthook.yml", "lefthook.yaml", ".lefthook.yml", ".overcommit.yml")


def _is_skipped_by_variable(hook: Word | None, top: str, context: ExecutionContext) -> bool:
    """Returns whether a variable switches off the program that made the hook: `HUSKY=0`, or some of its checks: `SKIP=gitleaks`."""
    path = "" if hook is None else hook.text or ""
    for variable, off, folder, file in _SWITCHES:
        value = context.get_variable(variable)
        is_off = value is not None and (value.text == off if off else bool(value.parts))
        is_used = (folder and folder in path) or _exists(known_word(f"{top.rstrip('/')}/{file}"), context)
        if is_off and is_used:
            return True
    return False


_SWITCHES = (
    ("HUSKY", "0", "/.husky/", ".husky/pre-commit"),
    ("LEFTHOOK", "0", "/.git/hooks/", "lefthook.yml"),
    ("SKIP", "", "", ".pre-commit-config.yaml"),
    ("OVERCOMMIT_DISABLE", "1", "", ".overcommit.yml"),
)
"""Variables with what they are set to, the folder of the hooks that they switch off, and a file of a project that has such hooks."""


def _hook_folders(top: str, context: ExecutionContext) -> Iterator[Word]:
    """Yields the folders of the repository's hooks: those configured, else the one in the git folder."""
    found = effective_settings(context)
    paths = possible_values(found, "core.hookspath")
    for path in paths:
        yield known_word(context.home) + path.drop_first(1) if path.starts_with("~/") is True else path
    if not any(setting.sure for setting in found if setting.name == "core.hookspath"):
        yield known_word(f"{common_git_folder(top, context)}/hooks")
