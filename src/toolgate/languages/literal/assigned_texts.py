"""Constants of compiled languages, written out where they are used: `home, _ := os.UserHomeDir()`, then `os.RemoveAll(home)`.

A name that is assigned once, to a literal text or to the home folder, stands for that text in the whole file, and within other
texts that name it; joins of literal texts become one text, and so does a path object of one. Each language's syntax is close
enough to the others' for one set of patterns.
"""

import re
from collections import Counter

LANGUAGES = frozenset("go c rust jvm gradle swift beam ocaml r julia nim zig dart d v haskell dotnet".split())
_SINGLE_QUOTED = frozenset("jvm gradle dart v r".split())
"""Languages with texts between single quotes."""
_TEXT = r'"(?:[^"\\\n]|\\.){0,300}+"'
_HOME_CALLS = "|".join(
    (
        r"os\.UserHomeDir\(\)",
        r'(?:os\.|std::)?[gG]et[eE]nv\("HOME"\)|os\.home_dir\(\)|\bos\.home\b|getHomeDir\(\)',
        r'(?:std::)?env::var(?:_os)?\("HOME"\)|(?:std::env|dirs|home)::home_dir\(\)',
        r"System\.getProperty\([\"']user\.home[\"']\)|System\.getenv\([\"']HOME[\"']\)|System\.getenv\(\)\[[\"']HOME[\"']\]",
        r"System\.getenv\(\)\.HOME\b|providers\.systemProperty\([\"']user\.home[\"']\)\.get\(\)",
        r'System\.(?:get_env|fetch_env!)\("HOME"\)|System\.user_home!?(?:\(\))?',
        r"NSHomeDirectory\(\)|(?:FileManager\.default\.)?homeDirectoryForCurrentUser(?:\.path)?",
        r'Sys\.getenv\s*\(?"HOME"\)?|\bhomedir\(\)|ENV\["HOME"\]',
        r"Platform\.environment\[[\"']HOME[\"']\]!?|(?:std\.)?(?:posix|process)\.getenv\(\"HOME\"\)(?:\.\?)?",
        r'environment(?:\.get\("HOME"\)|\["HOME"\])',
        r'Environment\.GetFolderPath\(Environment\.SpecialFolder\.UserProfile\)|Environment\.GetEnvironmentVariable\("HOME"\)',
    )
)
_HOME = re.compile(_HOME_CALLS)
_HOME_IN_TEXT = re.compile(rf"(?:[$#]\{{|\\\(|(?<=[\"/])\{{)\s*(?:{_HOME_CALLS})\s*[}})]")
_QUOTED = re.compile(r'"(?:\\.|[^"\\\n])*"|/\*.*?\*/|(?<!:)//[^\n]*|\'([^\'"\\\n]*)\'', re.DOTALL)
_PATH_OBJECT = re.compile(
    r"(?<![\w.])(?:(?:new\s+)?(?:java\.io\.)?File|Directory|Link|(?:java\.nio\.file\.)?Paths?\.(?:get|of)|Path|os\.Path|Path\.expand|expandTilde"
    rf"|path\.expand|normalizePath|expanduser|(?:(?:project\.)?(?:file|files|fileTree)))\s*\(\s*({_TEXT})\s*\)"
)
_EXECUTABLE = re.compile(
    rf"\bexecutable\s*(?:=\s*|\(\s*)?({_TEXT})\s*\)?\s*[;\n]\s*(?:args\s*(?:=\s*(?:listOf\s*\()?\[?|\[|\()?)\s*(?={_TEXT})"
)
"""A command of Gradle whose arguments stand on a line of their own."""
_PIPED = re.compile(rf"({_TEXT})\s*\|>\s*([A-Z:][\w.!?:]*)(?:\s*\(\s*(\))?|(?![\w(]))")
_CONVERSION = "unwrap|expect|to_str|to_string|into|as_str|toString|display|toAbsolutePath|toFile|toPath|getAbsoluteFile|normalize"
_CONVERTED = re.compile(rf"({_TEXT})(?:\s*\.(?:{_CONVERSION})\((?:{_TEXT})?\)|\?(?!\w))+")
_JOIN = (
    r"(?:filepath|path|Path|p)\.[jJ]oin|join[pP]ath|os\.join_path|buildPath|Path\.Combine|file\.path"
    r"|Paths?\.(?:get|of)|Filename\.concat|\b(?:new\s+)?(?:java\.io\.)?File"
)
_JOINED = re.compile(
    rf"(?:{_JOIN})\s*\(\s*({_TEXT}(?:\s*,\s*{_TEXT})+)\s*\)"
    rf"|(?:Path(?:Buf)?::(?:new|from)\s*\(\s*)?({_TEXT})\)?\s*\.(?:join|appendingPathComponent|resolve)\(\s*({_TEXT})\s*\)"
)
_FORMATTED = re.compile(
    r'(?:format!|(?:fmt\.)?Sprintf|String\.format)\s*\(\s*"((?:[^"\\\n%{]|\\.)*)(?:%[sv]|\{\})([^"\\\n%{]*)"\s*,\s*'
    rf"({_TEXT})\s*\)"
)
_ADDED = re.compile(rf"({_TEXT})\s*(?:\+\+?|<>|\^|\*|~|&|(?P<slash>/|</>))\s*({_TEXT})")
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


def substitute_constants(text: str, language: str, home: str) -> str:
    """Returns the code with its constants written out. Code that is too long is returned unchanged."""
    if len(text) > _LONGEST:
        return text
    text = _HOME_IN_TEXT.sub(lambda _: home, text)
    if language in _SINGLE_QUOTED:
        text = _QUOTED.sub(lambda found: found[0] if found[1] is None else f'"{found[1]}"', text)
    text = _HOME.sub(lambda _: f'"{home}"', text)
    for _ in range(_ROUNDS):
        before, text = text, _fold_texts(text)
        if constants := _find_constants(text):
            text = _write_out(constants, text)
        if text == before:
            break
    return _BORROWED.sub("", text)


def _write_out(constants: dict[str, str], text: str) -> str:
    """Writes constants out where code refers to them, or a text does: `"${name}/x"`, `"$name/x"`, `"#{name}/x"`."""
    name = f"({'|'.join(constants)})"
    in_code = re.compile(rf"{_TEXT}|(?<![\w.]){name}(?!\w){_IS_DECLARED}")
    in_text = re.compile(rf"[$#]\{{\s*{name}\s*\}}|\${name}(?!\w)|\\\({name}\)")

    def write_value(found: re.Match[str]) -> str:
        value = constants[found[1] or found[2] or found[3]]
        return value[value.index('"') + 1 : value.rindex('"')]

    return in_code.sub(lambda found: constants[found[1]] if found[1] else in_text.sub(write_value, found[0]), text)


def _fold_texts(text: str) -> str:
    text = _CONVERTED.sub(r"\1", text)
    text = _JOINED.sub(_join_parts, text)
    text = _PATH_OBJECT.sub(r"\1", text)
    text = _EXECUTABLE.sub(r"commandLine \1, ", text)
    text = _FORMATTED.sub(lambda found: f'"{found[1]}{found[3][1:-1]}{found[2]}"', text)
    text = _PIPED.sub(lambda found: f"{found[2]}({found[1]}" + (")" if found[3] or "(" not in found[0] else ", "), text)
    return _ADDED.sub(lambda found: f"{found[1][:-1]}{'/' if found['slash'] else ''}{found[3][1:]}", text)


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
