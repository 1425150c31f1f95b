"""Compares the packages that the gate imports with their state when it was registered with a host.

The record is in the gate's own environment. Whoever may write there can change both: it reveals an installation that was changed
without the person's knowledge, and proves nothing against the account itself. Only root's installation is out of its reach.
"""

import csv
import json
import os
import re
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from . import files, installation
from .world import is_settled

if TYPE_CHECKING:
    from importlib.metadata import Distribution

RECORD_NAME = "toolgate-installation.json"
_REQUIRED = re.compile(r"[A-Za-z0-9][\w.-]*")
_VOLATILE = ("/__pycache__/", ".pyc")


class _PackageState(NamedTuple):
    """`digest`: of the files' names and contents. `stamp`: of their identities, sizes and times of change; empty where these
    do not tell whether a file was changed. Files with the recorded stamp are not read again."""

    digest: str
    stamp: str = ""


def write_record() -> None:
    """Writes the current state. Raises OSError if the environment is not writable: then there is no record to compare."""
    try:
        before = _read_record()
    except (OSError, ValueError, TypeError):
        before = {}
    files.write_file(_record_path(), json.dumps(dict(_current_states(before)), indent=1, sort_keys=True).encode())


def changed_packages() -> list[str]:
    """Returns the distributions that differ from the record, in order; none without a record."""
    try:
        before = _read_record()
    except (OSError, ValueError, TypeError):
        return ["the record itself, which cannot be read"]
    if not before:
        return []
    recorded = {name: state.digest for name, state in before.items()}
    now = {name: state.digest for name, state in _current_states(before)}
    return [name for name in sorted({*recorded, *now}) if recorded.get(name) != now.get(name)]


def _read_record() -> dict[str, _PackageState]:
    recorded = json.loads(files.read_file(_record_path()) or b"{}")
    if not isinstance(recorded, dict):
        raise ValueError("the record is not an object")
    return {name: _PackageState(state) if isinstance(state, str) else _PackageState(*state) for name, state in recorded.items()}


def _record_path() -> str:
    return f"{(*installation.ENVIRONMENTS, installation.PACKAGES_FOLDER)[0]}/{RECORD_NAME}"


def _current_states(before: Mapping[str, _PackageState]) -> Iterator[tuple[str, _PackageState]]:
    for each in _imported_distributions().values():
        name, paths = f"{each.name} {each.version}", _list_files(each)
        stamp, known = _stamp_files(paths), before.get(name)
        if known is None or not stamp or known.stamp != stamp:
            known = _PackageState(_digest_files(paths), stamp)
        yield name, known
    if installation.ENVIRONMENTS:
        yield "names beside the packages", _PackageState(_digest_of_names())


def _imported_distributions() -> "Mapping[str, Distribution]":
    """Returns toolgate and every installed distribution that it needs, directly or not."""
    from importlib.metadata import PackageNotFoundError, distribution

    found: dict[str, Distribution] = {}
    names = ["toolgate"]
    while names:
        name = names.pop()
        key = re.sub(r"[-_.]+", "-", name).lower()
        if key in found:
            continue
        try:
            found[key] = distribution(name)
        except PackageNotFoundError:
            continue
        names += [match[0] for each in found[key].requires or () if (match := _REQUIRED.match(each)) is not None]
    return dict(sorted(found.items()))


def _list_files(each: "Distribution") -> dict[str, str]:
    """Returns the location of each of a distribution's files, by its name in the list of them; compiled files are left out."""
    folder, listed = str(each.locate_file("")), each.read_text("RECORD")
    names = [row[0] for row in csv.reader(listed.splitlines()) if row] if listed else map(str, each.files or ())
    return {name: f"{folder}/{name}" for name in sorted(names) if not any(part in f"/{name}" for part in _VOLATILE)}


def _digest_files(paths: Mapping[str, str]) -> str:
    """Returns the digest of files, by name and content."""
    digest = sha256()
    for name, path in paths.items():
        try:
            with open(path, "rb") as file:
                digest.update(name.encode() + b"\0" + sha256(file.read()).digest())
        except OSError:
            digest.update(name.encode() + b"\0absent")
    return digest.hexdigest()


def _stamp_files(paths: Mapping[str, str]) -> str:
    """Returns the stamp of files; none if one is absent, changed just now, or on a device that keeps no times of change."""
    states: list[tuple[object, ...]] = []
    for name, path in paths.items():
        try:
            status = os.stat(path)
        except OSError:
            return ""
        if not is_settled(status):
            return ""
        states.append((name, status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns))
    return sha256(repr(states).encode()).hexdigest()


def _digest_of_names() -> str:
    """Returns the digest of the names beside the packages: a module that would be imported first is a new name there."""
    names = sorted(name for name in os.listdir(installation.PACKAGES_FOLDER) if name != "__pycache__")
    return sha256("\0".join(names).encode(errors="surrogateescape")).hexdigest()
