"""Codex's records of trust in its `config.toml`: a digest of each definition of a hook, by its place in the file of hooks.

A hook that is not trusted, or whose definition has changed since, is skipped silently.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from hashlib import sha256

from toolgate.hosts.formats import hook_groups
from toolgate.hosts.formats.commands import is_own_handler

from .places import own_folder
from .wire import NAME

DEFAULT_TIMEOUT = 600
MATCHERLESS_EVENTS = ("UserPromptSubmit", "Stop")
"""Events whose matcher the client leaves out of the digest."""


def trust_file(home: str, environ: Mapping[str, str]) -> str:
    return f"{own_folder(home, environ)}/config.toml"


def read_trusted_events(text: str, hooks_file: str, settings: object) -> frozenset[str]:
    """Returns the events whose gate entries are trusted. Raises ValueError for text that is not TOML."""
    states = _read_states(tomllib.loads(text))
    return frozenset(event for event, key, digest in _iter_definitions(hooks_file, settings) if states.get(key) == digest)


def add_trust(text: str, hooks_file: str, settings: object) -> str:
    """Returns the configuration with every gate entry trusted. Raises ValueError for text that is not TOML."""
    states = _read_states(tomllib.loads(text))
    digests = {key: digest for _, key, digest in _iter_definitions(hooks_file, settings)}
    missing = {key: digest for key, digest in digests.items() if states.get(key) != digest}
    if not missing:
        return text
    kept = _remove_tables(text, missing)
    gap = "" if not kept or kept.endswith("\n\n") else "\n" if kept.endswith("\n") else "\n\n"
    added = "\n".join(
        f"[hooks.state.{json.dumps(key)}]\ntrusted_hash = {json.dumps(digest)}\n" for key, digest in missing.items()
    )
    result = f"{kept}{gap}{''.join(added)}"
    tomllib.loads(result)
    return result


def remove_trust(text: str, hooks_file: str, settings: object) -> str:
    """Returns the configuration without the trust in the gate's entries. Raises ValueError for text that is not TOML."""
    tomllib.loads(text)
    return _remove_tables(text, {key: digest for _, key, digest in _iter_definitions(hooks_file, settings)})


def _read_states(configuration: Mapping[str, object]) -> Mapping[str, object]:
    hooks = configuration.get("hooks")
    state = hooks.get("state") if isinstance(hooks, Mapping) else None
    every = state.items() if isinstance(state, Mapping) else ()
    return {str(key): each.get("trusted_hash") for key, each in every if isinstance(each, Mapping)}


def _remove_tables(text: str, keys: Mapping[str, str]) -> str:
    """Returns the text without these tables, each from its header to the next. Everything else stays byte for byte."""
    headers = {f"[hooks.state.{json.dumps(key)}]" for key in keys}
    kept: list[str] = []
    inside = False
    for line in text.splitlines(keepends=True):
        if line.startswith("["):
            inside = line.strip() in headers
        if not inside:
            kept.append(line)
    if len(kept) < text.count("\n") and kept and kept[-1] == "\n":
        kept.pop()  # the blank line before the first of them
    return "".join(kept)


def _iter_definitions(hooks_file: str, settings: object) -> Iterator[tuple[str, str, str]]:
    """Yields event, key and digest of each gate entry."""
    for event, number, group in hook_groups.iter_groups(settings):
        matcher = group.get("matcher") if isinstance(group, Mapping) else None
        for place, handler in enumerate(hook_groups.list_handlers(group)):
            if not isinstance(handler, Mapping) or not is_own_handler(handler, NAME):
                continue
            snake = re.sub(r"(?<!^)(?=[A-Z])", "_", event).lower()
            timeout = handler.get("timeout", DEFAULT_TIMEOUT)
            definition = {
                "async": handler.get("async", False),
                "command": handler["command"],
                "timeout": timeout,
                "type": "command",
            }
            whole: dict[str, object] = {"event_name": snake, "hooks": [definition]}
            if matcher is not None and event not in MATCHERLESS_EVENTS:
                whole["matcher"] = matcher
            text = json.dumps(whole, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
            yield event, f"{hooks_file}:{snake}:{number}:{place}", f"sha256:{sha256(text.encode()).hexdigest()}"
