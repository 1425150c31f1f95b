"""Updates a session's ledger (toolgate.provenance) after each result, each prompt, and each call that fetches a file.

Judging opens no store for a session that read nothing untrusted and fetched nothing: a mark in the cache tells whether there is a
ledger.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from urllib.parse import urlsplit

from toolgate import audit, provenance
from toolgate.machine.environment import find_folders
from toolgate.model.action import Action, CallTool, Fetch, OtherTool, ReadFile, RunShell
from toolgate.model.effect import Connect, Effects, Move, Write
from toolgate.model.errors import StoreError
from toolgate.model.event import PromptSubmitted, Scene, ToolResult
from toolgate.model.place import LOCAL
from toolgate.model.store import LEDGER, WRITTEN, Document, Store, ledger_key

OpenStore = Callable[[], Store]
KEEP_SECONDS = 7 * 86400.0  # seconds after the last change
_FOREIGN_FOLDERS = ("/node_modules/", "/site-packages/", "/vendor/", "/.venv/", "/Downloads/")
_FETCHERS = ("curl ", "wget ", "http ", "https ", "gh ", "glab ", "lynx ", "w3m ")
MAX_WRITTEN = 300  # files
_CODE_ENDINGS = (
    *(".py", ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx", ".rb", ".php", ".go", ".rs"),
    *(".gradle", ".groovy", ".kts", ".ex", ".exs", ".scala", ".rake", ".gemspec"),
)
_FETCHING_TOOLS = ("websearch", "web_search", "webfetch", "web_fetch", "fetch")


def record_result(event: ToolResult, now: float, open_store: OpenStore) -> None:
    """Records the names in an untrusted result."""
    source = _describe_source(event.action, event.tool, event.scene)
    if not source:
        return
    values = {value for text in _iter_texts(event.response) for value in provenance.extract_values(text)}

    def add_source(ledger: Document, seed: str) -> Document:
        return provenance.add_source(ledger, seed, source, values)

    if values and _update_ledger(event.scene, add_source, now, open_store):
        _mark_session(event.scene)


def record_prompt(event: PromptSubmitted, now: float, open_store: OpenStore) -> None:
    """Records the names in a prompt of the user. This needs no mark: it can only add trust."""
    _update_ledger(event.scene, lambda ledger, seed: provenance.add_prompt(ledger, seed, event.prompt), now, open_store)


def record_fetched_files(scene: Scene, effects: Effects, now: float, open_store: OpenStore) -> None:
    """Records the files that a call fetches if it runs: a file that does not exist later was not fetched."""
    files = dict(_iter_fetched_files(effects))
    if files and _update_ledger(scene, lambda ledger, seed: provenance.add_files(ledger, seed, files), now, open_store):
        _mark_session(scene)


def record_written_code(scene: Scene, effects: Effects, now: float, open_store: OpenStore) -> None:
    """Records the files of code in the project that a call writes if it runs: a program that collects them runs them later."""
    files = dict.fromkeys(_iter_written_code(effects), 1)
    key = ledger_key(scene.caller.host, scene.caller.session, WRITTEN)

    def add(document: Document) -> tuple[Document, None]:
        if files.keys() <= document.keys():
            return document, None
        return dict(list({**document, **files}.items())[-MAX_WRITTEN:]), None

    if not files:
        return
    try:
        open_store().update(key, add, now, now + KEEP_SECONDS)
    except StoreError:
        return
    _mark_session(scene, WRITTEN)


def _iter_written_code(effects: Effects) -> Iterator[str]:
    for effect in effects.all:
        if isinstance(effect, Write | Move):
            place = effect.place if isinstance(effect, Write) else effect.to
            if place.path is not None and place.path.endswith(_CODE_ENDINGS) and place.is_in("project") is True:
                yield place.path


def _update_ledger(scene: Scene, change: Callable[[Document, str], Document], now: float, open_store: OpenStore) -> bool:
    """Returns whether the store accepted the change. The call itself reports a broken store."""
    seed = os.urandom(16).hex()
    key = ledger_key(scene.caller.host, scene.caller.session)
    try:
        open_store().update(key, lambda ledger: (change(ledger, seed), None), now, now + KEEP_SECONDS)
    except StoreError:
        return False
    return True


def _mark_session(scene: Scene, name: str = LEDGER) -> None:
    audit.mark_first_time(find_folders(scene.environ, scene.home).cache, scene.caller.session, name)


def _iter_fetched_files(effects: Effects) -> Iterator[tuple[str, str]]:
    """Yields the single files that this call fetches, and from where; a clone is not one."""
    hosts: dict[int, str] = {}
    for effect in effects.all:
        if isinstance(effect, Connect) and not effect.listens:
            hosts.setdefault(effect.origin.command, _describe_address(effect.target.display_text))
    if not hosts:
        return
    for effect in effects.all:
        if not isinstance(effect, Write) or effect.folder or effect.tree is not False or effect.place.machine != LOCAL:
            continue
        sources = {effect.origin.command} | (effect.content.src if effect.content is not None else set())
        source = next((hosts[number] for number in sorted(sources) if hosts.get(number)), None)
        if source is not None and effect.place.path is not None:
            yield effect.place.path, source


def _describe_source(action: Action, tool: str, scene: Scene) -> str:
    """Returns the origin of an untrusted result, in words; empty where it is trusted."""
    match action:
        case Fetch(url=url):
            return f"the page {_describe_address(url)}"
        case CallTool(server=server, tool=name):
            return f"a result of {server}/{name}"
        case OtherTool(name=name) if name.lower() in _FETCHING_TOOLS:
            return f"a result of {name}"
        case ReadFile(path=path) if not f"{path}/".startswith(f"{scene.project.rstrip('/')}/") and path.startswith("/"):
            return f"the file {path}"
        case ReadFile(path=path) if any(part in path for part in _FOREIGN_FOLDERS):
            return f"the file {path}"
        case RunShell(text=text) if any(fetcher in text for fetcher in _FETCHERS):
            return f"the output of a command that {tool} ran"
        case _:
            return ""


def _describe_address(url: str) -> str:
    """Returns a URL without the parts that may be secret."""
    try:
        parts = urlsplit(url if "://" in url else f"//{url}")
        return f"{parts.hostname or ''}{parts.path}"[:100]
    except ValueError:
        return "an unreadable address"


def _iter_texts(value: object, depth: int = 0) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping) and depth < 8:
        for each in value.values():
            yield from _iter_texts(each, depth + 1)
    elif isinstance(value, list | tuple) and depth < 8:
        for each in value:
            yield from _iter_texts(each, depth + 1)
