"""Compares the packages that the gate imports with their state when it was registered with a host.

The record is in the gate's own environment. Whoever may write there can change both: it reveals an installation that was changed
without the person's knowledge, and proves nothing against the account itself. Only root's installation is out of its reach.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from . import files, installation

if TYPE_CHECKING:
    from importlib.metadata import Distribution

RECORD_NAME = "toolgate-installation.json"
_REQUIRED = re.compile(r"[A-Za-z0-9][\w.-]*")
_VOLATILE = ("/__pycache__/", ".pyc")


def write_record() -> None:
    """Write the current digests. Raises OSError if the environment is not writable: then there is no record to compare."""
    digests = dict(_current_digests())
    files.write_file(_record_path(), json.dumps(digests, indent=1, sort_keys=True).encode())


def changed_packages() -> list[str]:
    """Returns the distributions that differ from the record, in order; none without a record."""
    try:
        before = json.loads(files.read_file(_record_path()) or b"{}")
    except (OSError, ValueError):
        return ["the record itself, which cannot be read"]
    if not isinstance(before, dict) or not before:
        return []
    now = dict(_current_digests())
    return [name for name in sorted({*before, *now}) if before.get(name) != now.get(name)]


def _record_path() -> str:
    return f"{(*installation.ENVIRONMENTS, installation.PACKAGES_FOLDER)[0]}/{RECORD_NAME}"


def _current_digests() -> Iterator[tuple[str, str]]:
    for each in _imported_distributions().values():
        yield f"{each.name} {each.version}", _digest_of_files(each)
    if installation.ENVIRONMENTS:
        yield "names beside the packages", _digest_of_names()


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


def _digest_of_files(each: "Distribution") -> str:
    """Returns the digest of a distribution's files, by name and content; compiled files are left out."""
    from hashlib import sha256

    digest = sha256()
    for path in sorted(map(str, each.files or ())):
        if not any(part in f"/{path}" for part in _VOLATILE):
            try:
                with open(str(each.locate_file(path)), "rb") as file:
                    digest.update(path.encode() + b"\0" + sha256(file.read()).digest())
            except OSError:
                digest.update(path.encode() + b"\0absent")
    return digest.hexdigest()


def _digest_of_names() -> str:
    """Returns the digest of the names beside the packages: a module that would be imported first is a new name there."""
    from hashlib import sha256

    names = sorted(name for name in os.listdir(installation.PACKAGES_FOLDER) if name != "__pycache__")
    return sha256("\0".join(names).encode(errors="surrogateescape")).hexdigest()
