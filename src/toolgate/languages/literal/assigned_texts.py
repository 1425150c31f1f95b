"""Constants of compiled languages, written out where they are used: `home, _ := os.UserHomeDir()`, then `os.RemoveAll(home)`.

A name that is assigned once, to a literal text or to the home folder, stands for that text in the whole file, and within other
texts that name it; joins of literal texts become one text, and so does a path object of one. Each language's syntax is close
enough to the others' for one set of patterns.
"""

import re
from collections import Counter

from .current_folders import fold_parents, write_current_folders
from .home_folders import write_home_folders, write_home_in_texts
from .temporary_paths import fold_temporary_interpolations, fold_temporary_joins, write_temporary_paths
from .texts import TEXT, ReplacedSource, find_closing, write_out
from .unrolled_loops import LIST, unroll_loops

_SINGLE_QUOTED = frozenset("jvm gradle dart v r".split())
"""Languages with texts between single quotes."""
_QUOTED = re.compile(r'"(?:\\.|[^"\\\n])*"|/\*.*?\*/|(?<!:)//[^\n]*|\'([^\'"\\\n]*)\'', re.DOTALL)
_PATH_OBJECT = re.compile(
    r"(?<![\w.])(?:(?:new\s+)?(?:(?:java|System)\.(?:io|IO)\.)?(?:File|DirectoryInfo|FileInfo)|Directory|Link|(?:std::path::)?Path(?:Buf)?::(?:new|from)|(?:java\.nio\.file\.)?Paths?\.(?:get|of)|Path|os\.Path|Path\.expand|expandTilde"
    rf"|URL(?=\s*\(\s*file)|path\.expand|normalizePath|expanduser|(?:(?:project\.)?(?:file|files|fileTree)))\s*\(\s*(?:(?:fileURLWithPath|filePath):\s*)?&?({TEXT})\s*\)"
)
_EXECUTABLE = re.compile(
    rf"\bexecutable\s*(?:=\s*|\(\s*)?({TEXT})\s*\)?\s*[;\n]\s*(?:args\s*(?:=\s*(?:listOf\s*\()?\[?|\[|\()?)\s*(?={TEXT})"
)
"""A command of Gradle whose arguments stand on a line of their own."""
_PIPED = re.compile(rf"({TEXT})\s*\|>\s*([A-Z:][\w.!?:]*)(?:\s*\(\s*(\))?|(?![\w(]))")
_CONVERSION = (
    "into_string|to_owned|to_path_buf|as_path|as_os_str|to_string_lossy|into_owned|clone|unwrap|unwrap_or_default|unwrap_or_else|unwrap_or|expect"
    "|to_str|to_string|into|as_str|toString|display|toAbsolutePath|toFile|toPath|getAbsoluteFile|normalize"
)
_PROPERTY = r"path|absolutePath|canonicalPath|FullName|absolute|parentFile\.absolutePath"
_CONVERTED = re.compile(
    rf"({TEXT})(?:\s*\.(?:{_CONVERSION})\((?:{TEXT})?\)|\s*\.(?:{_PROPERTY})\b(?!\s*\()|!(?![=\w])|\.?\?(?![\w.]))+"
)
_AWAITED = re.compile(rf"\b(?:await|try[!?]?)\s+(?={TEXT})|(?<![\w.!?)\]])\(\s*({TEXT})\s*\)")
"""A literal text in parentheses, or after a keyword that leaves it as it is."""
_JOIN = (
    r"(?:filepath|path|Path|p|filename)[.:][jJ]oin|join[pP]ath|os\.join_path|buildPath|Path\.Combine|file\.path"
    rf"|(?:java\.nio\.file\.)?Paths?\.(?:get|of)|Filename\.concat|\b(?:new\s+)?(?:java\.io\.)?File(?!\s*\(\s*{TEXT}\s*,\s*\"[rwa]b?\+?\"\s*\))"
)
_PREFIX_JOINED = re.compile(
    rf"\((?:build-path|(?:clojure\.java\.)?(?:io/)?file|(?:babashka\.)?fs/path)\s+({TEXT}(?:\s+{TEXT})*)\s*\)"
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
    rf"|({TEXT})\s*\.(?:join|appendingPathComponent|resolve)\(\s*({TEXT})\s*\)"
)
_FORMATS = r"(?:format!|(?:fmt\.)?Sprintf|[sS]tring\.[fF]ormat|@?sprintf|io_lib:format|Printf\.sprintf)"
_FORMATTED = re.compile(
    rf"{_FORMATS}\s*\(\s*(?P<form>{TEXT})(?P<given>(?:\s*,\s*\[?{TEXT}\]?)*)\s*\)"
    rf"|{_FORMATS}\s+(?P<curried>{TEXT})(?P<applied>(?:\s+{TEXT})+)"
    rf"|(?P<receiver>{TEXT})\s*\.\s*format(?:ted)?\(\s*(?P<values>{TEXT}(?:\s*,\s*{TEXT})*)\s*\)"
    rf"|\(format\s+nil\s+(?P<directive>{TEXT})(?P<operands>(?:\s+{TEXT})+)\s*\)"
)
_PLACEHOLDER = re.compile(r"%(?:\d\$)?[sv]|\{\d?\}|~[asp]", re.IGNORECASE)
_ADDED = re.compile(rf"({TEXT})(?:\s*(?:\+\+?|<>|\^|\*|~|&|(?P<slash>/|</>))\s*({TEXT}))?")
"""A text, and one that is added to it. Texts alone match, too, so that none begins at the end of another."""
_TYPE = r"(?:\s*:\s*&?(?:'static\s+)?(?:[\w.<>]+|\[[^\]\n=]*\]|string list))?"
_PATH_OF = r"new\s+File\s*\(|Paths?\.(?:get|of)\s*\(|&"
_ASSIGNED = re.compile(
    rf"(?<![\w.$])(\w+)(?:\[\])?(?:\s*,\s*\w+)?{_TYPE}\s*(?::=|<-|=(?![=>]))\s*((?:{_PATH_OF})?\s*(?:{TEXT}|@?{LIST})\)?)"
    r"(?=\s*(?:;|\n|$|\}|\bin\b|\?|(?<=\")\s*,\s*(?:\n|[a-z\[{(])))"
    rf"|\((?:define|def|defvar|defparameter|defconst|setq)\s+([\w-]+)\s+({TEXT}|'?{LIST})\s*\)"
    rf"|\(let\*?\s*[(\[]+([\w-]+)\s+({TEXT})|\[([\w-]+)\s+({TEXT})\]"
)
_ANY_ASSIGNMENT = re.compile(
    rf"(?<![\w.])(\w+)(?:\[\])?(?:\s*,\s*\w+(?=\s*:=))?{_TYPE}\s*(?::=|<-|[-+*/.|]?=(?![=>~]))|\(set[q!f]\s+([\w-]+)"
)
_BLOCK_TEXT = re.compile(r'"""((?:[^"]|"(?!""))*+)"""')
_INTERPOLATED_TEXT = re.compile(r"[$#]\{\"([^\"\\\n{}]*)\"\}|\\\(\"([^\"\\\n()]*)\"\)")
"""A known value that a text interpolates."""
_PREFIX = re.compile(r'(?<![\w"\\])(?:\$@?|@\$?|[sf]|raw|c)(?=")')
_PREFIXED = re.compile(rf'({TEXT})|{_PREFIX.pattern}(?="(?:[^"\\\n{{$]|\\.)*")')
"""The mark of a text that may interpolate, before one that does not."""
_SCOPE_FUNCTION = re.compile(rf"({TEXT})\s*\.\s*(?:apply|also|tap)\s*(?=\{{)")
"""Functions that return their receiver, whatever their block does with it."""
_BOUND = re.compile(rf"({TEXT})\s*>>=\s*\\\s*(\w+)\s*->")
_EXTENDED = re.compile(rf"(?<![\w.])(\w+)\.(?:push|appendPathComponent|appendPathComponents|append\(path:)\s*\(?\s*({TEXT})\s*\)")
"""A path variable that a method joins further parts to."""
_ARRAY = re.compile(rf"\[\|\s*({TEXT}(?:\s*;\s*{TEXT})*)\s*;?\s*\|\]")
_BOUND_METHOD = re.compile(rf"({TEXT})::(?=\w+\s*\()")
_FIRST_ELEMENT = re.compile(rf"(?={LIST}\s*\[0\])[\[({{]\s*({TEXT})[^\]}})]*[\]}})]\s*\[0\]")
_COMMAND_PIPE = re.compile(rf"({TEXT})\s*#(\||&&|\|\|)\s*({TEXT})")
"""Two commands of Scala, the first of which is piped into the second, or decides whether it runs."""
_OPENED_FOLDER = re.compile(rf"\b(\w+)\s*=\s*(?:try\s+)?[\w.()]*\bopenDir(?:Absolute)?\s*\(\s*({TEXT})")
_BORROWED = re.compile(rf"&(?:mut\s+)?(?={TEXT})")
_IS_PATH = re.compile(rf'(?="/){TEXT}\s*$')
_ROUNDS = 8  # a text joined from a joined text
_LONGEST = 40_000  # characters
_MOST_NAMES = 200


_LONGEST_WORD = 500  # characters; no name and no path is longer, and what is found in a longer one costs the square of its length
_LONG_WORD = re.compile(rf"\w{{{_LONGEST_WORD},}}")


def substitute_constants(text: str, language: str, home: str) -> str:
    """Returns the code with its constants written out. Code that is too long is returned unchanged."""
    if len(text) > _LONGEST:
        return text
    text = write_home_in_texts(_LONG_WORD.sub(lambda match: match[0][:_LONGEST_WORD], text), home)
    if language in _SINGLE_QUOTED:
        text = _QUOTED.sub(lambda match: match[0] if match[1] is None else f'"{match[1]}"', text)
    text = _BLOCK_TEXT.sub(_write_on_one_line, text)
    text = write_temporary_paths(_ARRAY.sub(r"[\1]", write_current_folders(write_home_folders(text, home))))
    for _ in range(_ROUNDS):
        before, text = text, unroll_loops(_fold_texts(text))
        if constants := _find_constants(text):
            text = write_out(constants, text)
        if len(text) > 2 * _LONGEST or (text == before and (text := fold_temporary_joins(text)) == before):
            break
    return fold_temporary_interpolations(_BORROWED.sub("", _join_to_opened_folders(text)))


def _join_to_opened_folders(text: str) -> str:
    """Joins the paths that methods of an opened folder take to the folder's."""
    for name, folder in dict(_OPENED_FOLDER.findall(text)).items():
        path = folder[1:-1].rstrip("/").replace("\\", r"\\")
        text = re.sub(rf"\b{name}\.(\w+)\(\s*\"(?!/)", rf'\1("{path}/', text)
    return text


def _write_on_one_line(block: re.Match[str]) -> str:
    escaped = re.sub(r'\\(.)|(")', lambda match: match[0] if match[1] else '\\"', block[1])
    return '"' + escaped.strip().replace("\n", "\\n") + '"'


def _fold_texts(text: str) -> str:
    text = _INTERPOLATED_TEXT.sub(lambda match: match[1] or match[2] or "", text)
    text = _drop_scope_functions(_BOUND.sub(r"\2 = \1; ", _drop_prefixes(text)))
    text = _CONVERTED.sub(r"\1", text)
    text = _AWAITED.sub(lambda match: match[1] or "", text)
    text = _PREFIX_JOINED.sub(_join_parts, _JOINED.sub(_join_parts, text))
    text = _CONCATENATED.sub(lambda match: '"' + "".join(each[1:-1] for each in re.findall(TEXT, match[0])) + '"', text)
    text = _EXPANDED.sub(lambda match: f"{match[2][:-1]}/{match[1][1:]}" if match[2] else match[1], text)
    text = _BROADCAST.sub("(", _JOINED_TO_LIST.sub(_join_to_elements, text))
    text = fold_parents(_PATH_OBJECT.sub(r"\1", text))
    text = _BOUND_METHOD.sub(r"\1.", text)
    text = _FIRST_ELEMENT.sub(r"\1", text)
    text = _COMMAND_PIPE.sub(lambda match: f"{match[1][:-1]} {match[2]} {match[3][1:]}", text)
    text = _EXECUTABLE.sub(r"commandLine \1, ", text)
    text = _FORMATTED.sub(_fill_format, text)
    text = _PIPED.sub(lambda match: f"{match[2]}({match[1]}" + (")" if match[3] or "(" not in match[0] else ", "), text)
    return _ADDED.sub(_join_added, text)


def _join_added(match: re.Match[str]) -> str:
    return f"{match[1][:-1]}{'/' if match['slash'] else ''}{match[3][1:]}" if match[3] else match[0]


def _drop_prefixes(text: str) -> str:
    return _PREFIXED.sub(lambda match: match[1] or "", text) if _PREFIX.search(text) is not None else text


def _drop_scope_functions(text: str) -> str:
    """Drops `.apply { ... }` after a text; what the block calls is kept."""
    replaced = ReplacedSource(text)
    for match in _SCOPE_FUNCTION.finditer(text):
        replaced.replace(match.start(), find_closing(text, match.end()), match[1], match.end())
    return replaced.join()


def _join_parts(match: re.Match[str]) -> str:
    parts = re.findall(TEXT, match[0])
    path = "/".join(part[1:-1].rstrip("/") for part in parts)
    return f'"{path}"'


def _fill_format(match: re.Match[str]) -> str:
    form, given = (group for group in match.groups() if group is not None)
    values = iter(re.findall(TEXT, given))
    filled = _PLACEHOLDER.sub(lambda _: next(values, '"{}"')[1:-1], form)
    return match[0] if "{" in filled or next(values, None) is not None else filled


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
    for name, part in _EXTENDED.findall(text):
        if name in found and _IS_PATH.match(found[name]):
            found[name] = f"{found[name].rstrip()[:-1].rstrip('/')}/{part[1:]}"
    once = [name for name in found if count[name] <= 1]
    return {name: found[name] for name in once[:_MOST_NAMES]}
