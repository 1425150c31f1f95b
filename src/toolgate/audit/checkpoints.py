"""Checkpoints: the number and the digest of the newest record, kept where agents cannot write.

A checkpoint is signed (Ed25519) where there is a key that the agent's account cannot read: a supervisor's. It holds nothing that
was recorded. It is made when a session ends or on request, never while a call is judged. The lines of the log that tell of
removed days and deleted sessions are signed by the same key.
"""

import json
import os
import time
from collections.abc import Mapping
from typing import Any, Literal

from toolgate.machine import descriptors

from .chain import HEAD_BYTES, HEAD_FILE, NUMBER_KEY, PREVIOUS_KEY, decode_head

KEY_FILE = "checkpoint.key"
"""The private key, 32 bytes, in the supervisor's state folder."""
_UNSIGNED_FIELDS = frozenset(("key", "signature", NUMBER_KEY, PREVIOUS_KEY))
"""The chain adds a line's place after it was signed."""
SEND_SECONDS = 1.0  # seconds for a request to another machine
_OPEN_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT | descriptors.CLOEXEC | descriptors.NOCTTY | descriptors.NONBLOCK
Signature = Literal["unsigned", "valid", "invalid", "unchecked"]
"""`unchecked`: the library that verifies signatures is not installed."""


def make_checkpoint(number: int, digest: str, now: float, key_file: str = "") -> dict[str, object]:
    """Returns a checkpoint, signed if the key file is there and can be read."""
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now))
    return sign_table({"record": number, "digest": digest, "time": at}, key_file)


def sign_table(table: dict[str, object], key_file: str) -> dict[str, object]:
    """Returns the table with a public key and a signature of its fields; unchanged where there is no key to be read."""
    key = _load_key(key_file) if key_file else None
    if key is None:
        return table
    return {**table, "key": key.public_key().public_bytes_raw().hex(), "signature": key.sign(_signed_bytes(table)).hex()}


def make_checkpoint_of_head(folder: str, now: float, key_file: str = "") -> dict[str, object] | None:
    """Returns a checkpoint of the record that the head file names; None where it names none. Raises OSError."""
    with open(f"{folder}/{HEAD_FILE}", "rb") as file:
        head = decode_head(file.read(HEAD_BYTES))
    return None if head is None else make_checkpoint(head.number, head.digest, now, key_file)


def create_key(key_file: str) -> None:
    """Creates the key unless there is one. Raises OSError, and ImportError without the library for signatures."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    descriptor = os.open(key_file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | descriptors.CLOEXEC | descriptors.NOFOLLOW, 0o600)
    try:
        os.write(descriptor, Ed25519PrivateKey.generate().private_bytes_raw())
    finally:
        os.close(descriptor)


def _load_key(key_file: str) -> Any:
    """Returns the private key, or None where it cannot be read or used."""
    try:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        with open(key_file, "rb") as file:
            return Ed25519PrivateKey.from_private_bytes(file.read(64))
    except (ImportError, OSError, ValueError):
        return None


def check_signature(table: Mapping[str, object], public_key: str = "") -> Signature:
    """Returns whether a checkpoint, or a line that tells of removed records, is signed by its key.

    With `public_key` (hex), any other key's signature is invalid."""
    key, signature = table.get("key"), table.get("signature")
    if key is None and signature is None:
        return "invalid" if public_key else "unsigned"
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError:
        return "unchecked"
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(str(key))).verify(bytes.fromhex(str(signature)), _signed_bytes(table))
    except (InvalidSignature, ValueError):
        return "invalid"
    return "valid" if not public_key or public_key.lower() == key else "invalid"


def _signed_bytes(table: Mapping[str, object]) -> bytes:
    signed = {name: value for name, value in table.items() if name not in _UNSIGNED_FIELDS}
    return json.dumps(signed, sort_keys=True, separators=(",", ":")).encode()


def deliver_checkpoint(checkpoint: Mapping[str, object], destination: str, home: str) -> str:
    """Appends a checkpoint to a file, or posts it to an https address.

    Returns what went wrong, in a sentence; empty when nothing did."""
    line = json.dumps(checkpoint).encode() + b"\n"
    try:
        if destination.startswith("https://"):
            _post_line(destination, line)
        else:
            path = home + destination[1:] if destination.startswith("~/") else destination
            descriptor = os.open(path, _OPEN_FLAGS, 0o600)
            try:
                os.write(descriptor, line)
            finally:
                os.close(descriptor)
    except (OSError, ValueError) as problem:
        cause = getattr(problem, "strerror", None) or type(problem).__name__
        return f"the checkpoint of the audit log could not be kept as `[audit] checkpoint` says: {cause}"
    return ""


def _post_line(address: str, line: bytes) -> None:
    from urllib.request import Request, urlopen

    headers = {"Content-Type": "application/json"}
    with urlopen(Request(address, line, headers, method="POST"), timeout=SEND_SECONDS):  # https alone: the policy's form
        pass
