"""`trap`: handlers that run at the end of the shell, or at any time."""

from toolgate.model.effect import Carrier
from toolgate.model.word import EMPTY, Word, unknown_named, unknown_word
from toolgate.shell.domain.deferred_code import HandlerState, build_expansion_command
from toolgate.shell.domain.protocol import TICK, CommandEvaluation, Evaluation
from toolgate.shell.domain.state import Shell
from toolgate.shell.domain.values import ANY_ARGUMENTS, join_alternatives, join_argument_lists, join_folders, unset_value

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
    changed, later = shell.copy_as_possible(), _copy_with_unknown_values(shell)
    unchanged = dict(later.variables)
    yield from _run_for_changes(handler, run_text, changed)
    yield from _run_for_changes(handler, run_text, later)  # it may run after any other assignment
    for name, values in later.variables.items():
        if unchanged.get(name) != values or shell.variables.get(name) != changed.variables.get(name):
            assigned = (*changed.get_values(name), *(value for value in values if value != unset_value(name)))
            shell.past.assigned[name] = join_alternatives((*shell.past.assigned.get(name, ()), *assigned))
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


def _run_for_changes(handler: Word, run_text: RunText, shell: Shell) -> Evaluation:
    shell.left = []
    yield from run_unobserved(run_text(handler, shell, Carrier("trap")))
    shell.accept_either_outcome()


def _copy_with_unknown_values(shell: Shell) -> Shell:
    """Returns a copy in which every variable may have been assigned again."""
    other = shell.copy_as_possible()
    other.past = HandlerState()
    for name, values in shell.variables.items():
        if name.isidentifier():
            is_array = any(isinstance(value, tuple) for value in values)
            other.variables[name] = ((unknown_named(f"${name}", splits=True),) if is_array else unset_value(name),)
    return other


def accept_trace_prompts(run_text: RunText, shell: Shell) -> Evaluation:
    """Joins what expanding the prompts of a trace assigns into the state from here on."""
    prompts, shell.past.prompts = shell.past.prompts, []
    for prompt in prompts:
        yield from accept_changes(build_expansion_command(prompt), run_text, shell)
