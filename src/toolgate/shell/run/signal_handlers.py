"""`trap`: handlers that run at the end of the shell, or at any time."""

from toolgate.model.effect import Carrier
from toolgate.model.word import EMPTY, Word, unknown_word
from toolgate.shell.domain.protocol import TICK, CommandEvaluation, Evaluation
from toolgate.shell.domain.state import Shell
from toolgate.shell.domain.values import ANY_ARGUMENTS, join_alternatives, join_argument_lists, join_folders

from .builtin_context import BuiltinContext, RunText
from .dialect_differences import run_unobserved


def trap(argv: tuple[Word, ...], context: BuiltinContext, shell: Shell) -> CommandEvaluation:
    """Runs a handler later. What it changes of the shell may be so at any time, unless it runs at the end."""
    yield TICK
    operands = [word for word in argv[1:] if word.starts_with("-") is not True]
    if not operands or any(word.text == "-p" for word in argv[1:]):
        return unknown_word("trap", frozenset({shell.number}))
    if len(operands) > 1 and operands[0].text != "":
        at_the_end = all(word.text in ("EXIT", "exit", "0") for word in operands[1:])
        shell.run_later(operands[0], any_time=not at_the_end)
        if not at_the_end:
            yield from accept_changes(operands[0], context.run_text, shell)
    return EMPTY


def accept_changes(handler: Word, run_text: RunText, shell: Shell) -> Evaluation:
    """Joins what a handler changes into the state from here on."""
    changed = shell.copy_as_possible()
    changed.left = []
    yield from run_unobserved(run_text(handler, changed, Carrier("trap")))
    changed.accept_either_outcome()
    for name, values in changed.variables.items():
        if shell.variables.get(name) != values:
            shell.past.assigned[name] = join_alternatives((*shell.past.assigned.get(name, ()), *values))
            shell.assign(name, shell.get_values(name))
    for name, bodies in changed.functions.items():
        if shell.functions.get(name) != bodies:
            possible = (body._replace(sure=False) for body in (*shell.functions.get(name, ()), *bodies))
            shell.functions[name] = tuple(dict.fromkeys(possible))
    if changed.arguments != shell.arguments:
        shell.arguments = join_argument_lists((*shell.arguments, *changed.arguments, ANY_ARGUMENTS))
    if changed.cwd != shell.cwd and not any(word == "exit" for word, _ in changed.left):
        shell.past.moves = join_folders((*shell.past.moves, *(cwd for cwd in changed.cwd if cwd not in shell.cwd)))
        shell.change_directory(shell.cwd)
