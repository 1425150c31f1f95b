"""Values of `$name` and `${...}`, and the results of parameter operators."""

import re
from collections.abc import Generator
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

from toolgate.model.effect import Opaque
from toolgate.model.word import EMPTY, RECOGNIZABLE_LENGTH, Hole, HoleKind, Maybe, Word, join_words, known_word, unknown_named
from toolgate.record_fields import change_found_path
from toolgate.shell.domain import text_operators
from toolgate.shell.domain.protocol import TICK, Array, Request
from toolgate.shell.domain.state import NAMEREF_PREFIX, Shell
from toolgate.shell.domain.values import (
    collect_sources,
    first_element,
    join_alternatives,
    join_with_gap,
    list_positional_values,
    may_be_several,
    unset_value,
)
from toolgate.shell.syntax.tree import Parameter, ShellWord

from .arithmetic import calculate, evaluate_name
from .keyed_arrays import find_element, find_elements
from .subscripts import is_whole_array, joins_elements, parse_index

_MAX_TEXT = 2_000
_ANY_ELEMENTS = Word((Hole("**", "elements of an array"),), splits=True)


@dataclass(frozen=True, slots=True)
class MixedValue:
    """The word after `:-`: some parts are quoted, others are split and matched against file names."""

    parts: "tuple[tuple[Item, bool], ...]"


Item = Word | Array | MixedValue


class OperatorArguments(NamedTuple):
    """The operator's argument, expanded. `words`: as text; `items`: as inserted into an unquoted word; `patterns`: as a
    pattern of `#`, `%`, `/` (None: unknown); `replacements`: the text after the second slash or colon."""

    words: tuple[Word, ...] = (EMPTY,)
    items: tuple[Item, ...] = (EMPTY,)
    patterns: tuple[str | None, ...] = ("",)
    replacements: tuple[Word, ...] = (EMPTY,)


def expand_parameter(
    piece: Parameter, shell: Shell, arguments: OperatorArguments, before: Shell
) -> Generator[Request, Any, list[Item]]:
    """Returns the alternatives. An array remains one if it is used as one (`"$@"`, `${a[@]}`). `before`: the state in which the
    parameter is looked up, before its arguments were expanded."""
    yield TICK
    if piece.prefix == "#":
        return [unknown_named(piece.raw, like="[0-9]*")]
    if piece.prefix == "!" and is_whole_array(piece) and (elements := find_elements(piece.name, shell)) is not None:
        return [tuple(map(known_word, elements))]
    if piece.prefix == "!" and (is_whole_array(piece) or piece.operator in ("@", "*")):
        return [(_ANY_ELEMENTS,)]  # the keys of an array, or the variable names with this prefix
    values, is_set = _look_up(piece, before)
    names = [piece.name]
    if piece.prefix == "!":
        names = [text for value in values if (text := first_element(value).text) and text.isidentifier()]
        for value in values:
            evaluate_name(first_element(value), shell)
        values, is_set = _dereference_names(values, shell)
    operator = piece.operator
    if not operator:
        return [*values]
    if operator in (":-", "-", ":=", "=", ":+", "+", ":?", "?"):
        return _apply_default(piece, names, values, is_set, shell, arguments, before)
    if operator == "@P":
        return (yield from _expand_as_prompt(piece, values, shell))
    if operator == "@k":
        return [(_ANY_ELEMENTS,)]
    if operator == ":":
        _calculate_range(arguments, shell)
        if is_whole_array(piece) or piece.name in ("@", "*"):
            return [_slice_array(piece, value, shell, arguments) for value in _list_sliceable_arrays(piece, values, shell)]
    found = [_transform_each(piece, value, given_) for value, given_ in product(values, _combine_arguments(arguments))]
    return found + _collect_other_results(piece, values, found, shell, arguments)


def _expand_as_prompt(piece: Parameter, values: list[Word | Array], shell: Shell) -> Generator[Request, Any, list[Item]]:
    """Expands the value again, as a prompt (`${x@P}`)."""
    for value in values:
        for word in value if isinstance(value, tuple) else (value,):
            shell.expand_later(word)
            if word.text is None:
                yield Opaque(f"{piece.raw} runs what its value holds", shell.current_origin())
    return [unknown_named(piece.raw, first_element(value).src) for value in values]


def _calculate_range(arguments: OperatorArguments, shell: Shell) -> None:
    """Evaluates the offset and the length of `${x:offset:length}`, which are expressions."""
    for word in (*arguments.words, *arguments.replacements):
        calculate(word.text or "", shell)


def _collect_other_results(
    piece: Parameter, values: list[Word | Array], items: list[Item], shell: Shell, arguments: OperatorArguments
) -> list[Item]:
    """Returns further alternatives that an operator may give."""
    of_all = piece.name in ("@", "*")
    more: list[Item] = _transform_all_as_dash(piece, values, shell, arguments) if of_all else []
    if piece.operator[0] == "/" and EMPTY in values and EMPTY not in items:  # an unset value is not replaced
        more.append(EMPTY)
    if piece.operator[0] == "/" and "nocasematch" in shell.options:
        more.append(unknown_named(piece.raw, collect_sources(values)))
    if not piece.quoted and (is_whole_array(piece) or of_all) and "" in join_separators(shell):
        more.append((_ANY_ELEMENTS,))  # without IFS bash joins them to one word
    return more


def _transform_all_as_dash(
    piece: Parameter, values: list[Word | Array], shell: Shell, arguments: OperatorArguments
) -> list[Item]:
    """`${@%x}`: dash strips the end of the joined arguments, and a longer match may remove whole words."""
    if not shell.frame.dialect.may_be_dash or piece.operator[:1] not in ("#", "%"):
        return []
    several = [value for value in values if isinstance(value, tuple) and len(value) > 1]
    if piece.quoted and joins_elements(piece):
        joined_up = [join_with_gap(value, gap) for value in several for gap in join_separators(shell)]
        return [_transform(word, given_, piece) for word, given_ in product(joined_up, _combine_arguments(arguments))]
    return [
        each
        for value, given_ in product(several, _combine_arguments(arguments))
        for each in _transform_array_end(value, given_, piece)
    ]


def _transform_array_end(array: Array, arguments: OperatorArguments, piece: Parameter) -> list[Item]:
    n = 0 if piece.operator[0] == "#" else len(array) - 1
    end, pattern = _transform(array[n], arguments, piece), arguments.patterns[0]
    reaches = pattern is None or (_HAS_WILDCARD(pattern) if end == array[n] else len(piece.operator) > 1 and "*" in pattern)
    cut = [(at, _transform(word, arguments, piece)) for at, word in enumerate(array[:n])] if n else []
    shorter = [(*array[:at], word) for at, word in cut if word != array[at]]  # and the words after it are lost
    return [(*array[:n], end, *array[n + 1 :]), *shorter, *(((_ANY_ELEMENTS,),) if reaches else ())]


_HAS_WILDCARD = re.compile(r"[*?\[ ]").search


def join_separators(shell: Shell) -> tuple[str, ...]:
    """Returns the possible separators of `"$*"`: the first character of IFS."""
    texts = [first_element(value).text for value in shell.variables.get("IFS", ())] or [None]
    return tuple(dict.fromkeys(" " if text is None else text[:1] for text in texts))


# ---- values


def _look_up(piece: Parameter, shell: Shell) -> tuple[list[Word | Array], Maybe]:
    """Returns the values, and whether the parameter is set and not empty, as far as known."""
    name = piece.name
    if NAMEREF_PREFIX + name in shell.variables:
        names = shell.resolve_namerefs(name)
        if len(names) > 1:
            found = [_look_up_name(each, piece, shell) for each in names]
            is_set = found[0][1] if len({answer for _, answer in found}) == 1 else None
            return list(dict.fromkeys(value for each, _ in found for value in each)), is_set
        name = names[0]
    return _look_up_name(name, piece, shell)


def _look_up_name(name: str, piece: Parameter, shell: Shell) -> tuple[list[Word | Array], Maybe]:
    values: list[Word | Array]
    if name in ("@", "*"):
        values = [arguments[1:] for arguments in shell.arguments]
    elif name.isdigit():
        values = [value for arguments in shell.arguments for value in list_positional_values(arguments, int(name))]
    elif name == "PWD":
        return list(dict.fromkeys((*shell.cwd, *shell.variables.get("PWD", ())))), True
    elif not (name[:1].isalpha() or name[:1] == "_"):
        may_be_empty = name in ("!", "-")
        return [unknown_named(f"${name}", like="*" if may_be_empty else "?*")], True  # $?, $$, $!, $-, $#: never a path
    elif piece.subscript is None:
        values = [first_element(value) for value in shell.get_values(name)]
        if "s" in shell.attributes.get(name, ""):
            values = [*values, EMPTY]
    elif is_whole_array(piece):
        values = [each for value in shell.get_values(name) for each in _all_elements(value, name)]
    elif (element := find_element(name, piece.subscript, shell)) is not None:
        values = [element]
    else:
        values = [
            each
            for value in shell.get_values(name)
            for each in _select_elements(value, piece.subscript, shell.attributes.get(name, ""))
        ]
    return list(dict.fromkeys(values)), _is_set_and_nonempty(values)


def _all_elements(value: Word | Array, name: str) -> list[Word | Array]:
    if isinstance(value, tuple):
        return [value]
    if value == EMPTY:  # `unset` leaves it, too
        return [(value,), ()]
    return [(_ANY_ELEMENTS,) if value == unset_value(name) else (value,)]


def _is_set_and_nonempty(values: list[Word | Array]) -> Maybe:
    answers: set[Maybe] = set()
    for value in values:
        if isinstance(value, tuple):
            answers.add(None if any(word.splits or not word.parts for word in value) else bool(value))
        else:
            is_made = any(isinstance(part, Hole) and part.kind is HoleKind.TEMPORARY_FOLDER for part in value.parts)
            answers.add(True if value.text or value.head or is_made else False if value.text == "" else None)
    return answers.pop() if len(answers) == 1 else None


def _select_elements(value: Word | Array, subscript: ShellWord, letters: str) -> list[Word | Array]:
    """Returns the elements that a subscript may select; with a key that is not a literal number, or an array with gaps, any or
    none."""
    array = (value,) if isinstance(value, Word) else value
    index = parse_index(subscript)
    if index is not None and not set("As") & set(letters) and not any(map(may_be_several, array)):
        return [array[index] if -len(array) <= index < len(array) else EMPTY]
    return [*(word.as_single_word() for word in array), EMPTY]


def _dereference_names(values: list[Word | Array], shell: Shell) -> tuple[list[Word | Array], Maybe]:
    results: list[Word | Array] = []
    for value in values:
        name = first_element(value).text
        if name and name.isdigit():
            results += [each for arguments in shell.arguments for each in list_positional_values(arguments, int(name))]
        elif name in ("@", "*"):
            results += [arguments[1:] for arguments in shell.arguments]
        elif name and name.endswith("]"):
            name, _, subscript = name.partition("[")
            arrays = [each for value in shell.get_values(name) for each in _all_elements(value, name)]
            elements = (word for value in arrays for word in (value if isinstance(value, tuple) else (value,)))
            results += arrays if subscript in ("@]", "*]") else [*elements, EMPTY]
        elif name:
            results += [first_element(v) for v in shell.get_values(name)]
        else:
            results.append(unknown_named("${!...}", first_element(value).src))
    return results, None


# ---- operators


def _apply_default(
    piece: Parameter,
    names: list[str],
    values: list[Word | Array],
    is_set: Maybe,
    shell: Shell,
    arguments: OperatorArguments,
    before: Shell,
) -> list[Item]:
    """`names`: the variables that `:=` assigns."""
    operator = piece.operator
    strict = operator.startswith(":")  # empty counts as unset
    items = list(arguments.items)
    if operator in (":+", "+"):
        if is_set is True:
            return items
        nothing: list[Item] = [(), EMPTY] if piece.quoted and (is_whole_array(piece) or piece.name == "@") else [EMPTY]
        return nothing if is_set is False and strict and _is_set_by_text(piece, before) else [*nothing, *items]
    if operator in (":?", "?"):
        full: list[Item] = [
            _exclude_empty(value, piece) if isinstance(value, Word) else value for value in values if value != EMPTY
        ]
        return full or [_exclude_empty(unset_value(piece.name), piece)]
    if is_set is True:
        return [*values]
    # a text that gives a default expects the name to be unset; the caller's environment is known
    missing = () if _is_set_by_text(piece, before) else (unset_value(piece.name),)
    kept: list[Word | Array] = [value for value in values if value not in missing and not (strict and value in (EMPTY, ()))]
    if operator in (":=", "="):
        for name in names:
            shell.assign(name, join_alternatives((*kept, *arguments.words)))
            if shell.attributes.get(name):  # `declare -u` changes what is assigned
                items += shell.get_values(name)
    return list(dict.fromkeys([*kept, *items]))


def uses_argument(piece: Parameter, shell: Shell) -> Maybe:
    """Returns whether the word after `:-`, `:=`, `:+` or `:?` is expanded. A text that gives a default expects to need it."""
    is_set = None if piece.prefix else _look_up(piece, shell)[1]
    is_by_text, is_default = _is_set_by_text(piece, shell), not piece.operator.endswith("+")
    if not piece.prefix and not is_by_text and not shell.is_set(piece.name):
        return True if is_default else None
    if is_set is None or (is_set is False and not piece.operator.startswith(":")):
        return None
    return is_set is not is_default


def _is_set_by_text(piece: Parameter, shell: Shell) -> bool:
    """Returns whether the value comes from the text: positional parameters and assigned names. Others may come from the
    environment."""
    return (not piece.name[:1].isalpha() and piece.name[:1] != "_") or shell.resolve_name(piece.name) in shell.variables


def _exclude_empty(value: Word, piece: Parameter) -> Word:
    """Excludes the empty value, which `${x:?}` and `${x:-...}` never give."""
    if value.text is None and len(value.parts) == 1 and isinstance(hole := value.parts[0], Hole) and hole.like == "**":
        return Word((hole._replace(like="?**", why=hole.why or piece.raw),), value.splits, value.src)
    return value


def _list_sliceable_arrays(piece: Parameter, values: list[Word | Array], shell: Shell) -> list[Array]:
    """Returns the arrays to slice; `${@:0}` begins with $0."""
    if piece.name in ("@", "*"):
        return [*shell.arguments]
    return [value if isinstance(value, tuple) else (value,) for value in values]


def _slice_array(piece: Parameter, array: Array, shell: Shell, arguments: OperatorArguments) -> Item:
    offset = text_operators.parse_number(arguments.words[0].text) if len(arguments.words) == 1 else None
    count = text_operators.parse_number(arguments.replacements[0].text) if len(arguments.replacements) == 1 else None
    gaps = set("As") & set(shell.attributes.get(shell.resolve_name(piece.name), ""))
    if all(map(may_be_several, array)):
        return array
    if offset is None or (piece.replacement is not None and count is None) or gaps or any(map(may_be_several, array)):
        return (_ANY_ELEMENTS,)
    if offset < 0 and -offset > len(array):
        return ()
    rest = array[offset:]
    return rest if count is None or piece.replacement is None else rest[: max(count, 0)]


def _combine_arguments(arguments: OperatorArguments) -> list[OperatorArguments]:
    return [
        arguments._replace(words=(word,), patterns=(pattern,), replacements=(replacement,))
        for (word, pattern), replacement in product(zip(arguments.words, arguments.patterns, strict=True), arguments.replacements)
    ]


def _transform_each(piece: Parameter, value: Word | Array, arguments: OperatorArguments) -> Item:
    """Applies the operator, element by element for an array."""
    if isinstance(value, tuple):
        return tuple(_transform(element, arguments, piece) for element in value)
    return _transform(value, arguments, piece)


def _transform(value: Word, arguments: OperatorArguments, piece: Parameter) -> Word:
    """Computes `#`, `%`, `/`, `^`, `,`, substrings and `@` on known text."""
    text, pattern, replacement = value.text, arguments.patterns[0], arguments.replacements[0]
    src = value.src | arguments.words[0].src | replacement.src
    made = None
    if (
        text is not None
        and pattern is not None
        and len(text) <= _MAX_TEXT
        and text_operators.is_cheap_pattern(pattern, len(text))
    ):
        made = text_operators.apply_operator(text, pattern, replacement.text, arguments.words[0].text, piece)
    elif (
        text is None
        and piece.operator == ":"
        and piece.replacement is None
        and (at := text_operators.parse_number(arguments.words[0].text)) is not None
    ):
        if 0 <= at <= len(value.head):
            return value.drop_first(at).from_commands(src)
    elif piece.operator == "%" and (kept := text_operators.strip_known_suffix(value, pattern or "")) is not None:
        return kept.from_commands(src)
    elif (
        pattern is not None
        and piece.operator in ("#", "##")
        and (left := text_operators.strip_known_prefix(value, pattern)) is not None
    ):
        return left.from_commands(src)
    elif text is None and (changed := change_found_path(value, piece.operator, pattern or "", replacement.text)):
        return changed.from_commands(src)
    if made is not None:
        return known_word(made, src)
    held = "" if _is_short_part(piece, replacement) else _find_variable(value)
    return unknown_named(piece.raw, src, splits=may_be_several(value), variable=held)


def _find_variable(value: Word) -> str:
    return next((part.variable for part in value.parts if isinstance(part, Hole) and part.variable), "")


def _is_short_part(piece: Parameter, length: Word) -> bool:
    """Returns whether `${x:offset:length}` takes no more than is shown of a secret to tell one from another."""
    count = text_operators.parse_number(length.text) if piece.operator == ":" and length.parts else None
    return count is not None and 0 <= count <= RECOGNIZABLE_LENGTH


def item_as_word(item: Item) -> Word:
    """Returns a value as one word."""
    if isinstance(item, MixedValue):
        return join_words((item_as_word(value) for value, _ in item.parts), "")
    return item if isinstance(item, Word) else join_words(item)
