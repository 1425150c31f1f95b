"""The current folder and the folder above a path, written out where code asks for them: `Path.of(".").getParent()` is `".."`."""

import posixpath
import re

from .texts import TEXT

_CURRENT = re.compile(
    r"\bSystem\.getProperty\([\"']user\.dir[\"']\)|\bsys\.props\([\"']user\.dir[\"']\)|(?:\bos\.)?\bgetCurrentDir\(\)|\bgetcwd\(\)"
    r"|\b(?:std::)?(?:env::)?current_dir\(\)|\bDirectory\.GetCurrentDirectory\(\)|\bEnvironment\.CurrentDirectory\b"
    r"|\bFileManager\.default\.currentDirectoryPath\b|\bDirectory\.current\b(?:\.path\b)?|\bFile\.cwd!?\(\)|(?<![\w.])getwd\(\)"
    r"|(?<![\w.])pwd\(\)|\bos\.(?:getwd|Getwd)\(\)|\bgetCurrentDirectory\b|\bos\.pwd\b|\b(?:std\.fs\.)?cwd\(\)(?!\.)|\bSys\.getcwd\s*\(\)"
)
_ASKS = re.compile(r"user\.dir|(?i:cwd|current_?dir|getwd|pwd|parent|dirname|DirectoryName|deletingLast)|Directory\.current")
"""Code without these asks for none of it."""
_PARENT = re.compile(
    rf"({TEXT})\s*(?:\.(?:getParent(?:File)?\(\)|parent(?:File|Dir)?\b(?:\(\))?!?|dirName\b(?:\(\))?|deletingLastPathComponent\(\)|up\b)"
    r"(?:\.(?:unwrap|expect)\([^()]*\)|\.(?:FullName|absolutePath|path)\b(?!\s*\())?)"
    rf"|\b(?:Path\.dirname|Filename\.dirname|Path\.GetDirectoryName|Directory\.GetParent|takeDirectory|parentDir|dirname|dirName|os\.dir|fs::path_dir)"
    rf"(?:\s*\(\s*|\s+)({TEXT})\s*\)?(?:\.FullName\b)?!?"
)


def write_current_folders(text: str) -> str:
    """Returns the code with a literal text for each call that returns the current folder."""
    return text if _ASKS.search(text) is None else _CURRENT.sub('"."', text)


def fold_parents(text: str) -> str:
    """Returns the code with a literal text for the folder above each literal path."""
    return text if _ASKS.search(text) is None else _PARENT.sub(_write_parent, text)


def _write_parent(match: re.Match[str]) -> str:
    path = (match[1] or match[2])[1:-1]
    if not path or any(mark in path for mark in "*?[\\${"):
        return match[0]
    is_above = posixpath.basename(path) in (".", "..")
    return f'"{posixpath.normpath(path + "/..")}"' if is_above or "/" in path.strip("/") or path.startswith("/") else match[0]
