"""What code reads of text files, written out where it reads them: their text, and their lines as a list."""

import re
from collections.abc import Callable

from toolgate.languages import word_from_text
from toolgate.model.execution_context import ExecutionContext

from .texts import TEXT

_PATH = rf"(?:&\s*)?(?:file\s*\(\s*)?(?P<path>{TEXT})\s*\)?"
_CALLS_OF_TEXT = (
    r"(?:(?:std|tokio)::)?fs::read_to_string|include_str!|Files\.readString|(?:System\.IO\.)?File\.ReadAllText(?:Async)?|File\.read!?"
    r"|readr::read_file|read_file|String\s*(?=\(\s*contentsOfFile)|os\.read_file|readFile|fileContents"
)
_CALLS_OF_LINES = (
    r"Files\.(?:readAllLines|lines)|(?:System\.IO\.)?File\.(?:ReadAllLines(?:Async)?|ReadLines)|readLines|(?:readr::)?read_lines"
    r"|readlines|eachline|File\.stream!?|os\.read_lines|scan"
)
_READS_TEXT = re.compile(
    rf"(?<![\w.])(?:{_CALLS_OF_TEXT})\s*\(\s*(?:contentsOfFile:\s*)?{_PATH}[^()\n]*\)"
    rf"|(?P<receiver>{TEXT})\.(?:readText\(\)|text\b(?!\s*=)|getText\([^()]*\)|mkString\b)"
    rf"|\(slurp\s+(?P<lisp>{TEXT})\s*\)|(?<![\w.])read\(\s*(?P<julia>{TEXT})\s*,\s*String\s*\)"
    rf"|(?:Source|scala\.io\.Source)\.fromFile\(\s*(?P<scala>{TEXT})\s*\)\.mkString"
)
_READS_LINES = re.compile(
    rf"(?<![\w.])(?:{_CALLS_OF_LINES})\s*\(\s*{_PATH}[^()\n]*\)"
    rf"|(?P<receiver>{TEXT})\.(?:readLines\(\)|forEachLine\s*(?=\{{)|eachLine\s*(?=\{{))"
    rf"|(?:Source|scala\.io\.Source)\.fromFile\(\s*(?P<scala>{TEXT})\s*\)\.getLines(?:\(\))?"
)
_SPLIT = re.compile(
    rf"(?P<text>{TEXT})\s*(?:\.trim(?:_end)?\(\))?\.(?:lines\(\)|lineSequence\(\)|lines\b(?!\s*\()|split_?(?:lines|Lines)\(\)"
    rf"|[sS]plit\(\s*(?:\"\\\\?n\"|'\\n'|\"\\\\R\")[^()]*\))"
    r"(?:\s*\.(?:filter|where|Where)\s*\(\s*[^()\n]{0,80}(?:\(\)\s*)?\))?"
    rf"|\bString\.split\(\s*(?P<split>{TEXT})\s*,\s*\"\\n\"[^()]*\)"
)
_TRIMMED = re.compile(
    rf"({TEXT})\s*(?:\.(?:trim|trim_end|trim_start|strip|trimEnd|trimStart|Trim|TrimEnd|TrimStart|chomp)\(\)"
    r"|\.trimmingCharacters\([^()]*\)|\s*\|>\s*String\.trim\(\)|\.trim\b(?!\s*\())"
)
_TRIMMED_BY_FUNCTION = re.compile(rf"(?<![\w.])(?:trimws|strip|chomp|String\.trim|str_trim)\(\s*({TEXT})\s*\)")
_REPLACED = re.compile(
    rf"({TEXT})\s*\.\s*(?:replace|replaceFirst|replaceAll|Replace)\(\s*(?P<old>{TEXT}|'[^'\n]')\s*,\s*&?(?P<new>{TEXT})\s*\)"
)
_FIRST = re.compile(rf"[\[]\s*({TEXT})(?:\s*,\s*{TEXT})*\s*\]\.(?:first\(\)|first\b(?!\s*[({{])|First\(\)|head\b)")
_CAST = re.compile(rf"\(\s*[sS]tring\??\s*\)\s*(?={TEXT})")
_GOES_THROUGH = re.compile(r"\.(?:forE|e)achLine\s*$").search
_OPENED = re.compile(
    r"(?<![\w.])(?P<name>\w+)\s*=\s*(?:await\s+)?(?:new\s+)?(?:(?:BufferedReader|InputStreamReader)\s*\(\s*(?:new\s+)?)*"
    r"(?:(?:(?:std|tokio)::)?(?:fs::)?File::open|FileReader|FileInputStream|StreamReader|File\.OpenText|Files\.newBufferedReader|Scanner)"
    rf"\s*\(\s*&?(?P<path>{TEXT})"
)
_LONGEST, _MOST_LINES, _MOST_FILES = 300, 40, 20
_READING = re.compile(
    r"(?i)read|open|scanner|slurp|include_str|fromFile|\.text\b|\.lines\b|eachline|scan\(|File\.stream|contentsOfFile|fileContents|configuration"
    r"|\.(?:json|ya?ml|toml|properties)\""
)


def reads_files(text: str) -> bool:
    """Returns whether code may read a file of a literal path, or a document."""
    return _READING.search(text) is not None


def write_read_files(text: str, folder: str, context: ExecutionContext) -> str:
    """Returns the code with the text and the lines of the files that it reads written out. A call that reads them is kept
    at the end, because they still are read. `folder`: where the code's own file is."""
    kept: list[str] = []

    def replace(pattern: re.Pattern[str], write: Callable[[str], str | None], source: str) -> str:
        def write_value(match: re.Match[str]) -> str:
            path = next(value for name, value in match.groupdict().items() if value is not None)[1:-1]
            beside = match[0].startswith("include_str!")
            content = _read_content(f"{folder}/{path}" if beside and folder else path, context)
            value = None if content is None else write(content)
            if value is None:
                return match[0]
            kept.append(f'read_bytes("{path}")')
            return f"{value}.forEach " if _GOES_THROUGH(match[0]) else value

        return pattern.sub(write_value, source)

    for match in list(_OPENED.finditer(text))[:_MOST_FILES]:
        content = _read_content(match["path"][1:-1], context)
        lines = None if content is None else _write_lines(content)
        text = text if lines is None else _write_opened_lines(text, match["name"], lines)
    text = replace(_READS_LINES, _write_lines, replace(_READS_TEXT, _write_text, text))
    return text + "".join(f"\n;\n{call}" for call in dict.fromkeys(kept))


def _write_opened_lines(text: str, name: str, lines: str) -> str:
    """Returns the code with the lines that it reads of a file that this name was opened as."""
    reader = rf"(?<![\w.]){re.escape(name)}"
    text = re.sub(rf"(?:(?:std::)?io::)?BufReader::new\(\s*&?{name}\s*\)\.lines\(\)|{reader}\.lines\(\)", lambda _: lines, text)
    reads = rf"(?:await\s+)?{name}\.(?:[rR]eadLine(?:Async)?|nextLine)\(\)"
    loop = re.compile(
        rf"\bwhile\s*\(\s*(?:\(\s*(?P<set>\w+)\s*=\s*{reads}\s*\)\s*(?:!=\s*null|is\s+not\s+null)|{reads}\s+is\s+(?:not\s+null\s+and\s+)?"
        rf"(?:string|var|\{{\s*\}})\s+(?P<bound>\w+)|{name}\.(?P<next>hasNext(?:Line)?)\(\))\s*\)"
    )
    found = loop.search(text)
    if found is None:
        return text
    item = found["set"] or found["bound"] or "nextLine"
    text = f"{text[: found.start()]}for ({item} : {lines}){text[found.end() :]}"
    return re.sub(rf"{reader}\.nextLine\(\)", "nextLine", text) if found["next"] else text


def fold_read_texts(text: str) -> str:
    """Returns the code with what it makes of literal texts: trimmed, with a part replaced, split into lines."""
    text = _CAST.sub("", text)
    text = _SPLIT.sub(lambda match: _write_lines(_unescape(match["text"] or match["split"])) or match[0], text)
    text = _TRIMMED_BY_FUNCTION.sub(lambda match: _trim(match[1]), _TRIMMED.sub(lambda match: _trim(match[1]), text))
    return _FIRST.sub(r"\1", _REPLACED.sub(_replace_part, text))


def _trim(literal: str) -> str:
    return '"' + _BLANK_ENDS.sub("", literal[1:-1]) + '"'


_BLANK_ENDS = re.compile(r"^(?: |\\n)+|(?: |\\n)+$")


def _replace_part(match: re.Match[str]) -> str:
    old, new = match["old"][1:-1].removeprefix("^"), match["new"][1:-1]
    return match[0] if set(old) & set("\\[(*+?|") else f'"{match[1][1:-1].replace(old, new)}"'


def _read_content(path: str, context: ExecutionContext) -> str | None:
    found = context.read_alternatives(word_from_text(path)) if path else ()
    return found[0].text if len(found) == 1 else None


def _unescape(literal: str) -> str:
    return literal[1:-1].replace("\\n", "\n")


def _write_text(content: str) -> str | None:
    is_plain = len(content) <= _LONGEST and '"' not in content and "\\" not in content
    return '"' + content.replace("\r", "").replace("\n", "\\n") + '"' if is_plain else None


def _write_lines(content: str) -> str | None:
    lines = [line.strip() for line in content.splitlines() if line.strip()]
    if not lines or len(lines) > _MOST_LINES or any('"' in line or "\\" in line or len(line) > _LONGEST for line in lines):
        return None
    return "[" + ", ".join(f'"{line}"' for line in lines) + "]"
