"""Paths in temporary folders: `mktempdir()` and `joinpath(mktempdir(), name)` become literal texts.

A function that makes a file or folder in the temporary folder stands for a path there, and what is joined to such a path stays
below it, even where it is computed.
"""

import re

from toolgate.languages import mark_unknown_parts
from toolgate.model.word import Hole, HoleKind, Word, known_word

from .texts import TEXT, find_closing


def _spell(hole: Hole) -> str:
    return (mark_unknown_parts(Word((known_word("/").parts[0], hole))) or "")[1:]


_NEW = _spell(Hole("/tmp/tmp*", "a temporary path", kind=HoleKind.TEMPORARY_FOLDER))
_COMPUTED = _spell(Hole("?*", "a computed name"))
_MAKES_PATH = re.compile(
    r"(?<![\w.$-])(?:(?:[\w.:]+[./:])?(?:createTemp(?:Sync|Dir|Directory|File)?|create-temp-(?:dir|file)|CreateTempSubdirectory"
    r"|GetTempFileName|temp_file|temp_dir(?=\s+\")|tempfile|TempFile|mktempdir|mktemp|tempname|mkdtemp|genTempPath"
    r"|MkdirTemp|CreateTemp|tempdir(?=\(\)\.)|make-temporary-(?:file|directory)\*?|make-temp-(?:file|name)|mkstemp!?"
    r"|createTempDirectory|emptySystemTempFile|testing\.tmpDir|Briefly\.create!?|Temp\.(?:mkdir|path|open)!?))(?![\w-])"
)
"""Functions that make a file or folder in the temporary folder, whatever module they are in."""
_SYSTEM_FOLDER = re.compile(
    r"\bSystem\.tmp_dir!?(?:\(\))?|\b(?:\w+\.)*(?:getTempDir|tempDir|tempdir|temp_dir|TempDir|GetTempPath)\(\)"
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
_JOINED_IN_CALL = re.compile(
    rf"(?<![\w.])(?:[\w.]*\.)?(?:[jJ]oin|[jJ]oin_?[pP]ath|join_path|buildPath|Combine|path|paste0?|get|of|concat|(?:new\s+)?File)"
    rf"\.?\s*(\()\s*({_TEMPORARY_TEXT})\s*,"
    rf"|(\()(?:build-path|string-append|expand-file-name|concat|str|(?:io/)?file|fs/path)\s+({_TEMPORARY_TEXT})(?=\s)"
    rf"|(\()expand-file-name\s+[^\s()\"]+\s+({_TEMPORARY_TEXT})(?=\s*\))"
    rf"|({_TEMPORARY_TEXT})\s*\.(?:resolve|appending\w*|join|child|div|add)\s*(\()"
)
_ADDED_VALUE = re.compile(
    rf"({_TEMPORARY_TEXT})\s*(?:\+\+?|<>|/|</>|~|\^|\*|&)\s*(?:\w[\w.!?:]*(\()|\w[\w.!?:]*(?![\w(])|(\())"
)
_INTERPOLATED = re.compile(r"[$#]\{[^{}\"]*\}|\$\w+|\\\((?:[^()\"]|\([^()\"]*\)){0,80}\)")
_IN_TEMPORARY_TEXT = re.compile(_TEMPORARY_TEXT)


def write_temporary_paths(text: str) -> str:
    """Returns the code with a literal text for each call that makes a temporary path or returns the temporary folder."""
    text = _BOUND_BY_FUNCTION.sub(lambda found: f'{found[1] or found[2]} = "{_NEW}"; ', text)
    done, at = "", 0
    for made in _MAKES_PATH.finditer(text):
        if made.start() >= at:
            start, end = _span_of_call(text, made)
            done, at = f'{done}{text[at:start]}"{_NEW}"', end
    text = _SYSTEM_FOLDER.sub('"/tmp/"', done + text[at:])
    return _UNPACKED.sub(r"\1 = ", _BOUND_BY_BLOCK.sub(r"\2 = \1;", text))


def _span_of_call(text: str, name: re.Match[str]) -> tuple[int, int]:
    start, end = name.span()
    if text[end : end + 1] == "(":
        return start, find_closing(text, end)
    if text[start - 1 : start] == "(":
        return start - 1, find_closing(text, start - 1)
    further = _FURTHER_TEXTS.match(text, end)
    return start, further.end() if further else end


def fold_temporary_joins(text: str) -> str:
    """Returns the code with a literal text for each temporary path to which a computed one is joined."""
    done, at = "", 0
    for pattern in (_JOINED_IN_CALL, _ADDED_VALUE):
        done, at = "", 0
        for join in pattern.finditer(text):
            opening = max((join.start(group) for group in range(1, len(join.groups()) + 1) if join[group] == "("), default=-1)
            end = find_closing(text, opening) if opening >= 0 else join.end()
            if join.start() >= at and '".."' not in text[join.start() : end]:
                folder = next(group for group in join.groups() if group is not None and group != "(")
                start = opening if join[0].startswith("(") else join.start()
                done, at = f'{done}{text[at:start]}{folder[:-1].rstrip("/")}/{_COMPUTED}"', end
        text = done + text[at:]
    return text


def fold_temporary_interpolations(text: str) -> str:
    """Returns the code with the computed parts of temporary paths marked: `"/tmp/x-#{id}"`."""
    return _IN_TEMPORARY_TEXT.sub(lambda path: _INTERPOLATED.sub(_COMPUTED, path[0]), text)
