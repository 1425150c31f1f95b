"""Lockouts: an agent whose work on an artifact was rejected is locked out of it until somebody clears that.

A document of a team's scope: artifact -> agents in the order in which they were locked out. Artifacts are paths or globs,
compared as written after normalising: separators, `.` and `..`, and no difference between `src/a.py` and `./src/a.py`.
"""

import json
from functools import lru_cache

from toolgate.model.store import Document

LOCKOUTS_DOCUMENT = "lockouts"
ESCALATION_COUNT = 3  # agents locked out of one artifact, from which on the user decides


def add_lockout(document: Document, artifact: str, agent: str) -> tuple[Document, int]:
    """Adds an agent to those locked out of an artifact, once. Returns the document and their number."""
    name = normalize_artifact(artifact)
    agents: list[str] = list(document.get(name, ()))
    if agent.casefold() not in map(str.casefold, agents):
        agents.append(agent)
    return {**document, name: agents}, len(agents)


def clear_lockouts(document: Document, artifact: str = "", agent: str = "") -> tuple[Document, int]:
    """Clears the lockouts of an artifact, of an agent, or of one on the other; without either, all. Returns the document and the
    number cleared."""
    name, kept, gone = normalize_artifact(artifact) if artifact else "", {}, 0
    for entry, agents in document.items():
        concerned = not name or entry == name
        left = [each for each in agents if not concerned or (agent and each.casefold() != agent.casefold())]
        gone += len(agents) - len(left)
        if left:
            kept[entry] = left
    return kept, gone


def merge_lockouts(*documents: Document) -> dict[str, tuple[str, ...]]:
    """Returns the lockouts of all documents together."""
    found: dict[str, dict[str, None]] = {}
    for document in documents:
        for artifact, agents in document.items():
            found.setdefault(normalize_artifact(artifact), {}).update(dict.fromkeys(agents))
    return {artifact: tuple(agents) for artifact, agents in found.items()}


# ---- the file: one JSON object on each line, later lines override earlier ones


def render_line(action: str, artifact: str, agent: str, by: str, at: str) -> str:
    """`action`: lock or clear. An empty artifact or agent means all of them."""
    return json.dumps({"action": action, "artifact": artifact, "agent": agent, "by": by, "at": at}) + "\n"


@lru_cache(8)
def parse_lines(text: str) -> tuple[Document, str]:
    """Returns the lockouts of the lines, and what is wrong with one of them; empty where all can be read."""
    document: Document = {}
    problem = ""
    for number, each in enumerate(text.splitlines(), 1):
        if not each.strip():
            continue
        try:
            entry = json.loads(each)
            action, artifact, agent = entry["action"], str(entry.get("artifact", "")), str(entry.get("agent", ""))
            if action == "lock" and artifact and agent:
                document, _ = add_lockout(document, artifact, agent)
            elif action == "clear":
                document, _ = clear_lockouts(document, artifact, agent)
            else:
                problem = problem or f"line {number} locks and clears nothing"
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            problem = problem or f"line {number} is no JSON object of this form"
    return document, problem


@lru_cache(1024)
def normalize_artifact(artifact: str) -> str:
    """Returns `src/a.py` for `.\\src\\x\\..\\a.py`. A path that leads upwards keeps its `..`: it is another place."""
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
