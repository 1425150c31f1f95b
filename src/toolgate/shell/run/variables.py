"""Assignments, and the builtins that set variables: declare and its relatives, unset."""

import re
from collections.abc import Generator, Sequence
from itertools import product
from typing import Any

from toolgate.model.effect import Carrier, Environment, Operation
from toolgate.model.word import EMPTY, Word, known_word, unknown_named, unknown_word
from toolgate.shell.domain.protocol import REVEALED, TICK, Array, CommandEvaluation, Evaluation, Request, Values
from toolgate.shell.domain.state import NAMEREF_PREFIX, Shell
from toolgate.shell.domain.values import (
    MAX_ALTERNATIVES,
    REWRITING_ATTRIBUTES,
    collect_sources,
    first_element,
    join_alternatives,
    may_be_several,
)
from toolgate.shell.domain.values import unset_value as not_set
from toolgate.shell.syntax.tree import Assignment, Parameter, ShellWord, Text

from .arithmetic import evaluate_name, literal_name
from .builtin_context import BuiltinContext, Walk
from .expansion import evaluate_subscript, expand_unsplit, expand_word, limit_alternatives
from .keyed_arrays import assign_key, note_keys
from .subscripts import parse_index
from .word_splitting import Fields

# ---- assignments


def assigned_values(assignment: Assignment, shell: Shell, walk: Walk) -> Generator[Request, Any, Values]:
    """Returns the alternatives of an assignment's value, joined to the previous ones for `+=` and for an element of an array."""
    name = shell.resolve_name(assignment.name)
    if assignment.elements is not None:
        arrays = yield from _expand_elements(assignment, name, shell, walk)
        note_keys(assignment, name, arrays, shell)
        if assignment.append:
            return tuple(_as_array(old) + _as_array(new) for old, new in product(_values_if_set(name, shell), arrays))
        return arrays
    values: tuple[Word, ...] = (EMPTY,)
    if assignment.value is not None:
        values = yield from expand_unsplit(assignment.value, shell, walk)
    if assignment.subscript is not None:
        yield from evaluate_subscript(assignment.subscript, shell, walk)
        if (keyed := assign_key(assignment, name, values, shell)) is not None:
            return keyed
        olds = tuple(() if old == not_set(name) else old for old in shell.variables.get(name, ((),)))
        pairs = product(olds, values)
        return tuple(each for old, new in pairs for each in _replace_element(_as_array(old), new, assignment, shell))
    olds = _values_if_set(name, shell)
    if assignment.append:
        return tuple(_replace_first(old, first_element(old) + new) for old, new in product(olds, values))
    if any(isinstance(old, tuple) for old in olds):
        return tuple(_replace_first(old, new) for old, new in product(olds, values))
    return values


def _values_if_set(name: str, shell: Shell) -> Values:
    return (
        tuple(EMPTY if value == not_set(name) else value for value in shell.get_values(name)) if shell.is_set(name) else (EMPTY,)
    )


def _as_array(value: Word | Array) -> Array:
    return ((value,) if value.parts else ()) if isinstance(value, Word) else value


def _replace_first(old: Word | Array, new: Word) -> Word | Array:
    """Replaces the first element: `a=x` where `a` is an array."""
    return new if isinstance(old, Word) else (new, *old[1:])


def _replace_element(array: Array, value: Word, assignment: Assignment, shell: Shell) -> list[Array]:
    """Returns the arrays after `a[i]=value`. If the index is not literal, the value may be appended or replace any element.
    Index 0 is the first element; which of several unknown words another index replaces is not known."""
    assert assignment.subscript is not None
    name, index = shell.resolve_name(assignment.name), parse_index(assignment.subscript)
    if any(map(may_be_several, array)):
        rest = unknown_named(f"${name}", value.src | collect_sources(array), splits=True)
        if index != 0 or assignment.append:
            return [(*array, value), (rest,)]
        return [(value, *array[1:])] if not may_be_several(array[0]) else [(value, rest)]
    with_gaps, next_one = "s" in shell.attributes.get(name, ""), _is_own_length(assignment.subscript, name)
    added, unknown = (*array, value), unknown_named(f"${name}", value.src | collect_sources(array), splits=True)
    is_keyed = "A" in shell.attributes.get(name, "") and not (assignment.append and array)
    if index is None and not with_gaps and (is_keyed or next_one):
        return [added]
    if index is None or with_gaps:  # which element has this index, or follows it?
        if index is None and not next_one:
            add_attribute(shell, name, "s")
        if len(array) >= MAX_ALTERNATIVES // 2:
            return [(unknown,)] if with_gaps else [added, (*array, unknown)]
        instead = ((*array[:n], each + value if assignment.append else value, *array[n + 1 :]) for n, each in enumerate(array))
        return [added, *instead, *((*array[:n], value, *array[n:]) for n in range(len(array)))]
    if assignment.append and -len(array) <= index < len(array):
        value = array[index] + value
    if -len(array) <= index < len(array):
        at = index % len(array)
        return [(*array[:at], value, *array[at + 1 :])]
    added = (*array, value)
    if index > len(array):
        add_attribute(shell, name, "s")
    return [added]


def _is_own_length(subscript: ShellWord, name: str) -> bool:
    """Returns whether a subscript appends to its own array: `a[${#a[@]}]=x`."""
    piece = subscript.pieces[0] if len(subscript.pieces) == 1 else None
    return isinstance(piece, Parameter) and piece.prefix == "#" and piece.name == name


def add_attribute(shell: Shell, name: str, letter: str) -> None:
    """Adds an attribute; `s` marks an array with gaps."""
    shell.attributes[name] = "".join(dict.fromkeys(shell.attributes.get(name, "") + letter))


def _expand_elements(assignment: Assignment, name: str, shell: Shell, walk: Walk) -> Generator[Request, Any, Values]:
    """Returns the alternatives of an array literal. Keys only order the elements."""
    results: list[Fields] = [[]]
    keys: list[int | None] = []
    for element in assignment.elements or ():
        if element.key is not None:
            yield from evaluate_subscript(element.key, shell, walk)
            more = [[value] for value in (yield from expand_unsplit(element.value, shell, walk))]
            keys.append(parse_index(element.key))
        else:
            more = yield from expand_word(element.value, shell, walk)
            keys.append(None)
        results = limit_alternatives([a + b for a, b in product(results, more)])
    if any(element.key is not None for element in assignment.elements or ()):
        add_attribute(shell, name, "s")
        if keys == [key for key in keys if key is not None] and all(len(fields) == len(keys) for fields in results):
            order = sorted(range(len(keys)), key=lambda n: keys[n] or 0)
            results = [[fields[n] for n in order] for fields in results]
    elif not assignment.append:
        shell.attributes[name] = shell.attributes.get(name, "").replace("s", "")
    return tuple(tuple(fields) for fields in results)


# ---- declare, export, local, readonly, typeset

KEEP_EXPORTED = "t"
"""An attribute: bash keeps an assignment before a call of a function if the function exports the variable."""
_SHADOWING_BUILTINS = frozenset(("declare", "local", "private", "typeset", "integer", "float"))


def shadows_variables(words: Sequence[ShellWord | Assignment]) -> bool:
    """Returns whether this command hides the variables it names until the function ends."""
    name, *rest = (word.pieces[0] if isinstance(word, ShellWord) and len(word.pieces) == 1 else None for word in words)
    is_global = any(isinstance(piece, Text) and piece.value[:1] == "-" and "g" in piece.value for piece in rest)
    return isinstance(name, Text) and name.value in _SHADOWING_BUILTINS and not is_global


def is_local_outside_function(words: Sequence[ShellWord | Assignment], shell: Shell) -> bool:
    """Returns whether this is `local` where bash refuses it, and other shells do not."""
    return shell.locals is None and isinstance(words[0], ShellWord) and words[0].pieces == (Text("local", False),)


_LISTING_OPTIONS = frozenset(("-p", "-x", "-px", "-xp"))
"""With only these options, variables are listed."""


def print_variables(shell: Shell) -> CommandEvaluation:
    """Prints all variables and their values, as `set`, `declare -p` and `export -p` do."""
    yield Operation("environment.print", shell.current_origin())
    return unknown_word("all variables", frozenset({shell.current_origin().command}))


def declare(argv: tuple[Word, ...], context: BuiltinContext, shell: Shell) -> CommandEvaluation:
    yield TICK
    if all(word.text in _LISTING_OPTIONS for word in argv[1:]):
        return (yield from print_variables(shell))
    letters, taken = "", ""
    for word in argv[1:]:
        if word.starts_with("-") is True:
            letters += word.head[1:]
        elif word.starts_with("+") is True:
            taken += word.head[1:]
        else:
            yield from _declare_variable(argv[0].text or "", word, letters, taken, context, shell)
    if "T" in letters and shell.frame.dialect.may_be_zsh:
        _tie_variables([word for word in argv[1:] if word.starts_with("-") is not True], shell)
    prints = set("fFp") & set(letters)
    return unknown_word(argv[0].text or "", frozenset({shell.number})) if prints else EMPTY


def _tie_variables(operands: list[Word], shell: Shell) -> None:
    """zsh's `typeset -T TEXT array`: an assignment to either variable changes the other one, from here on."""
    for word, splits in zip(operands, (False, True), strict=False):
        name = literal_name(word.partition("=")[0])
        value = unknown_word(f"${name}", splits=splits)
        shell.past.assigned[name] = ((value,) if splits else value,)
        shell.assign(name, shell.get_values(name))


def declare_number(argv: tuple[Word, ...], context: BuiltinContext, shell: Shell) -> CommandEvaluation:
    """zsh's `integer` and `float`."""
    return (yield from declare((argv[0], known_word("-i"), *argv[1:]), context, shell))


def _declare_variable(
    command: str, word: Word, letters: str, attributes: str, context: BuiltinContext, shell: Shell
) -> Evaluation:
    left, assigns, value = word.partition("=")
    if command == "export" and "n" in letters:
        letters, attributes = letters.replace("n", ""), attributes + "x"
    for each in (left, value) if "n" in letters else (left,):
        evaluate_name(each, shell)
    name = literal_name(left).partition("[")[0].rstrip("+")
    if not name or not name.isidentifier():
        if left.text is None and command == "export":
            yield Environment("", word, shell.current_origin())  # `export $(cat .env | xargs)`
    elif set("fFp") & set(letters):
        if "f" in letters and name in shell.functions and (command == "export" or "x" in letters):
            shell.exported[f"{name}()"] = True
    elif assigns and _is_evaluated_as_array(value, letters, name, shell):
        yield from context.run_text(left + known_word("=") + value, shell, Carrier(command, name))
    elif assigns and left.tail.endswith("]"):
        shell.assign(literal_name(left), (value.as_single_word(),))
    else:
        if command in _SHADOWING_BUILTINS and "g" not in letters:
            _shadow_local(name, shell, assigns=assigns)
        if (command in ("export", "readonly") or "g" in letters) and shell.locals is not None:
            add_attribute(shell, name, KEEP_EXPORTED)
        yield from _assign_declared(command, name, left, value if assigns else None, letters, context, shell)
        if "x" in attributes:
            shell.exported.pop(name, None)
        _update_attributes(name, letters + ("r" if command == "readonly" else ""), attributes, shell)


def _is_evaluated_as_array(value: Word, letters: str, name: str, shell: Shell) -> bool:
    """Returns whether bash evaluates the text of an array again and runs substitutions in it: `declare -a x='(a $(b))'`."""
    runs = value.contains("$(") is True or value.contains("`") is True
    declared = set("aA") & set(letters + shell.attributes.get(name, ""))
    is_array = bool(declared) or _is_array(shell.variables.get(name))
    return runs and is_array and value.head.startswith("(") and value.tail.endswith(")")


_KEPT_ATTRIBUTES = frozenset(("a", "i", "n", "A", "r", *REWRITING_ATTRIBUTES))


def _update_attributes(name: str, letters: str, attributes: str, shell: Shell) -> None:
    lasting = shell.attributes.get(name, "") + "".join(letter for letter in letters if letter in _KEPT_ATTRIBUTES)
    shell.attributes[name] = "".join(letter for letter in dict.fromkeys(lasting) if letter not in attributes)
    if shell.frame.dialect.may_be_zsh and not REWRITING_ATTRIBUTES.isdisjoint(letters) and shell.is_set(name):
        shell.assign(name, shell.get_values(name))  # zsh rewrites a text where it is used


def _shadow_local(name: str, shell: Shell, *, assigns: bool) -> None:
    """Hides a local variable. `local x` alone leaves it empty in bash and unchanged in dash."""
    if shell.locals is None:
        return
    hidden = shell.locals.get(name)
    before = shell.get_values(name) if shell.is_set(name) else (EMPTY,)
    if (hidden is None or hidden.by_assignment) and not _is_array(shell.variables.get(name)):
        shell.shadow_variable(name)
        kept = not shell.frame.dialect.may_differ_from_bash
        lost = not kept and name not in shell.frame.environ and shell.exported.get(name) is True
        shell.locals[name] = shell.locals[name]._replace(by_assignment=False, exported=lost)
        if lost:
            shell.exported[name] = None
        if not assigns:
            shell.variables[name] = join_alternatives((EMPTY, *before))


def _assign_declared(
    command: str, name: str, left: Word, value: Word | None, letters: str, context: BuiltinContext, shell: Shell
) -> Generator[Request, Any, None]:
    if value is None and name in context.assigned:  # `x=1 export x` keeps what other commands do not
        shell.assign(name, join_alternatives((context.assigned[name], *shell.get_values(name))))
    if value is not None:
        made: Values = (value.as_single_word(),)
        if left.tail.endswith("+"):
            made = tuple(first_element(old) + value.as_single_word() for old in _values_if_set(name, shell))
        if command == "local" and shell.locals is None:  # an error in bash outside of a function
            made = (*made, *_values_if_set(name, shell))
        for letter in letters:
            if letter == "i" or letter in REWRITING_ATTRIBUTES:
                add_attribute(shell, name, letter)
        if "n" in letters:
            shell.shadow_variable(NAMEREF_PREFIX + name)
            shell.attributes.pop(name, None)
            shell.variables[NAMEREF_PREFIX + name] = made
        elif not _is_array(shell.variables.get(name)) or "i" in letters:  # an array literal was assigned when it was expanded
            shell.assign(name, made)
        elif value.parts:  # one word of an array's elements, `declare "${pairs[@]}"`, or of its literal
            olds = shell.get_values(name)
            shell.assign(
                name,
                join_alternatives((*olds, *(_replace_first(old, new) for old in olds for new in made if isinstance(new, Word)))),
            )
    if command == "export" or "x" in letters:
        shell.exported[name] = True
        if value is not None:
            yield Environment(name, value, shell.current_origin())


def _is_array(values: Values | None) -> bool:
    return values is not None and any(isinstance(value, tuple) for value in values)


def shift_array(name: str, shell: Shell) -> None:
    """zsh's `shift array`, from either end, as far as the number is not known."""
    values = shell.variables.get(name, ())
    cuts = ((value, n) for value in values if isinstance(value, tuple) for n in range(1, len(value)))
    shifted = [rest for value, n in cuts for rest in (value[n:], value[:-n])]
    if shifted:
        shell.assign(name, join_alternatives((*values, *shifted)))


def unset_variables(argv: tuple[Word, ...], _context: BuiltinContext, shell: Shell) -> CommandEvaluation:
    yield TICK
    options = "".join(word.head[1:] for word in argv[1:] if word.starts_with("-") is True)
    for word in argv[1:]:
        evaluate_name(word, shell)
        name = literal_name(word)
        if not name or name.startswith("-"):
            continue
        if name == "HISTFILE":
            yield Operation("trace.erase", shell.current_origin(), word)
        if "f" in options:
            shell.functions.pop(name, None)
        elif "n" in options:
            shell.attributes[name] = shell.attributes.get(name, "").replace("n", "")
            shell.variables.pop(NAMEREF_PREFIX + name, None)
            shell.variables[name] = (EMPTY,)
        elif "[" in name:
            _unset_element(name, shell)
        else:
            name = shell.resolve_name(name)
            if name == "IFS":
                shell.variables.pop(name, None)
            else:
                before = shell.get_values(name) if "r" in shell.attributes.get(name, "") else ()
                shell.attributes.pop(name, None)
                if not before:
                    shell.exported.pop(name, None)
                outer = [value for call in shell.calls for value in call.variables.get(name, ())]  # hidden by a caller's local
                shell.assign(name, join_alternatives((*before, EMPTY, *outer)))
                if outer:
                    add_attribute(shell, name, REVEALED)
            if not shell.is_set(name) or not shell.variables.get(name, ()):
                continue
            if name in shell.functions and name not in shell.variables:
                shell.functions.pop(name)
    return EMPTY


def _unset_element(name: str, shell: Shell) -> None:
    name, _, subscript = name.rstrip("]").partition("[")
    index = int(subscript) if re.fullmatch(r"[0-9]{1,6}", subscript) else None
    results: list[Word | Array] = []
    for value in shell.variables.get(name, ()):
        array = _as_array(value)
        if subscript in ("@", "*"):
            results.append(())
        elif index is None or "s" in shell.attributes.get(name, "") or any(map(may_be_several, array)):
            results += [array, (*array[:0], unknown_named(f"${name}", collect_sources(array), splits=True))]
        else:
            results.append((*array[:index], *array[index + 1 :]))
    if results:
        shell.assign(name, tuple(results))
        add_attribute(shell, name, "s")
