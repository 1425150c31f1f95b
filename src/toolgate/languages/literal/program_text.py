"""The code of a program that a command starts, as that command runs it: with the files that it includes and its arguments written
out, and without the branches that these rule out."""

import re
from collections.abc import Iterator

from toolgate.languages import word_from_text
from toolgate.model.effect import Interpret
from toolgate.model.execution_context import ExecutionContext

from .argument_values import write_arguments
from .assigned_texts import substitute_constants
from .called_functions import write_literal_calls
from .calls import PROGRAM_LANGUAGES
from .decided_branches import decide_branches
from .declared_options import find_first_word, find_switches, write_variables
from .read_documents import write_read_documents
from .read_files import fold_read_texts, reads_files, write_read_files
from .settings_files import expand_home, write_settings
from .texts import TEXT, write_out

_LONGEST = 40_000
_ROUNDS = 3
_SOURCED = re.compile(
    rf"(?<![\w.])(?:base::)?(?:sys\.)?source\s*\(\s*(?:file\s*=\s*)?(?:here::here\(\s*)?({TEXT}|'[^'\n]*')[^()\n]*\)+"
)
_LISTED = re.compile(
    rf"(?<![\w.])(\w+)\s*(?:<-|=)\s*((?:list\.files|list\.dirs|dir|fs::dir_ls|Sys\.glob)\(\s*(?:path\s*=\s*)?{TEXT}[^()\n]*\))"
)


def write_program(text: str, code: Interpret, context: ExecutionContext) -> str:
    """Returns the code of a program as it runs. Code that no command starts, or that is too long, is returned unchanged."""
    if code.language not in PROGRAM_LANGUAGES or not code.is_program or len(text) > _LONGEST:
        return text
    switches = find_switches(text, code)
    command = find_first_word(code)
    text = write_variables(write_arguments(text, code), context)
    for _ in range(_ROUNDS):
        before = text
        text = expand_home(substitute_constants(text, code.language, context.home))
        text = write_read(text, code, context)
        text = write_literal_calls(decide_branches(text, switches, command))
        if text == before or len(text) > 2 * _LONGEST:
            break
    return _write_listings(text) if code.language == "r" else text


def write_read(text: str, code: Interpret, context: ExecutionContext) -> str:
    """Returns the code with what it reads from files written out: their text, their lines, and the settings of documents."""
    folder = code.file.rpartition("/")[0]
    if code.language in ("jvm", "gradle"):
        text = write_settings(text, context)
    if not reads_files(text):
        return text
    return fold_read_texts(write_read_files(write_read_documents(text, code.language, context), folder, context))


def include_sources(text: str, context: ExecutionContext) -> str:
    """Returns R's code with the files that it sources in their places."""

    def read_source(match: re.Match[str]) -> str:
        return next(_read_sources(match[1][1:-1], context), match[0])

    return _SOURCED.sub(read_source, text) if "source" in text else text


def _read_sources(path: str, context: ExecutionContext) -> Iterator[str]:
    for content in context.read_followed_code(word_from_text(path)):
        if content.text is not None and len(content.text) <= _LONGEST:
            yield f"\n{content.text}\n"


def _write_listings(text: str) -> str:
    """Returns R's code with the listings of folders in place of the names that hold them."""
    listings = {
        name: listing
        for name, listing in _LISTED.findall(text)
        if len(re.findall(rf"(?<![\w.]){name}\s*(?:<-|=)(?!=)", text)) == 1
    }
    return write_out(listings, text) if listings else text
