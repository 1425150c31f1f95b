"""Constants of compiled languages, written out where they are used: `home, _ := os.UserHomeDir()`, then `os.RemoveAll(home)`.

A name that is assigned once, to a literal text or to the home folder, stands for that text in the whole file, and within other
texts that name it; joins of literal texts become one text, and so does a path object of one. Each language's syntax is close
enough to the others' for one set of patterns.
"""

import re
from collections import Counter

from .temporary_paths import fold_temporary_interpolations, fold_temporary_joins, write_temporary_paths
from .texts import TEXT, write_out
from .unrolled_loops import LIST, unroll_loops

_SINGLE_QUOTED = frozenset("jvm gradle dart v r".split())
"""Languages with texts between single quotes."""
_HOME_CALLS = "|".join(
    (
        r"os\.UserHomeDir\(\)",
        r'(?:os\.|std::)?[gG]et[eE]nv\("HOME"\)|os\.home_dir\(\)|\bos\.home\b|getHomeDir\(\)',
        r'(?:std::)?env::var(?:_os)?\("HOME"\)|(?:std::env|dirs|home)::home_dir\(\)',
        r"System\.getProperty\([\"']user\.home[\"']\)|System\.getenv\([\"']HOME[\"']\)|System\.getenv\(\)\[[\"']HOME[\"']\]",
        r"System\.getenv\(\)\.HOME\b|providers\.systemProperty\([\"']user\.home[\"']\)\.get\(\)",
        r'System\.(?:get_env|fetch_env!)\("HOME"\)|System\.user_home!?(?:\(\))?',
        r"NSHomeDirectory\(\)|(?:FileManager\.default\.)?homeDirectoryForCurrentUser(?:\.path)?",
        r'Sys\.getenv(?:\s+"HOME"|\s*\("HOME"\))|\bhomedir\(\)|ENV\["HOME"\]',
        r"Platform\.environment\[[\"']HOME[\"']\]!?|(?:std\.)?(?:posix|process)\.getenv\(\"HOME\"\)(?:\.\?)?",
        r'environment(?:\.get\("HOME"\)|\["HOME"\])',
        r"\(find-system-path (?:'home-dir|\(quote home-dir\))\)|\((?:uiop:)?(?:getenv|posix-getenv) \"HOME\"\)",
        r"\(user-homedir-pathname\)|\(System/(?:getProperty \"user\.home\"|getenv \"HOME\")\)",
        r"\bgetHomeDirectory\b|\bPath\.home\b(?!\()",
        r'Environment\.GetFolderPath\(Environment\.SpecialFolder\.UserProfile\)|Environment\.GetEnvironmentVariable\("HOME"\)',
    )
)
_HOME = re.compile(_HOME_CALLS)
_HOME_IN_TEXT = re.compile(rf"(?:[$#]\{{|\\\(|(?<=[\"/])\{{)\s*(?:{_HOME_CALLS})\s*[}})]")
_QUOTED = re.compile(r'"(?:\\.|[^"\\\n])*"|/\*.*?\*/|(?<!:)//[^\n]*|\'([^\'"\\\n]*)\'', re.DOTALL)
_PATH_OBJECT = re.compile(
    r"(?<![\w.])(?:(?:new\s+)?(?:java\.io\.)?File|Directory|Link|(?:java\.nio\.file\.)?Paths?\.(?:get|of)|Path|os\.Path|Path\.expand|expandTilde"
    rf"|URL(?=\s*\(\s*file)|path\.expand|normalizePath|expanduser|(?:(?:project\.)?(?:file|files|fileTree)))\s*\(\s*(?:(?:fileURLWithPath|filePath):\s*)?({TEXT})\s*\)"
)
_EXECUTABLE = re.compile(
    rf"\bexecutable\s*(?:=\s*|\(\s*)?({TEXT})\s*\)?\s*[;\n]\s*(?:args\s*(?:=\s*(?:listOf\s*\()?\[?|\[|\()?)\s*(?={TEXT})"
)
"""A command of Gradle whose arguments stand on a line of their own."""
_PIPED = re.compile(rf"({TEXT})\s*\|>\s*([A-Z:][\w.!?:]*)(?:\s*\(\s*(\))?|(?![\w(]))")
_CONVERSION = "unwrap|expect|to_str|to_string|into|as_str|toString|display|toAbsolutePath|toFile|toPath|getAbsoluteFile|normalize"
_PROPERTY = r"path|absolutePath|canonicalPath|FullName|absolute|parentFile\.absolutePath"
_CONVERTED = re.compile(
    rf"({TEXT})(?:\s*\.(?:{_CONVERSION})\((?:{TEXT})?\)|\s*\.(?:{_PROPERTY})\b(?!\s*\()|!(?![=\w])|\?(?![\w.]))+"
)
_AWAITED = re.compile(rf"\b(?:await|try[!?]?)\s+(?={TEXT})|(?<![\w.!?)\]])\(\s*({TEXT})\s*\)")
"""A literal text in parentheses, or after a keyword that leaves it as it is."""
_JOIN = (
    r"(?:filepath|path|Path|p)\.[jJ]oin|join[pP]ath|os\.join_path|buildPath|Path\.Combine|file\.path"
    rf"|Paths?\.(?:get|of)|Filename\.concat|\b(?:new\s+)?(?:java\.io\.)?File(?!\s*\(\s*{TEXT}\s*,\s*\"[rwa]b?\+?\"\s*\))"
)
_PREFIX_JOINED = re.compile(
    rf"\((?:build-path|(?:clojure\.java\.)?(?:io/)?file|fs/path)\s+({TEXT}(?:\s+{TEXT})*)\s*\)"
    rf"|\bFilename\.concat\s+({TEXT}\s+{TEXT})|\bjoinPath\s*\(?\s*\[({TEXT}(?:\s*,\s*{TEXT})*)\]\)?"
)
"""Joins whose arguments are separated by spaces, or stand in a list."""
_CONCATENATED = re.compile(
    rf"\b(?:paste0|string|strcat)\s*\(\s*({TEXT}(?:\s*,\s*{TEXT})+)\s*\)"
    rf"|\((?:string-append|concat|str)\s+({TEXT}(?:\s+{TEXT})*)\s*\)"
)
_EXPANDED = re.compile(rf"\(expand-file-name\s+({TEXT})(?:\s+({TEXT}))?\s*\)")
"""Emacs names the file before its folder."""
_JOINED_TO_LIST = re.compile(rf"(?:{_JOIN}|(?P<adds>paste0|string))\.?\s*\(\s*({TEXT})\s*,\s*({LIST})\s*\)")
"""A vectorised join: `file.path(home, c("a", "b"))`."""
_BROADCAST = re.compile(r"(?<=\w)\.\((?=\s*\[)")
_JOINED = re.compile(
    rf"(?:{_JOIN})\s*\(\s*({TEXT}(?:\s*,\s*{TEXT})+)\s*\)"
    rf"|(?:Path(?:Buf)?::(?:new|from)\s*\(\s*)?({TEXT})\)?\s*\.(?:join|appendingPathComponent|resolve)\(\s*({TEXT})\s*\)"
)
_FORMATTED = re.compile(
    r'(?:format!|(?:fmt\.)?Sprintf|String\.format)\s*\(\s*"((?:[^"\\\n%{]|\\.)*)(?:%[sv]|\{\})([^"\\\n%{]*)"\s*,\s*'
    rf"({TEXT})\s*\)"
)
_ADDED = re.compile(rf"({TEXT})\s*(?:\+\+?|<>|\^|\*|~|&|(?P<slash>/|</>))\s*({TEXT})")
_TYPE = r"(?:\s*:\s*&?(?:'static\s+)?(?:[\w.<>]+|\[\w+\]|string list))?"
_PATH_OF = r"new\s+File\s*\(|Paths?\.(?:get|of)\s*\(|Path(?:Buf)?::(?:new|from)\s*\(|&"
_ASSIGNED = re.compile(
    rf"(?<![\w.])(\w+)(?:\[\])?(?:\s*,\s*\w+)?{_TYPE}\s*(?::=|<-|=(?![=>]))\s*((?:{_PATH_OF})?\s*(?:{TEXT}|@?{LIST})\)?)"
    r"(?=\s*(?:;|\n|$|\}|\bin\b|\?))"
    rf"|\((?:define|def|defvar|defparameter|defconst|setq)\s+([\w-]+)\s+({TEXT}|'?{LIST})\s*\)"
    rf"|\(let\*?\s*[(\[]+([\w-]+)\s+({TEXT})|\[([\w-]+)\s+({TEXT})\]"
)
_ANY_ASSIGNMENT = re.compile(
    rf"(?<![\w.])(\w+)(?:\[\])?(?:\s*,\s*\w+(?=\s*:=))?{_TYPE}\s*(?::=|<-|[-+*/.|]?=(?![=>~]))|\(set[q!f]\s+([\w-]+)"
)
_BORROWED = re.compile(rf"&(?:mut\s+)?(?={TEXT})")
_ROUNDS = 8  # a text joined from a joined text
_LONGEST = 40_000  # characters
_MOST_NAMES = 200


def substitute_constants(text: str, language: str, home: str) -> str:
    """Returns the code with its constants written out. Code that is too long is returned unchanged."""
    if len(text) > _LONGEST:
        return text
    text = _HOME_IN_TEXT.sub(lambda _: home, text)
    if language in _SINGLE_QUOTED:
        text = _QUOTED.sub(lambda match: match[0] if match[1] is None else f'"{match[1]}"', text)
    text = write_temporary_paths(_HOME.sub(lambda _: f'"{home}"', text))
    for _ in range(_ROUNDS):
        before, text = text, unroll_loops(_fold_texts(text))
        if constants := _find_constants(text):
            text = write_out(constants, text)
        if len(text) > 2 * _LONGEST or (text == before and (text := fold_temporary_joins(text)) == before):
            break
    return fold_temporary_interpolations(_BORROWED.sub("", text))


def _fold_texts(text: str) -> str:
    text = _CONVERTED.sub(r"\1", text)
    text = _AWAITED.sub(lambda match: match[1] or "", text)
    text = _PREFIX_JOINED.sub(_join_parts, _JOINED.sub(_join_parts, text))
    text = _CONCATENATED.sub(lambda match: '"' + "".join(each[1:-1] for each in re.findall(TEXT, match[0])) + '"', text)
    text = _EXPANDED.sub(lambda match: f"{match[2][:-1]}/{match[1][1:]}" if match[2] else match[1], text)
    text = _BROADCAST.sub("(", _JOINED_TO_LIST.sub(_join_to_elements, text))
    text = _PATH_OBJECT.sub(r"\1", text)
    text = _EXECUTABLE.sub(r"commandLine \1, ", text)
    text = _FORMATTED.sub(lambda match: f'"{match[1]}{match[3][1:-1]}{match[2]}"', text)
    text = _PIPED.sub(lambda match: f"{match[2]}({match[1]}" + (")" if match[3] or "(" not in match[0] else ", "), text)
    return _ADDED.sub(lambda match: f"{match[1][:-1]}{'/' if match['slash'] else ''}{match[3][1:]}", text)


def _join_parts(match: re.Match[str]) -> str:
    parts = re.findall(TEXT, match[0])
    path = "/".join(part[1:-1].rstrip("/") for part in parts)
    return f'"{path}"'


def _join_to_elements(match: re.Match[str]) -> str:
    folder = match[2][1:-1] if match["adds"] else f"{match[2][1:-1].rstrip('/')}/"
    return "[" + ", ".join(f'"{folder}{element[1:]}' for element in re.findall(TEXT, match[3])) + "]"


def _find_constants(text: str) -> dict[str, str]:
    """Returns the names that are assigned once, with the source of their value."""
    found: dict[str, str] = {}
    for match in _ASSIGNED.finditer(text):
        name, value = (group for group in match.groups() if group is not None)
        found[name] = value.lstrip("&")
    count = Counter(match[1] or match[2] for match in _ANY_ASSIGNMENT.finditer(text)) if found else Counter[str]()
    once = [name for name in found if count[name] <= 1]
    return {name: found[name] for name in once[:_MOST_NAMES]}
