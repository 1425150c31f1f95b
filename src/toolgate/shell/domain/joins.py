"""How the state of the shell is joined where paths meet, field by field.

Every field of the state is in one of two tables: `FIELD_JOINS` says how it is joined, `PATH_FIELDS` why it is not.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from .protocol import shadows_program
from .values import join_alternatives, join_argument_lists, join_folders

if TYPE_CHECKING:
    from .state import Shell


def _join_cwd(state: "Shell", other: "Shell") -> None:
    if other.cwd != state.cwd:
        state.cwd = join_folders(state.cwd + other.cwd)


def _join_variables(state: "Shell", other: "Shell") -> None:
    if other.variables == state.variables:
        return
    for name in dict.fromkeys((*state.variables, *other.variables)):
        if state.variables.get(name) is other.variables.get(name):  # most of them
            continue
        mine, theirs = state.get_values(name), other.get_values(name)
        state.variables[name] = mine if mine == theirs else join_alternatives(mine + theirs)


def _join_exported(state: "Shell", other: "Shell") -> None:
    if other.exported != state.exported:
        for name in (*state.exported, *other.exported):
            state.exported[name] = state.exported.get(name, False) and other.exported.get(name, False)


def _join_functions(state: "Shell", other: "Shell") -> None:
    if other.functions == state.functions:
        return
    for name in dict.fromkeys((*state.functions, *other.functions)):
        mine, theirs = state.functions.get(name, ()), other.functions.get(name, ())
        if mine != theirs:
            sure = shadows_program(mine) and shadows_program(theirs)
            state.functions[name] = tuple(dict.fromkeys(body._replace(sure=sure) for body in mine + theirs))


def _join_arguments(state: "Shell", other: "Shell") -> None:
    if other.arguments != state.arguments:
        state.arguments = join_argument_lists(state.arguments + other.arguments)


def _join_strict(state: "Shell", other: "Shell") -> None:
    """`set -e` applies only if it was set on both paths: without it, more commands run."""
    state.strict = state.strict and other.strict


def _join_options(state: "Shell", other: "Shell") -> None:
    """Keeps the options that may be on; `set -a`, which makes values known elsewhere, only if it is on for sure."""
    state.options = (state.options | other.options) - ({"allexport"} & (state.options ^ other.options))


def _join_reads(state: "Shell", other: "Shell") -> None:
    state.reads = state.reads if state.reads == other.reads else None


def _join_printed(state: "Shell", other: "Shell") -> None:
    if other.printed != state.printed:
        state.printed = join_alternatives(state.printed + other.printed)


def _join_stack(state: "Shell", other: "Shell") -> None:
    if other.stack != state.stack:
        state.stack, state.stacked = max(state.stack, other.stack, key=len), False


def _join_stacked(state: "Shell", other: "Shell") -> None:
    state.stacked = state.stacked and other.stacked


def _join_ended(state: "Shell", other: "Shell") -> None:
    state.ended = state.ended and other.ended


def _join_attributes(state: "Shell", other: "Shell") -> None:
    for name, letters in other.attributes.items():
        state.attributes[name] = "".join(dict.fromkeys(state.attributes.get(name, "") + letters))


def _join_locals(state: "Shell", other: "Shell") -> None:
    if state.locals is None or other.locals is None or state.locals == other.locals:
        return
    for name in dict.fromkeys((*state.locals, *other.locals)):
        mine, theirs = state.locals.get(name), other.locals.get(name)
        if mine != theirs and (one := mine or theirs) is not None:
            state.locals[name] = one._replace(sure=False)


def _join_streams(state: "Shell", other: "Shell") -> None:
    for name, streams in other.streams.items():
        state.streams[name] = tuple(dict.fromkeys(state.streams.get(name, ()) + streams))


FIELD_JOINS: dict[str, Callable[["Shell", "Shell"], None]] = {
    "cwd": _join_cwd,
    "arguments": _join_arguments,
    "variables": _join_variables,
    "exported": _join_exported,
    "strict": _join_strict,
    "options": _join_options,
    "reads": _join_reads,
    "printed": _join_printed,
    "stack": _join_stack,
    "stacked": _join_stacked,
    "attributes": _join_attributes,
    "functions": _join_functions,
    "locals": _join_locals,
    "streams": _join_streams,
    "ended": _join_ended,
}
"""Each changes the field of the first state to its join with the second's."""

_FROM_FAILURE = "Shell.replace_by_join joins it: it depends on which of the paths may have failed"
_OF_TEXT = "a position in the text, the same for both paths"
_SHARED = "both paths refer to the same object"
_OF_CONSTRUCT = "set and restored by the construct that the paths are in"

PATH_FIELDS: dict[str, str] = {
    "failed": _FROM_FAILURE,
    "unread": _FROM_FAILURE,
    "frame": _OF_TEXT,
    "number": _OF_TEXT,
    "span": _OF_TEXT,
    "left": _SHARED,
    "rounds": _SHARED,
    "past": _SHARED,
    "always": _OF_CONSTRUCT,
    "tested": _OF_CONSTRUCT,
    "stdin": _OF_CONSTRUCT,
    "depth": _OF_CONSTRUCT,
    "calls": _OF_CONSTRUCT,
    "apart": _OF_CONSTRUCT,
    "unrolled": _OF_CONSTRUCT,
    "traps": _OF_CONSTRUCT,
    "ways_out": _OF_CONSTRUCT,
    "sources": _OF_CONSTRUCT,
}
"""Fields that keep the value of the state that continues, each with the reason."""
