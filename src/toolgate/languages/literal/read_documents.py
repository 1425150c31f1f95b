"""Settings that code reads from a JSON, YAML, TOML or properties document of a literal path, written out where it asks for them:
`cfg$scratch`, `c["output"]`, `root.GetProperty("source").GetString()`."""

import csv
import itertools
import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from toolgate.documents import InvalidDocument, compose_yaml
from toolgate.languages import word_from_text
from toolgate.languages.evaluation.plain_documents import fold_name, plain_of_node
from toolgate.model.execution_context import ExecutionContext

from .texts import TEXT

_FILE = re.compile(r"\"([^\"\s]+\.(json|ya?ml|toml|properties|csv|groovy))\"")
_ASSIGNED = re.compile(
    r"(?<![\w.\"])(?P<name>[A-Za-z_]\w*)(?:\s*:\s*&?[\w.<>:\[\]?]+)?\s*(?::=|<-|=(?![=>~]))\s*(?=\S)|\((?:def|define)\s+(?P<lisp>[\w-]+)\s"
)
_PIECE = re.compile(rf"{TEXT}|[()\[\]{{}};\n]")
_GOES_ON = re.compile(r"\s*(?:\.|\|>|\?\.|%>%)")
_PARSES = re.compile(
    r"(?i)pars|decode|load|from_(?:str|slice|reader|file)|from_?json|read_?(?:json|yaml|toml|tree|value|doc)|deserial|jsondocument|jsonnode"
    r"|jobject|slurper|toml|yaml|json|properties|config|csv|fread"
)
_LONGEST = 64_000
_MOST_DOCUMENTS = 20
_WORD = r"[A-Za-z_]\w*"
_ARGUMENT = rf"(?:{TEXT}|'[^'\n]*'|[\w.]+)"
_KEY = rf"(?:{TEXT}|'[^'\n\"]*')"
_KEYED = re.compile(
    rf"\s*[!?]{{0,2}}(?:\[\[?\s*:?(?P<index>{_KEY})\s*\]?\]|\$(?P<member>{_WORD})"
    r"|\.(?:GetProperty|GetRequiredSection|GetSection|get|Get|getString|getProperty|path|at|optString|getAsString|getAsJsonObject|getJSONObject|getJSONArray"
    r"|getJsonObject|getTable|getArray|getBoolean|getValue|GetValue(?:<[\w?]+>)?|SelectToken|Value(?:<\w+>)?|fetch|dig|required|as)"
    rf"\(\s*(?P<asked>{_KEY})\s*(?:,\s*(?P<default>{_ARGUMENT})\s*)?\)|\??\.(?P<field>{_WORD})(?!\s*\())"
)
_CONVERTED = re.compile(
    r"\s*(?:\?(?![.:\w\s])|!{1,2}(?![=\w])|\??\.(?:as_str|as_array|as_bool|as_table|as_object|unwrap|unwrap_or_default|expect|GetString|GetBoolean|ToString"
    r"|asText|asBoolean|asString|textValue|to_string|toString|to_owned|jsonPrimitive|jsonObject|jsonArray|content|boolean|EnumerateArray|clone|as_ref|as_deref"
    r"|RootElement|Root|AsValue|AsArray|AsObject|GetValue(?:<\w+>)?|getAsString|stringValue|toList|asList)(?:\([^()\n]*\)|(?![\w(])))"
)
_BEFORE = (
    rf"(?:Map\.(?:get|fetch!?)|Keyword\.get|get|haskey|getindex)\(\s*{{name}}\s*,\s*(?P<asked>{_KEY})\s*(?:,\s*(?P<default>{_ARGUMENT})\s*)?\)"
    rf"|{{name}}\s*\|>\s*Map\.(?:get|fetch!?)\(\s*(?P<piped>{_KEY})\s*(?:,\s*(?P<other>{_ARGUMENT})\s*)?\)"
    r"|\(:(?P<keyword>[\w-]+)\s+{name}\s*\)"
)
_MISSING = object()


def write_read_documents(text: str, language: str, context: ExecutionContext) -> str:
    """Returns the code with the settings of the documents that it reads written out."""
    if language == "dotnet":
        text = _write_application_settings(text, context)
    if _FILE.search(text) is None:
        return text
    for name, document in dict(itertools.islice(_find_documents(text, context), _MOST_DOCUMENTS)).items():
        text = _write_settings(text, name, document, language)
    return text


def _write_application_settings(text: str, context: ExecutionContext) -> str:
    """Returns C# with what an application's host reads of `appsettings.json`: its connection strings, and what
    `Configuration["A:B"]` names."""
    environments = [value.text for name in _ENVIRONMENTS for value in context.get_variables(name) if value.text]
    documents = [
        read_document_file(name, context) for name in (*(f"appsettings.{each}.json" for each in environments), _SETTINGS)
    ]

    def write(match: re.Match[str]) -> str:
        key = (match["connection"] or match["key"])[1:-1]
        path = f"ConnectionStrings:{key}" if match["connection"] else key
        values = [_write_value(_find_key(each, path), "dotnet") for each in documents]
        return next((value for value in values if value is not None), match[0])

    return _APPLICATION_SETTING.sub(write, text) if any(documents) else text


_ENVIRONMENTS = ("DOTNET_ENVIRONMENT", "ASPNETCORE_ENVIRONMENT")
_SETTINGS = "appsettings.json"
_APPLICATION_SETTING = re.compile(
    rf"(?<![\w.])(?:\w+\.)*[cC]onfig(?:uration)?(?:\.GetConnectionString\(\s*(?P<connection>{TEXT})\s*\)|\[\s*(?P<key>{TEXT})\s*\])!?"
)


def _find_documents(text: str, context: ExecutionContext) -> Iterator[tuple[str, Any]]:
    """Yields the names that documents are assigned to, those that are parsed from a text of another name included."""
    files: dict[str, str] = {}
    for match in _ASSIGNED.finditer(text):
        name = match["name"] or match["lisp"]
        source = text[match.end() : _find_end(text, match.end())]
        named = _FILE.search(source)
        file = named[1] if named is not None else next((files[each] for each in re.findall(_WORD, source) if each in files), None)
        if file is None:
            continue
        files[name] = file
        if _PARSES.search(source.replace(file, "")) is not None and (document := read_document_file(file, context)) is not None:
            yield name, document.get("default", document) if "config::get" in source and isinstance(document, dict) else document


def _find_end(text: str, start: int) -> int:
    """Returns where the statement that begins here ends: at a semicolon, or at a line that nothing carries on."""
    depth = 0
    for piece in _PIECE.finditer(text, start):
        if piece[0] in "([{":
            depth += 1
        elif piece[0] in ")]}":
            depth -= 1
        if depth < 0 or (depth == 0 and (piece[0] == ";" or (piece[0] == "\n" and not _GOES_ON.match(text, piece.end())))):
            return piece.start()
    return len(text)


def read_document_file(file: str, context: ExecutionContext) -> object:
    """Returns what a parser makes of a document of this path; None if it is not known, too long or invalid."""
    found = context.read_alternatives(word_from_text(file))
    text = found[0].text if len(found) == 1 else None
    if text is None or len(text) > _LONGEST:
        return None
    try:
        match file.rpartition(".")[2]:
            case "json":
                return json.loads(text)
            case "toml":
                return tomllib.loads(text)
            case "properties":
                return dict(_ENTRY.findall(text))
            case "csv":
                return _read_columns(text)
            case "groovy":
                return _read_slurped(text)
            case _:
                return plain_of_node(compose_yaml(text))
    except (ValueError, RecursionError, InvalidDocument):
        return None


def _read_columns(text: str) -> dict[str, list[str]]:
    """Returns the columns of a table by the names of its first row."""
    rows = list(csv.reader(text.splitlines()[:_MOST_ROWS]))
    return {name: [row[n] for row in rows[1:] if n < len(row)] for n, name in enumerate(rows[0] if rows else ())}


def _read_slurped(text: str) -> dict[str, object]:
    """Returns the settings of a script that Groovy's ConfigSlurper reads: assignments, in blocks or with dots."""
    found: dict[str, Any] = {}
    blocks: list[str] = []
    for match in _SLURPED.finditer(text):
        if match["block"]:
            blocks.append(match["block"])
        elif match["name"]:
            value = match["value"]
            *folders, name = ".".join((*blocks, match["name"])).split(".")
            inner: dict[str, Any] = found
            for each in folders:
                inner = inner.setdefault(each, {})
            inner[name] = value == "true" if value in ("true", "false") else value.strip("'\"")
        elif blocks:
            blocks.pop()
    return found


_SLURPED = re.compile(r"(?P<block>\w+)\s*\{|(?P<name>[\w.]+)\s*=\s*(?P<value>'[^'\n]*'|\"[^\"$\n]*\"|true|false|\d+)|\}")
_MOST_ROWS = 40
_ENTRY = re.compile(r"(?m)^[ \t]*([\w.-]+)[ \t]*[=:][ \t]*(.*?)[ \t]*$")


def _write_settings(text: str, name: str, document: object, language: str) -> str:
    """Returns the code with the settings of one document written out."""
    pieces: list[str] = []
    at = 0
    for match in re.finditer(rf"(?<![\w.\"$@]){re.escape(name)}(?![\w\"])(?!\s*(?::=|<-|=(?!=)))", text):
        if match.start() >= at:
            value, end = _follow_keys(text, match.end(), document)
            if end > match.end() and (written := _write_value(value, language)) is not None:
                pieces += text[at : match.start()], written
                at = end
    text = "".join((*pieces, text[at:]))
    absent = re.compile(rf"(?<![\w.]){re.escape(name)}\.TryGet(?:Property|Value)\(\s*({_KEY})\s*,\s*out\s+\w+\s+\w+\s*\)")
    text = absent.sub(lambda match: "false" if _find_key(document, match[1][1:-1]) is _MISSING else match[0], text)
    before = re.compile(_BEFORE.replace("{name}", re.escape(name)))

    def write_asked(match: re.Match[str]) -> str:
        key = (match["asked"] or match["piped"] or f'"{match["keyword"]}"')[1:-1]
        if match[0].startswith("haskey"):
            return "true" if _find_key(document, key) is not _MISSING else "false"
        value = _find_key(document, key)
        written = (match["default"] or match["other"]) if value is _MISSING else _write_value(value, language)
        return match[0] if written is None else written

    return before.sub(write_asked, text)


def _follow_keys(text: str, at: int, document: object) -> tuple[object, int]:
    """Returns the value that a chain of keys leads to, and where the chain ends: at the start, if it asks for nothing that the
    document has."""
    value, end = document, at
    while True:
        keyed = _KEYED.match(text, end)
        if keyed is not None:
            key = keyed["member"] or keyed["field"] or (keyed["index"] or keyed["asked"])[1:-1]
            found = _find_key(value, key)
            if found is _MISSING and keyed["default"] is not None:
                return _literal_of(keyed["default"]), keyed.end()
            if found is not _MISSING:
                value, end = found, keyed.end()
                continue
        converted = _CONVERTED.match(text, end) if end > at or isinstance(document, Mapping) else None
        if converted is None:
            return (value, end) if value is not document else (_MISSING, at)
        end = converted.end()


def _literal_of(source: str) -> object:
    return source[1:-1] if source[0] in "\"'" else {"true": True, "false": False}.get(source.lower(), _MISSING)


def _find_key(value: object, key: str) -> object:
    """Returns a setting by its name in any spelling, or by a path of names (`db.url`, `/db/url`)."""
    if not isinstance(value, Mapping):
        return _MISSING
    if key in value:
        return value[key]
    folded = fold_name(key)
    found = next((each for name, each in value.items() if fold_name(str(name)) == folded), _MISSING)
    parts = [part for part in re.split(r"[./:]", key) if part]
    if found is _MISSING and len(parts) > 1:
        found = value
        for part in parts:
            found = found.get(part, _MISSING) if isinstance(found, Mapping) else _MISSING
    return found


def _write_value(value: object, language: str) -> str | None:
    """Returns a value as source; None for one that these languages' patterns do not know."""
    match value:
        case bool():
            return str(value).upper() if language == "r" else str(value).lower()
        case int():
            return str(value)
        case str() if '"' not in value and "\\" not in value and "\n" not in value and len(value) <= 300:
            return f'"{value}"'
        case list() if value and all(isinstance(each, str) for each in value):
            items = [_write_value(each, language) for each in value]
            return None if None in items else "[" + ", ".join(each or "" for each in items) + "]"
        case _:
            return None
