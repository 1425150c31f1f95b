"""How command lines of services say that they delete something.

A program that nobody described says what it does as most do: a kind of thing and a verb (`apps delete web`, `destroy cluster`,
`apps:destroy`, `delete-bucket`), or a verb and that nobody need be asked (`delete --yes`). That is a guess, and never sure.
"""

import re
from collections.abc import Iterator

from toolgate.model.effect import Operation
from toolgate.model.seen import Seen
from toolgate.model.word import Word, joined

_VERBS = frozenset(
    [
        "delete",
        "del",
        "destroy",
        "purge",
        "terminate",
        "wipe",
        "drop",
        "teardown",
        "deprovision",
        "undeploy",
        "decommission",
        "erase",
    ]
)
_NOUNS = frozenset(
    [
        "app",
        "application",
        "project",
        "service",
        "server",
        "instance",
        "machine",
        "vm",
        "cluster",
        "node",
        "pool",
        "database",
        "db",
        "dataset",
        "table",
        "schema",
        "keyspace",
        "bucket",
        "volume",
        "disk",
        "share",
        "filesystem",
        "site",
        "domain",
        "zone",
        "record",
        "stack",
        "deployment",
        "function",
        "queue",
        "topic",
        "stream",
        "subscription",
        "user",
        "team",
        "org",
        "organization",
        "organisation",
        "workspace",
        "account",
        "tenant",
        "key",
        "secret",
        "token",
        "certificate",
        "cert",
        "backup",
        "snapshot",
        "archive",
        "repo",
        "repository",
        "namespace",
        "group",
        "policy",
        "role",
        "flag",
        "segment",
        "index",
        "indices",
        "indexes",
        "collection",
        "customer",
        "product",
        "invoice",
        "dashboard",
        "monitor",
        "alert",
        "environment",
        "network",
        "subnet",
        "gateway",
        "loadbalancer",
        "vault",
        "addon",
        "webhook",
        "hub",
        "registry",
        "resource",
        "droplet",
        "pipeline",
    ]
)
_UNASKED = frozenset(
    [
        "--yes",
        "-y",
        "--force",
        "-f",
        "--confirm",
        "--auto-approve",
        "--no-prompt",
        "--no-prompts",
        "--no-input",
        "--non-interactive",
        "--no-confirm",
        "--assume-yes",
        "--skip-confirm",
        "--skip-confirmation",
        "--approve",
        "--assumeyes",
    ]
)
_ONLY_SHOWN = frozenset(
    [
        "--dry-run",
        "--dryrun",
        "--dry",
        "--help",
        "-h",
        "--version",
        "--what-if",
        "--whatif",
        "--noop",
        "--no-op",
        "--preview",
        "--plan",
        "--simulate",
    ]
)
_WORD = re.compile(r"[a-z][a-z0-9_-]*(?:[:.][a-z][a-z0-9_-]*)*|[A-Z][a-z]+(?:[A-Z][a-z]+)+")
_PARTS = re.compile(r"[A-Z]?[a-z0-9]+")
_DEPTH = 4
"""Subcommands are no deeper than that; behind them stand names."""


def taken_away(argv: tuple[Word, ...], seen: Seen) -> Iterator[Operation]:
    """What a program without a row deletes, by its words. A path is a program of somebody's own."""
    texts = [word.text for word in argv]
    if texts[0] is None or "/" in texts[0] or "help" in texts[1:] or not _ONLY_SHOWN.isdisjoint(_names(texts)):
        return
    before = argv[1 : texts.index("--")] if "--" in texts else argv[1:]
    words = [word for word in before if word.starts("-") is False]
    said = []
    for word in words[:_DEPTH]:
        if word.text is None or not _WORD.fullmatch(word.text):
            break
        said.append(word.text)
    unasked = not _UNASKED.isdisjoint(_names(texts))
    end = next((n for n in range(len(said)) if _takes(said, n, unasked)), None)
    if end is not None:
        yield Operation("cloud.delete", seen.origin._replace(sure=None), joined(words[: end + 2]), (("dry_run", False),))


def _names(texts: list[str | None]) -> set[str]:
    """The options that are given, and not with a no."""
    parts = [text.partition("=") for text in texts[1:] if text is not None]
    return {name for name, _, value in parts if value not in ("false", "none")}


def _takes(said: list[str], at: int, unasked: bool) -> bool:
    parts = [part.lower() for part in _PARTS.findall(said[at])]
    if len(parts) > 1:
        return any(_is_verb(one) and _is_noun(other) for one in (parts[0], parts[-1]) for other in parts if other != one)
    if not _is_verb(parts[0]):
        return False
    beside = said[max(at - 1, 0) : at] + said[at + 1 : at + 2]
    return any(_is_noun(part) for word in beside for part in _PARTS.findall(word)) or (unasked and at < 2)


def _is_verb(text: str) -> bool:
    return text in _VERBS


def _is_noun(text: str) -> bool:
    return text in _NOUNS or text.removesuffix("s") in _NOUNS or (text.endswith("ies") and text[:-3] + "y" in _NOUNS)
