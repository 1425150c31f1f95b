"""Methods of .NET's types: `[IO.Directory]::Delete($path, $true)`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from toolgate.model.effect import Carrier, Connect, Delete, Move, Operation, Read, ReportedEffect, Run, Write
from toolgate.model.word import Word, known_word

from .grammar import iter_nodes

if TYPE_CHECKING:
    from . import ScriptReader

_FILE_METHODS = {
    **dict.fromkeys(("readalltext", "readallbytes", "readalllines", "readlines", "openread", "opentext"), "read"),
    **dict.fromkeys(("writealltext", "writeallbytes", "writealllines", "create", "createtext", "openwrite"), "write"),
    **dict.fromkeys(("appendalltext", "appendalllines", "appendtext"), "append"),
    **dict.fromkeys(("delete", "move", "copy"), ""),
    **dict.fromkeys(("exists", "getlastwritetime", "getcreationtime", "getattributes", "resolvelinktarget"), "look"),
}
_FOLDER_METHODS = {
    **dict.fromkeys(("delete", "move"), ""),
    "createdirectory": "folder",
    **dict.fromkeys(("exists", "getfiles", "getdirectories", "enumeratefiles", "getcurrentdirectory", "getparent"), "look"),
}
_PURE_TYPES = frozenset(
    (
        *"array bitconverter bool byte char convert datetime datetimeoffset decimal double enum".split(),
        *"environment guid int io.path".split(),
        *"long math regex string timespan timezoneinfo uri version net.dns globalization.cultureinfo text.encoding".split(),
        *("text.regularexpressions.regex", "runtime.interopservices.runtimeinformation"),
    )
)
_PURE_METHODS = frozenset(
    "split tostring toupper tolower trim trimstart trimend replace substring contains startswith endswith indexof"
    " adddays addhours gettype getbytes getstring equals padleft padright where foreach".split()
)


_KEY_METHODS = ("sendkeys", "sendwait")
"""Methods that press keys: of `WScript.Shell`, and of Windows Forms."""


def is_understood(call: Any) -> bool:
    """Returns whether a call is one of those that are read, or does nothing but compute."""
    type_name, method = _name_call(call)
    if type_name is None:
        return method in _PURE_METHODS
    known = {"io.file": _FILE_METHODS, "io.directory": _FOLDER_METHODS, "diagnostics.process": ("start",)}
    return type_name in _PURE_TYPES or method in known.get(type_name, ())


def read_call(script: ScriptReader, call: Any) -> Iterator[ReportedEffect]:
    type_name, method = _name_call(call)
    origin, words = script.seen.origin, [script.to_word(each) for each in iter_nodes(call, "argument_expression")]
    if type_name == "diagnostics.process" and method == "start" and words:
        lines = [part for word in words[1:] for part in (_split(word) if word.text is not None else (word,))]
        yield Run((words[0], *lines), origin, Carrier("Process.Start"))
    if method in ("uploadfile", "uploadstring", "uploaddata") and len(words) > 1:
        sent = words[-1]
        if method == "uploadfile":
            file = script.convert_path(sent)
            yield Read(script.seen.resolve_place(file), origin)
            sent = script.seen.read(file)
        yield Connect(words[0], origin, sent)
    if method in _KEY_METHODS:
        flags = (("answers", True), ("elsewhere", False))
        yield Operation("terminal.type", origin, known_word("whatever has the focus"), flags)
    if type_name not in ("io.file", "io.directory") or not words:
        return
    is_folder = type_name == "io.directory"
    action = (_FOLDER_METHODS if is_folder else _FILE_METHODS).get(method, "look")
    path = script.convert_path(words[0])
    place, target = script.seen.resolve_place(path, follow=action != ""), script.convert_path(words[1]) if words[1:] else path
    if method == "delete":
        yield Delete(place, len(words) > 1 and words[1].text != "$false" if is_folder else False, origin)
    elif method == "move":
        yield Move(place, script.seen.resolve_place(target), origin)
    elif action == "read" or method == "copy":
        yield Read(script.seen.resolve_place(path), origin)
        if method == "copy":
            yield Write(script.seen.resolve_place(target), None, False, origin)
    elif action in ("write", "append", "folder"):
        content = words[1] if words[1:] and action != "folder" else None
        yield Write(place, content, action == "append", origin, folder=action == "folder")


def _split(word: Word) -> tuple[Word, ...]:
    return tuple(map(known_word, (word.text or "").split()))


def _name_call(call: Any) -> tuple[str | None, str]:
    """Returns the type of a static method, without `System`, and the method's name."""
    owner = call.children[0]
    method = next((each.text.decode() for each in call.children if each.type == "member_name"), "").lower()
    if owner.type != "type_literal":
        return None, method
    return owner.text.decode().strip("[] ").lower().removeprefix("system."), method
