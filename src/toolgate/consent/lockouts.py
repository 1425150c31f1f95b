"""Who may not work on what: an agent whose work on an artifact was rejected is locked out of it until somebody clears that.

A document of a team's scope: artifact -> agents in the order in which they were locked out. Artifacts are paths or globs,
compared as written after normalising: separators, `.` and `..`, and no difference between `src/a.py` and `./src/a.py`.
"""

from collections.abc import Iterator

from toolgate.model.glob import matches
from toolgate.model.state import Document

LOCKOUTS = "lockouts"
ESCALATES = 3  # agents locked out of one artifact, from which on the user decides
_GLOB = frozenset("*?[")


def locked(document: Document, artifact: str, agent: str) -> tuple[Document, int]:
    """One agent more locked out of an artifact; once is enough. How many there are by then."""
    name = normal(artifact)
    agents: list[str] = list(document.get(name, ()))
    if agent not in agents:
        agents.append(agent)
    return {**document, name: agents}, len(agents)


def is_locked_out(document: Document, artifact: str, agent: str) -> bool:
    """By an entry for this very artifact, or by a glob that holds for it."""
    return any(agent in document[entry] for entry in _entries(document, artifact))


def escalates(document: Document, artifact: str, limit: int = ESCALATES) -> bool:
    """Are so many agents locked out of it that the user is to decide?"""
    agents = {agent for entry in _entries(document, artifact) for agent in document[entry]}
    return 0 < limit <= len(agents)


def cleared(document: Document, artifact: str = "", agent: str = "") -> tuple[Document, int]:
    """Without the lockouts of an artifact, of an agent, or of one on the other; without either, of all. How many went."""
    name, kept, gone = normal(artifact) if artifact else "", {}, 0
    for entry, agents in document.items():
        concerned = not name or entry == name
        left = [each for each in agents if not concerned or (agent and each != agent)]
        gone += len(agents) - len(left)
        if left:
            kept[entry] = left
    return kept, gone


def listed(document: Document) -> Iterator[tuple[str, str]]:
    """Pairs of artifact and agent."""
    for entry in sorted(document):
        yield from ((entry, agent) for agent in document[entry])


def normal(artifact: str) -> str:
    """`.\\src\\x\\..\\a.py` is `src/a.py`. What leads above its top keeps its `..`: it is another place."""
    rooted = artifact.replace("\\", "/").startswith("/")
    parts: list[str] = []
    for part in artifact.replace("\\", "/").split("/"):
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part == ".." and rooted:
            continue
        elif part not in ("", "."):
            parts.append(part)
    return ("/" if rooted else "") + "/".join(parts)


def _entries(document: Document, artifact: str) -> Iterator[str]:
    name = normal(artifact)
    for entry in document:
        if entry == name or (not _GLOB.isdisjoint(entry) and matches(entry, name) is not False):
            yield entry
