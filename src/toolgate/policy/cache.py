"""Caches compiled policies, each session's pinned policy, and the last valid version of every file.

All of it is JSON and TOML text in a cache storage. Losing it costs time and, in the middle of a session, an extra question; never
an answer.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from toolgate.model.decision import Rate, Verdict
from toolgate.model.place import Workplaces
from toolgate.model.rule import DescribedTool, LogLimits, LoweredFloor, Policy, Redaction, Ruling, UndoLimits, WrittenRule

from .cache_storage import CacheStorage

FORMAT_VERSION = 4  # raise it when the same files get another meaning
BUILT_IN = "built-in"
KEEP_SECONDS = 30 * 86400.0  # seconds


@dataclass(frozen=True, slots=True)
class Cache:
    """`shelf`: the storage."""

    shelf: CacheStorage

    def load_policy(self, key: str) -> Policy | None:
        data = self.shelf.read(f"policy/{key}.json")
        return None if data is None else decode_policy(data)

    def save_policy(self, key: str, policy: Policy) -> None:
        self.shelf.write(f"policy/{key}.json", encode_policy(policy))

    def keep_decided(self, policy: Policy) -> None:
        """Keeps a policy that decided a recorded call, by its digest."""
        name = _decided_name(policy.digest)
        if policy.digest != BUILT_IN and self.shelf.read(name) is None:
            self.shelf.write(name, encode_policy(policy))

    def load_decided(self, digest: str) -> Policy | None:
        """Returns the policy with this digest, if it ever decided a call."""
        if digest == BUILT_IN:
            return Policy(digest=BUILT_IN)
        data = self.shelf.read(_decided_name(digest))
        policy = None if data is None else decode_policy(data)
        return policy if policy is not None and policy.digest == digest else None

    def find_pinned_key(self, session: str) -> str:
        """Returns the key of the policy that the session started with; empty where there is none."""
        data = self.shelf.read(f"sessions/{_file_name(session)}") if session else None
        key = data.decode(errors="replace") if data else ""
        return key if key == BUILT_IN or key.isalnum() else ""

    def pin_key(self, session: str, key: str, now: float) -> None:
        if session:
            self.shelf.prune(now - KEEP_SECONDS)
            self.shelf.write(f"sessions/{_file_name(session)}", key.encode())

    def load_last_valid(self, file: str) -> bytes | None:
        return self.shelf.read(f"last-good/{_file_name(file)}.toml")

    def save_last_valid(self, file: str, data: bytes) -> None:
        if self.load_last_valid(file) != data:
            self.shelf.write(f"last-good/{_file_name(file)}.toml", data)


def _decided_name(digest: str) -> str:
    return f"decided/{_file_name(digest)}.json"


def _file_name(text: str) -> str:
    """Returns a file name for any text: the text itself where it is suitable, as ids of sessions are."""
    if text.replace("-", "").isalnum() and text.isascii() and len(text) <= 64:
        return text
    from hashlib import sha256

    return sha256(text.encode(errors="surrogatepass")).hexdigest()[:32]


def digest_policy(policy: Policy) -> str:
    """Returns an id of the effective policy: the same values give the same digest, whatever their source."""
    from hashlib import sha256

    bare = replace(policy, digest="", notices=())
    return BUILT_IN if bare == Policy() else sha256(encode_policy(bare)).hexdigest()[:16]


def encode_policy(policy: Policy) -> bytes:
    return json.dumps({"format": FORMAT_VERSION, **asdict(policy)}, sort_keys=True, separators=(",", ":"), default=str).encode()


def decode_policy(data: bytes) -> Policy | None:
    """Returns None for anything but the output of `encode_policy`."""
    try:
        table: dict[str, Any] = json.loads(data)
        if table.pop("format") != FORMAT_VERSION or set(table) != {field.name for field in fields(Policy)}:
            return None
        table["rulings"] = {rule: _decode_ruling(*each) for rule, each in table["rulings"].items()}
        table["floors"] = {rule: _decode_floor(*each) for rule, each in table["floors"].items()}
        table["written"] = tuple(_decode_written_rule(WrittenRule(*each)) for each in table["written"])
        table["places"] = Workplaces(*map(tuple, table["places"]))
        table["redaction"] = _decode_redaction(*table["redaction"])
        table["tools"] = tuple(_decode_tool(*each) for each in table["tools"])
        table["undo_limits"] = UndoLimits(*table["undo_limits"])
        table["log_limits"] = LogLimits(*table["log_limits"])
        table["confirmed"] = tuple(table["confirmed"])
        table["wrappers"] = tuple((name, options) for name, options in table["wrappers"])
        return Policy(**{**table, "notices": tuple(table["notices"]), "cap": Verdict(table["cap"])})
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def _decode_redaction(
    personal: list[str],
    patterns: list[list[str]],
    values: list[str],
    domains: list[str],
    paths: list[str],
    replacements: list[list[str]],
) -> Redaction:
    return Redaction(
        tuple(personal),
        tuple((kind, match) for kind, match in patterns),
        tuple(values),
        tuple(domains),
        tuple(paths),
        tuple((kind, text) for kind, text in replacements),
    )


def _decode_tool(server: str, tool: str, does: dict[str, Any], file: str, adds: bool) -> DescribedTool:
    lists = {role: tuple(arguments) if isinstance(arguments, list) else arguments for role, arguments in does.items()}
    return DescribedTool(server, tool, lists, file, adds)


def _decode_ruling(verdict: int, unsure: int, options: dict[str, object], rate: list[Any] | None) -> Ruling:
    return Ruling(Verdict(verdict), Verdict(unsure), options, _decode_rate(rate))


def _decode_floor(sure: int, unsure: int, reason: str, file: str) -> LoweredFloor:
    return LoweredFloor(Verdict(sure), Verdict(unsure), reason, file)


def _decode_written_rule(read: WrittenRule) -> WrittenRule:
    unsure = None if read.unsure is None else Verdict(read.unsure)
    return read._replace(verdict=Verdict(read.verdict), unsure=unsure, rate=_decode_rate(read.rate))


def _decode_rate(read: Sequence[Any] | None) -> Rate | None:
    return None if read is None else (read[0], read[1])
