"""Constants of compiled languages, written out where they are used: `home, _ := os.UserHomeDir()`, then `os.RemoveAll(home)`.

A name that is assigned once, to a literal text or to the home folder, stands for that text in the whole file; joins of literal
texts become one text. Each language's syntax is close enough to the others' for one set of patterns.
"""

import re
from collections import Counter

LANGUAGES = frozenset("go c rust jvm swift beam ocaml r julia".split())
_TEXT = r'"(?:[^"\\\n]|\\.){0,300}+"'
_HOME = re.compile(
    "|".join(
        (
            r"os\.UserHomeDir\(\)",
            r'(?:os\.|std::)?[gG]etenv\("HOME"\)',
            r'(?:std::)?env::var(?:_os)?\("HOME"\)|(?:std::env|dirs|home)::home_dir\(\)',
            r'System\.getProperty\("user\.home"\)|System\.getenv\("HOME"\)',
            r'System\.(?:get_env|fetch_env!)\("HOME"\)|System\.user_home!?(?:\(\))?',
            r"NSHomeDirectory\(\)|(?:FileManager\.default\.)?homeDirectoryForCurrentUser(?:\.path)?",
            r'Sys\.getenv\s*\(?"HOME"\)?|\bhomedir\(\)|ENV\["HOME"\]',
        )
    )
)
_CONVERSION = "unwrap|expect|to_str|to_string|into|as_str|toString|display|toAbsolutePath"
_CONVERTED = re.compile(rf"({_TEXT})(?:\s*\.(?:{_CONVERSION})\((?:{_TEXT})?\)|\?(?!\w))+")
_JOIN = (
    r"(?:filepath|path|Path)\.[jJ]oin|joinpath|file\.path|Paths?\.(?:get|of)|Filename\.concat|\b(?:new\s+)?(?:java\.io\.)?File"
)
_JOINED = re.compile(
    rf"(?:{_JOIN})\s*\(\s*({_TEXT}(?:\s*,\s*{_TEXT})+)\s*\)"
    rf"|(?:Path(?:Buf)?::(?:new|from)\s*\(\s*)?({_TEXT})\)?\s*\.(?:join|appendingPathComponent|resolve)\(\s*({_TEXT})\s*\)"
)
_FORMATTED = re.compile(
    r'(?:format!|(?:fmt\.)?Sprintf|String\.format)\s*\(\s*"((?:[^"\\\n%{]|\\.)*)(?:%[sv]|\{\})([^"\\\n%{]*)"\s*,\s*'
    rf"({_TEXT})\s*\)"
)
_ADDED = re.compile(rf"({_TEXT})\s*(?:\+|<>|\^|\*)\s*({_TEXT})")
_TYPE = r"(?:\s*:\s*&?(?:'static\s+)?[\w.]+)?"
_PATH_OF = r"new\s+File\s*\(|Paths?\.(?:get|of)\s*\(|Path(?:Buf)?::(?:new|from)\s*\(|&"
_ASSIGNED = re.compile(
    rf"(?<![\w.])(\w+)(?:\[\])?(?:\s*,\s*\w+)?{_TYPE}\s*(?::=|<-|=(?![=>]))\s*((?:{_PATH_OF})?\s*{_TEXT}\)?)(?=\s*(?:;|\n|$|\}}|\bin\b|\?))"
)
_ANY_ASSIGNMENT = re.compile(rf"(?<![\w.])(\w+)(?:\[\])?(?:\s*,\s*\w+(?=\s*:=))?{_TYPE}\s*(?::=|<-|[-+*/.|]?=(?![=>~]))")
_BORROWED = re.compile(rf"&(?:mut\s+)?(?={_TEXT})")
_IS_DECLARED = r"(?!\s*,\s*\w+\s*:=)(?!\s*(?::=|<-|[-+*/.|]?=(?![=>~])|:\s*[&\w]))"
_ROUNDS = 4  # a text joined from a joined text
_LONGEST = 40_000  # characters
_MOST_NAMES = 200


def substitute_constants(text: str, home: str) -> str:
    """Returns the code with its constants written out. Code that is too long is returned unchanged."""
    if len(text) > _LONGEST:
        return text
    text = _CONVERTED.sub(r"\1", _HOME.sub(lambda _: f'"{home}"', text))
    for _ in range(_ROUNDS):
        before, text = text, _fold_texts(text)
        constants = _find_constants(text)
        if constants:
            names = re.compile(rf"{_TEXT}|(?<![\w.])({'|'.join(constants)})(?!\w){_IS_DECLARED}")
            text = names.sub(lambda found: constants[found[1]] if found[1] else found[0], text)  # noqa: B023
        if text == before:
            break
    return _BORROWED.sub("", text)


def _fold_texts(text: str) -> str:
    text = _JOINED.sub(_join_parts, text)
    text = _FORMATTED.sub(lambda found: f'"{found[1]}{found[3][1:-1]}{found[2]}"', text)
    return _ADDED.sub(lambda found: f"{found[1][:-1]}{found[2][1:]}", text)


def _join_parts(found: re.Match[str]) -> str:
    parts = re.findall(_TEXT, found[1] or f"{found[2]}, {found[3]}")
    path = "/".join(part[1:-1].rstrip("/") for part in parts)
    return f'"{path}"'


def _find_constants(text: str) -> dict[str, str]:
    """Returns the names that are assigned once, with the source of their value."""
    found = {match[1]: match[2].lstrip("&") for match in _ASSIGNED.finditer(text)}
    count = Counter(match[1] for match in _ANY_ASSIGNMENT.finditer(text)) if found else {}
    once = [name for name in found if count[name] == 1]
    return {name: found[name] for name in once[:_MOST_NAMES]}
