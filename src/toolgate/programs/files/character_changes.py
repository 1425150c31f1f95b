"""tr: what it makes of a known text, and of the lines of a search."""

from collections.abc import Iterator

from toolgate.model.effect import Operation, PrintedOutput, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, encoded_word, join_words, known_word
from toolgate.programs.argv.options import Flags
from toolgate.record_fields import known_lines, pass_lines


def tr(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """tr on known text: ranges and classes are spelled out, so that `tr a-z n-za-m` hides nothing."""
    options = Flags("-c,-C,--complement -d,--delete -s,--squeeze-repeats -t,--truncate-set1 --help --version").parse(argv)
    text, sets = context.stdin.text, [word.text for word in options.operands]
    sources = context.stdin.src | context.unknown_output("").src
    first = spell_out(sets[0]) if sets and sets[0] is not None else None
    if first is not None and options.has_flag("--delete") is not True and _is_cipher(first, spell_out(sets[-1] or "")):
        yield Operation("text.decode", context.origin)
    if (words := _split_words(context.stdin, sets)) is not None:
        yield PrintedOutput(words.from_commands(sources))
        return
    end = _LINE_ENDS.get(sets[1] or "") if first == "\n" and len(sets) == 2 else None
    if end is not None and (lines := pass_lines(context.stdin, end)) is not None:
        yield PrintedOutput(lines.from_commands(sources))
    elif text is None or first is None or options.has_flag("-C", "--complement") is True or (len(sets) > 1 and sets[1] is None):
        yield PrintedOutput(encoded_word("$(tr)", context.stdin, sources))
    elif options.has_flag("--delete") is True:
        yield PrintedOutput(known_word("".join(char for char in text if char not in first), sources))
    else:
        second = spell_out(sets[1] or "") if len(sets) > 1 else first
        second += second[-1:] * (len(first) - len(second))
        yield PrintedOutput(known_word(text.translate({ord(a): b for a, b in zip(first, second, strict=False)}), sources))


def _split_words(text: Word, sets: list[str | None]) -> Word | None:
    """Returns the words of a line of paths as lines of their own: `echo *.bak | tr ' ' '\\n'`."""
    lines = known_lines(text) if text.text is None and sets == [" ", "\\n"] else []
    return join_words([word for line in lines for word in line.split_at(" ")], "\n") + known_word("\n") if lines else None


_LINE_ENDS = {"\\0": "\0", "\\000": "\0", " ": " "}
"""What `tr` makes of the ends of lines, for `xargs -0` or a command line."""


def _is_cipher(first: str, second: str) -> bool:
    """Returns whether a letter becomes another letter; a change of case is none."""
    return any(a.isalpha() and b.isalpha() and a.lower() != b.lower() for a, b in zip(first, second, strict=False))


_CHARACTER_CLASSES = {
    "[:lower:]": "a-z",
    "[:upper:]": "A-Z",
    "[:digit:]": "0-9",
    "[:alpha:]": "A-Za-z",
    "[:alnum:]": "0-9A-Za-z",
    "[:space:]": " \t\n",
}


def spell_out(text: str) -> str:
    """Returns a set with its ranges and classes spelled out: `a-c` is `abc`."""
    for name, characters in _CHARACTER_CLASSES.items():
        text = text.replace(name, characters)
    text = text.replace("\\n", "\n").replace("\\t", "\t")
    result, at = "", 0
    while at < len(text):
        if text[at + 1 : at + 2] == "-" and at + 2 < len(text) and ord(text[at]) <= ord(text[at + 2]):
            result += "".join(map(chr, range(ord(text[at]), ord(text[at + 2]) + 1)))
            at += 3
        else:
            result += text[at]
            at += 1
    return result
