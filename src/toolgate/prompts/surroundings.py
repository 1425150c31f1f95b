"""Resolves the operands of a call, and tells which of these places may be read without a question."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from toolgate.model.place import LOCAL, Place, Zone
from toolgate.model.world import World
from toolgate.overlay import Overlay
from toolgate.paths import resolve_path

CALM: frozenset[Zone] = frozenset(("home", "project", "project-root", "temporary", "repository", "safe"))
"""Zones read without a question. All others need one: credentials, settings, the gate's own files, git's storage."""
MOST_ENTRIES = 600  # of a tree that is searched
_LARGEST = 65_536
_MAY_HOLD_SECRETS = re.compile(
    r"\.(npmrc|yarnrc(\.yml)?|pypirc|netrc|pgpass|htpasswd|vault.*|aws|ssh|gnupg|kube|docker|azure|terraformrc|dockercfg)"
    r"|.*(secret|credential|passw|token|private|service.?account|keystore).*|.*\.(pem|key|p12|pfx|jks|kdbx|ovpn|asc|gpg|tfstate.*|tfvars)"
    r"|id_[a-z0-9_]+|_netrc|auth\.json|wp-config\.php|database\.yml|application.*\.(yml|yaml|properties)",
    re.IGNORECASE,
)
"""Names that may denote credentials inside a project. Broader than any rule, since a false match costs only a question."""
_LOGIN_IN_URL = re.compile(r"://[^/\s]*@|extraheader", re.IGNORECASE)
_SPECIAL = frozenset("*?[{")


@dataclass
class Ground:
    """Resolves paths from the folders of a call.

    `folders`: each folder that a command may run in. `looked_at`: every path that the call reads or lists, and whether everything
    beneath it is read; compared with the host's own rules.
    """

    world: World
    zones_of: Callable[[str], frozenset[Zone]]
    project: str
    folders: tuple[str, ...]
    looked_at: list[tuple[str, bool]] = field(default_factory=list)

    def doubt_of_operand(self, operand: str, *, contents: bool, tree: bool) -> str:
        """Returns why an operand may lead to a place that must not be read, or an empty text if it cannot."""
        if _SPECIAL.isdisjoint(operand):
            return self._doubt_of_written(operand, contents=contents, tree=tree)
        for name in self.expand(operand):
            if why := self._doubt_of_written(name, contents=contents, tree=tree):
                return why
        return self._doubt_of_written(operand, contents=contents, tree=tree)

    def expand(self, pattern: str) -> Iterator[str]:
        """Yields the names that a glob may match in each folder, including hidden ones, in any case."""
        folder, slash, last = pattern.rpartition("/")
        if not _SPECIAL.isdisjoint(folder) or "{" in pattern or "**" in last:
            yield "/"  # may lead anywhere
            return
        for start in self.folders:
            listed = self.world.listing(_join(start, folder) if slash else start, MOST_ENTRIES)
            if not isinstance(listed, tuple):
                yield "/"
                return
            yield from (f"{folder}{slash}{name}" for name in listed if fnmatchcase(name.lower(), last.lower()))

    def _doubt_of_written(self, operand: str, *, contents: bool, tree: bool) -> str:
        for start in self.folders:
            for path in resolve_path(_join(start, operand), Overlay(self.world)):
                if why := self.doubt_of_path(path, tree=tree or (contents and self.world.kind(path) == "folder")):
                    return why
                if contents and self._holds_key(path):
                    return f"{path} holds a private key"
                if contents:
                    self.looked_at.append((path, tree))
        return ""

    def _holds_key(self, path: str) -> bool:
        """Returns whether a data file holds a private key, as the accounts of services do."""
        text = self.world.read(path, _LARGEST) if path.endswith((".json", ".yaml", ".yml", ".toml")) else ""
        return isinstance(text, str) and "PRIVATE KEY-----" in text

    def real_paths(self, path: str) -> tuple[str, ...]:
        """Returns the paths that an absolute path resolves to, with links followed."""
        return resolve_path(path, Overlay(self.world))

    def doubt_of_path(self, path: str, *, tree: bool = False) -> str:
        zones = self.zones_of(path)
        if "project" not in zones or not zones <= CALM:
            return f"{path} is no plain part of the project"
        if any(_MAY_HOLD_SECRETS.fullmatch(name) for name in path.removeprefix(self.project).split("/")):
            return f"{path} may hold credentials"
        return self._doubt_of_tree(path) if tree else ""

    def _doubt_of_tree(self, root: str) -> str:
        left, waiting = MOST_ENTRIES, [root]
        while waiting:
            folder = waiting.pop()
            kind = self.world.kind(folder)
            if kind != "folder":
                continue
            listed = self.world.listing(folder, left)
            if not isinstance(listed, tuple):
                return f"{folder} holds more than is looked through"
            left -= len(listed)
            for name in listed:
                path = f"{folder.rstrip('/')}/{name}"
                if name == ".git" and self._is_without_logins(path):
                    continue
                kind = self.world.kind(path)
                if kind == "link":
                    continue  # a recursive search follows no links
                if kind not in ("file", "folder"):
                    return f"{path} is no plain file"
                if why := self.doubt_of_path(path):
                    return why
                waiting.append(path)
        return ""

    def _is_without_logins(self, folder: str) -> bool:
        """Returns whether git's configuration contains no login; its folder otherwise holds only earlier project content."""
        text = self.world.read(f"{folder}/config", _LARGEST)
        return isinstance(text, str) and not _LOGIN_IN_URL.search(text)

    def doubt_of_read(self, place: Place, *, tree: bool) -> str:
        """Returns the doubt about a place that an effect reads."""
        if place.machine != LOCAL or place.path is None:
            return (
                "" if place.machine == LOCAL and self._is_in_a_calm_folder(place) else f"{place.display_text} may lead anywhere"
            )
        self.looked_at.append((place.path, tree))
        return self.doubt_of_path(place.path, tree=tree)

    def doubt_of_change(self, place: Place) -> str:
        """Returns the doubt about a place that an effect changes; its path must be fully known."""
        if place.machine != LOCAL or place.path is None:
            return f"{place.display_text} may lead anywhere"
        return self.doubt_of_path(place.path)

    def _is_in_a_calm_folder(self, place: Place) -> bool:
        """Returns whether a place is a glob in one folder that matches only plain files of the project."""
        if place.anchor is None or "/" in place.rest or "**" in place.rest or not place.rest:
            return False
        found = Ground(self.world, self.zones_of, self.project, (place.anchor,))
        fine = not found.doubt_of_operand(place.rest, contents=True, tree=False)
        self.looked_at += found.looked_at
        return fine


def _join(folder: str, name: str) -> str:
    return name if name.startswith("/") else f"{folder.rstrip('/')}/{name}"
