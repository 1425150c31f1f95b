"""`git config`: the effects of changing a setting."""

import re
from collections.abc import Iterator

from toolgate.model.effect import Interpret, Operation, Reported, Run, Write
from toolgate.model.seen import Seen
from toolgate.model.word import Maybe, Word, known, some

from .configured_programs import redirects_of_git
from .git_files import Setting, git_folder, own_files, work_tree
from .git_programs import names_a_program
from .options import Given

TRUE = ("true", "yes", "on", "1")
_HOOKS = {"core.hookspath": "/pre-commit", "init.templatedir": "/hooks/pre-commit"}
_IDENTITY = ("user.email", "author.email", "committer.email")


def _remembered(name: Word, value: Word, wide: Maybe, seen: Seen) -> None:
    """Record the setting in the file that git will read from now on, if that file is known."""
    section, _, key = (name.text or "").rpartition(".")
    section, _, subsection = section.partition(".")
    top = work_tree(seen)
    file = own_files(seen.home)[-1] if wide is not False else f"{git_folder(top, seen)}/config" if top is not None else None
    if file is not None and section and value.text is not None:
        escaped = value.text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        heading = f'[{section} "{subsection}"]' if subsection else f"[{section}]"
        seen.added(known(file), known(f'\n{heading}\n{key} = "{escaped}"\n', value.src))


_SAYS = ("get", "list", "get-urlmatch", "get-color", "get-colorbool")
_CHANGES = ("set", "unset", "edit", "rename-section", "remove-section")
_TELLS = ("--list", "-l", "--get", "--get-all", "--get-regexp", "--get-urlmatch")
_REMOVES = ("--unset", "--unset-all", "--rename-section", "--remove-section", "--edit")


def _file(given: Given, seen: Seen) -> Iterator[Write]:
    """`--file FILE`: settings are written into any file."""
    verb = given.operands[0].text if given.operands else None
    if given.flag(*_TELLS) is True or verb in _SAYS:
        return
    if given.flag(*_REMOVES) is True or verb in _CHANGES or len(given.operands) > 1:
        yield from (Write(seen.place(file), None, None, seen.origin) for file in given.all("--file"))


_LEADS_TO_PROGRAMS = (*_HOOKS, "core.sshcommand", "include.path")
_PLAIN = re.compile(r"!?[\w.+-]+(?: [\w.=+-]+)*")
"""A program by its plain name: an editor, a pager, a helper."""


def _is_run(name: str, value: Word) -> Maybe:
    """Tell whether git runs the setting's value, or finds there what it runs; plain program names are left out."""
    if name in _LEADS_TO_PROGRAMS or (name.startswith("includeif.") and name.endswith(".path")):
        return True
    if name.startswith("alias."):
        return value.starts("!")
    if not names_a_program(Setting(name, value)):
        return False
    return None if value.text is None else not _PLAIN.fullmatch(value.text)


def config(given: Given, _argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    yield from _file(given, seen)
    if given.flag("--list", "-l", "--get-regexp") is True or (given.operands and given.operands[0].text == "list"):
        yield Operation("git.identity", seen.origin, known("config --list"))
    for word in given.operands[:2]:
        if (word.text or "").lower() in _IDENTITY:
            yield Operation("git.identity", seen.origin, word)
            break
    words = given.operands[1:] if given.operands and given.operands[0].text == "set" else given.operands
    if len(words) > 1 and given.flag("--get", "--list", "--unset") is not True:
        wide = some((given.flag("--global"), given.flag("--system")))
        name, value = (words[0].text or "").lower(), words[1]
        yield Operation("git.config", seen.origin, words[0], (("global", wide), ("runs", _is_run(name, value))))
        _remembered(words[0], value, wide, seen)
        if name in _HOOKS and wide is not False:
            hook = value + known(_HOOKS[name])  # the hooks of that folder now run in every repository
            yield Write(seen.place(known(seen.home) + known("/.config/git/hooks")), hook, None, seen.origin)
        yield from redirects_of_git((words[0].text or "").lower() if value.parts else "", value, seen)
        if names_a_program(Setting(name, value)):
            yield Operation("setting.runs", seen.origin, value)
        if names_a_program(Setting(name, value)) or (name.startswith("alias.") and value.starts("!") is not False):
            yield Interpret("shell", value.cut(1) if value.starts("!") is True else value, seen.origin, via=f"git config {name}")
        elif name.startswith("alias.") and value.text is not None:
            aliased = tuple(map(known, value.text.split()))
            yield Run((known("git"), *aliased), seen.origin, f"git config {name}", sure=None)  # when the alias is used later
