"""Showing a private key that is in the project: `cat certs/server.key`, `jq . service-account.json`.

What an agent reads goes into the model's context. Programs that need a key are given its path, and `openssl x509 -in FILE -noout
-text` shows a certificate. Keys that git holds, and those for tests, are no secrets.

Source: files whose content is a private key, by name or by a glob that finds them. Sink: the model.
"""

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from itertools import islice

from toolgate.flows.command_runs import list_runs, runs_only
from toolgate.flows.displayed_output import is_displayed
from toolgate.flows.name_listings import shows_only_names
from toolgate.model.decision import Match
from toolgate.model.effect import Effects, Read, Run
from toolgate.model.place import LOCAL
from toolgate.model.rule import RuleContext
from toolgate.model.world import World

_SUFFIXES = (".pem", ".key", ".p8", ".pk8", ".ppk", ".json", ".yaml", ".yml", ".toml")
_ORDINARY_FILES = ("package.json", "package-lock.json", "tsconfig.json", "composer.json", "pyproject.toml", "Cargo.toml")
"""Files that are read often and hold no key."""
_IS_FOR_TESTS = re.compile(
    r"(?:^|[/._-])(?:tests?|testdata|fixtures?|examples?|samples?|mocks?|dummy|specs?|localhost|dev)(?=[/._-])"
).search
_BEGINS_KEY = re.compile(r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----|^PuTTY-User-Key-File").search
_READERS = frozenset(
    "cat head tail less more most bat batcat sed awk gawk mawk grep egrep rg strings base64 base32 xxd od hexdump nl tac rev cut"
    " fold".split()
)
_MAX_BYTES, _MAX_NAMES, _MAX_FOLDERS, _MAX_FILES = 65_536, 200, 20, 40


def check(read_effect: Read, _options: None, context: RuleContext) -> Iterator[Match]:
    place = read_effect.place
    name = (place.path or place.rest).rpartition("/")[2]
    may_be_key = name.endswith((*_SUFFIXES, "*")) and name not in _ORDINARY_FILES
    if place.machine != LOCAL or read_effect.tree or not may_be_key or not _is_shown(read_effect, context):
        return
    paths = (path for path in _list_files(read_effect, context.world) if path.endswith(_SUFFIXES))
    for path in islice(paths, _MAX_FILES):
        content = context.world.read(path, _MAX_BYTES)
        is_secret = isinstance(content, str) and _BEGINS_KEY(content) is not None
        if is_secret and context.world.as_committed(path) is not True and _IS_FOR_TESTS(path.lower()) is None:
            yield Match(
                read_effect,
                f"Shows {path.rpartition('/')[2]}, a private key.",
                "give the program that needs it the path of the file.",
            )
            return


def _is_shown(read_effect: Read, context: RuleContext) -> bool:
    """Returns whether a program shows the content, or the host's own tool does."""
    command, effects = read_effect.origin.command, context.effects
    if not any(isinstance(effect, Run) for effect in effects.of_command(command)):
        return True
    is_read = _reads_text(command, effects) and not shows_only_names(command, effects, reads_file=True)
    return is_read and is_displayed(command, effects, lambda each: _reads_text(each, effects))


def _reads_text(command: int, effects: Effects) -> bool:
    """Returns whether a command prints what it reads, or its encoding: `cat`, `openssl enc -base64`."""
    if runs_only(command, effects, _READERS):
        return True
    if runs_only(command, effects, _SELECTORS):
        return not all(map(_selects_other_fields, list_runs(command, effects)))
    return runs_only(command, effects, _ENCODERS) and all(map(_encodes_only, list_runs(command, effects)))


_SELECTORS = frozenset(("jq", "yq"))
_FIELDS = re.compile(r"\.([A-Za-z_]\w*)").findall


def _selects_other_fields(run: Run) -> bool:
    """Returns whether a filter names the fields that it prints, and none of them is a key: `jq -r .client_email`."""
    program = next((word.text for word in run.argv[1:] if word.starts_with("-") is False), None) or ""
    fields = _FIELDS(program)
    return bool(fields) and not any("key" in field.lower() and not field.lower().endswith("_id") for field in fields)


_ENCODERS = frozenset(("openssl",))


def _encodes_only(run: Run) -> bool:
    """Returns whether openssl writes its input in base64, without a cipher."""
    texts = [word.outline for word in run.argv[1:]]
    is_encoding = texts[:1] == ["base64"] or (texts[:1] == ["enc"] and not {"-base64", "-a"}.isdisjoint(texts))
    return is_encoding and "-out" not in texts and all(_IS_PLAIN_OPTION(text) for text in texts[1:] if text.startswith("-"))


_IS_PLAIN_OPTION = re.compile("-(?:base64|a|A|e|d|in|none|v)").fullmatch


def _list_files(read_effect: Read, world: World) -> Iterator[str]:
    """Yields the file, or the files that a glob or a search finds, in a few folders."""
    place = read_effect.place
    if place.path is not None:
        yield place.path
    if place.path is not None or place.anchor is None:
        return
    *folders, name = place.rest.split("/")
    waiting = [place.anchor]
    for folder in islice(_walk(waiting, world, is_deep=bool(folders)), _MAX_FOLDERS):
        names = world.listing(folder, _MAX_NAMES)
        yield from (f"{folder}/{each}" for each in names if fnmatchcase(each, name)) if isinstance(names, tuple) else ()


def _walk(folders: list[str], world: World, *, is_deep: bool) -> Iterator[str]:
    while folders:
        folder = folders.pop(0)
        yield folder
        names = world.listing(folder, _MAX_NAMES) if is_deep else ()
        inner = (
            (f"{folder}/{each}" for each in names if "." not in each and each != "node_modules")
            if isinstance(names, tuple)
            else ()
        )
        folders += [path for path in islice(inner, _MAX_NAMES) if world.kind(path) == "folder"]
