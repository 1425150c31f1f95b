"""read, mapfile, getopts: builtins that assign input to variables."""

import re
from collections.abc import Generator
from typing import Any

from toolgate.model.effect import Carrier
from toolgate.model.word import EMPTY, Hole, Word, is_search_result, known_word, unknown_named, unknown_word
from toolgate.record_fields import known_lines, split_columns
from toolgate.shell.domain.protocol import TICK, Array, CommandEvaluation, ReadContents, Request
from toolgate.shell.domain.state import Shell
from toolgate.shell.domain.values import collect_sources, first_element, join_alternatives

from .arithmetic import evaluate_name, literal_name
from .builtin_context import BuiltinContext
from .option_parsing import find_next_option, keep_place
from .redirects import INPUT_PREFIX
from .word_splitting import BLANKS, split_fields

_READ_VALUE_OPTIONS = frozenset("pdnNtuia")
_ZSH_READ_OPTIONS = frozenset("kqpz")
_DASH_READ_OPTIONS = frozenset("rp")
_MAPFILE_VALUE_OPTIONS = frozenset("dnOsuCc")


def read(argv: tuple[Word, ...], context: BuiltinContext, shell: Shell) -> CommandEvaluation:
    """Assigns a line of standard input to variables, which are empty at the end of input: `read a b`."""
    yield TICK
    options, operands = _split_options(argv, _READ_VALUE_OPTIONS, shell)
    names = [name for word in operands if (name := _parse_name(literal_name(word)))]
    may_refuse = shell.frame.dialect.may_be_dash and not options.keys() <= _DASH_READ_OPTIONS
    if may_refuse and shell.frame.dialect.is_dash:
        shell.unread = ()
        return EMPTY
    lines = (yield from _read_descriptor(options["u"], shell)) if "u" in options else _read_lines(context, shell, options)
    array = options.get("a")
    separators = _read_separators(context, shell)
    if array is not None and array.text:
        arrays: list[Word | Array] = [
            tuple(_split_line(line, separators, "r" in options)) for line in lines or [unknown_word("a line")]
        ]
        _assign_values(shell, array.text, arrays)
        return EMPTY
    for n, name in enumerate(names or ["REPLY"]):
        values: list[Word | Array] = []
        for line in lines:
            values += _column_values(line, n, len(names), separators, "r" in options)
        _assign_values(shell, name, values or [unknown_word(f"${{{name}}}", context.stdin.src)])
    may_end = may_refuse or (not context.has_own_input and (shell.reads is None or not lines))
    shell.unread = tuple(names or ["REPLY"]) if may_end else ()
    return EMPTY


def _parse_name(text: str) -> str:
    """Returns the name of a variable or element; zsh allows a prompt after it (`read name?text`)."""
    name, element, subscript = text.partition("?")[0].partition("[")
    return name + element + subscript if name.isidentifier() else ""


def _split_options(argv: tuple[Word, ...], taking: frozenset[str], shell: Shell) -> tuple[dict[str, Word], list[Word]]:
    options: dict[str, Word] = {}
    operands: list[Word] = []
    waiting = ""
    for word in argv[1:]:
        evaluate_name(word, shell)
        if waiting:
            options[waiting], waiting = word, ""
        elif not operands and word.starts_with("-") is True and len(word.head) > 1:
            for n, letter in enumerate(word.head[1:], 2):
                options[letter] = word.drop_first(n)
                if letter in taking:
                    waiting = "" if options[letter].parts else letter
                    break
        else:
            operands.append(word)
    return options, operands


def _run_callback(callback: Word, end: str, context: BuiltinContext, shell: Shell) -> Generator[Request, Any, None]:
    """Calls the callback of `mapfile -C f` as `f INDEX LINE` for some of the lines, each with this end."""
    from shlex import quote

    lines = [line for line in context.stdin.split_lines() if line.parts]
    if not lines or len(lines) > _MAX_CALLBACK_LINES or any(line.text is None for line in lines):
        lines = [unknown_word("a line", context.stdin.src)]
    for line in lines:
        quoted = (
            known_word(quote(line.text + end), line.src) if line.text is not None else known_word('"') + line + known_word('"')
        )
        call = callback + known_word(" ") + unknown_word("an index", like="[0-9]*") + known_word(" ") + quoted
        other = shell.copy_as_possible()
        yield from context.run_text(call, other, Carrier("mapfile", "-C"))
        other.accept_either_outcome()
        shell.join(other)


_MAX_CALLBACK_LINES = 8


def _read_lines(context: BuiltinContext, shell: Shell, options: dict[str, Word]) -> list[Word]:
    """Returns the lines that this `read` may get: one, if the number of consumed lines is known."""
    if not {"u", "n", "N", "t"}.isdisjoint(options) or (
        shell.frame.dialect.may_be_zsh and not _ZSH_READ_OPTIONS.isdisjoint(options)
    ):
        return []
    stdin = context.stdin
    end = options["d"].text if "d" in options else "\n"
    if not stdin.parts and context.has_own_input:
        return [EMPTY]
    if not stdin.parts or end is None:
        return []
    lines = list(stdin.split_at(end[:1] or "\0"))
    if not lines[-1].parts:
        lines.pop()
    if any(line.text is None for line in lines) and len(lines) > 1 and not known_lines(stdin):
        return []
    if stdin.text is None:
        shell.reads = shell.reads if context.has_own_input else None  # how many lines the unknown text is, nobody knows
        return lines
    reads = 0 if context.has_own_input else shell.reads
    if not context.has_own_input and shell.reads is not None:
        shell.reads += 1
    if reads is not None:
        return lines[reads : reads + 1] or [known_word("", stdin.src)]
    return lines


def _read_descriptor(descriptor: Word, shell: Shell) -> Generator[Request, Any, list[Word]]:
    """Returns the lines that `read -u 3` may get; none if they are not known."""
    texts: list[Word | None] = []
    for stream in shell.streams.get(INPUT_PREFIX + (descriptor.text or ""), ()):
        held: tuple[Word | None, ...] = (
            (stream.held,) if stream.place is None else (yield ReadContents(stream.place, shell.number))
        )
        texts += held
    lines = [known_lines(text) if text.text is None else text.split_lines() for text in texts if text is not None]
    is_known = None not in texts and all(lines)
    return [line for each in lines for line in each if line.parts] if is_known else []


def _assign_values(shell: Shell, name: str, values: list[Word | Array]) -> None:
    shell.assign(name, join_alternatives(values))


def _read_separators(context: BuiltinContext, shell: Shell) -> str | None:
    separators = context.assigned.get("IFS")
    if separators is not None:
        return separators.text
    values = shell.variables.get("IFS")
    if values is None:
        return BLANKS
    return first_element(values[0]).text if len(values) == 1 else None


def _split_line(line: Word, separators: str | None, raw: bool) -> list[Word]:
    text = line.text
    if text is None or separators is None or (not raw and "\\" in text):
        return [Word((Hole("**", "parts of a line"),), splits=True, src=line.src)]
    return [known_word(field, line.src) for field in _split_text(text, separators)]


def _split_text(text: str, separators: str) -> list[str]:
    fields: list[str] = []
    for field, end in split_fields(text, separators):
        if field or end == "field":
            fields.append(field)
    return fields


def _column_values(line: Word, index: int, count: int, separators: str | None, raw: bool) -> list[Word]:
    """Returns the part of a line that one of several variables gets; the last gets the rest."""
    text = line.text
    if text is None:
        columns = split_columns(line, count) if count > 1 and separators == BLANKS else None
        return (
            _strip_line(line)
            if count < 2
            else [unknown_word("a part of a line", line.src) if columns is None else columns[index]]
        )
    if not count:
        return [line]
    if separators is None:
        return [line, unknown_word("a part of a line", line.src)]
    if not raw and "\\" in text:
        plain = known_word(re.sub(r"\\\\(.)", r"\\1", text), line.src)
        return [*_column_values(plain, index, count, separators, True), unknown_word("a part of a line", line.src)]
    return [known_word(_column_text(text, index, count, separators), line.src)]


def _strip_line(line: Word) -> list[Word]:
    """Returns a partly unknown line as `read` strips it. Where its last part may be empty, the blanks before that go, too."""
    lines = [Word(line.parts, splits=False, src=line.src)]
    if len(line.parts) > 1 and isinstance(line.parts[-1], Hole) and str(line.parts[-2])[-1:] in BLANKS:
        lines.append(Word((*line.parts[:-2], str(line.parts[-2]).rstrip(BLANKS)), splits=False, src=line.src))
    return lines


def _column_text(text: str, index: int, count: int, separators: str) -> str:
    """Returns the field as `read` splits it: blanks of IFS around a field are dropped, and the last field keeps the separators
    within it."""
    blanks = "".join(char for char in separators if char in BLANKS)
    others = "".join(char for char in separators if char not in BLANKS)
    rest = text.strip(blanks) if blanks else text
    for n in range(count):
        if n == count - 1:
            if others and len(_split_text(rest, separators)) == 1 and rest[-1:] in others:
                rest = rest[:-1]
            return rest if n == index else ""
        end = next((at for at, char in enumerate(rest) if char in separators), len(rest))
        field, rest = rest[:end], rest[end:]
        rest = rest.lstrip(blanks)
        if rest[:1] and rest[0] in others:
            rest = rest[1:].lstrip(blanks)
        if n == index:
            return field
    return ""


def mapfile(argv: tuple[Word, ...], context: BuiltinContext, shell: Shell) -> CommandEvaluation:
    """Assigns every line to an element: `mapfile -t a`, `readarray a`."""
    yield TICK
    options, operands = _split_options(argv, _MAPFILE_VALUE_OPTIONS, shell)
    name = next((word.text for word in operands if word.text), "MAPFILE")
    text = context.stdin.text
    unknown: Array = (unknown_named(f"${name}", context.stdin.src, splits=True),)
    array = unknown
    if "C" in options:  # it starts empty and grows while the callback is called
        shell.assign(name, ((), unknown))
        yield from _run_callback(options["C"], "" if "t" in options else "\n", context, shell)
    if text is not None and {"d", "n", "O", "s", "u"}.isdisjoint(options) and (context.has_own_input or context.stdin.parts):
        lines = text.splitlines(keepends=True) if "\r" not in text else [line + "\n" for line in text.split("\n")]
        array = tuple(known_word(line.removesuffix("\n") if "t" in options else line, context.stdin.src) for line in lines)
    elif text is None and (lines_ := [line for line in context.stdin.split_lines() if line.parts]):
        found = [line for line in known_lines(context.stdin) if any(map(is_search_result, line.parts))]
        if found:  # any number of files
            array = tuple(Word(line.parts, line.text is None, line.src) for line in found)
        else:
            array = (*lines_, *array) if len(lines_) > 1 else (lines_[0].text is None and array) or tuple(lines_)
    shell.assign(name, (array, unknown) if "C" in options else (array,))  # a callback may assign to it
    shell.attributes.pop(name, None)
    return EMPTY


def getopts(argv: tuple[Word, ...], _context: BuiltinContext, shell: Shell) -> CommandEvaluation:
    """Assigns an option of the arguments and its value: `getopts SPEC name`."""
    yield TICK
    for name in argv[2:3]:
        evaluate_name(name, shell)
    if len(argv) == 3 and argv[2].text and (option := find_next_option(argv[1], shell)) is not None:
        keep_place(option, shell)
        shell.assign(argv[2].text, (known_word(option.letter or "?"),))
        if option.value is not None:
            shell.assign("OPTARG", (option.value,))
        return EMPTY
    values = tuple(dict.fromkeys(word for arguments in shell.arguments for word in arguments[1:]))
    if len(argv) > 2 and argv[2].text:
        shell.assign(argv[2].text, (unknown_named(f"${argv[2].text}", like="?"),))
    shell.assign("OPTARG", join_alternatives((*values, unknown_named("$OPTARG", collect_sources(values)))))
    shell.assign("OPTIND", (unknown_named("$OPTIND", like="[0-9]*"),))
    return EMPTY
