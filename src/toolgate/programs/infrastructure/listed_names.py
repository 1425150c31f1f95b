"""Names that kubectl lists, for those who read them one by one."""

from toolgate.model.word import Hole, HoleKind, Word
from toolgate.programs.argv.options import ParsedOptions


def list_names_of_secrets(options: ParsedOptions, own: Word) -> Word:
    """Returns what `get secrets -o name` prints: `secret/NAME` on each line."""
    kinds = [word.text for word in options.operands[1:]]
    output = options.value_of("--output")
    if kinds not in (["secret"], ["secrets"]) or output is None or output.text != "name":
        return own
    name = Hole("*", "the name of a secret", kind=HoleKind.SEARCH_RESULT)
    return Word(("secret/", name, "\n"), src=own.src)
