"""The text of a PowerShell script as a call runs it: with the arguments of its command line, the settings and lines that it reads
from files, its loops over them unrolled, and without the branches that these rule out."""

import re
from collections.abc import Iterator, Mapping

from toolgate.languages import word_from_text
from toolgate.languages.literal.read_documents import read_document_file
from toolgate.model.effect import Interpret
from toolgate.model.execution_context import ExecutionContext

_LONGEST = 40_000
_SHORTEST_VALUE = 6
_MOST_LINES, _ROUNDS, _DEPTH = 40, 4, 4
_STRING = r"(?:'(?:[^'\n]|'')*'|\"(?:[^\"\n`]|`.)*\")"
_PIECE = re.compile(rf"{_STRING}|#[^\n]*|[()\[\]{{}}]")
_FILE = rf"(?P<file>{_STRING}|(?!-)[\w./\\$~:-]+)"
_READING = (
    r"(?:Get-Content|gc|cat|type)\s+(?:-(?:Raw|Encoding\s+\w+)\s+)*(?:-(?:Literal)?Path\s+)?"
    rf"{_FILE}(?P<options>(?:\s+-\w+(?:\s+\w+)?)*)"
)
_DOCUMENT = re.compile(
    rf"(?i)\$(?P<name>\w+)\s*=\s*\(?\s*(?:{_READING}\s*\|\s*ConvertFrom-(?:Json|Yaml|StringData)\b[^\n;]*"
    rf"|Import-PowerShellDataFile\s+(?:-(?:Literal)?Path\s+)?{_FILE.replace('file', 'data')}\s*\)?)"
)
_FILTERS = r"(?:Where-Object|where|\?)"
_EACH = r"(?:ForEach-Object|foreach|%)"
_GOES_THROUGH = rf"(?=\s*\)\s*\{{|\s*\|\s*(?:{_EACH}|{_FILTERS}|(?:Remove-Item|ri|rm)\b))"
_BARE_READING = _READING.replace("file", "bare").replace("options", "more")
_LINES = re.compile(rf"(?i)\(\s*{_READING}\s*\){_GOES_THROUGH}|\b{_BARE_READING}{_GOES_THROUGH}")
_START = r"(?<![^\s;{(=])(?<![|\w*]\s)(?<![|\w*])"
_LIST = rf"(?:@\(\s*{_STRING}(?:\s*[,;\n]\s*{_STRING})*\s*\)|{_STRING}(?:\s*,\s*{_STRING})*)"
_ASSIGNED_LIST = re.compile(rf"(?:^|(?<=[;{{\n]))[ \t]*\$(\w+)\s*=\s*({_LIST})[ \t]*(?=[;}}\n]|$)")
_FOREACH = re.compile(rf"(?i)\bforeach\s*\(\s*\$(?P<name>\w+)\s+in\s+(?P<list>{_LIST})\s*\)\s*(?=\{{)")
_FILTERED = rf"(?P<list>{_LIST})\s*\|\s*(?:{_FILTERS}\s*\{{[^{{}}]*\}}\s*\|\s*)?"
_PIPED = re.compile(rf"(?i){_START}{_FILTERED}{_EACH}\s*(?:-Process\s*)?(?=\{{)")
_FIRST_PIPED = re.compile(rf"(?i){_START}{_FILTERED}(?P<cmdlet>Remove-Item|ri|rm)\b")
_PART = rf"(?:{_STRING}|\$[\w:]+|\.{{1,2}})"
_JOINED = re.compile(
    rf"(?i)\(?\bJoin-Path\s+(?:-Path\s+)?(?P<folder>{_PART})\s+(?:-ChildPath\s+)?(?P<name>{_PART})\s*(?:\)|(?=[;\n}}]|$))"
    rf"|\[(?:System\.)?IO\.Path\]::Combine\(\s*(?P<first>{_PART})\s*,\s*(?P<second>{_PART})\s*\)"
)
_PARAMETERS = re.compile(r"(?i)\A(?:\s|#[^\n]*\n|<#.*?#>|\[CmdletBinding\([^)]*\)\])*param\s*(?=\()", re.DOTALL)
_PARAMETER = re.compile(
    rf"(?i)(?:\[(?P<type>[\w.\[\]]+)\]\s*)?\$(?P<name>\w+)\s*(?:=\s*(?P<default>{_STRING}|\$(?:true|false)|\d+))?\s*(?:,|\Z)"
)
_IF = re.compile(r"(?i)\bif\s*\(\s*(?P<negated>-not\s*|!\s*)?\(?\$(?P<value>true|false)\)?\s*\)\s*(?=\{)")
_ELSE = re.compile(r"(?i)\s*else\s*(?=\{)")
_LEAVES = re.compile(r"(?i)\b(?:exit|return|throw)\b[^{}]*\}\s*$")


class ScriptFiles:
    """The files that a script reads, and the values that were written out of them: what holds one of these comes from a file."""

    def __init__(self, context: ExecutionContext) -> None:
        self._context = context
        self._values: set[str] = set()

    def read_text(self, file: str) -> str | None:
        """Returns the text of a file; None if it is not known."""
        found = self._context.read_alternatives(word_from_text(file))
        return found[0].text if len(found) == 1 else None

    def read_document(self, file: str) -> object:
        """Returns the settings of a document; None if they are not known."""
        if not file.endswith(".psd1"):
            return read_document_file(file, self._context)
        return {name: _literal_of(value) for name, value in _ENTRY.findall(self.read_text(file) or "")} or None

    def quote(self, value: str) -> str:
        """Returns a value that was read, as source."""
        self._values.add(value)
        return _quote(value)

    def holds_value(self, text: str) -> bool:
        """Returns whether a text holds a value that was read; a short one may stand in it by chance."""
        return any(value in text for value in self._values if len(value) >= _SHORTEST_VALUE)


def write_program(text: str, code: Interpret, files: ScriptFiles) -> str:
    """Returns the text of a script as this call runs it; unchanged if it is long."""
    if len(text) > _LONGEST:
        return text
    folder = code.file.rpartition("/")[0] or "."
    text = re.sub(r"(?i)\$PSScriptRoot\b", lambda _: folder, text)
    text = _write_values(text, dict(_bind_parameters(text, code)))
    for match in list(_DOCUMENT.finditer(text)):
        document = files.read_document(_unquote(match["file"] or match["data"]))
        text = _write_settings(text, match["name"], document, files) if document is not None else text
    text = _write_read_files(text, files)
    for _ in range(_ROUNDS):
        before = text
        text = _JOINED.sub(_join_path, text)
        lists = {match[1].lower(): match[2] for match in _ASSIGNED_LIST.finditer(text)}
        text = _decide_branches(_unroll(_write_lists(text, lists)))
        if text == before or len(text) > 2 * _LONGEST:
            break
    return text


def _join_path(match: re.Match[str]) -> str:
    folder, name = (_unquote(match[a] or match[b]) for a, b in (("folder", "first"), ("name", "second")))
    return f'"{folder.rstrip("/")}/{name}"'


def _unquote(source: str) -> str:
    return source[1:-1] if source[:1] in "'\"" else source


def _quote(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


# ---- parameters


def _bind_parameters(text: str, code: Interpret) -> Iterator[tuple[str, str]]:
    """Yields the parameters that a script declares, with what the command line or their defaults give them, as source."""
    head = _PARAMETERS.match(text)
    given = [word.text for word in code.args[1:]]
    if head is None or None in given:
        return
    block = text[head.end() + 1 : _find_closing(text, head.end()) - 1]
    declared = list(_PARAMETER.finditer(re.sub(r"\[(?:Parameter|Validate\w+|Alias)\b[^\]]*\]|#[^\n]*", "", block)))
    switches = {each["name"].lower() for each in declared if (each["type"] or "").lower() in ("switch", "bool")}
    named, positional = _split_command_line([each or "" for each in given], switches)
    waiting = iter(positional)
    for each in declared:
        name = each["name"].lower()
        if name in switches:
            yield name, f"${named.get(name, (each['default'] or '$false')[1:])}"
        elif name in named:
            yield name, _quote(named[name])
        elif (value := next(waiting, None)) is not None:
            yield name, _quote(value)
        elif each["default"] is not None:
            yield name, each["default"]


def _split_command_line(given: list[str], switches: set[str]) -> tuple[dict[str, str], list[str]]:
    named: dict[str, str] = {}
    positional: list[str] = []
    waiting = ""
    for each in given:
        name, attached, value = each[1:].partition(":")
        if waiting:
            named[waiting], waiting = each, ""
        elif each.startswith("-") and name.lower() in switches:
            named[name.lower()] = value.lstrip("$").lower() if attached else "true"
        elif each.startswith("-") and name.isidentifier():
            waiting = "" if attached else name.lower()
            named |= {name.lower(): value} if attached else {}
        else:
            positional.append(each)
    return named, positional


# ---- values


def _write_values(text: str, values: Mapping[str, str]) -> str:
    """Writes values out where the script names their variables, but for those that it assigns again."""
    for name, value in values.items():
        if re.search(rf"(?i)\${name}\s*[-+*/]?=(?!=)", text[_end_of_parameters(text) :]) is None:
            text = _write_name(text, rf"\$(?:\{{{name}\}}|{name}(?![\w:]))", value)
    return text


def _end_of_parameters(text: str) -> int:
    head = _PARAMETERS.match(text)
    return 0 if head is None else _find_closing(text, head.end())


def _write_name(text: str, pattern: str, value: str) -> str:
    """Writes a value out after the parameters: its text within double quotes, and its source elsewhere."""
    start = _end_of_parameters(text)
    plain = _unquote(value).replace("''", "'")
    written = re.compile(rf"(?i)(?P<text>{_STRING})|(?<![\w$]){pattern}(?!\s*=(?!=))")
    within = re.compile(rf"(?i)\$\(\s*{pattern}\s*\)|{pattern}")

    def write(match: re.Match[str]) -> str:
        if match["text"] is None:
            return value
        return within.sub(lambda _: plain, match[0]) if match[0][0] == '"' and '"' not in plain else match[0]

    return text[:start] + written.sub(write, text[start:])


_ENTRY = re.compile(rf"(?m)[\n;{{]\s*['\"]?(\w+)['\"]?\s*=\s*({_LIST}|\$(?:true|false)|\d+)", re.IGNORECASE)


def _literal_of(source: str) -> object:
    if source[0] == "$":
        return source.lower() == "$true"
    items = [_unquote(each) for each in re.findall(_STRING, source)]
    return items if source[0] == "@" or len(items) > 1 else items[0] if items else int(source)


def _write_settings(text: str, name: str, document: object, files: ScriptFiles) -> str:
    for path, value in _list_settings(document):
        source = _source_of(value, files)
        if source is not None:
            keys = "".join(f"\\.{re.escape(key)}" for key in path)
            text = _write_name(text, rf"\${name}{keys}(?![\w.(])", source)
    return text


def _list_settings(document: object, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], object]]:
    """Yields the settings of a document with the keys that lead to them."""
    if isinstance(document, Mapping) and len(path) < _DEPTH:
        for key, value in document.items():
            yield from _list_settings(value, (*path, str(key)))
    elif path:
        yield path, document


def _source_of(value: object, files: ScriptFiles) -> str | None:
    match value:
        case bool():
            return "$true" if value else "$false"
        case int():
            return str(value)
        case str() if "\n" not in value:
            return files.quote(value)
        case list() if value and all(isinstance(each, str) and "\n" not in each for each in value):
            return "@(" + ", ".join(map(files.quote, value)) + ")"
        case _:
            return None


def _write_read_files(text: str, files: ScriptFiles) -> str:
    """Returns the script with the lines that it goes through, and with the texts of one line that it assigns. The files are still
    read, which the end of the text says."""
    kept: list[str] = []

    def write(match: re.Match[str], value: str | None) -> str:
        if value is None:
            return match[0]
        kept.append(f"Get-Content {match['file'] or match['bare']}")
        return value

    def write_line(match: re.Match[str]) -> str:
        lines = (files.read_text(_unquote(match["file"] or match["bare"])) or "").strip().splitlines()
        return write(match, f"{match['set']}{files.quote(lines[0])}" if len(lines) == 1 else None)

    text = _LINES.sub(lambda match: write(match, _write_lines(match, files)), _READ_TEXT.sub(write_line, text))
    return "\n".join((text, *kept))


_READ_TEXT = re.compile(rf"(?i)(?P<set>\$\w+\s*=\s*)(?:\(\s*{_READING}\s*\)(?:\.Trim\(\))?|{_BARE_READING})[ \t]*(?=[;\n]|$)")


def _write_lines(match: re.Match[str], files: ScriptFiles) -> str | None:
    """Returns the lines of a file that the script reads, as a list."""
    if "-raw" in match[0].lower():
        return None
    lines = [
        line.strip() for line in (files.read_text(_unquote(match["file"] or match["bare"])) or "").splitlines() if line.strip()
    ]
    return "@(" + ", ".join(map(files.quote, lines)) + ")" if 0 < len(lines) <= _MOST_LINES else None


# ---- loops and branches


def _write_lists(text: str, lists: Mapping[str, str]) -> str:
    for name, value in lists.items():
        if len(re.findall(rf"(?i)\${name}\s*\+?=(?!=)", text)) == 1:
            used = rf"(?i)(\bin\s+)\${name}(?=\s*\))|(?m:(?<=[;{{\n])|^)(\s*)\${name}(?=\s*\|)"
            text = re.sub(used, lambda match, value=value: f"{match[1] or match[2] or ''}{value}", text)  # type: ignore[misc]
    return text


def _unroll(text: str) -> str:
    for pattern in (_FOREACH, _PIPED):
        while (match := pattern.search(text)) is not None and len(text) <= 2 * _LONGEST:
            end = _find_closing(text, match.end())
            name = match.groupdict().get("name") or "_"
            body = text[match.end() + 1 : end - 1]
            rounds = [_write_name(body, rf"\${name}(?!\w)", each) for each in re.findall(_STRING, match["list"])[:_MOST_LINES]]
            text = f"{text[: match.start()]}\n" + "\n".join(rounds) + f"\n{text[end:]}"
    return _FIRST_PIPED.sub(lambda match: f"{match['cmdlet']} -Path {', '.join(re.findall(_STRING, match['list']))} ", text)


def _decide_branches(text: str) -> str:
    """Drops branches whose condition is known, and what follows one that leaves the script."""
    at = 0
    while (match := _IF.search(text, at)) is not None:
        holds = (match["value"].lower() == "true") is not (match["negated"] is not None)
        end = _find_closing(text, match.end())
        block = text[match.end() : end]
        other = _ELSE.match(text, end)
        last = _find_closing(text, other.end()) if other is not None else end
        kept = block if holds else text[other.end() : last] if other is not None else ""
        after = "" if holds and _LEAVES.search(block) and _is_at_top(text, match.start()) else text[last:]
        text = f"{text[: match.start()]}{kept[1:-1]}{after}"
        at = match.start()
    return text


def _is_at_top(text: str, position: int) -> bool:
    depth = 0
    for piece in _PIECE.finditer(text, 0, position):
        depth += {"{": 1, "}": -1}.get(piece[0], 0)
    return depth == 0


def _find_closing(text: str, opening: int) -> int:
    """Returns the position after the bracket that closes the one at `opening`, or the end of the text."""
    depth = 0
    for piece in _PIECE.finditer(text, opening):
        depth += 1 if piece[0] in "([{" else -1 if piece[0] in ")]}" else 0
        if depth == 0:
            return piece.end()
    return len(text)
