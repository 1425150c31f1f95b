"""Builtins that run or evaluate one of their arguments, from the manuals of bash, dash and zsh.

A row holds a builtin's options in getopts notation, and the use of each option's value and each operand. Builtins that change
the shell have functions in builtins.py; these have no other effect that matters to the gate.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from toolgate.model.effect import Opaque
from toolgate.model.word import EMPTY, Word, joined, known, unknown

from .arithmetic import evaluate_name, evaluate_number
from .moment import Builtin, Moment
from .protocol import TICK, Reading, Walking
from .state import Shell

Use = Callable[[Word, Moment, Shell, str], Walking]
_ARGUMENTS = known(" ") + unknown("what the shell gives it", splits=True)


def _as_text(word: Word, moment: Moment, shell: Shell, via: str) -> Walking:
    """Runs a command, to which arguments are added."""
    yield from _run(word + _ARGUMENTS if word.parts else word, moment, shell, via)


def _as_function(word: Word, _moment: Moment, shell: Shell, _via: str) -> Walking:
    """Calls a function later."""
    yield TICK
    shell.run_later(word + known(' "$@"'))


def _as_key(word: Word, moment: Moment, shell: Shell, via: str) -> Walking:
    """Runs the command after the colon of `bind -x 'KEY: COMMAND'`."""
    _, colon, command = word.partition(":")
    yield from _run(command if colon else word, moment, shell, via)


def _run(text: Word, moment: Moment, shell: Shell, via: str) -> Walking:
    path = shell.maybe()
    yield from moment.run_text(text, path, via)
    path.settle()
    shell.join(path)


def _as_words(word: Word, _moment: Moment, shell: Shell, _via: str) -> Walking:
    """Expands a list of words."""
    yield TICK
    shell.expand_later(word)


def _as_name(word: Word, _moment: Moment, shell: Shell, _via: str) -> Walking:
    yield TICK
    evaluate_name(word, shell)


def _as_number(word: Word, _moment: Moment, shell: Shell, _via: str) -> Walking:
    yield TICK
    evaluate_number(word, shell)


class Row(NamedTuple):
    """`spec`: the options, with a colon after each that takes a value. `values`: the use of an option's value. `operands`: the
    use of each operand; the last applies to the rest, too. `command`: the operand that begins a command. `needs`: the
    option without which no operand is used."""

    spec: str = ""
    values: Mapping[str, Use] = MappingProxyType({})
    operands: tuple[Use | None, ...] = ()
    command: int | None = None
    needs: str = ""


class Given(NamedTuple):
    flags: dict[str, Word]
    values: list[tuple[str, Word]]
    operands: tuple[Word, ...]


def read_options(argv: tuple[Word, ...], spec: str) -> Given:
    """Returns the options of a builtin, read as getopts does; an operand ends them."""
    given, n = Given({}, [], ()), 1
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
                given.flags[letter] = word
                continue
            value = word.cut(at)
            if not value.parts and n < len(argv):
                value = argv[n]
                n += 1
            given.values.append((letter, value))
            break
    return given._replace(operands=argv[n:])


def reading(row: Row) -> Builtin:
    """Returns the builtin that a row describes."""

    def read(argv: tuple[Word, ...], moment: Moment, shell: Shell) -> Reading:
        yield TICK
        via = argv[0].text or ""
        given = read_options(argv, row.spec)
        for letter, word in given.values:
            if (use := row.values.get(letter)) is not None:
                yield from use(word, moment, shell, f"{via} -{letter}")
        named = not row.needs or bool(set(row.needs) & given.flags.keys())
        if row.command is not None and named and (words := given.operands[row.command :]):
            yield from _run(joined(words), moment, shell, via)
        for n, word in enumerate(given.operands if named else ()):
            use = row.operands[min(n, len(row.operands) - 1)] if row.operands else None
            if use is not None:
                yield from use(word, moment, shell, via)
        return EMPTY if via not in _PRINT else unknown(via, frozenset({shell.number}))

    return read


_PRINT: Final = frozenset(("compgen", "fc", "jobs", "history", "bind"))
_COMPLETION = "o:A:G:W:F:C:X:P:S:"
_COMPLETES = Row(_COMPLETION, {"W": _as_words, "F": _as_text, "C": _as_text})

ROWS: Final[dict[str, Row]] = {
    # bash
    "compgen": _COMPLETES,
    "complete": _COMPLETES,
    "wait": Row("p:", {"p": _as_name}),
    "bind": Row("m:f:q:u:r:x:", {"x": _as_key}),
    # zsh
    "sched": Row(command=1),
    "zpty": Row(command=1),
    "zstyle": Row(command=2, needs="e"),
    "add-zsh-hook": Row(operands=(None, _as_function)),
    "functions": Row(operands=(_as_function, None, None, _as_function), needs="M"),
    "vared": Row("p:r:M:m:t:i:f:", {"i": _as_text, "f": _as_text}, operands=(_as_name,)),
    "getln": Row(operands=(_as_name,)),
    "strftime": Row("s:", {"s": _as_name}),
    "zstat": Row("A:H:f:F:", {"A": _as_name, "H": _as_name}),
    "sysread": Row("c:i:o:s:t:", {"c": _as_name, "t": _as_number}, operands=(_as_name,)),
    "syswrite": Row("c:o:", {"c": _as_name}),
    "sysopen": Row("u:o:m:", {"u": _as_name}),
    "sysseek": Row("u:w:", operands=(_as_number,)),
    "zselect": Row("a:A:t:", {"a": _as_name, "A": _as_name}),
    "zparseopts": Row("a:A:v:", {"a": _as_name, "A": _as_name, "v": _as_name}),
    "pcre_match": Row("v:a:A:n:", {"v": _as_name, "a": _as_name, "A": _as_name, "n": _as_number}),
}
TABLE: Final[dict[str, Builtin]] = {name: reading(row) for name, row in ROWS.items()}


def fc(argv: tuple[Word, ...], moment: Moment, shell: Shell) -> Reading:
    """Runs commands of the history: `fc` after editing them, `fc -s` at once; `fc -l` lists them."""
    yield TICK
    given = read_options(argv, "e:")
    if {"l", "p", "P", "A", "I", "R", "W"} & given.flags.keys():
        return unknown("fc", frozenset({shell.number}))
    editors = [word for letter, word in given.values if letter == "e"]
    for editor in editors or [word for name in ("FCEDIT", "EDITOR") for word in _words_of(name, moment, shell)]:
        if editor.text != "-":
            yield from _run(editor + _ARGUMENTS, moment, shell, "fc -e")
    yield Opaque("fc runs a command of the history, which is not read", shell.origin())
    return EMPTY


def _words_of(name: str, moment: Moment, shell: Shell) -> list[Word]:
    if (given := moment.assigned.get(name)) is not None:
        return [given]
    values = shell.variables.get(name, ())
    return [value for value in values if isinstance(value, Word)]
