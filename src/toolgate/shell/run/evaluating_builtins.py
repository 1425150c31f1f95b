"""Builtins that run or evaluate one of their arguments, from the manuals of bash, dash and zsh.

A row holds a builtin's options in getopts notation, and the use of each option's value and each operand. Builtins that change
the shell have functions in builtins.py; these have no other effect that matters to the gate.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from toolgate.model.effect import Carrier, Opaque
from toolgate.model.word import EMPTY, Word, join_words, known_word, unknown_word
from toolgate.shell.domain.protocol import TICK, CommandEvaluation, Evaluation
from toolgate.shell.domain.state import Shell
from toolgate.shell.domain.values import join_alternatives

from .arithmetic import evaluate_name, evaluate_number, literal_name
from .builtin_context import Builtin, BuiltinContext

OperandUse = Callable[[Word, BuiltinContext, Shell, Carrier], Evaluation]
_UNKNOWN_ARGUMENTS = known_word(" ") + unknown_word("arguments of the shell", splits=True)


def _run_as_command(word: Word, context: BuiltinContext, shell: Shell, via: Carrier) -> Evaluation:
    """Runs a command, to which arguments are added."""
    yield from _run_possible_text(word + _UNKNOWN_ARGUMENTS if word.parts else word, context, shell, via)


def _call_as_function(word: Word, _context: BuiltinContext, shell: Shell, _via: Carrier) -> Evaluation:
    """Calls a function later."""
    yield TICK
    shell.run_later(word + known_word(' "$@"'))


def _run_key_binding(word: Word, context: BuiltinContext, shell: Shell, via: Carrier) -> Evaluation:
    """Runs the command after the colon of `bind -x 'KEY: COMMAND'`."""
    _, colon, command = word.partition(":")
    yield from _run_possible_text(command if colon else word, context, shell, via)


def _run_possible_text(text: Word, context: BuiltinContext, shell: Shell, via: Carrier) -> Evaluation:
    path = shell.copy_as_possible()
    yield from context.run_text(text, path, via)
    path.accept_either_outcome()
    shell.join(path)


def _expand_as_words(word: Word, _context: BuiltinContext, shell: Shell, _via: Carrier) -> Evaluation:
    """Expands a list of words."""
    yield TICK
    shell.expand_later(word)


def _evaluate_as_name(word: Word, _context: BuiltinContext, shell: Shell, _via: Carrier) -> Evaluation:
    """Evaluates the name of a variable, which may be given any value or array."""
    yield TICK
    evaluate_name(word, shell)
    if name := literal_name(word):
        value = unknown_word(f"${name}")
        shell.assign(name, join_alternatives((*shell.get_values(name), value, (unknown_word(f"${name}", splits=True),))))


def _evaluate_as_number(word: Word, _context: BuiltinContext, shell: Shell, _via: Carrier) -> Evaluation:
    yield TICK
    evaluate_number(word, shell)


class BuiltinRow(NamedTuple):
    """`spec`: the options, with a colon after each that takes a value. `values`: the use of an option's value. `operands`: the
    use of each operand; the last applies to the rest, too. `command`: the operand that begins a command. `needs`: the
    option without which no operand is used."""

    spec: str = ""
    values: Mapping[str, OperandUse] = MappingProxyType({})
    operands: tuple[OperandUse | None, ...] = ()
    command: int | None = None
    needs: str = ""


class ParsedOptions(NamedTuple):
    flags: dict[str, Word]
    values: list[tuple[str, Word]]
    operands: tuple[Word, ...]


def read_options(argv: tuple[Word, ...], spec: str) -> ParsedOptions:
    """Returns the options of a builtin, read as getopts does; an operand ends them."""
    parsed, n = ParsedOptions({}, [], ()), 1
    while n < len(argv):
        word = argv[n]
        if word.text == "--":
            n += 1
            break
        if word.head[:1] != "-" or len(word.head) < 2:
            break
        n += 1
        for at, letter in enumerate(word.head[1:], 2):
            if f"{letter}:" not in spec:
                parsed.flags[letter] = word
                continue
            value = word.drop_first(at)
            if not value.parts and n < len(argv):
                value = argv[n]
                n += 1
            parsed.values.append((letter, value))
            break
    return parsed._replace(operands=argv[n:])


def builtin_from_row(row: BuiltinRow) -> Builtin:
    """Returns the builtin that a row describes."""

    def run_row(argv: tuple[Word, ...], context: BuiltinContext, shell: Shell) -> CommandEvaluation:
        yield TICK
        name = argv[0].text or ""
        options = read_options(argv, row.spec)
        for letter, word in options.values:
            if (use := row.values.get(letter)) is not None:
                yield from use(word, context, shell, Carrier(name, f"-{letter}"))
        named = not row.needs or bool(set(row.needs) & options.flags.keys())
        if row.command is not None and named and (words := options.operands[row.command :]):
            yield from _run_possible_text(join_words(words), context, shell, Carrier(name))
        for n, word in enumerate(options.operands if named else ()):
            use = row.operands[min(n, len(row.operands) - 1)] if row.operands else None
            if use is not None:
                yield from use(word, context, shell, Carrier(name))
        return EMPTY if name not in _PRINTING_BUILTINS else unknown_word(name, frozenset({shell.number}))

    return run_row


_PRINTING_BUILTINS: Final = frozenset(("compgen", "fc", "jobs", "history", "bind"))
_COMPLETION_OPTIONS = "o:A:G:W:F:C:X:P:S:"
_COMPLETION_ROW = BuiltinRow(_COMPLETION_OPTIONS, {"W": _expand_as_words, "F": _run_as_command, "C": _run_as_command})

ROWS: Final[dict[str, BuiltinRow]] = {
    # bash
    "compgen": _COMPLETION_ROW,
    "complete": _COMPLETION_ROW,
    "wait": BuiltinRow("p:", {"p": _evaluate_as_name}),
    "bind": BuiltinRow("m:f:q:u:r:x:", {"x": _run_key_binding}),
    # zsh
    "sched": BuiltinRow(command=1),
    "zpty": BuiltinRow(command=1),
    "zstyle": BuiltinRow(command=2, needs="e"),
    "add-zsh-hook": BuiltinRow(operands=(None, _call_as_function)),
    "functions": BuiltinRow(operands=(_call_as_function, None, None, _call_as_function), needs="M"),
    "vared": BuiltinRow("p:r:M:m:t:i:f:", {"i": _run_as_command, "f": _run_as_command}, operands=(_evaluate_as_name,)),
    "getln": BuiltinRow(operands=(_evaluate_as_name,)),
    "strftime": BuiltinRow("s:", {"s": _evaluate_as_name}),
    "zstat": BuiltinRow("A:H:f:F:", {"A": _evaluate_as_name, "H": _evaluate_as_name}),
    "sysread": BuiltinRow("c:i:o:s:t:", {"c": _evaluate_as_name, "t": _evaluate_as_number}, operands=(_evaluate_as_name,)),
    "syswrite": BuiltinRow("c:o:", {"c": _evaluate_as_name}),
    "sysopen": BuiltinRow("u:o:m:", {"u": _evaluate_as_name}),
    "sysseek": BuiltinRow("u:w:", operands=(_evaluate_as_number,)),
    "zselect": BuiltinRow("a:A:t:", {"a": _evaluate_as_name, "A": _evaluate_as_name}),
    "zparseopts": BuiltinRow("a:A:v:", {"a": _evaluate_as_name, "A": _evaluate_as_name, "v": _evaluate_as_name}),
    "pcre_match": BuiltinRow(
        "v:a:A:n:", {"v": _evaluate_as_name, "a": _evaluate_as_name, "A": _evaluate_as_name, "n": _evaluate_as_number}
    ),
}
TABLE: Final[dict[str, Builtin]] = {name: builtin_from_row(row) for name, row in ROWS.items()}


def fc(argv: tuple[Word, ...], context: BuiltinContext, shell: Shell) -> CommandEvaluation:
    """Runs commands of the history: `fc` after editing them, `fc -s` at once; `fc -l` lists them."""
    yield TICK
    options = read_options(argv, "e:")
    if {"l", "p", "P", "A", "I", "R", "W"} & options.flags.keys():
        return unknown_word("fc", frozenset({shell.number}))
    editors = [word for letter, word in options.values if letter == "e"]
    for editor in editors or [word for name in ("FCEDIT", "EDITOR") for word in _words_of_variable(name, context, shell)]:
        if editor.text != "-":
            yield from _run_possible_text(editor + _UNKNOWN_ARGUMENTS, context, shell, Carrier("fc", "-e"))
    yield Opaque("fc runs a command of the history, which is not read", shell.current_origin())
    return EMPTY


def _words_of_variable(name: str, context: BuiltinContext, shell: Shell) -> list[Word]:
    if (assigned_word := context.assigned.get(name)) is not None:
        return [assigned_word]
    values = shell.variables.get(name, ())
    return [value for value in values if isinstance(value, Word)]
