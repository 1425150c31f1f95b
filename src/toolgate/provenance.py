"""Provenance of values: what a session got from untrusted sources and from its user, as keyed fingerprints, never as text.

A ledger is a document of the session's scope (model.store): the files that it fetched, and the hosts, packages and commands
that were named in pages, results of servers' tools and foreign files, each with the first source that named it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from itertools import pairwise
from typing import Any, Literal, NamedTuple
from urllib.parse import unquote

from .model.store import EMPTY_DOCUMENT, LEDGER, WRITTEN, Document

MAX_VALUES = 12_000  # fingerprints of a session: about 256 KB
MAX_FILES = 200
MAX_SOURCES = 200
MAX_TEXT = 1024 * 1024  # characters of one result that are read

Kind = Literal["host", "package", "command"]


class Value(NamedTuple):
    """A value that a text names, normalized."""

    kind: Kind
    text: str


# ---- what a text names


def extract_values(text: str) -> Iterator[Value]:
    """Yields the hosts, packages and commands that a text names."""
    text = text[:MAX_TEXT]
    for match in _HOST.finditer(text):
        yield Value("host", normalize_host(match[1] or match[2]))
    for remote in _REMOTE.findall(text):
        yield Value("host", normalize_host(remote))
    for line in (*text.splitlines(), *_INLINE_CODE.findall(text)):
        for piece in _SEPARATORS.split(_PROMPT.sub("", line.strip().strip("`"))):
            words = piece.split()
            if len(words) >= _MIN_COMMAND:
                yield Value("command", normalize_command(words))
            starts = [n for n, word in enumerate(words) if word.strip(_QUOTES) in _STARTS][:_MAX_STARTS]
            for n in starts:
                command = [words[n].strip(_QUOTES), *words[n + 1 : n + _MAX_COMMAND]]
                yield from (Value("package", name) for name in find_installed_packages(command))


def normalize_host(host: str) -> str:
    """Returns a host in lower case, in its ASCII form, percent-decoded, without a final dot."""
    host = unquote(host.strip()).rstrip(".").casefold()
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError:
        return host


def normalize_command(words: Iterable[str]) -> str:
    return " ".join(word.strip("\"'`") for word in words)


def find_installed_packages(words: list[str]) -> Iterator[str]:
    """Yields the packages that a command line installs or runs, by their names without versions."""
    names = [word.rpartition("/")[2] if n == 0 else word for n, word in enumerate(words)]
    while names and (names[0] in _CARRIERS or "=" in names[0].partition("-")[0]):
        names = names[1:]
    if names[:2] and names[0].startswith("python") and names[1:3] == ["-m", "pip"]:
        names = names[2:]
    if not names or names[0] not in _FETCHING_PROGRAMS:
        return
    runner = next((runner for runner in _RUNNERS if tuple(names[: len(runner)]) == runner), ())
    if runner:
        yield from (_strip_version(word) for word in [word for word in names[len(runner) :] if not word.startswith("-")][:1])
    elif names[0] in _INSTALLERS and (at := next((n for n, word in enumerate(names) if word in _VERBS), 0)):
        for before, word in pairwise(names[at:]):
            if before not in _FILES and not word.startswith(("-", ".", "/")) and _NAME.fullmatch(word):
                yield _strip_version(word)


def _strip_version(word: str) -> str:
    return re.split(r"(?<=.)@|[=<>!~\[;]", word.strip("\"'`,.:)*"), maxsplit=1)[0].lower()


_HOST = re.compile(
    r"\b[a-z][a-z0-9+.-]{0,20}://(?:[^\s/@\"'<>]{0,300}@)?([^\s/:?#\"'<>)\]}]+)|(?<![\w@./-])((?:[\w-]+\.)+[a-z]{2,24}|\d{1,3}(?:\.\d{1,3}){3})(?![\w(-]|\.\w)",
    re.IGNORECASE,
)
_REMOTE = re.compile(r"[\w.-]{1,64}@((?:[\w-]{1,63}\.){1,10}[\w-]{2,63}):")
"""Matches `user@host:path`, as of ssh; an address of electronic mail names no host to send to."""
_INLINE_CODE = re.compile(r"`([^`\n]{3,300})`")
_PROMPT = re.compile(r"^(?:[$#>%]|\d+[.)]|[-*])\s+")
_SEPARATORS = re.compile(r"\|\||&&|[|;]")
_MIN_COMMAND, _MAX_COMMAND = 3, 40  # words
_CARRIERS = ("sudo", "env", "time", "nohup", "exec")
_RUNNERS = (
    ("npx",),
    ("bunx",),
    ("uvx",),
    ("pnpx",),
    ("pipx", "run"),
    ("npm", "exec"),
    ("pnpm", "dlx"),
    ("yarn", "dlx"),
    ("bun", "x"),
)
"""Programs that fetch and run a package named by their first operand."""
_INSTALLERS = frozenset(
    "pip pip3 pipx uv poetry pdm conda mamba npm pnpm yarn bun gem cargo go composer brew apt apt-get dnf yum apk pacman choco"
    " nuget dotnet".split()
)
_FETCHING_PROGRAMS = _INSTALLERS | {runner[0] for runner in _RUNNERS}
_STARTS = _FETCHING_PROGRAMS | {"python", "python3", "py"}
"""Words at which a command may begin in the middle of a sentence."""
_QUOTES = "\"'`([*_:"
_MAX_STARTS = 8  # commands in one piece of a line
_VERBS = frozenset("install add i get require".split())
_FILES = ("-r", "--requirement", "-c", "--constraint", "-e", "--editable", "-t", "--target")
_NAME = re.compile(r"[\w@][\w./@:+~^=<>!\[\],-]*")


# ---- the ledger


def fingerprint(seed: str, value: Value) -> str:
    """Returns a keyed digest of a value: sixteen hexadecimal digits."""
    data = f"{value.kind}\0{value.text}".encode("utf-8", "surrogatepass")
    return blake2b(data, digest_size=8, key=bytes.fromhex(seed)).hexdigest()


def add_source(ledger: Document, seed: str, source: str, values: Iterable[Value]) -> Document:
    """Returns the ledger after an untrusted source named these values. Values that the user or an earlier source named keep
    their source."""
    table = _open_ledger(ledger, seed)
    heard_values: dict[str, int] = dict(table["heard"])
    new = {fingerprint(table["seed"], value) for value in values} - heard_values.keys() - set(table["said"])
    if not new:
        return ledger if ledger else table
    sources = [*table["sources"], source] if len(table["sources"]) < MAX_SOURCES else table["sources"]
    room = MAX_VALUES - len(heard_values)
    heard_values.update(dict.fromkeys(sorted(new)[:room], len(sources) - 1))
    return {**table, "sources": sources, "heard": heard_values, "full": table["full"] or len(new) > room}


def add_prompt(ledger: Document, seed: str, text: str) -> Document:
    """Returns the ledger after the user named values: every word of a prompt may be a package's name."""
    table = _open_ledger(ledger, seed)
    text = text[:MAX_TEXT]
    values = {*extract_values(text), *(Value("package", _strip_version(word)) for word in re.findall(r"[\w@][\w./@+-]*", text))}
    values |= {Value("command", command) for line in text.splitlines() for command in _iter_commands(line)}
    known_values = dict.fromkeys([*table["said"], *(fingerprint(table["seed"], value) for value in values)])
    return {**table, "said": list(known_values)[-MAX_VALUES:]}


def _iter_commands(line: str) -> Iterator[str]:
    """Yields possible commands in a line of prose: from each word to the end of its piece, or of a code span."""
    for part in (line, *_INLINE_CODE.findall(line)):
        for piece in _SEPARATORS.split(part):
            words = piece.split()[:_MAX_COMMAND]
            yield from (normalize_command(words[n:]) for n in range(len(words) - _MIN_COMMAND + 1))


def add_files(ledger: Document, seed: str, files: Mapping[str, str]) -> Document:
    """Returns the ledger after the session fetched files: by path, with the origin of each."""
    table = _open_ledger(ledger, seed)
    fetched = {**table["fetched"], **files}
    return {**table, "fetched": dict(list(fetched.items())[-MAX_FILES:])}


def build_ledger(
    named_values: str, heard_values: str, fetched: Mapping[str, str], written_files: tuple[str, ...]
) -> dict[str, Document]:
    """Returns the parts of the ledger of a session whose user named `named_values`, which read `heard_values` on a page, fetched
    files and wrote files of code."""
    seed, ledger = "00" * 16, EMPTY_DOCUMENT
    if named_values:
        ledger = add_prompt(ledger, seed, named_values)
    if heard_values:
        ledger = add_source(ledger, seed, "the page example.org/guide", extract_values(heard_values))
    return {LEDGER: add_files(ledger, seed, fetched) if fetched else ledger, WRITTEN: dict.fromkeys(written_files, 1)}


def find_untrusted_source(ledger: Document, value: Value) -> str | None:
    """Returns the first source of a value if it was untrusted and the user never named the value; "" if the ledger is full, so
    that it is unknown; None if no untrusted source named it."""
    if not ledger:
        return None
    mark = fingerprint(ledger["seed"], value)
    if mark in ledger["said"]:
        return None
    at = ledger["heard"].get(mark)
    return ledger["sources"][at] if at is not None else "" if ledger["full"] else None


def find_fetch_source(ledger: Document, path: str) -> str | None:
    """Returns where the session fetched a file from; None if it did not."""
    found = ledger["fetched"].get(path) if ledger else None
    return found if isinstance(found, str) else None


def _open_ledger(ledger: Document, seed: str) -> dict[str, Any]:
    return dict(ledger) if ledger else {"seed": seed, "heard": {}, "said": [], "sources": [], "fetched": {}, "full": False}
