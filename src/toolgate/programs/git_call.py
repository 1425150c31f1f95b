"""One call of git: the properties that decide which configured programs it runs."""

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise

from toolgate.model.seen import Seen
from toolgate.model.word import Maybe, Word, known

from .git_files import Setting, git_folder, work_tree

_NO_PATCH = (
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
_PATCH = ("-p", "-u", "--patch", "--patch-with-stat", "-L", "-c", "--cc", "-S", "-G", "-U", "--unified")
_SIGNED_OFF = ("-S", "--gpg-sign", "--show-signature", "--signed", "--verify-signatures")
_TRUE = ("true", "yes", "on", "1")
_PLAIN_MESSAGE = ("-m", "--message", "-F", "--file", "-C", "--reuse-message", "--no-edit")


class Call:
    def __init__(self, argv: tuple[Word, ...], top: tuple[Word, ...], found: tuple[Setting, ...], seen: Seen) -> None:
        self.name = argv[0].text or ""
        self.argv, self.top, self.found, self.seen = argv, top, found, seen
        self.texts = [word.text for word in argv[1:] if word.text is not None]
        self._options = frozenset(_options(self.texts))
        self.operands = [text for text in self.texts if not text.startswith("-")]

    def has(self, *options: str) -> bool:
        return not self._options.isdisjoint(options)

    @property
    def paged(self) -> bool:
        return any(word.text in ("-p", "--paginate") for word in self.top)

    @property
    def unpaged(self) -> bool:
        return any(word.text in ("-P", "--no-pager") for word in self.top)

    @property
    def makes_a_branch_alone(self) -> bool:
        """`checkout -b x` touches no file."""
        return self.has("-b", "-c", "--create") and len(self.operands) == 1

    @property
    def only_lists(self) -> bool:
        return self.name == "stash" and self.operands[:1] in (["list"], ["drop"], ["clear"])

    @property
    def shows_patches(self) -> bool:
        if self.has(*_PATCH):
            return True
        if self.name in ("log", "stash", "reflog", "whatchanged"):
            return self.name == "whatchanged"
        if self.name in ("cat-file", "grep", "format-patch"):
            return self.has("--textconv", "--ext-diff")
        if self.name == "commit":
            return self.has("-v", "--verbose")
        if self.name == "show" and self.operands and all(":" in text for text in self.operands):
            return self.has("--textconv")
        return not self.has(*_NO_PATCH)

    @property
    def edits(self) -> Maybe:
        match self.name:
            case "commit":
                return self.has("-e", "--edit") or not self.has(*_PLAIN_MESSAGE, "--dry-run", "--fixup")
            case "tag":
                return self.has("-a", "--annotate", "-s", "--sign", "-u", "--local-user") and not self.has(
                    "-m", "--message", "-F", "--file"
                )
            case "merge" | "pull" | "revert":  # at a terminal
                return self.has("-e", "--edit") or (False if self.has("--no-edit", "-m", "--ff-only", "--squash") else None)
            case "rebase":
                listed = self.has("-i", "--interactive", "--edit-todo")
                other = any(setting.name == "sequence.editor" for setting in self.found)
                return True if listed and not other else None if listed or self.has("--continue") else False
            case "cherry-pick" | "config" | "replace" | "add" | "stage":
                return self.has("-e", "--edit") or (None if self.has("--continue") else False)
            case "notes":
                return bool({"add", "append", "edit"} & set(self.operands[:1])) and not self.has(*_PLAIN_MESSAGE)
            case _:
                return self.has("--edit-description")

    @property
    def signs(self) -> bool:
        if self.has(*_SIGNED_OFF) or self.name in ("verify-commit", "verify-tag"):
            return True
        if self.name == "tag":
            return self.has("-s", "--sign", "-u", "--local-user", "-v", "--verify") or self._is_true("tag.gpgsign")
        if self.name in ("log", "show"):
            return self._is_true("log.showsignature")
        return self.name != "push" and not self.has("--no-gpg-sign") and self._is_true("commit.gpgsign")

    def _is_true(self, name: str) -> bool:
        return any(setting.name == name and setting.value.text in _TRUE for setting in self.found)

    def has_tool(self, tool: str) -> Maybe:
        """Tell whether this is the merge tool in use, named by the call or the configuration."""
        named = [text.partition("=")[2] for text in self.texts if text.startswith("--tool=")]
        named += [after for before, after in pairwise(self.texts) if before in ("-t", "--tool")]
        named = named or [
            s.value.text or "" for s in self.found if s.name in ("merge.tool", "diff.tool", "merge.guitool", "diff.guitool")
        ]
        return tool in named

    def has_attribute(self, kind: str, driver: str) -> bool:
        """Tell whether a file of attributes assigns this driver (gitattributes(5)). Those above the current directory are
        read."""
        pattern = re.compile(rf"(?m)^[^#\s].*[ \t]{kind}={re.escape(driver)}(?:\s|$)")
        return any(pattern.search(text) for text in self._attributes)

    @cached_property
    def _attributes(self) -> tuple[str, ...]:
        top = work_tree(self.seen)
        own = [f"{self.seen.home}/.config/git/attributes"]
        own += [s.value.text for s in self.found if s.name == "core.attributesfile" and s.value.text]
        if top is not None:
            own += [f"{git_folder(top, self.seen)}/info/attributes", f"{top}/.gitattributes"]
            beneath = (self.seen.cwd.text or "").removeprefix(top).strip("/").split("/")
            own += [f"{top}/{'/'.join(beneath[: n + 1])}/.gitattributes" for n in range(len(beneath)) if beneath[0]]
        files = (self.seen.home + file[1:] if file.startswith("~/") else file for file in own)
        return tuple(text.text or "" for file in files for text in self.seen.contents(known(file)))

    # ---- remotes

    def reaches(self, how: str, remote: str = "") -> Maybe:
        """Tell whether the call uses this transport (ssh, http, git, local); None if the address is unknown."""
        urls = list(self._urls(remote))
        if any(_way(url) == how for url in urls):
            return True
        return None if self.name == "submodule" or not (urls or remote) else False

    def by_url(self) -> Iterator[Setting]:
        """Yield the commands in addresses: `ext::COMMAND`, or the address of a remote whose `vcs` is `ext`."""
        external = [setting.of for setting in self.found if setting.kind == "remote.*.vcs" and setting.value.text == "ext"]
        if self.name in ("fetch", "pull", "push", "ls-remote", "remote", "clone"):
            for setting in self._named():
                address = self._rewritten(setting.value.text or "")
                if address.startswith("ext::"):
                    yield setting._replace(value=known(address.removeprefix("ext::")))
                elif setting.of in external:
                    yield setting._replace(value=known(address))

    def _named(self) -> Iterator[Setting]:
        """Yield the addresses that this call may contact, each with its setting."""
        words = self.operands
        if self.name == "remote":
            if not words or words[0] not in ("update", "show", "prune", "set-head"):
                return
            words = words[1:]
        urls = [s for s in self.found if s.kind in ("remote.*.url", "remote.*.pushurl")]
        named = [s for s in urls if s.of in words[:1]]
        if named or not words:
            yield from named or self._by_default(urls)
        elif words and not words[0].startswith("ext::"):
            rewriting = [s for s in self.found if s.kind == "url.*.insteadof" and words[0].startswith(s.value.text or "\0")]
            where = rewriting[0] if rewriting else Setting("", known(""))
            yield where._replace(value=known(words[0]))

    def _by_default(self, urls: list[Setting]) -> list[Setting]:
        """Return the addresses used if no remote is named: the branch's, or `origin`, or the only one."""
        kinds = ("branch.*.remote", "branch.*.pushremote", "remote.pushdefault")
        names = {"origin", *(setting.value.text for setting in self.found if setting.kind in kinds)}
        usual = [] if self.has("--all", "--multiple") or self.name == "remote" else [each for each in urls if each.of in names]
        return usual or urls

    def _urls(self, remote: str) -> Iterator[str]:
        for setting in self._named():
            if remote in ("", setting.of):
                yield self._rewritten(setting.value.text or "")

    def _rewritten(self, url: str) -> str:
        """Apply the longest `url.BASE.insteadOf` that matches."""
        fits = [
            s for s in self.found if s.kind in ("url.*.insteadof", "url.*.pushinsteadof") and url.startswith(s.value.text or "\0")
        ]
        if not fits:
            return url
        longest = max(fits, key=lambda s: len(s.value.text or ""))
        return longest.of + url.removeprefix(longest.value.text or "")


def _options(texts: list[str]) -> Iterator[str]:
    for text in texts:
        if text == "--":
            return
        if text.startswith("--"):
            yield text.partition("=")[0]
        elif text.startswith("-"):
            yield from (f"-{letter}" for letter in text[1:])


def _way(url: str) -> str:
    scheme, separated, _ = url.partition("://")
    if separated:
        return {"ssh": "ssh", "git+ssh": "ssh", "http": "http", "https": "http", "git": "git"}.get(scheme, "local")
    host, colon, _ = url.partition(":")
    return "ssh" if colon and "/" not in host and not url.startswith(("ext::", ".")) else "local"
