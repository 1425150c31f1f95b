"""Where copies are kept, and which one belongs to a call that runs: a mark that its end takes away."""

from hashlib import sha256


def folder_of(state: str) -> str:
    """The store, in the gate's state folder."""
    return f"{state}/undo"


def mark_of(folder: str, session: str, call: str) -> str:
    """The path of the mark of a call, which holds the id of its copy."""
    return f"{folder}/.call-{_digest(session, call)[:32]}"


def id_of(session: str, call: str, now: float, operation: str) -> str:
    """The same for the same request, however often it reaches the gate. `now` tells calls apart that the host does not number."""
    return _digest(session, call or str(now), operation)[:12]


def _digest(*parts: str) -> str:
    return sha256("\0".join(parts).encode(errors="surrogatepass")).hexdigest()
