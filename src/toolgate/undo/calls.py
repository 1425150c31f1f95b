"""Names the undo store, and the mark that connects a running call with its copy."""

from hashlib import sha256


def store_folder(state: str) -> str:
    """Returns the store, in the gate's state folder."""
    return f"{state}/undo"


def mark_path(folder: str, session: str, call: str) -> str:
    """Returns the path of a call's mark, which holds the id of its copy."""
    return f"{folder}/.call-{_digest_parts(session, call)[:32]}"


def build_id(session: str, call: str, now: float, operation: str) -> str:
    """Returns the same id for the same request, however often it reaches the gate. `now` distinguishes calls that the host does
    not number."""
    return _digest_parts(session, call or str(now), operation)[:12]


def _digest_parts(*parts: str) -> str:
    return sha256("\0".join(parts).encode(errors="surrogatepass")).hexdigest()
