"""What an expression may stand for, and what JavaScript's own functions make of texts that are known."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from toolgate.model.word import EMPTY, Hole, Word, known, unknown

if TYPE_CHECKING:
    from tree_sitter import Node


@dataclass(frozen=True, slots=True)
class Name:
    """A global, a module, or what lies beneath it: `fs.rm`, `net.Socket().connect`. A part that is computed is `?`."""

    dotted: str


@dataclass(frozen=True, slots=True)
class Items:
    """An array: what each member may be. `more`: there may be any number of them."""

    members: tuple[tuple[Value, ...], ...]
    more: bool = False


@dataclass(frozen=True, slots=True)
class Fields:
    """An object literal. `whole`: nothing else is in it."""

    given: tuple[tuple[str, Node], ...]
    whole: bool = True

    def get(self, *keys: str) -> Node | None:
        return next((node for key, node in self.given if key in keys), None)


@dataclass(frozen=True, slots=True)
class Code:
    """A function that stands in the text."""

    node: Node


Value = Word | Name | Items | Fields | Code
Argument = tuple[Value, ...]
"""What one argument may be."""
MOST = 16
"""How many values of one expression are told apart."""

_MODULES = {
    **dict.fromkeys(("fs/promises", "graceful-fs", "fs-extra", "original-fs", "mz/fs", "fs-extra/esm", "node-fs-extra"), "fs"),
    **dict.fromkeys(("path/posix", "path/win32", "upath", "path.posix", "pathe"), "path"),
    **dict.fromkeys(("node-fetch", "cross-fetch", "isomorphic-fetch", "undici.fetch"), "fetch"),
    "cross-spawn": "child_process.spawn",
    "mz/child_process": "child_process",
    "bun": "Bun",
    "execa": "execa",
    "zx": "zx",
    "zx/core": "zx",
    "dax-sh": "zx",
    "fs.promises": "fs",
    "child_process.promises": "child_process",
}
_LONGEST_NAME = 200
_GLOBAL = ("globalThis", "global", "window", "self", "this")


def module(name: str) -> Name:
    """A module by the name it is asked for: `node:fs/promises` is `fs`."""
    bare = re.sub(r"^(?:node:|npm:|jsr:|https://(?:esm\.sh|deno\.land/x)/)", "", name)
    bare = re.sub(r"(?<=[^/])@[\d^~].*$", "", bare)
    return Name(_MODULES.get(bare, bare))


def beneath(name: Name, key: str) -> Name:
    """What a member of a module is called."""
    if name.dotted in _GLOBAL:
        return Name(key)
    if key in ("default", "strict", "posix") or (key == "promises" and name.dotted == "fs"):
        return name
    if len(name.dotted) > _LONGEST_NAME:
        return Name("?")
    dotted = f"{name.dotted}.{key}"
    return Name(_MODULES.get(dotted, dotted))


# ---- texts


def path_joined(words: Sequence[Word]) -> Word:
    """path.join: a later part that begins with a slash is no new beginning."""
    result = EMPTY
    for word in words:
        if word.text == "":
            continue
        result = result + known("/") + word if result.parts else word
    return result


def path_resolved(words: Sequence[Word]) -> Word:
    """path.resolve: the last absolute part is the beginning. One that may be absolute hides what is before it."""
    result = EMPTY
    for word in words:
        absolute = word.starts("/")
        if absolute is True or not result.parts:
            result = word
        elif word.text != "":
            result = (
                unknown(word.shown, result.src | word.src) if absolute is None and not word.head else result + known("/") + word
            )
    return result


def path_parent(word: Word) -> Word:
    """path.dirname, as far as the last slash is known."""
    if word.text is not None:
        head = word.text.rstrip("/").rpartition("/")[0]
        return known(head or ("/" if word.text.startswith("/") else "."), word.src)
    return word + known("/..")


def quoted(word: Word) -> Word:
    """As `$` of zx, execa and Bun puts a value into a command: one word, whatever is in it."""
    if word.text is None:
        return Word(word.parts, False, word.src)
    return known("'" + word.text.replace("'", "'\\''") + "'", word.src) if re.search(r"[^\w./:=@,+-]", word.text) else word


def decoded(text: str, encoding: str) -> str | None:
    """Buffer.from(text, encoding).toString()"""
    try:
        if encoding.startswith("base64"):
            bare = re.sub(r"[^\w+/-]", "", text).replace("-", "+").replace("_", "/")
            return base64.b64decode(bare + "=" * (-len(bare) % 4)).decode("utf-8", "replace")
        if encoding == "hex":
            return bytes.fromhex(text).decode("utf-8", "replace")
    except ValueError:
        return None
    return text


def number(text: str) -> int | None:
    """`0o777`, `0x1ff`, `511n`, `1_000`; None for what is no whole number."""
    try:
        bare = text.rstrip("n").replace("_", "")
        return int(bare, 8) if re.fullmatch(r"0[0-7]+", bare) else int(bare, 0)
    except ValueError:
        return None


def _cut(text: str, args: list[str]) -> str | None:
    ends = [number(arg) for arg in args]
    return None if None in ends else text[slice(*ends)] if len(ends) > 1 else text[ends[0] if ends else 0 :]


def _at(text: str, args: list[str]) -> str | None:
    n = number(args[0]) if args else 0
    return None if n is None else text[n : n + 1] if n >= 0 else text[n:][:1]


def _repeated(text: str, args: list[str]) -> str | None:
    n = number(args[0]) if args else None
    return text * n if n is not None and 0 <= n * len(text) <= 100_000 else None


METHODS: dict[str, Callable[[str, list[str]], str | None]] = {
    **dict.fromkeys(("toString", "valueOf", "normalize", "text", "toWellFormed"), lambda text, _: text),
    "trim": lambda text, _: text.strip(),
    "trimEnd": lambda text, _: text.rstrip(),
    "trimStart": lambda text, _: text.lstrip(),
    "toLowerCase": lambda text, _: text.lower(),
    "toUpperCase": lambda text, _: text.upper(),
    "concat": lambda text, args: text + "".join(args),
    "replace": lambda text, args: text.replace(args[0], args[1], 1) if len(args) == 2 else None,
    "replaceAll": lambda text, args: text.replace(args[0], args[1]) if len(args) == 2 else None,
    **dict.fromkeys(("slice", "substring", "substr"), _cut),
    **dict.fromkeys(("at", "charAt"), _at),
    "repeat": _repeated,
}
"""Methods of a string whose arguments are known."""


def _characters(args: list[str]) -> str | None:
    codes = [number(arg) for arg in args]
    return "".join(chr(code) for code in codes if code is not None and 0 <= code < 0x110000) if None not in codes else None


TEXTS: dict[str, Callable[[list[str]], str | None]] = {
    "String": lambda args: args[0],
    "atob": lambda args: decoded(args[0], "base64"),
    "btoa": lambda args: base64.b64encode(args[0].encode()).decode(),
    "Buffer.from": lambda args: decoded(args[0], args[1] if len(args) > 1 else "utf8"),
    "Buffer": lambda args: decoded(args[0], args[1] if len(args) > 1 else "utf8"),
    "unescape": lambda args: unquote(args[0]),
    "decodeURIComponent": lambda args: unquote(args[0]),
    "decodeURI": lambda args: unquote(args[0]),
    "encodeURIComponent": lambda args: quote(args[0], safe="!'()*~"),
    "String.fromCharCode": _characters,
    "String.fromCodePoint": _characters,
    "url.fileURLToPath": lambda args: unquote(args[0].removeprefix("file://")),
    "path.basename": lambda args: args[0].rstrip("/").rpartition("/")[2].removesuffix(args[1] if len(args) > 1 else "\0"),
    "path.extname": lambda args: (re.search(r"[^/.](\.[^./]*)$", args[0]) or ["", ""])[1],
}
"""Functions that make a text of texts that are known."""

DECODES = frozenset(("atob", "unescape", "zlib.gunzip", "zlib.inflate", "zlib.brotliDecompress", "zlib.unzip", "zlib.inflateRaw"))

LISTED = (Word((Hole("*", "*"),)),)
"""The names that a listing of a folder may hold."""
