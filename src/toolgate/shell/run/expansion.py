"""Expands words of shell text to the arguments of a program, in bash's order: braces, tilde, parameters and substitutions,
splitting, globs, quote removal.

The result is a list of alternatives, each a list of fields: one for each path on which they differ.
"""

import re
from collections.abc import Generator
from itertools import product
from typing import Any

from toolgate.model.effect import Carrier, Interpret
from toolgate.model.errors import LimitError
from toolgate.model.generalization import generalize
from toolgate.model.word import (
    EMPTY,
    NO_SOURCES,
    Word,
    join_words,
    known_word,
    literal_pattern,
    pipe_word,
    unknown_named,
    unknown_word,
)
from toolgate.shell.domain import patterns
from toolgate.shell.domain.frame import ERRORS_ASIDE
from toolgate.shell.domain.protocol import Request
from toolgate.shell.domain.state import Shell
from toolgate.shell.domain.values import (
    MAX_ALTERNATIVES,
    MAX_SIZE,
    collect_sources,
    join_alternatives,
    join_with_gap,
    measure,
)
from toolgate.shell.syntax import dash_builtins
from toolgate.shell.syntax.tree import Arithmetic, Parameter, Piece, Process, ShellWord, Subshell, Substitution, Text

from . import parameters, zsh
from .arithmetic import calculate
from .builtin_context import Walk
from .parameters import Item, MixedValue, OperatorArguments, item_as_word
from .subscripts import joins_elements, parse_index
from .tilde_expansion import expand_tilde
from .word_splitting import (
    BLANKS,
    Choices,
    FieldBuilder,
    Fields,
    Segment,
    find_qualifier_code,
    find_split_glob,
    ignore_case,
    list_separators,
    may_keep_empty_fields,
    may_lose_empty_fields,
    parse_glob,
)

Expansion = Generator[Request, Any, list[Fields]]


_PLAIN_TEXT = re.compile(r"[^*?\[{~=+@!]*")


_TILDE_END = re.compile("[/:]")
_ASSIGNED_TILDE = re.compile(r"([A-Za-z_]\w*=)~(/|$)")
_INNER_TILDE, _INNER_TILDE_BEFORE_MORE = re.compile(r":~(?=[:/]|\Z)").split, re.compile(r":~(?=[:/])").split


def literal_word(word: ShellWord) -> Word | None:
    """Returns the only field of a word that needs no expansion, as most words do."""
    piece = word.pieces[0] if len(word.pieces) == 1 else None
    return known_word(piece.value) if type(piece) is Text and (piece.quoted or _PLAIN_TEXT.fullmatch(piece.value)) else None


def expand_word(word: ShellWord, shell: Shell, walk: Walk) -> Expansion:
    """Returns the fields that an argument expands to."""
    if (plain := literal_word(word)) is not None:
        return [[plain]]
    if patterns.has_braces(word) and not shell.frame.dialect.is_dash:
        words = patterns.expand_braces(word)
        if words is None:
            return [[unknown_word("{...}", like="[0-9]*" if patterns.is_number_range(word) else "**", splits=True)]]
        if words != [word]:
            results: list[Fields] = [[]]
            for each in words:
                more = yield from _expand_fields(each, shell, walk)
                if not each.pieces and shell.frame.dialect.may_differ_from_bash:
                    more = [*more, [EMPTY]]  # zsh keeps the empty words of `{,}`, and dash does not expand braces
                results = [a + b for a, b in product(results, more)]
                results = limit_alternatives(results)
            if shell.frame.dialect.may_be_zsh and any(type(piece) is Substitution and not piece.quoted for piece in word.pieces):
                results = limit_alternatives(
                    results + (yield from _expand_fields(word, shell, walk))
                )  # printed text is split before braces, too
            if "nobraceexpand" in shell.options:
                results = limit_alternatives(results + (yield from _expand_fields(word, shell, walk)))
            return results
    return (yield from _expand_fields(word, shell, walk))


def expand_unsplit(word: ShellWord, shell: Shell, walk: Walk) -> Generator[Request, Any, tuple[Word, ...]]:
    """Returns the possible values of text that is not split: the value of an assignment, a redirect's target, a case subject."""
    pieces = word.pieces
    if len(pieces) == 1 and type(pieces[0]) is Text and (pieces[0].quoted or "~" not in pieces[0].value):
        return (known_word(pieces[0].value),)
    parts = yield from _evaluate_word(word, shell, walk, assignment=True)
    results = []
    for choice in _combine_choices(parts):
        value = EMPTY
        for item, _ in choice:
            value = value + item_as_word(item)
        if measure(value) > MAX_SIZE:
            raise LimitError("a text grows beyond what the gate follows")
        results.append(value.as_single_word())
    return join_alternatives(results)


def limit_alternatives(results: list[Fields]) -> list[Fields]:
    """Generalizes lists of fields if there are too many of them."""
    if len(results) <= MAX_ALTERNATIVES:
        return results
    if len({len(fields) for fields in results}) == 1:
        return [[generalize(column) for column in zip(*results, strict=True)]]
    return [
        [
            unknown_word(
                "one of several values", NO_SOURCES.union(*(word.src for fields in results for word in fields)), splits=True
            )
        ]
    ]


def _evaluate_word(word: ShellWord, shell: Shell, walk: Walk, *, assignment: bool = False) -> Generator[Request, Any, Choices]:
    """Returns the alternatives of each piece."""
    pieces = word.pieces
    span = None if assignment or len(pieces) < 3 else find_split_glob(pieces)
    if span is None:
        return (yield from _evaluate_pieces(pieces, shell, walk, at_start=True, assignment=assignment))
    start, opened, end, closed, like = span
    parts = yield from _evaluate_pieces(pieces[:start], shell, walk, at_start=True, assignment=False)
    literal = yield from _evaluate_pieces(pieces[start : end + 1], shell, walk, at_start=False, assignment=False)
    opening, closing = pieces[start], pieces[end]
    assert isinstance(opening, Text)
    assert isinstance(closing, Text)
    glob = opening.value[:opened] + like + closing.value[closed:]
    parts.append([(parse_glob(glob), True), *((MixedValue(choice), False) for choice in _combine_choices(literal))])
    return parts + (yield from _evaluate_word(ShellWord(pieces[end + 1 :], word.span), shell, walk))


def _evaluate_pieces(
    pieces: tuple[Piece, ...], shell: Shell, walk: Walk, *, at_start: bool, assignment: bool
) -> Generator[Request, Any, Choices]:
    parts: Choices = []
    for n, piece in enumerate(pieces):
        if type(piece) is not Text:
            found = yield from _evaluate_piece(piece, shell, walk, protected=assignment)
            parts.append(found + (zsh.expand_element(pieces, n, shell) or zsh.apply_modifiers(pieces, n, found, shell)))
        elif n and (after := zsh.text_after_subscript(pieces, n, shell)) is not None:
            literal = known_word if piece.quoted else parse_glob
            parts.append([(literal(piece.value), True), (literal(after), True)])
        elif piece.quoted:
            parts.append([(known_word(piece.value), True)])
        else:
            if code := find_qualifier_code(piece.value):
                yield Interpret("shell", known_word(code), shell.current_origin(), via=Carrier("a glob's qualifier"))
            parts += _expand_unquoted(
                piece.value, shell, at_start=at_start and n == 0, at_end=n + 1 == len(pieces), assignment=assignment
            )
    return parts


def _expand_unquoted(text: str, shell: Shell, *, at_start: bool, at_end: bool, assignment: bool) -> Choices:
    parts: Choices = []
    if at_start and text.startswith("~"):
        end = _TILDE_END.search(text)  # bash ends it at a colon too: `-v ~:/work`
        user, slash, rest = (text[1 : end.start()], end[0], text[end.end() :]) if end else (text[1:], "", "")
        if slash or at_end:
            parts.append([(value, True) for value in expand_tilde(user, shell)])
            text = slash + rest
    elif at_start and not assignment and text.startswith("=") and text[1:].isidentifier():
        # zsh: `=name` is the path of that program
        return [[(value, True) for value in (known_word(text[1:]), known_word(text), *zsh.find_program_path(text[1:], shell))]]
    elif at_start and not assignment and (match := _ASSIGNED_TILDE.match(text)) and (match[2] or at_end):
        # bash expands it in a word that looks like an assignment, `dd of=~/x`; dash does not
        homes = [
            (known_word(match[1]) + home + parse_glob(text[match.end() - len(match[2]) :]), True)
            for home in expand_tilde("", shell)
        ]
        return [[*homes, (parse_glob(text), True)]]
    if assignment:
        before, *after = (_INNER_TILDE if at_end else _INNER_TILDE_BEFORE_MORE)(text)
        parts.append([(known_word(before), True)])
        for each in after:
            parts.append([(known_word(":") + home + known_word(each), True) for home in expand_tilde("", shell)])
    elif text:
        parts.append([(parse_glob(text), True)])
    return parts


def _evaluate_piece(piece: Piece, shell: Shell, walk: Walk, *, protected: bool) -> Generator[Request, Any, list[Segment]]:
    match piece:
        case Parameter():
            is_whole = piece.quoted or protected
            values = yield from _expand_parameter(piece, shell, walk, split=not is_whole)
            values += zsh.expand_whole_array(piece, shell)
            is_joined = joins_elements(piece)
            if is_whole and (is_joined or (protected and piece.name == "@")):
                gaps = (*(() if is_joined else (" ",)), *parameters.join_separators(shell))  # other shells join `$@` as `$*`
                joined_up = [join_with_gap(value, gap) if isinstance(value, tuple) else value for value in values for gap in gaps]
                return [(value, True) for value in dict.fromkeys(joined_up)]
            return [(value, is_whole) for value in values]
        case Substitution(body=body, quoted=quoted):
            sub = shell.copy_as_subshell()
            sub.strict = False  # bash continues after a failure in it, even under `set -e`
            sub.options |= {ERRORS_ASIDE}
            yield from walk(Subshell(body, body.span), sub)
            return [(value, quoted or protected) for value in dict.fromkeys(map(_strip_line_ends, sub.printed))]
        case Process(direction=direction, body=body):
            sub = shell.copy_as_subshell()
            sub.always = False
            if direction == ">":
                sub.stdin = unknown_word(">(...)", frozenset({shell.number}))  # output of the command, not known yet
            yield from walk(Subshell(body, body.span), sub)
            printed = join_words((text for text in sub.printed if text.parts), "\n")
            if direction == ">" and printed.parts:  # before or after the command's own output
                shell.emit_output(EMPTY, *sub.printed, unknown_word(">(...)", printed.src))
            return [(pipe_word(printed), True)]
        case Arithmetic(pieces=inner, quoted=quoted):
            yield from _evaluate_arithmetic(inner, shell, walk)
            return [(unknown_named(piece.raw, like="?**" if protected or quoted else "*"), True)]
        case _:
            raise AssertionError(piece)


def _strip_line_ends(printed: Word) -> Word:
    """Strips line ends, as `$(...)` does. An unknown end may be empty, so line ends before it are stripped, too."""
    parts = list(printed.parts)
    for n in range(len(parts) - 1, -1, -1):
        part = parts[n]
        if isinstance(part, str):
            parts[n] = part.rstrip("\n")
            if parts[n]:
                break
        elif part.like.strip("*"):  # it matches at least one character
            break
    return Word(tuple(part for part in parts if part), False, printed.src)


def _evaluate_arithmetic(pieces: tuple[Piece, ...], shell: Shell, walk: Walk) -> Generator[Request, Any, None]:
    """Evaluates an expression: substitutions in it run, and variables in it are expressions themselves, subscripts included."""
    expression = ""
    for piece in pieces:
        if type(piece) is Text:
            expression += piece.value
        else:
            for value, _ in (yield from _evaluate_piece(piece, shell, walk, protected=True)):
                expression += item_as_word(value).text or " "
    if len(expression) < MAX_SIZE:
        calculate(expression, shell)
    else:
        raise LimitError("an expression grows beyond what the gate follows")


def _expand_parameter(piece: Parameter, shell: Shell, walk: Walk, *, split: bool) -> Generator[Request, Any, list[Item]]:
    """Expands a parameter. The words within its braces are expanded first, whether they are used or not."""
    if shell.frame.dialect.is_dash and not dash_builtins.is_known_expansion(piece):
        shell.record_exit("exit")
    if piece.subscript is not None:
        yield from evaluate_subscript(piece.subscript, shell, walk)
    if piece.argument is None and piece.replacement is None:
        return (yield from parameters.expand_parameter(piece, shell, _NO_ARGUMENTS, shell))
    argument = piece.argument or ShellWord((), (0, 0))
    if piece.operator not in _CONDITIONAL_OPERATORS or not any(map(_may_assign, argument.pieces)):
        arguments = yield from _expand_arguments(piece, argument, shell, walk, split=split)
        return (yield from parameters.expand_parameter(piece, shell, arguments, shell))
    before, is_used = shell.copy(), parameters.uses_argument(piece, shell)
    path = shell.copy() if is_used is False else shell
    arguments = yield from _expand_arguments(piece, argument, path, walk, split=split)
    if is_used is None:
        shell.join(before)
    return (yield from parameters.expand_parameter(piece, shell, arguments, before))


def _may_assign(piece: Piece) -> bool:
    """Returns whether expanding this may assign a variable."""
    return type(piece) is Arithmetic or (type(piece) is Parameter and (piece.argument is not None or piece.subscript is not None))


def _expand_arguments(
    piece: Parameter, argument: ShellWord, shell: Shell, walk: Walk, *, split: bool
) -> Generator[Request, Any, OperatorArguments]:
    """Expands the words within the braces of a parameter."""
    inserted = split and piece.operator in _DEFAULT_OPERATORS
    words = yield from expand_unsplit(argument, shell.copy() if inserted else shell, walk)
    items: tuple[Item, ...] = words
    wanted: tuple[str | None, ...] = ("",) * len(words)
    if inserted:
        items = tuple(MixedValue(choice) for choice in _combine_choices((yield from _expand_default(argument, shell, walk))))
        if piece.operator in (":=", "="):  # what is inserted is the variable, which is split whatever was quoted
            items = tuple(dict.fromkeys((*words, *items)))
    elif piece.operator[:1] in "#%/^,":
        wanted = yield from _expand_pattern(argument, shell, walk)
        words = words if len(words) == len(wanted) else (words[0],) * len(wanted)
    replacement = (yield from expand_unsplit(piece.replacement, shell, walk)) if piece.replacement is not None else (EMPTY,)
    return OperatorArguments(words, items, wanted, replacement)


def _expand_default(word: ShellWord, shell: Shell, walk: Walk) -> Generator[Request, Any, Choices]:
    """Expands the word after `:-`, of which even literal text is split at blanks unless quoted."""
    parts: Choices = []
    for n, piece in enumerate(word.pieces):
        if type(piece) is not Text or piece.quoted or (n == 0 and piece.value.startswith("~")):
            parts += yield from _evaluate_pieces((piece,), shell, walk, at_start=n == 0, assignment=False)
        else:
            parts.append([(known_word(piece.value), False)])
    return parts


_DEFAULT_OPERATORS = frozenset((":-", "-", ":=", "=", ":+", "+"))
_CONDITIONAL_OPERATORS = _DEFAULT_OPERATORS | {":?", "?"}

_NO_ARGUMENTS = OperatorArguments()


def _expand_pattern(word: ShellWord, shell: Shell, walk: Walk) -> Generator[Request, Any, tuple[str | None, ...]]:
    """Expands a word to a pattern; quoted text in it is literal."""
    results: list[str | None] = [""]
    for piece in word.pieces:
        more: list[str | None]
        if type(piece) is Text:
            more = [literal_pattern(piece.value) if piece.quoted else piece.value]
        else:
            more = []
            for value, _ in (yield from _evaluate_piece(piece, shell, walk, protected=True)):
                text = item_as_word(value).text
                quoted = getattr(piece, "quoted", False)
                more.append(None if text is None else literal_pattern(text) if quoted else text)
        results = [None if a is None or b is None else a + b for a, b in product(results, more)]
    return tuple(dict.fromkeys(results)) if len(results) <= MAX_ALTERNATIVES else (None,)


def evaluate_subscript(subscript: ShellWord, shell: Shell, walk: Walk) -> Generator[Request, Any, None]:
    """Evaluates `a[...]`: substitutions in it run, and so do those in the values of its variables."""
    if parse_index(subscript) is None:
        yield from _evaluate_arithmetic(subscript.pieces, shell, walk)


def _combine_choices(parts: Choices) -> list[tuple[Segment, ...]]:
    total = 1
    for part in parts:
        total *= len(part)
    if total <= MAX_ALTERNATIVES:
        return list(product(*parts))
    return [tuple(part[0] if len(part) == 1 else (_generalize_segments(part), part[0][1]) for part in parts)]


def _generalize_segments(part: list[Segment]) -> Item:
    if all(isinstance(value, Word) for value, _ in part):
        return generalize([item_as_word(value) for value, _ in part])
    return (
        unknown_word("one of several values", NO_SOURCES.union(*(item_as_word(value).src for value, _ in part)), splits=True),
    )


def _expand_fields(word: ShellWord, shell: Shell, walk: Walk) -> Expansion:
    parts = yield from _evaluate_word(word, shell, walk)
    results: list[Fields] = []
    for choice, separators in product(_combine_choices(parts), list_separators(shell)):
        for empties in (False, True) if may_keep_empty_fields(choice, separators, shell.frame.dialect) else (False,):
            builder = FieldBuilder(separators, alone=len(choice) == 1, empties=empties)
            for value, protected in choice:
                builder.add_value(value, protected=protected)
            fields = builder.finish_fields()
            if "nocaseglob" in shell.options:
                fields = [ignore_case(field) for field in fields]
            if fields not in results:
                results.append(fields)
        if separators != BLANKS and may_lose_empty_fields(choice, separators, shell.frame.dialect):
            results.append(
                [
                    unknown_word(
                        "arguments that dash cuts", collect_sources(item_as_word(value) for value, _ in choice), splits=True
                    )
                ]
            )
    if [] in results and _may_be_an_empty_word(word.pieces, shell):
        results.append([EMPTY])
    return results


def _may_be_an_empty_word(pieces: tuple[Piece, ...], shell: Shell) -> bool:
    """Returns whether another shell makes an empty word of it: `"$@$@"` without arguments is no word in bash and an empty one
    in dash; `"$@$*"` is an empty one in zsh, too."""
    quoted = sum(type(piece) is Parameter and piece.quoted for piece in pieces)
    return quoted > 1 and shell.frame.dialect.may_differ_from_bash
