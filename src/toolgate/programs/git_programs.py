"""Programs that git runs because its configuration names them (git-config(1)), by subcommand.

Which subcommand runs which program was measured with git 2.39, all settings present at once.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from toolgate.model.effect import Interpret, Reported, Run
from toolgate.model.place import LOCAL
from toolgate.model.seen import Seen
from toolgate.model.word import Maybe, Word, known

from .git_call import Call
from .git_files import Setting, git_folder, last, settings, work_tree


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NETWORK = _names("fetch pull push clone ls-remote remote submodule")
_INDEX = _names(
    "status diff add stage commit checkout switch restore reset stash merge rebase cherry-pick revert fetch pull blame annotate grep"
    " ls-files rm mv clean describe update-index diff-index diff-files diff-tree gc fsck submodule am check-attr check-ignore"
    " checkout-index worktree difftool mergetool"
)
_INTO_THE_INDEX = _names(
    "status diff add stage commit checkout switch restore reset stash merge rebase cherry-pick revert pull blame annotate ls-files rm mv"
    " describe update-index diff-index diff-files checkout-index difftool mergetool hash-object"
)
_OUT_OF_IT = _names(
    "diff show log whatchanged blame annotate checkout switch restore reset stash merge rebase cherry-pick revert pull am clone worktree"
    " archive cat-file checkout-index read-tree difftool submodule bisect sparse-checkout commit"
)
_MERGING = _names("merge pull rebase cherry-pick revert stash am checkout switch merge-file")
_SHOWING = _names("diff show log whatchanged blame annotate cat-file grep commit stash range-diff reflog format-patch difftool")
_SIGNING = _names("commit tag verify-commit verify-tag log show merge rebase cherry-pick revert am pull push commit-tree")
_EDITING = _names("commit tag merge pull rebase cherry-pick revert branch config notes add stage replace")
_PATCHING = _names("add stage checkout reset restore stash commit")
_PAGED = _names(
    "log diff show blame annotate grep branch tag config shortlog help reflog range-diff whatchanged format-patch stash"
)
_FALSE = ("false", "no", "off", "0", "")
_BOOLEAN = (*_FALSE, "true", "yes", "on", "1")

Asked = Callable[[Call, Setting], Maybe]


class Trigger(NamedTuple):
    """Subcommands that may run the program, and a condition on the call. `plain`: the value is a program's path, not shell
    text."""

    subcommands: frozenset[str]
    asked: Asked = lambda _call, _setting: True
    plain: bool = False


def _refreshed(call: Call, setting: Setting) -> Maybe:
    """The value `true` means git's built-in daemon."""
    if setting.value.text in _BOOLEAN or (call.name == "describe" and not call.has("--dirty")) or call.only_lists:
        return False
    return call.name not in ("checkout", "switch") or not call.makes_a_branch_alone


def _over_ssh(call: Call, _setting: Setting) -> Maybe:
    return call.reaches("ssh")


def _over_http(call: Call, _setting: Setting) -> Maybe:
    return True if call.name == "credential" else call.reaches("http")


def _asking(call: Call, setting: Setting) -> Maybe:
    """A password program runs only if a password is wanted and there is no terminal."""
    return None if _over_http(call, setting) is not False or call.reaches("ssh") is not False else False


def _over_git(call: Call, _setting: Setting) -> Maybe:
    return call.reaches("git")


def _of_the_remote(call: Call, setting: Setting) -> Maybe:
    """The program runs on this machine if the remote is local."""
    return call.reaches("local", setting.of)


def _paged(call: Call, setting: Setting) -> Maybe:
    """A pager is used on a terminal only, and whether there is one is unknown."""
    if call.unpaged or setting.value.text in _BOOLEAN:
        return False
    _, _, of = setting.name.partition(".")
    shown = call.paged or (call.name == of if setting.kind != "core.pager" else call.name in _PAGED)
    return None if shown else False


def _edited(call: Call, _setting: Setting) -> Maybe:
    return call.edits


def _todo(call: Call, _setting: Setting) -> Maybe:
    return call.has("-i", "--interactive", "--edit-todo")


def _outside(call: Call, _setting: Setting) -> Maybe:
    """`git diff` uses an external diff unless told not to; other subcommands use it if told to."""
    return call.shows_patches and (call.name == "diff" or call.has("--ext-diff")) and not call.has("--no-ext-diff")


def _filtered(call: Call, _setting: Setting) -> Maybe:
    """Showing history touches no file, unless contents are shown."""
    return not call.only_lists and (
        call.name not in ("log", "show", "whatchanged", "cat-file") or call.shows_patches or call.has("--filters")
    )


def _by_attribute(kind: str, asked: Asked = lambda _call, _setting: True) -> Asked:
    def found(call: Call, setting: Setting) -> Maybe:
        if asked(call, setting) is False:
            return False
        return True if call.has_attribute(kind, setting.of) else None

    return found


def _converted(call: Call, _setting: Setting) -> Maybe:
    return call.shows_patches and not call.has("--no-textconv")


def _signed(call: Call, _setting: Setting) -> Maybe:
    return call.signs


def _picked(call: Call, _setting: Setting) -> Maybe:
    return call.has("-p", "--patch", "-i", "--interactive")


def _chosen_tool(call: Call, setting: Setting) -> Maybe:
    return call.has_tool(setting.of)


def _of_format(call: Call, setting: Setting) -> Maybe:
    wanted = setting.of
    return any(word.endswith((wanted, f".{wanted}")) for word in call.texts)


def _with_trailers(call: Call, _setting: Setting) -> Maybe:
    return call.name == "interpret-trailers" or call.has("--trailer")


def _updated(_call: Call, setting: Setting) -> Maybe:
    return setting.value.starts("!") is not False


_COMMAND_OF_A_DRIVER = _by_attribute("diff", _outside)
TRIGGERS: dict[str, Trigger] = {
    "core.fsmonitor": Trigger(_INDEX, _refreshed),
    "core.sshcommand": Trigger(_NETWORK | {"archive"}, _over_ssh),
    "core.gitproxy": Trigger(_NETWORK, _over_git, plain=True),
    "core.askpass": Trigger(_NETWORK | {"credential"}, _asking, plain=True),
    "credential.helper": Trigger(_NETWORK | {"credential"}, _over_http),
    "credential.*.helper": Trigger(_NETWORK | {"credential"}, _over_http),
    "remote.*.uploadpack": Trigger(frozenset(("fetch", "pull", "ls-remote", "remote")), _of_the_remote),
    "remote.*.receivepack": Trigger(frozenset(("push",)), _of_the_remote),
    "core.pager": Trigger(_PAGED, _paged),
    "core.editor": Trigger(_EDITING, _edited),
    "sequence.editor": Trigger(frozenset(("rebase",)), _todo),
    "diff.external": Trigger(_SHOWING, _outside),
    "diff.*.command": Trigger(_SHOWING, _COMMAND_OF_A_DRIVER),
    "diff.*.textconv": Trigger(_SHOWING, _by_attribute("diff", _converted)),
    "filter.*.clean": Trigger(_INTO_THE_INDEX, _by_attribute("filter", _filtered)),
    "filter.*.smudge": Trigger(_OUT_OF_IT, _by_attribute("filter", _filtered)),
    "filter.*.process": Trigger(_INTO_THE_INDEX | _OUT_OF_IT, _by_attribute("filter", _filtered)),
    "merge.*.driver": Trigger(_MERGING, _by_attribute("merge")),
    "interactive.difffilter": Trigger(_PATCHING, _picked),
    "gpg.program": Trigger(_SIGNING, _signed, plain=True),
    "gpg.*.program": Trigger(_SIGNING, _signed, plain=True),
    "difftool.*.cmd": Trigger(frozenset(("difftool",)), _chosen_tool),
    "mergetool.*.cmd": Trigger(frozenset(("mergetool", "difftool")), _chosen_tool),
    "difftool.*.path": Trigger(frozenset(("difftool",)), _chosen_tool, plain=True),
    "mergetool.*.path": Trigger(frozenset(("mergetool", "difftool")), _chosen_tool, plain=True),
    "submodule.*.update": Trigger(frozenset(("submodule",)), _updated),
    "tar.*.command": Trigger(frozenset(("archive",)), _of_format),
    "trailer.*.command": Trigger(frozenset(("commit", "interpret-trailers")), _with_trailers),
    "trailer.*.cmd": Trigger(frozenset(("commit", "interpret-trailers")), _with_trailers),
}
_PAGER = Trigger(frozenset(), _paged)
_WHERE_ALL = frozenset(("credential.helper", "credential.*.helper"))
"""Settings of which every value is run, not only the last."""
_UNLESS_A_PROCESS = frozenset(("filter.*.clean", "filter.*.smudge"))
"""Filters that do not run if a filter process is configured (git's convert.c)."""
_SUBCOMMANDS = frozenset().union(*(trigger.subcommands for trigger in TRIGGERS.values())) | {"credential"}
EVERYWHERE = ("uploadpack.packobjectshook", "core.alternaterefscommand")


def names_a_program(setting: Setting) -> bool:
    return setting.kind in TRIGGERS or setting.kind in EVERYWHERE or setting.name.startswith("pager.")


def run_by_settings(argv: tuple[Word, ...], top: tuple[Word, ...], given: list[Setting], seen: Seen) -> Iterator[Reported]:
    """Run what git's configuration names for a subcommand. `top`: git's global options; `given`: settings of the call."""
    if seen.site.machine != LOCAL or argv[0].text not in _SUBCOMMANDS:
        return
    found = _for_a_clone(seen) if argv[0].text == "clone" else settings(seen)
    named = {setting.name: setting for setting in found if names_a_program(setting)}
    in_addresses = argv[0].text in _NETWORK and any(
        "ext::" in setting.name or setting.value.contains("ext::") or setting.kind == "remote.*.vcs" for setting in found
    )
    if not named and not in_addresses:
        return
    call = Call(argv, top, (*found, *given), seen)
    for name, setting in named.items():
        if setting.kind in _UNLESS_A_PROCESS and _is_surely_set(f"filter.{setting.of}.process", found):
            continue
        trigger = TRIGGERS.get(setting.kind, _PAGER)
        if trigger is not _PAGER and call.name not in trigger.subcommands and not (setting.kind == "core.pager" and call.paged):
            continue
        sure = trigger.asked(call, setting)
        if sure is False:
            continue
        for each in found:
            if each.name == name and (setting.kind in _WHERE_ALL or each.value in last(found, name)):
                yield from _ran(each, trigger.plain, sure, call)
    for code in call.by_url():
        yield Interpret("shell", code.value, seen.origin, via=_via(code), file=code.file)


def _is_surely_set(name: str, found: list[Setting]) -> bool:
    return any(each.name == name and each.sure for each in found)


def _for_a_clone(seen: Seen) -> list[Setting]:
    """Return the settings for a clone, which ignores the repository around the current directory."""
    top = work_tree(seen)
    return [each for each in settings(seen) if top is None or not each.file.startswith(f"{git_folder(top, seen)}/")]


def _ran(setting: Setting, plain: bool, sure: Maybe, call: Call) -> Iterator[Reported]:
    value = setting.value
    if plain:
        path = known(call.seen.home) + value.cut(1) if value.starts("~/") is True else value
        yield Run((path,), call.seen.origin, _via(setting), sure=sure)
        return
    if setting.kind in _WHERE_ALL and not re.match(r"[!/~]", value.head):
        return  # a helper that comes with git: `store`, `manager`
    code = value.cut(1) if value.starts("!") is True else value
    if setting.kind == "core.sshcommand":
        code = code + known(" git-server")
    folder = work_tree(call.seen)
    cwd = known(folder) if folder is not None else None
    yield Interpret("shell", code, call.seen.origin, via=_via(setting), file=setting.file, cwd=cwd, sure=sure)


def _via(setting: Setting) -> str:
    return f"{setting.file}:{setting.line} {setting.name}" if setting.file else f"git -c {setting.name}"
