"""awk: programs on the command line and in files, and what they read and change in place."""

import re
from collections.abc import Iterator

from toolgate.model.effect import Carrier, Interpret, PrintedOutput, Read, ReportedEffect, Write
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, join_words, known_word, maybe_any, unknown_word
from toolgate.programs.argv.options import Flags, ParsedOptions
from toolgate.programs.argv.program import Program
from toolgate.programs.interpreters.script_interpreters import run_script_file
from toolgate.record_fields import join_known_lines, known_lines, pass_lines, select_fields, select_last_field

from .awk_selections import select_records


def awk(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = AWK.parse(argv, stop=True)
    if options.has_flag("--help", "--version") is True:
        return
    operands = list(argv[options.rest :])
    in_place = maybe_any(word.is_any_of("inplace") for word in options.values_of("--include"))
    sources = context.unknown_output("").src
    texts = list(options.values_of("--source"))
    files = list(options.values_of("--file"))
    for word in options.values_of("-W"):  # mawk's long options
        if word.text == "exec" and operands:
            files.append(operands.pop(0))
    if not files and not texts and operands:
        texts.append(operands.pop(0))
    files += [word for word in options.values_of("--include") if word.is_any_of("inplace") is not True]
    variables = [known_word("FS=") + _field_separator(word) for word in options.values_of("--field-separator")]
    unassigned = [
        known_word(f"{word.assigned_name}=") for word in operands if word.assigned_name
    ]  # until the files before it are read
    args = (*variables, *options.values_of("--assign"), *unassigned, *operands)
    files = [known_word("/dev/stdin") if file.text == "-" else file for file in files]
    for file in files:
        yield from run_script_file("awk", file, args, context)
    if (printed := _print_selected(texts, options, operands, context)) is not None:
        yield from (Read(context.resolve_place(file), context.origin) for file in operands)
        yield PrintedOutput(printed.from_commands(sources))
        return
    for text in texts:
        yield Interpret("awk", text, context.origin, args, via=Carrier("awk"))
    if len(files) + len(texts) > 1:
        program_text = _join_sources(files, texts, context)
        yield Interpret(
            "awk", program_text, context.origin, args, via=Carrier("awk"), file="" if texts else files[0].display_text
        )
    for file in operands:
        if file.assigned_name or file.text == "-":
            continue
        yield Read(context.resolve_place(file), context.origin)
        sources |= context.read(file).src
        if in_place is not False:
            yield Write(context.resolve_place(file), unknown_word("awk -i inplace", sources), False, context.origin)


def _print_selected(texts: list[Word], options: ParsedOptions, operands: list[Word], context: ExecutionContext) -> Word | None:
    """Returns what a program prints that only selects lines and fields of a known text, or of the lines of a search."""
    if len(texts) != 1 or options.has_flag("--file", "--include", "-W") is not False:
        return None
    text = texts[0]
    if not operands and (printed := _print_field(text, options, context)) is not None:
        return printed
    separator = options.value_of("--field-separator")
    pairs = [value.text.partition("=") for value in options.values_of("--assign") if value.text is not None]
    is_plain = options.flags <= {"--field-separator", "--assign"} and not options.open and not options.strange
    if not is_plain or len(operands) > 1 or any(file.assigned_name or file.text == "-" for file in operands):
        return None
    content = context.read(operands[0]) if operands else context.stdin
    if text.text is None or content.text is None or (separator is not None and separator.text is None):
        return None
    if len(pairs) != sum(1 for _ in options.values_of("--assign")):
        return None
    mark = None if separator is None else _field_separator(separator).text
    found = select_records(text.text, content.text, mark, {name: value for name, _, value in pairs})
    return None if found is None else known_word(found, content.src)


_PRINTS_FIELD = re.compile(
    r"\s*(?P<test>[^{}|;<>`]*?(?:[<>]=?[^{}|;<>`]*)?)\s*(?:\{\s*print(?:\s+\$(?P<field>\d+|NF))?\s*;?\s*\})?\s*"
).fullmatch
"""Matches a program that prints a field of the lines for which a test holds."""
_HAS_EFFECTS = re.compile(r"\b(?:getline|system|BEGIN|END|close|printf?)\b").search


def _print_field(text: Word, options: ParsedOptions, context: ExecutionContext) -> Word | None:
    """Returns what `NR > 3 {print $2}` prints of the lines of a search; None for other programs and other input."""
    found = _PRINTS_FIELD(text.text or "")
    separator = options.value_of("--field-separator")
    if found is None or (separator is not None and separator.text is None) or _HAS_EFFECTS(found["test"]):
        return None
    field, mark = found["field"] or "0", None if separator is None else _field_separator(separator).text
    if found["test"] and context.stdin.text is not None:
        return None  # which lines of a known text pass is another question
    if field == "0":
        return pass_lines(context.stdin)
    lines = known_lines(context.stdin)
    fields = [select_last_field(line, mark) if field == "NF" else select_fields(line, field, mark) for line in lines]
    return join_known_lines(fields)


def _join_sources(files: list[Word], texts: list[Word], context: ExecutionContext) -> Word:
    """Returns the one program that several files and texts make, as far as they are known."""
    found = [*(context.stdin if file.text == "/dev/stdin" else context.read(file) for file in files), *texts]
    return join_words((each for each in found if each.text is not None), "\n")


def _field_separator(word: Word) -> Word:
    return known_word("\t") if word.text == "t" else word


AWK = Flags(
    "-F,--field-separator= -v,--assign= -f,--file=read -E,--exec=read -e,--source= -i,--include= -l,--load= -W= -b,--characters-as-bytes"
    " -c,--traditional -C,--copyright -d,--dump-variables=? -D,--debug=? -h,--help -L,--lint=? -M,--bignum -n,--non-decimal-data"
    " -N,--use-lc-numeric -o,--pretty-print=? -O,--optimize -p,--profile=? -P,--posix -r,--re-interval -s,--no-optimize -S,--sandbox"
    " -t,--lint-old -I,--trace -V,--version"
)


ROWS: dict[str, Program] = dict.fromkeys(("awk", "gawk", "mawk", "nawk"), Program(does=awk))
