"""Paths in temporary folders: `mktempdir()` and `joinpath(mktempdir(), name)` become literal texts.

A function that makes a file or folder in the temporary folder stands for a path there, and what is joined to such a path stays
below it, even where it is computed.
"""

import re

from toolgate.languages import mark_unknown_parts
from toolgate.model.word import Hole, HoleKind, Word, known_word

from .texts import TEXT, ReplacedSource, find_closing


def _spell(hole: Hole) -> str:
    return (mark_unknown_parts(Word((known_word("/").parts[0], hole))) or "")[1:]


_NEW = _spell(Hole("/tmp/tmp*", "a temporary path", kind=HoleKind.TEMPORARY_FOLDER))
_COMPUTED = _spell(Hole("?*", "a computed name"))
_MAKES_PATH = re.compile(
    r"(?<![\w.$-])(?:(?:\w+(?:[./:]|::)){0,4}"
    r"(?P<name>createTemp(?:Sync|Dir|Directory|File)?|create-temp-(?:dir|file)|CreateTempSubdirectory"
    r"|GetTempFileName|temp_file|temp_dir(?=\s+\")|tempfile|TempFile|mktempdir|mktemp|tempname|mkdtemp|genTempPath"
    r"|MkdirTemp|CreateTemp|tempdir(?=\(\)\.)|make-temporary-(?:file|directory)\*?|make-temp-(?:file|name)|mkstemp!?"
    r"|createTempDirectory|emptySystemTempFile|testing\.tmpDir|Briefly\.create!?|Temp\.(?:mkdir|path|open)!?))(?![\w-])"
)
"""Functions that make a file or folder in the temporary folder, whatever module they are in."""
_DEFINED = re.compile(r"\b(?:fun|func|defp?|proc|function|defun|define)\s+\(?([\w-]+[!?]?)|([\w-]+)\s*(?:<-|:?=(?![=>]))")
"""A function or a variable of the code itself, which may have such a name."""
_SYSTEM_FOLDER = re.compile(
    r"\bSystem\.tmp_dir!?(?:\(\))?|(?<![\w.])(?:\w+\.){0,4}(?:getTempDir|tempDir|tempdir|temp_dir|TempDir|GetTempPath)\(\)"
    r"|\bNSTemporaryDirectory\(\)|\b(?:FileManager\.default\.|URL\.)temporaryDirectory\b|\bDirectory\.systemTemp\b"
    r"|\bget(?:Canonical)?TemporaryDirectory\b|\bFilename\.get_temp_dir_name\s*\(\)|\(find-system-path 'temp-dir\)"
    r"|\(find-system-path \(quote temp-dir\)\)|\(uiop:temporary-directory\)|\btemporary-file-directory\b"
    r"|\bSystem(?:\.|/)getProperty[\s(]\s*[\"']java\.io\.tmpdir[\"']\s*\)|\bstd::env::temp_dir\(\)"
)
_BOUND_BY_FUNCTION = re.compile(
    rf"\bwith(?:System)?Temp(?:orary)?(?:Dir|Directory|File)\w*\s*(?:{TEXT}\s*)*\$?\s*\(?\s*\\\(?(\w+)\)?[\w\s]*->"
    rf"|\bcall-with-temporary-(?:file|directory)\s*\((?:lambda|λ)\s*[(\[](\w+)[)\]]"
)
"""`withSystemTempDirectory "x" $ \\folder -> ...`: the parameter is the new folder."""
_BOUND_BY_BLOCK = re.compile(rf'("{_NEW}")\s+do\s+(\w+)(?:\s*,\s*\w+)?')
_UNPACKED = re.compile(rf'\{{:ok,\s*(\w+)\}}\s*=\s*(?="{_NEW}")')
_FURTHER_TEXTS = re.compile(rf"(?:\s+{TEXT})*")
_TEMPORARY_TEXT = rf'"(?:(?:/private|/var)?/tmp(?![\w.-])|{_NEW})(?:[^"\\\n]|\\.){{0,400}}+"'
_FOLDER = rf"(?P<folder>{_TEMPORARY_TEXT})"
_JOINS = tuple(
    map(
        re.compile,
        (
            r"(?<![\w.])(?:\w+\.){0,4}(?:[jJ]oin|[jJ]oin_?[pP]ath|join_path|buildPath|Combine|path|paste0?|get|of|concat"
            rf"|(?:new\s+)?File)\.?\s*(?P<open>\()\s*{_FOLDER}\s*,",
            rf"(?P<open>\()(?:build-path|string-append|concat|str|(?:io/)?file|fs/path)\s+{_FOLDER}(?=\s)",
            rf"(?P<open>\()expand-file-name\s+[^\s()\"]+\s+{_FOLDER}(?=\s*\))",
            rf"{_FOLDER}\s*\.(?:resolve|appending\w*|join|child|div|add)\s*(?P<open>\()",
            rf"{_FOLDER}\s*(?:\+\+?|<>|/|</>|~|\^|\*|&)\s*(?=[\w(])(?:\w[\w.!?:]*)?(?P<open>\()?",
        ),
    )
)
"""Joins of a temporary folder and what is computed, as calls of functions and methods and by operators."""
_PARENT = re.compile(r"[\"/]\.\.[\"/]")
_INTERPOLATED = re.compile(r"[$#]\{[^{}\"]*\}|\$\w+|\\\((?:[^()\"]|\([^()\"]*\)){0,80}\)")
_IN_TEMPORARY_TEXT = re.compile(_TEMPORARY_TEXT)


def write_temporary_paths(text: str) -> str:
    """Returns the code with a literal text for each call that makes a temporary path or returns the temporary folder."""
    text = _BOUND_BY_FUNCTION.sub(lambda match: f'{match[1] or match[2]} = "{_NEW}"; ', text)
    replaced, own = ReplacedSource(text), {found[1] or found[2] for found in _DEFINED.finditer(text)}
    for made in _MAKES_PATH.finditer(text):
        if (span := _find_call(text, made)) is not None and made["name"] not in own:
            replaced.replace(*span, f'"{_NEW}"', made.end())
    text = _SYSTEM_FOLDER.sub('"/tmp/"', replaced.join())
    return _UNPACKED.sub(r"\1 = ", _BOUND_BY_BLOCK.sub(r"\2 = \1;", text))


def _find_call(text: str, name: re.Match[str]) -> tuple[int, int] | None:
    """Returns where a call begins and ends; None if the name is not called."""
    start, end = name.span()
    if text[end : end + 1] == "(":
        return start, find_closing(text, end)
    further = _FURTHER_TEXTS.match(text, end)
    has_arguments = further is not None and further.end() > end
    if text[start - 1 : start] == "(" and not text[start - 2 : start - 1].isalnum() and ("-" in name[0] or has_arguments):
        return start - 1, find_closing(text, start - 1)
    return (start, further.end()) if further is not None and has_arguments else None


def fold_temporary_joins(text: str) -> str:
    """Returns the code with a literal text for each temporary path to which a computed one is joined."""
    for pattern in _JOINS:
        replaced = ReplacedSource(text)
        for join in pattern.finditer(text):
            end = find_closing(text, join.start("open")) if join["open"] else join.end()
            if _PARENT.search(text, join.start(), end) is None:
                replaced.replace(join.start(), end, f'{join["folder"][:-1].rstrip("/")}/{_COMPUTED}"', join.end("folder"))
        text = replaced.join()
    return text


def fold_temporary_interpolations(text: str) -> str:
    """Returns the code with the computed parts of temporary paths marked: `"/tmp/x-#{id}"`."""
    return _IN_TEMPORARY_TEXT.sub(lambda path: _INTERPOLATED.sub(_COMPUTED, path[0]), text)
