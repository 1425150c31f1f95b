"""What was worked out before: compiled policies, each session's pinned one, and the last good version of every file.

All of it in the cache folder, as JSON and TOML text, believed only where nobody but the user and root could have written it.
Losing it costs time and, in the middle of a session, an extra question; never an answer.
"""

import json
import os
import stat
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from toolgate.model.decision import Verdict
from toolgate.model.place import Workplaces
from toolgate.model.rule import LoweredFloor, Policy, Redaction, Ruling, WrittenRule

from .find import trusted

FORMAT = 2  # raise it when the same files come to mean something else
BUILT_IN = "built-in"
KEPT = 30 * 86400.0  # seconds


@dataclass(frozen=True, slots=True)
class Cache:
    """`folder` is toolgate's own cache folder."""

    folder: str

    def compiled(self, key: str) -> Policy | None:
        data = self._read(f"policy/{key}.json")
        return None if data is None else from_json(data)

    def keep_compiled(self, key: str, policy: Policy) -> None:
        self._write(f"policy/{key}.json", to_json(policy))

    def pinned(self, session: str) -> str:
        """The key of the policy that the session started with, or nothing."""
        data = self._read(f"sessions/{_short(session)}") if session else None
        key = data.decode(errors="replace") if data else ""
        return key if key == BUILT_IN or key.isalnum() else ""

    def pin(self, session: str, key: str, now: float) -> None:
        if session:
            self._prune(now - KEPT)
            self._write(f"sessions/{_short(session)}", key.encode())

    def last_good(self, file: str) -> bytes | None:
        return self._read(f"last-good/{_short(file)}.toml")

    def keep_last_good(self, file: str, data: bytes) -> None:
        if self.last_good(file) != data:
            self._write(f"last-good/{_short(file)}.toml", data)

    def _read(self, name: str) -> bytes | None:
        path = f"{self.folder}/{name}"
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:
            return None
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode) or not trusted(status) or not trusted(os.stat(self.folder)):
                return None
            return b"".join(iter(lambda: os.read(descriptor, 1 << 20), b""))
        except OSError:
            return None
        finally:
            os.close(descriptor)

    def _write(self, name: str, data: bytes) -> None:
        """Whole or not at all; a cache that cannot be written is none."""
        path = f"{self.folder}/{name}"
        draft = f"{path}.{os.getpid()}"
        try:
            os.makedirs(self.folder, 0o700, exist_ok=True)
            os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
            descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            try:
                whole = os.write(descriptor, data) == len(data)
            finally:
                os.close(descriptor)
            if whole:
                os.replace(draft, path)
            else:
                os.unlink(draft)
        except OSError:
            return

    def _prune(self, before: float) -> None:
        """What no session has asked for in a month."""
        for kind in ("policy", "sessions"):
            try:
                with os.scandir(f"{self.folder}/{kind}") as entries:
                    for entry in entries:
                        if entry.stat(follow_symlinks=False).st_mtime < before:
                            os.unlink(entry.path)
            except OSError:
                continue


def _short(text: str) -> str:
    """A file's name for any text: itself where it is one, as the ids of sessions are."""
    if text.replace("-", "").isalnum() and text.isascii() and len(text) <= 64:
        return text
    from hashlib import sha256

    return sha256(text.encode(errors="surrogatepass")).hexdigest()[:32]


def digest(policy: Policy) -> str:
    """Names the effective policy: the same values give the same digest, wherever they came from."""
    from hashlib import sha256

    bare = replace(policy, digest="", notices=())
    return BUILT_IN if bare == Policy() else sha256(to_json(bare)).hexdigest()[:16]


def to_json(policy: Policy) -> bytes:
    return json.dumps({"format": FORMAT, **asdict(policy)}, sort_keys=True, separators=(",", ":"), default=str).encode()


def from_json(data: bytes) -> Policy | None:
    """None for anything but what `to_json` writes."""
    try:
        table: dict[str, Any] = json.loads(data)
        if table.pop("format") != FORMAT or set(table) != {field.name for field in fields(Policy)}:
            return None
        table["rulings"] = {rule: _ruling(each) for rule, each in table["rulings"].items()}
        table["floors"] = {rule: LoweredFloor(**_verdicts(each, "sure", "unsure")) for rule, each in table["floors"].items()}
        table["written"] = tuple(WrittenRule(**_verdicts(each, "verdict", "unsure")) for each in table["written"])
        table["places"] = Workplaces(**{name: tuple(each) for name, each in table["places"].items()})
        table["redaction"] = _redaction(*table["redaction"])
        return Policy(**{**table, "notices": tuple(table["notices"]), "cap": Verdict(table["cap"])})
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def _redaction(
    personal: list[str], patterns: list[list[str]], values: list[str], domains: list[str], paths: list[str]
) -> Redaction:
    return Redaction(
        tuple(personal), tuple((kind, match) for kind, match in patterns), tuple(values), tuple(domains), tuple(paths)
    )


def _ruling(table: dict[str, Any]) -> Ruling:
    return Ruling(**_verdicts(table, "verdict", "unsure"))


def _verdicts(table: dict[str, Any], *names: str) -> dict[str, Any]:
    if table.get("rate") is not None:
        table = {**table, "rate": tuple(table["rate"])}
    return {key: Verdict(value) if key in names and value is not None else value for key, value in table.items()}
