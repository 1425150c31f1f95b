"""`git config`: the effects of changing a setting."""

import re
from collections.abc import Iterator

from toolgate.model.effect import Carrier, Interpret, Operation, ReportedEffect, Run, Write
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Maybe, Word, known_word, maybe_any
from toolgate.programs.argv.options import ParsedOptions
from toolgate.programs.system.configured_programs import redirect_git

from .config_files import Setting, common_git_folder, user_config_files, work_tree
from .configured_commands import is_command_setting

TRUE_VALUES = ("true", "yes", "on", "1")
_HOOK_SETTINGS = {"core.hookspath": "/pre-commit", "init.templatedir": "/hooks/pre-commit"}
_IDENTITY_SETTINGS = ("user.email", "author.email", "committer.email")


def _record_setting(name: Word, value: Word, wide: Maybe, context: ExecutionContext) -> None:
    """Records the setting in the file that git will read from now on, if that file is known."""
    section, _, key = (name.text or "").rpartition(".")
    section, _, subsection = section.partition(".")
    top = work_tree(context)
    file = (
        user_config_files(context.home)[-1]
        if wide is not False
        else f"{common_git_folder(top, context)}/config"
        if top is not None
        else None
    )
    if file is not None and section and value.text is not None:
        escaped = value.text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        heading = f'[{section} "{subsection}"]' if subsection else f"[{section}]"
        context.record_appended_text(known_word(file), known_word(f'\n{heading}\n{key} = "{escaped}"\n', value.src))


_READ_VERBS = ("get", "list", "get-urlmatch", "get-color", "get-colorbool")
_WRITE_VERBS = ("set", "unset", "edit", "rename-section", "remove-section")
_READ_OPTIONS = ("--list", "-l", "--get", "--get-all", "--get-regexp", "--get-urlmatch")
_REMOVAL_OPTIONS = ("--unset", "--unset-all", "--rename-section", "--remove-section", "--edit")


def _write_named_file(options: ParsedOptions, context: ExecutionContext) -> Iterator[Write]:
    """`--file FILE`: settings are written into any file."""
    verb = options.operands[0].text if options.operands else None
    if options.has_flag(*_READ_OPTIONS) is True or verb in _READ_VERBS:
        return
    if options.has_flag(*_REMOVAL_OPTIONS) is True or verb in _WRITE_VERBS or len(options.operands) > 1:
        yield from (Write(context.resolve_place(file), None, None, context.origin) for file in options.values_of("--file"))


_SETTINGS_THAT_RUN_CODE = (*_HOOK_SETTINGS, "core.sshcommand", "include.path")
_PLAIN_PROGRAM = re.compile(r"!?[\w.+-]+(?: [\w.=+-]+)*")
"""A program by its plain name: an editor, a pager, a helper."""


_IGNORES_HOST_KEYS = re.compile(r"(?i)\bStrictHostKeyChecking[ =](?:no|off)\b|\bUserKnownHostsFile[ =]/dev/null\b").search


def _is_executed(name: str, value: Word) -> Maybe:
    """Returns whether git runs the setting's value, or finds there what it runs; plain program names are left out."""
    if name in _SETTINGS_THAT_RUN_CODE or (name.startswith("includeif.") and name.endswith(".path")):
        return True
    if name.startswith("alias."):
        return value.starts_with("!")
    if not is_command_setting(Setting(name, value)):
        return False
    return None if value.text is None else not _PLAIN_PROGRAM.fullmatch(value.text)


def config(options: ParsedOptions, _argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    yield from _write_named_file(options, context)
    if options.has_flag("--list", "-l", "--get-regexp") is True or (options.operands and options.operands[0].text == "list"):
        yield Operation("git.identity", context.origin, known_word("config --list"))
    for word in options.operands[:2]:
        if (word.text or "").lower() in _IDENTITY_SETTINGS:
            yield Operation("git.identity", context.origin, word)
            break
    removed = options.operands[1:] if options.operands and options.operands[0].text == "unset" else options.operands
    unsets = removed is not options.operands or options.has_flag("--unset", "--unset-all") is True
    own = options.has_flag("--global", "--system") is not True
    if unsets and own and removed and (removed[0].text or "").lower() == "core.hookspath":
        yield Operation("git.hooks", context.origin, known_word("core.hooksPath"), (("once", False),))
    words = options.operands[1:] if options.operands and options.operands[0].text == "set" else options.operands
    if len(words) > 1 and options.has_flag("--get", "--list", "--unset") is not True:
        wide = maybe_any((options.has_flag("--global"), options.has_flag("--system")))
        name, value = (words[0].text or "").lower(), words[1]
        yield Operation("git.config", context.origin, words[0], (("global", wide), ("runs", _is_executed(name, value))))
        _record_setting(words[0], value, wide, context)
        if name in _HOOK_SETTINGS and wide is not False:
            hook = value + known_word(_HOOK_SETTINGS[name])  # the hooks of that folder now run in every repository
            yield Write(
                context.resolve_place(known_word(context.home) + known_word("/.config/git/hooks")), hook, None, context.origin
            )
        yield from redirect_git((words[0].text or "").lower() if value.parts else "", value, context)
        if name == "core.sshcommand" and _IGNORES_HOST_KEYS(value.outline):
            yield Operation("setting.redirects", context.origin, words[0], (("unchecked", True),))
        if name == "core.hookspath" and value.text in ("", "/dev/null"):
            hooks = known_word(f"{context.cwd.text or '.'}/.git/hooks")  # as if the hooks there were replaced by none
            yield Write(context.resolve_place(hooks), None, None, context.origin)
        if is_command_setting(Setting(name, value)) or name in ("core.hookspath", "include.path"):
            yield Operation("setting.runs", context.origin, value)
        if is_command_setting(Setting(name, value)) or (name.startswith("alias.") and value.starts_with("!") is not False):
            yield Interpret(
                "shell",
                value.drop_first(1) if value.starts_with("!") is True else value,
                context.origin,
                via=Carrier("git", f"config {name}"),
            )
        elif name.startswith("alias.") and value.text is not None:
            aliased = tuple(map(known_word, value.text.split()))
            yield Run(
                (known_word("git"), *aliased), context.origin, Carrier("git", f"config {name}"), sure=None
            )  # when the alias is used later
