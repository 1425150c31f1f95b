"""Keeps a session's ledger (toolgate.provenance): after each result, each prompt, and each call that fetches a file.

Judging opens no store for a session that heard nothing untrusted and fetched nothing: a mark in the cache tells whether there is
a ledger to look at.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from urllib.parse import urlsplit

from toolgate import audit, provenance
from toolgate.machine.environment import folders
from toolgate.model.action import Action, CallTool, Fetch, OtherTool, ReadFile, RunShell
from toolgate.model.effect import Connect, Effects, Write
from toolgate.model.errors import StoreError
from toolgate.model.event import PromptSubmitted, Scene, ToolResult
from toolgate.model.place import LOCAL
from toolgate.model.state import LEDGER, Document, Store, ledger_of

OpenStore = Callable[[], Store]
KEPT = 7 * 86400.0  # seconds after the last change
_FOREIGN_PARTS = ("/node_modules/", "/site-packages/", "/vendor/", "/.venv/", "/Downloads/")
_FETCHERS = ("curl ", "wget ", "http ", "https ", "gh ", "glab ", "lynx ", "w3m ")
_FETCHING_TOOLS = ("websearch", "web_search", "webfetch", "web_fetch", "fetch")


def keep_result(event: ToolResult, now: float, open_store: OpenStore) -> None:
    """Remembers what an untrusted result names."""
    source = _source_of(event.action, event.tool, event.scene)
    if not source:
        return
    values = {value for text in _texts(event.response) for value in provenance.extract_values(text)}

    def heard(ledger: Document, seed: str) -> Document:
        return provenance.with_source(ledger, seed, source, values)

    if values and _change(event.scene, heard, now, open_store):
        _mark(event.scene)


def keep_prompt(event: PromptSubmitted, now: float, open_store: OpenStore) -> None:
    """Remembers what the user named. That alone needs no mark: nothing can come of it."""
    _change(event.scene, lambda ledger, seed: provenance.with_prompt(ledger, seed, event.prompt), now, open_store)


def keep_fetched(scene: Scene, effects: Effects, now: float, open_store: OpenStore) -> None:
    """Remembers the files that a call fetches, if it comes to that: a file that is not there later was not fetched."""
    files = dict(_fetched(effects))
    if files and _change(scene, lambda ledger, seed: provenance.with_files(ledger, seed, files), now, open_store):
        _mark(scene)


def _change(scene: Scene, change: Callable[[Document, str], Document], now: float, open_store: OpenStore) -> bool:
    """Whether the store took it. What a broken store means for a call, the call itself finds out."""
    seed = os.urandom(16).hex()
    key = ledger_of(scene.caller.host, scene.caller.session)
    try:
        open_store().update(key, lambda ledger: (change(ledger, seed), None), now, now + KEPT)
    except StoreError:
        return False
    return True


def _mark(scene: Scene) -> None:
    audit.first_time(folders(scene.environ, scene.home).cache, scene.caller.session, LEDGER)


def _fetched(effects: Effects) -> Iterator[tuple[str, str]]:
    """The files that this call fetches by themselves, and from where. A clone is no single file."""
    hosts: dict[int, str] = {}
    for effect in effects.all:
        if isinstance(effect, Connect) and not effect.listens:
            hosts.setdefault(effect.origin.command, _place_of(effect.target.shown))
    if not hosts:
        return
    for effect in effects.all:
        if not isinstance(effect, Write) or effect.folder or effect.tree is not False or effect.place.machine != LOCAL:
            continue
        sources = {effect.origin.command} | (effect.content.src if effect.content is not None else set())
        source = next((hosts[number] for number in sorted(sources) if hosts.get(number)), None)
        if source is not None and effect.place.path is not None:
            yield effect.place.path, source


def _source_of(action: Action, tool: str, scene: Scene) -> str:
    """What a result comes from, in words, where that is untrusted; empty where it is not."""
    match action:
        case Fetch(url=url):
            return f"the page {_place_of(url)}"
        case CallTool(server=server, tool=name):
            return f"a result of {server}/{name}"
        case OtherTool(name=name) if name.lower() in _FETCHING_TOOLS:
            return f"a result of {name}"
        case ReadFile(path=path) if not f"{path}/".startswith(f"{scene.project.rstrip('/')}/") and path.startswith("/"):
            return f"the file {path}"
        case ReadFile(path=path) if any(part in path for part in _FOREIGN_PARTS):
            return f"the file {path}"
        case RunShell(text=text) if any(fetcher in text for fetcher in _FETCHERS):
            return f"the output of a command that {tool} ran"
        case _:
            return ""


def _place_of(url: str) -> str:
    """A URL without what may be secret in it."""
    try:
        parts = urlsplit(url if "://" in url else f"//{url}")
        return f"{parts.hostname or ''}{parts.path}"[:100]
    except ValueError:
        return "an unreadable address"


def _texts(value: object, depth: int = 0) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping) and depth < 8:
        for each in value.values():
            yield from _texts(each, depth + 1)
    elif isinstance(value, list | tuple) and depth < 8:
        for each in value:
            yield from _texts(each, depth + 1)
