"""Descriptions of a cluster's objects in the arguments of a tool: as YAML text, or as an object."""

import json
import re
import shlex
from collections.abc import Mapping

_MANIFEST = re.compile(r"(?:---\s*)?\s*(?:apiVersion|kind)\s*:\s*\S")


def is_manifest(text: str) -> bool:
    """Returns whether a text describes an object of a cluster."""
    return _MANIFEST.match(text) is not None


def find_manifest(entries: Mapping[str, object]) -> str:
    """Returns the description that an argument holds as an object, as JSON; empty if there is none."""
    for each in entries.values():
        if isinstance(each, Mapping) and isinstance(each.get("kind"), str) and ("apiVersion" in each or "metadata" in each):
            return json.dumps(each)
    return ""


def spell_application(manifest: str, entries: Mapping[str, object]) -> str:
    """Returns the shell command that applies a description, in the context that the arguments beside it name."""
    context = entries.get("context")
    options = f" --context={shlex.quote(context)}" if isinstance(context, str) else ""
    options += " --dry-run=server" if entries.get("dryrun") is True else ""
    return f"kubectl{options} apply -f - <<'END OF MANIFEST'\n{manifest}\nEND OF MANIFEST"
