"""Writing a secret into the configuration of MCP servers.

Such files are committed and shared. Every host fills in references (`${NAME}`) from the environment, and most prompt for inputs.
The file is parsed in its own format, and each value of its `env`, `headers`, `args` and `url` is checked.
"""

import json
from collections.abc import Iterator

from toolgate.model.decision import Match
from toolgate.model.effect import Write
from toolgate.model.place import Place
from toolgate.model.rule import RuleContext
from toolgate.redaction.finder import find_in_text, find_in_word
from toolgate.redaction.safe_values import REFERENCE

CONFIG_NAMES = (
    "mcp.json", ".mcp.json", "mcp-config.json", "mcp_config.json", "mcp-servers.json", "mcp_servers.json",
    "claude_desktop_config.json", "cline_mcp_settings.json", "mcp_settings.json", "mcp.toml", "mcp.yaml", "mcp.yml",
)  # fmt: skip
"""In any folder: Claude Code and Desktop, VS Code, Cursor, Copilot, Windsurf, Cline, Roo, Kiro, Amazon Q, Junie."""
CONFIG_PATHS = (
    "/.claude.json", "/.gemini/settings.json", "/.qwen/settings.json", "/.codex/config.toml", "/opencode.json", "/opencode.jsonc",
    "/kilo.json", "/kilo.jsonc",
    "/.continue/config.json", "/.zed/settings.json", "/zed/settings.json", "/.factory/mcp.json", "/.amp/settings.json",
)  # fmt: skip
"""Settings that hold MCP servers among other things: only the servers are checked."""
_SERVER_KEYS = ("env", "headers", "args", "url", "http_headers", "bearer_token", "environment", "command")
_SERVER_TABLES = ("mcpservers", "mcp_servers", "servers", "mcp", "context_servers")


def check(write: Write, _options: None, _context: RuleContext) -> Iterator[Match]:
    if write.content is None or not _is_mcp_config(write.place):
        return
    text = write.content.text
    config = None if text is None else _parse_config(text, write.place)
    if config is None:
        found = [""] if any(hit.kind != "email" for hit in find_in_word(write.content)) else []
    else:
        found = list(_find_secret_keys(config, (), is_inside=False))
    if found:
        where = f" at {', '.join(found[:5])}" if found[0] else ""
        yield Match(
            write, f"Writes a secret into {write.place.display_text}{where}.", instead="write a reference such as ${NAME}."
        )


def _is_mcp_config(place: Place) -> bool:
    path = (place.path or f"{place.anchor or ''}/{place.rest}").lower()
    return path.rpartition("/")[2] in CONFIG_NAMES or path.endswith(CONFIG_PATHS)


def _parse_config(text: str, place: Place) -> object:
    """Returns the parsed file; None where it cannot be parsed: part of a file, or another format."""
    try:
        if (place.path or "").endswith(".toml"):
            import tomllib

            return tomllib.loads(text)
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) else None


def _find_secret_keys(value: object, path: tuple[str, ...], *, is_inside: bool) -> Iterator[str]:
    """Yields the key paths of secrets, without their values. `is_inside`: within a value that is passed to a server."""
    match value:
        case dict():
            for key, each in value.items():
                yield from _find_secret_keys(each, (*path, str(key)), is_inside=is_inside or _is_server_value(str(key), path))
        case list():
            if is_inside and all(isinstance(each, str) for each in value) and _is_secret("", " ".join(value)):
                yield ".".join(path)
                return
            for n, each in enumerate(value):
                yield from _find_secret_keys(each, (*path, str(n)), is_inside=is_inside)
        case str() if is_inside and _is_secret(path[-1] if path else "", value):
            yield ".".join(path)


def _is_server_value(key: str, path: tuple[str, ...]) -> bool:
    return key.lower() in _SERVER_KEYS and (
        len(path) < 2 or any(each.lower() in _SERVER_TABLES for each in path) or len(path) < 3
    )


def _is_secret(name: str, value: str) -> bool:
    if REFERENCE.fullmatch(value) or len(value) < 6:
        return False
    return any(hit.kind != "email" for hit in find_in_text(f'{name}="{value}"' if name else value))
