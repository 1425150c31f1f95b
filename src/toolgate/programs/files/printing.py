"""echo and printf: their output, as far as their words are known."""

import re
from collections.abc import Iterator

from toolgate.model.effect import Operation, PrintedOutput, ReportedEffect
from toolgate.model.escapes import BASH_ECHO, PRINTF_ARGUMENT, PRINTF_FORMAT, decode_escapes
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import EMPTY, Hole, Word, encoded_word, is_search_result, join_words, known_word, unknown_word
from toolgate.programs.argv.program import Program

_ESCAPED_LETTER = re.compile(
    r"\\(?:x(?:4[1-9a-fA-F]|5[0-9aA]|6[1-9a-fA-F]|7[0-9aA])|u00(?:4[1-9a-fA-F]|5[0-9aA]|6[1-9a-fA-F]|7[0-9aA])|0?1[0-7][0-7])"
)
"""Letters written as numbers."""


def _has_escaped_letters(words: list[Word]) -> bool:
    return any(isinstance(part, str) and _ESCAPED_LETTER.search(part) for word in words for part in word.parts)


def echo(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    words, end, escapes = list(argv[1:]), "\n", False
    while words and (text := words[0].text) is not None and text[:1] == "-" and len(text) > 1 and set(text[1:]) <= set("neE"):
        end = "" if "n" in text else end
        escapes = escapes or "e" in text
        words.pop(0)
    printed = _join_with_blanks(words)
    if escapes and _has_escaped_letters(words):
        yield Operation("text.decode", context.origin)
        printed = printed.from_commands(context.unknown_output("echo").src)
    if escapes and any(isinstance(part, str) and "\\" in part for part in printed.parts):
        printed = Word(
            tuple(decode_escapes(part, BASH_ECHO) if isinstance(part, str) else part for part in printed.parts), src=printed.src
        )
    yield PrintedOutput(printed + known_word(end))


def _join_with_blanks(words: list[Word]) -> Word:
    """Joins words with blanks; one that may be no word at all brings its own blank."""
    result, bare = EMPTY, True
    for word in words:
        nothing_known = word.splits and all(isinstance(part, Hole) and not part.like.strip("*") for part in word.parts)
        result = result + known_word("" if bare or nothing_known else " ") + word
        bare = nothing_known
    return result


def printf(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Formats of `%s`, `%d`, `%q`, `%b` and plain text are computed; the format is reused while arguments remain."""
    words = list(argv[1:])
    if words and words[0].text == "--":
        words.pop(0)
    if not words:
        return
    text = words[0].text
    pieces = None if text is None else _format_pieces(text)
    sources = context.unknown_output("printf").src.union(*(word.src for word in words))
    hides = _has_escaped_letters(words)
    if hides:
        yield Operation("text.decode", context.origin)
    if pieces is None:
        yield PrintedOutput(unknown_word("printf", sources))
        return
    if len(pieces) == 2 and pieces[0] == ("", "s") and _are_found_paths(words[1:]):
        end = known_word(pieces[1][0])
        yield PrintedOutput(join_words((word.as_single_word() + end for word in words[1:]), ""))
        return
    rest, printed = words[1:], EMPTY
    takes = any(conversion for _, conversion in pieces)
    for round_ in range(64):
        for plain, conversion in pieces:
            printed = printed + known_word(plain)
            if conversion and rest and rest[0].splits:  # it may be no word, or several
                yield PrintedOutput(printed + encoded_word("printf", join_words(rest), sources))
                return
            if conversion:
                printed = printed + _convert_argument(conversion, rest.pop(0) if rest else EMPTY)
        if not rest or not takes:
            break
        if round_ == 63:
            printed = unknown_word("printf", sources)
    yield PrintedOutput(printed.from_commands(sources) if hides else printed)


def _are_found_paths(words: list[Word]) -> bool:
    """Returns whether each word is known, or stands for the paths that a search has found. What is printed of these, a line each,
    is what the search prints."""
    return any(word.splits for word in words) and all(
        word.text is not None or all(isinstance(part, str) or is_search_result(part) for part in word.parts) for word in words
    )


def _convert_argument(conversion: str, word: Word) -> Word:
    text = word.text
    if conversion == "s" or text is None:
        return word
    if conversion == "b":
        return known_word(decode_escapes(text, PRINTF_ARGUMENT), word.src)
    if conversion == "q":
        return word if text.isalnum() else Word((Hole("**", "%q", called=word.display_text),), src=word.src)
    return (
        word
        if text.lstrip("-").isdigit() and not text.lstrip("-").startswith("0")
        else Word((Hole("*", "%d", called=word.display_text),), src=word.src)
    )


def _format_pieces(text: str) -> list[tuple[str, str]] | None:
    """Returns the format as pieces of text, each with the conversion after it; None for formats that are not computed here."""
    pieces: list[tuple[str, str]] = []
    plain, *bits = text.split("%")
    plain, n = decode_escapes(plain, PRINTF_FORMAT), 0
    while n < len(bits):
        bit = bits[n]
        if bit == "" and n + 1 < len(bits):  # %%
            plain += "%" + decode_escapes(bits[n + 1], PRINTF_FORMAT)
            n += 2
            continue
        if bit[:1] not in ("s", "q", "b", "d", "i"):
            return None
        pieces.append((plain, bit[0]))
        plain, n = decode_escapes(bit[1:], PRINTF_FORMAT), n + 1
    return [*pieces, (plain, "")]


ROWS: dict[str, Program] = {
    "echo": Program(does=echo),
    "printf": Program(does=printf),
}
