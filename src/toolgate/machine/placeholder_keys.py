"""The keys of placeholders: one secret of this machine, from which one key per session is derived.

The same value has the same mark throughout a session, and without the secret its mark does not reveal it.
"""

import os

from . import descriptors

KEY_LENGTH = 32


def session_key(state: str, session: str) -> bytes:
    """Returns the key of a session. `state`: toolgate's state folder. If nothing can be stored there, the key is for this call
    only."""
    from hashlib import blake2b

    try:
        secret = _load_or_create(f"{state}/redaction.key")
    except OSError:
        return os.urandom(KEY_LENGTH)
    return blake2b(session.encode(errors="surrogatepass"), key=secret, digest_size=KEY_LENGTH).digest()


def _load_or_create(file: str) -> bytes:
    """Returns the secret, created atomically once: of two processes that create it, both use the first one."""
    try:
        return _read_secret(file)
    except FileNotFoundError:
        pass
    os.makedirs(os.path.dirname(file), 0o700, exist_ok=True)
    fresh = f"{file}.{os.getpid()}"
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | descriptors.CLOEXEC | descriptors.NOFOLLOW, 0o600)
    try:
        os.write(descriptor, os.urandom(KEY_LENGTH))
    finally:
        os.close(descriptor)
    try:
        os.link(fresh, file)
    except FileExistsError:
        pass
    finally:
        os.unlink(fresh)
    return _read_secret(file)


def _read_secret(file: str) -> bytes:
    descriptor = os.open(file, os.O_RDONLY | descriptors.CLOEXEC | descriptors.NOFOLLOW)
    try:
        secret = os.read(descriptor, KEY_LENGTH + 1)
    finally:
        os.close(descriptor)
    if len(secret) != KEY_LENGTH:
        raise OSError(0, f"{file} is not what toolgate wrote")
    return secret
