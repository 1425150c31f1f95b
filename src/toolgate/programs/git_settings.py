"""git's settings: which of them are commands, and what setting one does."""

from collections.abc import Iterator

from toolgate.model.effect import Interpret, Operation, Reported, Run, Write
from toolgate.model.seen import Seen
from toolgate.model.word import Maybe, Word, known, some

from .git_files import git_folder, own_files
from .options import Given

COMMAND_SETTINGS = (
    "core.sshcommand", "core.pager", "core.editor", "core.askpass", "core.fsmonitor", "core.gitproxy", "sequence.editor", "diff.external",
    "credential.helper", "gpg.program", "uploadpack.packobjectshook",
)  # fmt: skip

TRUE = ("true", "yes", "on", "1")
_IDENTITY = ("user.email", "author.email", "committer.email")


def _remembered(name: Word, value: Word, wide: Maybe, seen: Seen) -> None:
    """What git reads from its files from now on, if they can be told."""
    section, _, key = (name.text or "").rpartition(".")
    section, _, subsection = section.partition(".")
    top = seen.repository()
    file = own_files(seen.home)[-1] if wide is not False else f"{git_folder(top, seen)}/config" if top is not None else None
    if file is not None and section and value.text is not None:
        escaped = value.text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        heading = f'[{section} "{subsection}"]' if subsection else f"[{section}]"
        seen.added(known(file), known(f'\n{heading}\n{key} = "{escaped}"\n', value.src))


def config(given: Given, _argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    if given.flag("--list", "-l", "--get-regexp") is True or (given.operands and given.operands[0].text == "list"):
        yield Operation("git.identity", seen.origin, known("config --list"))
    for word in given.operands[:2]:
        if (word.text or "").lower() in _IDENTITY:
            yield Operation("git.identity", seen.origin, word)
            break
    if len(given.operands) > 1 and given.flag("--get", "--list", "--unset") is not True:
        wide = some((given.flag("--global"), given.flag("--system")))
        operands = given.operands[1:] if given.operands[0].text == "set" and len(given.operands) > 2 else given.operands
        yield Operation("git.config", seen.origin, operands[0], (("global", wide),))
        name, value = (operands[0].text or "").lower(), operands[1]
        _remembered(operands[0], value, wide, seen)
        if name == "core.hookspath" and wide is not False:
            hook = value + known("/pre-commit")  # each hook in there now runs in every repository
            yield Write(seen.place(known(seen.home) + known("/.config/git/hooks")), hook, None, seen.origin)
        if name in COMMAND_SETTINGS or (name.startswith("alias.") and value.starts("!") is not False):
            yield Interpret("shell", value.cut(1) if value.starts("!") is True else value, seen.origin, via=f"git config {name}")
        elif name.startswith("alias.") and value.text is not None:
            words = tuple(map(known, value.text.split()))
            yield Run((known("git"), *words), seen.origin, f"git config {name}", sure=None)  # whoever uses it later
