"""Functions and aliases: their bodies are evaluated where they are called."""

import re
from typing import Any, NamedTuple

from toolgate.model.effect import Operation
from toolgate.model.errors import LimitError
from toolgate.model.word import EMPTY, Word
from toolgate.shell.domain.protocol import MAX_DEPTH, Body, Evaluation, ShadowedVariable, Values
from toolgate.shell.domain.state import Call, Shell
from toolgate.shell.domain.values import ANY_ARGUMENTS, first_element, join_alternatives, join_argument_lists
from toolgate.shell.syntax import dash_builtins
from toolgate.shell.syntax.tree import Function, Group, Program, Simple

from .builtin_context import Walk
from .command_outcomes import FUNCTION_EXITS
from .dialect_differences import frame_of_body
from .redirects import Outputs
from .variables import KEEP_EXPORTED


class PreparedCommand(NamedTuple):
    """A command with its words expanded. `stdin`: its own standard input, if any. `sole`: it has only one reading. `assigned`:
    the variables before it, as one word each; `values`: all possible values of each."""

    argv: tuple[Word, ...]
    assigned: dict[str, Word]
    values: dict[str, Values]
    stdin: Word | None
    node: Simple
    outputs: Outputs
    sole: bool = True


def import_from_environment(shell: Shell) -> None:
    """Imports what bash reads from its environment: functions, as `BASH_FUNC_name%%=() { ...; }`, prompts, which it
    expands, and the command that an interactive shell runs before each prompt."""
    for prompt in ("PS0", "PS1", "PS2"):
        for value in shell.variables.get(prompt, ()):
            shell.expand_later(first_element(value))
    shell.expand_trace_prompt(shell.variables.get("PS4", ()))
    for command in shell.variables.get("PROMPT_COMMAND", ()):
        shell.run_later(first_element(command))
    for variable, values in list(shell.variables.items()):
        match = _EXPORTED_FUNCTION(variable)
        for value in values if match is not None else ():
            text = first_element(value).text
            if match is None:
                continue
            if text is None:
                shell.run_later(first_element(value))
                continue
            for node in shell.frame.dialect.parse(f"{match[1]} {text}").body.items:
                if isinstance(node, Function):
                    shell.functions[node.name] = (
                        *shell.functions.get(node.name, ()),
                        Body(node.body, False, shell.frame.dialect),
                    )
                else:  # old shells ran text after the body
                    shell.functions[match[1]] = (*shell.functions.get(match[1], ()), Body(node, False, shell.frame.dialect))


def make_body(node: Function, shell: Shell) -> Body:
    """Returns the body of a function that is defined here."""
    return Body(node.body, True, shell.frame.dialect, source=(*shell.sources, EMPTY)[0])


def doubt_functions(shell: Shell) -> None:
    """Makes every function one that may not be defined."""
    shell.functions = {name: tuple(body._replace(sure=False) for body in bodies) for name, bodies in shell.functions.items()}


_EXPORTED_FUNCTION = re.compile(r"BASH_FUNC_(.+)(?:%%|\(\))", re.DOTALL).fullmatch
_MAX_RECURSION = 2


def call_function(body: Body, prepared: PreparedCommand, shell: Shell, walk: Walk) -> Evaluation:
    """Calls a function. Recursion is followed until the arguments are unknown: further calls add nothing new."""
    argv = prepared.argv
    if body.arguments_variable:
        yield from _run_alias(body, prepared, shell, walk)
        shell.ended = False  # not every shell expands aliases
        return
    earlier = [call for call in shell.calls if call.body is body.node]
    if earlier and any(call.body is body.node for call in shell.apart):
        yield Operation("process.replicate", shell.current_origin(), target=argv[0])
        return
    if len(earlier) > _MAX_RECURSION:
        return
    if len(earlier) == _MAX_RECURSION:
        argv = (argv[0], *ANY_ARGUMENTS[1:])
        shell.widen_changes(earlier[0].variables, earlier[0].cwd)
    if shell.depth >= MAX_DEPTH:
        raise LimitError("functions call each other deeper than the gate follows")
    exported = set(shell.exported)
    call = Call(body.node, dict(shell.variables), shell.cwd)
    arguments = tuple(dict.fromkeys((zero[0], *argv[1:]) for zero in shell.arguments))
    locals_: dict[str, ShadowedVariable] = {}
    own: dict[str, Any] = {
        "calls": (*shell.calls, call),
        "arguments": arguments,
        "locals": locals_,
        "left": [],
        "ways_out": FUNCTION_EXITS,
        "sources": (body.source, *shell.sources) if body.source.parts else shell.sources,
    }
    with shell.enter_context(**own, **shell.own_input(prepared.stdin)):
        for variable, value in prepared.assigned.items():
            shell.shadow_variable(variable)
            locals_[variable] = locals_[variable]._replace(by_assignment=True)
            shell.assign(variable, (value,))
            shell.exported[variable] = True
        with shell.enter_context(depth=shell.depth + 1, frame=frame_of_body(body, shell.frame)):
            yield from walk(body.node, shell)
        shell.ended = shell.ended and isinstance(body.node, Group)
        left = shell.left
        if shell.past.handlers:  # which may run before the call has returned
            shell.past.arguments = join_argument_lists((*shell.past.arguments, *shell.arguments))
        _restore_after_call(prepared, shell)
        shell.exported.update(dict.fromkeys(prepared.assigned.keys() - exported, False))  # removed again, except by old shells
    _join_returns(left, shell)
    if len(earlier) == _MAX_RECURSION:  # as would the calls that are not followed
        shell.widen_changes(call.variables, call.cwd)


def _restore_after_call(prepared: PreparedCommand, shell: Shell) -> None:
    """Restores the variables assigned before a call and those the function declared. POSIX allows a shell to keep the first:
    zsh does as sh, and so did old versions of bash."""
    persists = shell.frame.dialect.may_be_dash
    for variable in prepared.assigned:
        if (persists or KEEP_EXPORTED in shell.attributes.get(variable, "")) and shell.locals and variable in shell.locals:
            shell.locals[variable] = shell.locals[variable]._replace(sure=False)
    shell.restore_shadowed_variables()
    if persists:
        for variable, value in prepared.assigned.items():
            shell.variables[variable] = join_alternatives((*shell.get_values(variable), value))


def _run_alias(body: Body, prepared: PreparedCommand, shell: Shell, walk: Walk) -> Evaluation:
    """Runs an alias as text: its arguments are those of the caller, and it is not expanded within itself."""
    if any(call.body is body.node for call in shell.calls) or shell.depth >= MAX_DEPTH:
        return
    shell.variables[body.arguments_variable] = (prepared.argv[1:],)
    for variable, value in prepared.assigned.items():
        shell.assign(variable, join_alternatives((value, *shell.get_values(variable))))
    calls, frame = (*shell.calls, Call(body.node, {}, shell.cwd)), frame_of_body(body, shell.frame)
    with shell.enter_context(calls=calls, frame=frame, depth=shell.depth + 1, **shell.own_input(prepared.stdin)):
        yield from walk(body.node, shell)
        text, rest = _append_following_aliases(body.text, prepared.argv[1:], shell)
        if len(rest) < len(prepared.argv) - 1:
            shell.variables[body.arguments_variable] = (rest,)
            yield from walk(parse_alias(text, shell).body, shell)


def parse_alias(text: str, shell: Shell) -> Program:
    """Parses an alias's text, followed by the words after it, as a command."""
    return shell.frame.dialect.parse(f'{text} "${{{dash_builtins.ALIAS_ARGUMENTS}[@]}}"')


def _append_following_aliases(text: str, rest: tuple[Word, ...], shell: Shell) -> tuple[str, tuple[Word, ...]]:
    """Returns an alias that ends in a blank, joined with the aliases after it."""
    while text[-1:] in (" ", "\t") and rest:
        following = [each.text for each in shell.functions.get(rest[0].text or "", ()) if each.arguments_variable]
        if not following:
            break
        text, rest = text + following[-1], rest[1:]
    return text, rest


def _join_returns(exits: list[tuple[str, Shell]], shell: Shell) -> None:
    """Joins the paths that left a function: `return` continues after the call, `exit` goes further out."""
    for word, path in exits:
        if word == "return":
            path.restore_shadowed_variables()
            path.arguments, path.locals, path.reads = shell.arguments, shell.locals, shell.reads
            shell.join(path)
        elif word == "exit":
            shell.left.append((word, path))
