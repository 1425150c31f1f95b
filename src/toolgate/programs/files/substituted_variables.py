"""envsubst: a text with the values of variables in it."""

import re
from collections.abc import Iterator

from toolgate.model.effect import PrintedOutput, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word, variable_word
from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.program import INFORMATION_OPTIONS, Program

_FLAGS = Flags("-v,--variables -h,--help -V,--version")
_VARIABLE = re.compile(r"\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})", re.ASCII)


def envsubst(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`envsubst ['$A $B'] < FILE`: the variables that the argument names, or all."""
    options = _FLAGS.parse(argv)
    if options.has_flag(*INFORMATION_OPTIONS) is True:
        return
    source, own = context.stdin, context.unknown_output("envsubst")
    shown = options.operands[0].text if options.operands else ""
    if shown is None or options.has_flag("--variables") is not False:
        yield PrintedOutput(own)
        return
    names = {found[1] or found[2] for found in _VARIABLE.finditer(shown)} if options.operands else None
    made = known_word("")
    for part in source.parts:
        made = made + (_substitute(part, names, context) if isinstance(part, str) else Word((part,)))
    yield PrintedOutput(made.from_commands(source.src | own.src))


def _substitute(text: str, names: set[str] | None, context: ExecutionContext) -> Word:
    made, at = known_word(""), 0
    for found in _VARIABLE.finditer(text):
        name = found[1] or found[2]
        if names is not None and name not in names:
            continue
        value = context.get_variable(name)
        made = made + known_word(text[at : found.start()]) + (variable_word(name) if value is None else value)
        at = found.end()
    return made + known_word(text[at:])


ROWS: dict[str, Program] = {"envsubst": Program(does=envsubst)}
