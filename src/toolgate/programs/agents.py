"""Coding agents, started by an agent: a client of its own, which may be told to ask no hook, or nobody."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from toolgate.model.effect import Operation, Prints, Reported
from toolgate.model.seen import Seen
from toolgate.model.word import Maybe, Word, some

from .frameworks import GOOSE
from .program import Program, also


@dataclass(frozen=True, slots=True)
class Agent:
    """`unhooked`: options under which it calls no hook. `variables`: those that say the same. `places`: variables that say where its
    settings are. `unasked`: options, or options with their value, under which it asks nobody."""

    unasked: tuple[str, ...]
    unhooked: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    places: tuple[str, ...] = ("HOME",)


CLAUDE = Agent(
    ("--dangerously-skip-permissions", "--allow-dangerously-skip-permissions", "--permission-mode bypassPermissions"),
    ("--bare", "--safe-mode"),
    ("CLAUDE_CODE_SIMPLE",),
    ("HOME", "CLAUDE_CONFIG_DIR"),
)
CODEX = Agent(
    ("--dangerously-bypass-approvals-and-sandbox", "--yolo", "--ask-for-approval never", "-a never", "--full-auto"),
    places=("HOME", "CODEX_HOME"),
)
GEMINI = Agent(("--yolo", "-y", "--approval-mode yolo"))
OTHERS = Agent(("--yolo", "--dangerously-skip-permissions", "--dangerously-allow-all", "--yes-always", "--force"))

AGENTS = {
    "claude": CLAUDE,
    "claude-code": CLAUDE,
    "codex": CODEX,
    "gemini": GEMINI,
    "gemini-cli": GEMINI,
    **dict.fromkeys(("opencode", "aider", "cursor-agent", "amp", "goose", "qwen"), OTHERS),
}
INFORMATION = frozenset(("--version", "-v", "--help", "-h"))


def starts(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    name = (argv[0].tail.rpartition("/")[2]).partition("@")[0]
    agent = AGENTS.get(name, OTHERS)
    words = argv[1:]
    texts = [word.text or "" for word in words]
    if not INFORMATION & set(texts[:1]):
        unasked = any(_is_given(option, texts) for option in agent.unasked)
        flags: tuple[tuple[str, Maybe], ...] = (("unguarded", _unguarded(agent, words, texts, seen)), ("unasked", unasked))
        yield Operation("agent.start", seen.origin, argv[0], flags)
    yield Prints(seen.output(name))


def _unguarded(agent: Agent, words: tuple[Word, ...], texts: list[str], seen: Seen) -> Maybe:
    """Would the client call no hook, or other hooks than here?"""
    if any(_is_given(option, texts) for option in agent.unhooked):
        return True
    if any(_is_on(seen.variable(name)) for name in agent.variables) or any(seen.variable(name) for name in agent.places):
        return True
    if agent is not CLAUDE:
        return False
    if _values("--setting-sources", words):
        return True
    return some(_switches_off(word, seen) for word in _values("--settings", words))


def _switches_off(settings: Word, seen: Seen) -> Maybe:
    """The settings themselves, or a file of them. What cannot be read may hold anything."""
    if (settings.text or "").lstrip().startswith("{"):
        return _has_the_switch(settings)
    return some(map(_has_the_switch, seen.contents(settings))) if settings.text else None


def _has_the_switch(settings: Word) -> Maybe:
    try:
        said = json.loads(settings.text or "")
    except (ValueError, RecursionError):
        return None if settings.text is None else False  # the client drops what it cannot read
    return isinstance(said, dict) and said.get("disableAllHooks") is True


def _values(option: str, words: tuple[Word, ...]) -> list[Word]:
    """What follows the option, or stands in it behind `=`."""
    found: list[Word] = []
    for n, word in enumerate(words):
        name, joined, value = word.partition("=")
        if word.text == option:
            found += words[n + 1 : n + 2]
        elif joined and name.text == option:
            found.append(value)
    return found


def _is_given(option: str, texts: list[str]) -> bool:
    name, _, value = option.partition(" ")
    if not value:
        return name in texts
    return f"{name}={value}" in texts or (name, value) in pairwise(texts)


def _is_on(value: Word | None) -> bool:
    return value is not None and value.text not in ("", "0", "false")


ROWS: dict[str, Program] = {**dict.fromkeys(AGENTS, Program(does=starts)), "goose": also(Program(does=starts), GOOSE)}
