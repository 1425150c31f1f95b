"""One call of git: the properties that decide which configured programs it runs."""

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise

from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Maybe, Word, known_word

from .config_files import Setting, common_git_folder, work_tree

_NO_PATCH_OPTIONS = (
    "--stat",
    "--name-only",
    "--name-status",
    "--numstat",
    "--shortstat",
    "--summary",
    "--check",
    "--quiet",
    "--raw",
    "-s",
    "--no-patch",
)
_PATCH_OPTIONS = ("-p", "-u", "--patch", "--patch-with-stat", "-L", "-c", "--cc", "-S", "-G", "-U", "--unified")
_SIGNING_OPTIONS = ("-S", "--gpg-sign", "--show-signature", "--signed", "--verify-signatures")
_TRUE_VALUES = ("true", "yes", "on", "1")
_MESSAGE_OPTIONS = ("-m", "--message", "-F", "--file", "-C", "--reuse-message", "--no-edit")


class Invocation:
    def __init__(
        self, argv: tuple[Word, ...], top: tuple[Word, ...], settings: tuple[Setting, ...], context: ExecutionContext
    ) -> None:
        self.name = argv[0].text or ""
        self.argv, self.top, self.found, self.seen = argv, top, settings, context
        self.texts = [word.text for word in argv[1:] if word.text is not None]
        self._options = frozenset(_iter_options(self.texts))
        self.operands = [text for text in self.texts if not text.startswith("-")]

    def has_any_option(self, *options: str) -> bool:
        return not self._options.isdisjoint(options)

    @property
    def forces_pager(self) -> bool:
        return any(word.text in ("-p", "--paginate") for word in self.top)

    @property
    def disables_pager(self) -> bool:
        return any(word.text in ("-P", "--no-pager") for word in self.top)

    @property
    def only_creates_branch(self) -> bool:
        """`checkout -b x` touches no file."""
        return self.has_any_option("-b", "-c", "--create") and len(self.operands) == 1

    @property
    def only_lists(self) -> bool:
        return self.name == "stash" and self.operands[:1] in (["list"], ["drop"], ["clear"])

    @property
    def shows_patches(self) -> bool:
        if self.has_any_option(*_PATCH_OPTIONS):
            return True
        if self.name in ("log", "stash", "reflog", "whatchanged"):
            return self.name == "whatchanged"
        if self.name in ("cat-file", "grep", "format-patch"):
            return self.has_any_option("--textconv", "--ext-diff")
        if self.name == "commit":
            return self.has_any_option("-v", "--verbose")
        if self.name == "show" and self.operands and all(":" in text for text in self.operands):
            return self.has_any_option("--textconv")
        return not self.has_any_option(*_NO_PATCH_OPTIONS)

    @property
    def opens_editor(self) -> Maybe:
        match self.name:
            case "commit":
                return self.has_any_option("-e", "--edit") or not self.has_any_option(*_MESSAGE_OPTIONS, "--dry-run", "--fixup")
            case "tag":
                return self.has_any_option("-a", "--annotate", "-s", "--sign", "-u", "--local-user") and not self.has_any_option(
                    "-m", "--message", "-F", "--file"
                )
            case "merge" | "pull" | "revert":  # at a terminal
                return self.has_any_option("-e", "--edit") or (
                    False if self.has_any_option("--no-edit", "-m", "--ff-only", "--squash") else None
                )
            case "rebase":
                listed = self.has_any_option("-i", "--interactive", "--edit-todo")
                other = any(setting.name == "sequence.editor" for setting in self.found)
                return True if listed and not other else None if listed or self.has_any_option("--continue") else False
            case "cherry-pick" | "config" | "replace" | "add" | "stage":
                return self.has_any_option("-e", "--edit") or (None if self.has_any_option("--continue") else False)
            case "notes":
                return bool({"add", "append", "edit"} & set(self.operands[:1])) and not self.has_any_option(*_MESSAGE_OPTIONS)
            case _:
                return self.has_any_option("--edit-description")

    @property
    def uses_signatures(self) -> bool:
        if self.has_any_option(*_SIGNING_OPTIONS) or self.name in ("verify-commit", "verify-tag"):
            return True
        if self.name == "tag":
            return self.has_any_option("-s", "--sign", "-u", "--local-user", "-v", "--verify") or self._is_setting_true(
                "tag.gpgsign"
            )
        if self.name in ("log", "show"):
            return self._is_setting_true("log.showsignature")
        return self.name != "push" and not self.has_any_option("--no-gpg-sign") and self._is_setting_true("commit.gpgsign")

    def _is_setting_true(self, name: str) -> bool:
        return any(setting.name == name and setting.value.text in _TRUE_VALUES for setting in self.found)

    def uses_merge_tool(self, tool: str) -> Maybe:
        """Returns whether this is the merge tool in use, named by the call or the configuration."""
        named = [text.partition("=")[2] for text in self.texts if text.startswith("--tool=")]
        named += [after for before, after in pairwise(self.texts) if before in ("-t", "--tool")]
        named = named or [
            s.value.text or "" for s in self.found if s.name in ("merge.tool", "diff.tool", "merge.guitool", "diff.guitool")
        ]
        return tool in named

    def has_attribute(self, kind: str, driver: str) -> bool:
        """Returns whether a file of attributes assigns this driver (gitattributes(5)). Those above the current directory are
        read."""
        pattern = re.compile(rf"(?m)^[^#\s].*[ \t]{kind}={re.escape(driver)}(?:\s|$)")
        return any(pattern.search(text) for text in self._attribute_texts)

    @cached_property
    def _attribute_texts(self) -> tuple[str, ...]:
        top = work_tree(self.seen)
        own = [f"{self.seen.home}/.config/git/attributes"]
        own += [s.value.text for s in self.found if s.name == "core.attributesfile" and s.value.text]
        if top is not None:
            own += [f"{common_git_folder(top, self.seen)}/info/attributes", f"{top}/.gitattributes"]
            beneath = (self.seen.cwd.text or "").removeprefix(top).strip("/").split("/")
            own += [f"{top}/{'/'.join(beneath[: n + 1])}/.gitattributes" for n in range(len(beneath)) if beneath[0]]
        files = (self.seen.home + file[1:] if file.startswith("~/") else file for file in own)
        return tuple(text.text or "" for file in files for text in self.seen.read_alternatives(known_word(file)))

    # ---- remotes

    def uses_transport(self, how: str, remote: str = "") -> Maybe:
        """Returns whether the call uses this transport (ssh, http, git, local); None if the address is unknown."""
        urls = list(self._urls_of_remote(remote))
        if any(_transport_of_url(url) == how for url in urls):
            return True
        return None if self.name == "submodule" or not (urls or remote) else False

    def commands_in_addresses(self) -> Iterator[Setting]:
        """Yields the commands in addresses: `ext::COMMAND`, or the address of a remote whose `vcs` is `ext`."""
        external = [
            setting.subsection for setting in self.found if setting.generic_name == "remote.*.vcs" and setting.value.text == "ext"
        ]
        if self.name in ("fetch", "pull", "push", "ls-remote", "remote", "clone"):
            for setting in self._addresses():
                address = self._rewrite_url(setting.value.text or "")
                if address.startswith("ext::"):
                    yield setting._replace(value=known_word(address.removeprefix("ext::")))
                elif setting.subsection in external:
                    yield setting._replace(value=known_word(address))

    def _addresses(self) -> Iterator[Setting]:
        """Yields the addresses that this call may contact, each with its setting."""
        words = self.operands
        if self.name == "remote":
            if not words or words[0] not in ("update", "show", "prune", "set-head"):
                return
            words = words[1:]
        urls = [s for s in self.found if s.generic_name in ("remote.*.url", "remote.*.pushurl")]
        named = [s for s in urls if s.subsection in words[:1]]
        if named or not words:
            yield from named or self._default_remotes(urls)
        elif words and not words[0].startswith("ext::"):
            rewriting = [
                s for s in self.found if s.generic_name == "url.*.insteadof" and words[0].startswith(s.value.text or "\0")
            ]
            where = rewriting[0] if rewriting else Setting("", known_word(""))
            yield where._replace(value=known_word(words[0]))

    def _default_remotes(self, urls: list[Setting]) -> list[Setting]:
        """Returns the addresses used if no remote is named: the branch's, or `origin`, or the only one."""
        kinds = ("branch.*.remote", "branch.*.pushremote", "remote.pushdefault")
        names = {"origin", *(setting.value.text for setting in self.found if setting.generic_name in kinds)}
        usual = (
            []
            if self.has_any_option("--all", "--multiple") or self.name == "remote"
            else [each for each in urls if each.subsection in names]
        )
        return usual or urls

    def _urls_of_remote(self, remote: str) -> Iterator[str]:
        for setting in self._addresses():
            if remote in ("", setting.subsection):
                yield self._rewrite_url(setting.value.text or "")

    def _rewrite_url(self, url: str) -> str:
        """Applies the longest `url.BASE.insteadOf` that matches."""
        fits = [
            s
            for s in self.found
            if s.generic_name in ("url.*.insteadof", "url.*.pushinsteadof") and url.startswith(s.value.text or "\0")
        ]
        if not fits:
            return url
        longest = max(fits, key=lambda s: len(s.value.text or ""))
        return longest.subsection + url.removeprefix(longest.value.text or "")


def _iter_options(texts: list[str]) -> Iterator[str]:
    for text in texts:
        if text == "--":
            return
        if text.startswith("--"):
            yield text.partition("=")[0]
        elif text.startswith("-"):
            yield from (f"-{letter}" for letter in text[1:])


def _transport_of_url(url: str) -> str:
    scheme, separated, _ = url.partition("://")
    if separated:
        return {"ssh": "ssh", "git+ssh": "ssh", "http": "http", "https": "http", "git": "git"}.get(scheme, "local")
    host, colon, _ = url.partition(":")
    return "ssh" if colon and "/" not in host and not url.startswith(("ext::", ".")) else "local"
