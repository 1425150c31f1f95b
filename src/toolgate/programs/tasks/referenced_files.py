"""Code files and Python modules that a program's configuration names: `setupFiles: ["./test/setup.js"]`, `-p own_plugin`."""

import json
import re
from collections.abc import Iterator

from toolgate.model.effect import Interpret
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Unread, known_word, unread_word
from toolgate.programs.tasks.workspaces import parse_manifest

_MOST_NAMED = 256
_TOO_MANY = Unread(f"its configuration names more than {_MOST_NAMED} files")
_NAME = re.compile(r"""(?<![\w./@-])(?:<rootDir>/|\./|\.\./)?[\w.@-]+(?:/[\w.@-]+)*(?![\w/])""")
_CODE_ENDING = re.compile(r"\.(?:[cm]?[jt]sx?|py|rb|php|rake|rs|gradle|kts)$").search
_JAVASCRIPT_ENDINGS = ("", ".js", ".cjs", ".mjs", ".ts", "/index.js", ".rb")


def find_referenced_files(text: str, folder: str, context: ExecutionContext) -> Iterator[str]:
    """Yields the code files that exist and that a word in a configuration names, relative to its folder."""
    count = 0
    for found in dict.fromkeys(_NAME.findall(text)):
        name = found.removeprefix("<rootDir>/").removeprefix("./")
        relative = name != found or found.startswith("../")
        if not relative and not _CODE_ENDING(name):
            continue
        count += 1
        if count > _MOST_NAMED:
            context.report_unknown_code(Interpret("shell", unread_word(folder, _TOO_MANY), context.origin, file=folder))
            return
        for ending in _JAVASCRIPT_ENDINGS if relative and not _CODE_ENDING(name) else ("",):
            path = f"{folder.rstrip('/')}/{name}{ending}"
            if _CODE_ENDING(path) and context.read_alternatives(known_word(path)):
                yield path
                break


def select_section(name: str, text: str) -> tuple[str, str]:
    """Returns the file and the part of its text that `package.json#jest` means; the whole text of any other file."""
    file, _, key = name.partition("#")
    return file, json.dumps(parse_manifest(text).get(key, "")) if key else text
