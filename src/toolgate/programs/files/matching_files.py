"""The files that a search prints in place of lines: `grep -rl TODO src`, `rg --files docs`."""

from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Hole, HoleKind, Word, join_words, known_word
from toolgate.programs.argv.options import ParsedOptions
from toolgate.programs.argv.program import RECURSIVE_GLOB

LISTING_OPTIONS = ("--files-with-matches", "--files-without-match")


def list_matching_files(options: ParsedOptions, context: ExecutionContext, is_recursive: bool) -> Word | None:
    """Returns what a search prints that lists files; None if it prints lines. `is_recursive`: its operands may be folders."""
    lists_all = options.has_flag("--files") is True
    if not lists_all and options.has_flag(*LISTING_OPTIONS) is not True:
        return None
    searched = options.operands if lists_all or options.has_flag("--regexp", "--file") is True else options.operands[1:]
    if not searched and not is_recursive:
        return None
    own = context.unknown_output("a search").src
    name = next(
        (f"**/{glob.text}" for glob in options.values_of("--include") if glob.text and "/" not in glob.text), RECURSIVE_GLOB
    )
    beneath = Hole(name, "files that a search finds", kind=HoleKind.SEARCH_RESULT)
    mark = "\0" if options.has_flag("-Z", "--null", "-0") is True else "\n"
    if not searched:
        return Word((beneath,), src=own) + known_word(mark)
    found = [each + Word((*(() if each.tail.endswith("/") else ("/",)), beneath)) if is_recursive else each for each in searched]
    return join_words([each.from_commands(own) for each in found], mark) + known_word(mark)
