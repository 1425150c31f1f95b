"""Programs that git runs because its configuration names them (git-config(1)), by subcommand.

Which subcommand runs which program was measured with git 2.39, all settings present at once.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from toolgate.model.effect import Carrier, Interpret, Operation, ReportedEffect, Run
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.place import LOCAL
from toolgate.model.word import Maybe, Word, known_word

from .config_files import Setting, common_git_folder, effective_settings, possible_values, work_tree
from .invocation import Invocation


def _split_names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NETWORK_SUBCOMMANDS = _split_names("fetch pull push clone ls-remote remote submodule")
_INDEX_REFRESH = _split_names(
    "status diff add stage commit checkout switch restore reset stash merge rebase cherry-pick revert fetch pull blame annotate grep"
    " ls-files rm mv clean describe update-index diff-index diff-files diff-tree gc fsck submodule am check-attr check-ignore"
    " checkout-index worktree difftool mergetool"
)
_CLEAN_FILTER = _split_names(
    "status diff add stage commit checkout switch restore reset stash merge rebase cherry-pick revert pull blame annotate ls-files rm mv"
    " describe update-index diff-index diff-files checkout-index difftool mergetool hash-object"
)
_SMUDGE_FILTER = _split_names(
    "diff show log whatchanged blame annotate checkout switch restore reset stash merge rebase cherry-pick revert pull am clone worktree"
    " archive cat-file checkout-index read-tree difftool submodule bisect sparse-checkout commit"
)
_MERGING_SUBCOMMANDS = _split_names("merge pull rebase cherry-pick revert stash am checkout switch merge-file")
_SHOWING_SUBCOMMANDS = _split_names(
    "diff show log whatchanged blame annotate cat-file grep commit stash range-diff reflog format-patch difftool"
)
_SIGNING_SUBCOMMANDS = _split_names(
    "commit tag verify-commit verify-tag log show merge rebase cherry-pick revert am pull push commit-tree"
)
_EDITING_SUBCOMMANDS = _split_names("commit tag merge pull rebase cherry-pick revert branch config notes add stage replace")
_PATCHING_SUBCOMMANDS = _split_names("add stage checkout reset restore stash commit")
_PAGED_SUBCOMMANDS = _split_names(
    "log diff show blame annotate grep branch tag config shortlog help reflog range-diff whatchanged format-patch stash"
)
_FALSE_VALUES = ("false", "no", "off", "0", "")
_BOOLEAN_VALUES = (*_FALSE_VALUES, "true", "yes", "on", "1")

Condition = Callable[[Invocation, Setting], Maybe]


class Trigger(NamedTuple):
    """Subcommands that may run the program, and a condition on the call. `plain`: the value is a program's path, not shell
    text."""

    subcommands: frozenset[str]
    asked: Condition = lambda _call, _setting: True
    plain: bool = False


def _runs_fsmonitor(call: Invocation, setting: Setting) -> Maybe:
    """The value `true` means git's built-in daemon."""
    if (
        setting.value.text in _BOOLEAN_VALUES
        or (call.name == "describe" and not call.has_any_option("--dirty"))
        or call.only_lists
    ):
        return False
    return call.name not in ("checkout", "switch") or not call.only_creates_branch


def _uses_ssh(call: Invocation, _setting: Setting) -> Maybe:
    return call.uses_transport("ssh")


def _uses_http(call: Invocation, _setting: Setting) -> Maybe:
    return True if call.name == "credential" else call.uses_transport("http")


def _may_ask_password(call: Invocation, setting: Setting) -> Maybe:
    """A password program runs only if a password is wanted and there is no terminal."""
    return None if _uses_http(call, setting) is not False or call.uses_transport("ssh") is not False else False


def _uses_git_protocol(call: Invocation, _setting: Setting) -> Maybe:
    return call.uses_transport("git")


def _uses_local_remote(call: Invocation, setting: Setting) -> Maybe:
    """The program runs on this machine if the remote is local."""
    return call.uses_transport("local", setting.subsection)


def _uses_pager(call: Invocation, setting: Setting) -> Maybe:
    """A pager is used on a terminal only, and whether there is one is unknown."""
    if call.disables_pager or setting.value.text in _BOOLEAN_VALUES:
        return False
    _, _, of = setting.name.partition(".")
    shown = call.forces_pager or (call.name == of if setting.generic_name != "core.pager" else call.name in _PAGED_SUBCOMMANDS)
    return None if shown else False


def _opens_editor(call: Invocation, _setting: Setting) -> Maybe:
    return call.opens_editor


def _edits_todo_list(call: Invocation, _setting: Setting) -> Maybe:
    return call.has_any_option("-i", "--interactive", "--edit-todo")


def _uses_external_diff(call: Invocation, _setting: Setting) -> Maybe:
    """`git diff` uses an external diff unless told not to; other subcommands use it if told to."""
    return (
        call.shows_patches
        and (call.name == "diff" or call.has_any_option("--ext-diff"))
        and not call.has_any_option("--no-ext-diff")
    )


def _applies_filters(call: Invocation, _setting: Setting) -> Maybe:
    """Showing history touches no file, unless contents are shown."""
    return not call.only_lists and (
        call.name not in ("log", "show", "whatchanged", "cat-file") or call.shows_patches or call.has_any_option("--filters")
    )


def _assigned_by_attribute(kind: str, condition: Condition = lambda _call, _setting: True) -> Condition:
    def matches_attribute(call: Invocation, setting: Setting) -> Maybe:
        if condition(call, setting) is False:
            return False
        return True if call.has_attribute(kind, setting.subsection) else None

    return matches_attribute


def _converts_text(call: Invocation, _setting: Setting) -> Maybe:
    return call.shows_patches and not call.has_any_option("--no-textconv")


def _uses_signatures(call: Invocation, _setting: Setting) -> Maybe:
    return call.uses_signatures


def _is_interactive(call: Invocation, _setting: Setting) -> Maybe:
    return call.has_any_option("-p", "--patch", "-i", "--interactive")


def _is_chosen_tool(call: Invocation, setting: Setting) -> Maybe:
    return call.uses_merge_tool(setting.subsection)


def _writes_format(call: Invocation, setting: Setting) -> Maybe:
    format_name = setting.subsection
    return any(word.endswith((format_name, f".{format_name}")) for word in call.texts)


def _adds_trailers(call: Invocation, _setting: Setting) -> Maybe:
    return call.name == "interpret-trailers" or call.has_any_option("--trailer")


def _updates_by_command(_call: Invocation, setting: Setting) -> Maybe:
    return setting.value.starts_with("!") is not False


_DIFF_DRIVER_COMMAND = _assigned_by_attribute("diff", _uses_external_diff)
TRIGGERS: dict[str, Trigger] = {
    "core.fsmonitor": Trigger(_INDEX_REFRESH, _runs_fsmonitor),
    "core.sshcommand": Trigger(_NETWORK_SUBCOMMANDS | {"archive"}, _uses_ssh),
    "core.gitproxy": Trigger(_NETWORK_SUBCOMMANDS, _uses_git_protocol, plain=True),
    "core.askpass": Trigger(_NETWORK_SUBCOMMANDS | {"credential"}, _may_ask_password, plain=True),
    "credential.helper": Trigger(_NETWORK_SUBCOMMANDS | {"credential"}, _uses_http),
    "credential.*.helper": Trigger(_NETWORK_SUBCOMMANDS | {"credential"}, _uses_http),
    "remote.*.uploadpack": Trigger(frozenset(("fetch", "pull", "ls-remote", "remote")), _uses_local_remote),
    "remote.*.receivepack": Trigger(frozenset(("push",)), _uses_local_remote),
    "core.pager": Trigger(_PAGED_SUBCOMMANDS, _uses_pager),
    "core.editor": Trigger(_EDITING_SUBCOMMANDS, _opens_editor),
    "sequence.editor": Trigger(frozenset(("rebase",)), _edits_todo_list),
    "diff.external": Trigger(_SHOWING_SUBCOMMANDS, _uses_external_diff),
    "diff.*.command": Trigger(_SHOWING_SUBCOMMANDS, _DIFF_DRIVER_COMMAND),
    "diff.*.textconv": Trigger(_SHOWING_SUBCOMMANDS, _assigned_by_attribute("diff", _converts_text)),
    "filter.*.clean": Trigger(_CLEAN_FILTER, _assigned_by_attribute("filter", _applies_filters)),
    "filter.*.smudge": Trigger(_SMUDGE_FILTER, _assigned_by_attribute("filter", _applies_filters)),
    "filter.*.process": Trigger(_CLEAN_FILTER | _SMUDGE_FILTER, _assigned_by_attribute("filter", _applies_filters)),
    "merge.*.driver": Trigger(_MERGING_SUBCOMMANDS, _assigned_by_attribute("merge")),
    "interactive.difffilter": Trigger(_PATCHING_SUBCOMMANDS, _is_interactive),
    "gpg.program": Trigger(_SIGNING_SUBCOMMANDS, _uses_signatures, plain=True),
    "gpg.*.program": Trigger(_SIGNING_SUBCOMMANDS, _uses_signatures, plain=True),
    "difftool.*.cmd": Trigger(frozenset(("difftool",)), _is_chosen_tool),
    "mergetool.*.cmd": Trigger(frozenset(("mergetool", "difftool")), _is_chosen_tool),
    "difftool.*.path": Trigger(frozenset(("difftool",)), _is_chosen_tool, plain=True),
    "mergetool.*.path": Trigger(frozenset(("mergetool", "difftool")), _is_chosen_tool, plain=True),
    "submodule.*.update": Trigger(frozenset(("submodule",)), _updates_by_command),
    "tar.*.command": Trigger(frozenset(("archive",)), _writes_format),
    "trailer.*.command": Trigger(frozenset(("commit", "interpret-trailers")), _adds_trailers),
    "trailer.*.cmd": Trigger(frozenset(("commit", "interpret-trailers")), _adds_trailers),
}
_PAGER_TRIGGER = Trigger(frozenset(), _uses_pager)
_RUN_EVERY_VALUE = frozenset(("credential.helper", "credential.*.helper"))
"""Settings of which every value is run, not only the last."""
_OVERRIDDEN_BY_PROCESS = frozenset(("filter.*.clean", "filter.*.smudge"))
"""Filters that do not run if a filter process is configured (git's convert.c)."""
_COMMAND_RUNNING_SUBCOMMANDS = frozenset().union(*(trigger.subcommands for trigger in TRIGGERS.values())) | {"credential"}
ALWAYS_COMMANDS = ("uploadpack.packobjectshook", "core.alternaterefscommand")


def is_command_setting(setting: Setting) -> bool:
    return setting.generic_name in TRIGGERS or setting.generic_name in ALWAYS_COMMANDS or setting.name.startswith("pager.")


def run_configured_commands(
    argv: tuple[Word, ...], top: tuple[Word, ...], settings: list[Setting], context: ExecutionContext
) -> Iterator[ReportedEffect]:
    """Runs what git's configuration names for a subcommand. `top`: git's global options; `settings`: settings of the call."""
    if context.site.machine != LOCAL or argv[0].text not in _COMMAND_RUNNING_SUBCOMMANDS:
        return
    found = _settings_for_clone(context) if argv[0].text == "clone" else effective_settings(context)
    named = {setting.name: setting for setting in found if is_command_setting(setting)}
    in_addresses = argv[0].text in _NETWORK_SUBCOMMANDS and any(
        "ext::" in setting.name or setting.value.contains("ext::") or setting.generic_name == "remote.*.vcs" for setting in found
    )
    if not named and not in_addresses:
        return
    call = Invocation(argv, top, (*found, *settings), context)
    for name, setting in named.items():
        if setting.generic_name in _OVERRIDDEN_BY_PROCESS and _is_surely_set(f"filter.{setting.subsection}.process", found):
            continue
        trigger = TRIGGERS.get(setting.generic_name, _PAGER_TRIGGER)
        if (
            trigger is not _PAGER_TRIGGER
            and call.name not in trigger.subcommands
            and not (setting.generic_name == "core.pager" and call.forces_pager)
        ):
            continue
        sure = trigger.asked(call, setting)
        if sure is False:
            continue
        for each in found:
            if each.name == name and (setting.generic_name in _RUN_EVERY_VALUE or each.value in possible_values(found, name)):
                yield from _run_setting(each, trigger.plain, sure, call)
    for code in call.commands_in_addresses():
        yield Interpret("shell", code.value, context.origin, via=_setting_carrier(code), file=code.file)


def _is_surely_set(name: str, settings: Sequence[Setting]) -> bool:
    return any(each.name == name and each.sure for each in settings)


def _settings_for_clone(context: ExecutionContext) -> list[Setting]:
    """Returns the settings for a clone, which ignores the repository around the current directory."""
    top = work_tree(context)
    return [
        each
        for each in effective_settings(context)
        if top is None or not each.file.startswith(f"{common_git_folder(top, context)}/")
    ]


def _run_setting(setting: Setting, plain: bool, sure: Maybe, call: Invocation) -> Iterator[ReportedEffect]:
    value = setting.value
    if plain:
        path = known_word(call.seen.home) + value.drop_first(1) if value.starts_with("~/") is True else value
        yield Run((path,), call.seen.origin, _setting_carrier(setting), sure=sure)
        return
    if setting.generic_name in _RUN_EVERY_VALUE and not re.match(r"[!/~]", value.head):
        return  # a helper that comes with git: `store`, `manager`
    code = value.drop_first(1) if value.starts_with("!") is True else value
    if setting.generic_name == "core.sshcommand":
        code = code + known_word(" git-server")
    folder = work_tree(call.seen)
    cwd = known_word(folder) if folder is not None else None
    yield Interpret("shell", code, call.seen.origin, via=_setting_carrier(setting), file=setting.file, cwd=cwd, sure=sure)


_COMMAND_VARIABLES = (
    *("GIT_SSH_COMMAND", "GIT_SSH", "GIT_PAGER", "PAGER", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "VISUAL", "EDITOR"),
    *("GIT_EXTERNAL_DIFF", "GIT_ASKPASS", "GIT_PROXY_COMMAND"),
)


def run_commands_of_call(settings: Iterable[Setting], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Runs the commands in the environment and in the settings (`-c`) of a call, whatever its subcommand."""
    for name in _COMMAND_VARIABLES:
        values = context.get_variables(name)
        for value in values:
            if value.parts:
                yield Interpret("shell", value, context.origin, via=Carrier(name), sure=True if len(values) == 1 else None)
    for setting in settings:
        if is_command_setting(setting):
            value = setting.value
            yield Operation("setting.runs", context.origin, value)
            yield Interpret(
                "shell",
                value.drop_first(1) if value.starts_with("!") is True else value,
                context.origin,
                via=_setting_carrier(setting),
            )


def _setting_carrier(setting: Setting) -> Carrier:
    return Carrier(f"{setting.file}:{setting.line}", setting.name) if setting.file else Carrier("git", f"-c {setting.name}")
