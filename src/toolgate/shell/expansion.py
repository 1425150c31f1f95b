"""Expands words of shell text to the arguments of a program, in bash's order: braces, tilde, parameters and substitutions,
splitting, globs, quote removal.

The result is a list of alternatives, each a list of fields: one for each path on which they differ.
"""

import re
from collections.abc import Generator
from itertools import product
from typing import Any

from toolgate.model.effect import Interpret
from toolgate.model.word import EMPTY, NOTHING, Hole, Word, joined, known, literal_pattern, named_pipe, unknown, unknown_named

from . import differences, parameters, patterns, zsh
from .arithmetic import calculate
from .fields import BLANKS, Builder, Choices, Fields, Part, globbed, keeps_empties, loses_empties, qualifying, separators_of
from .moment import Walk
from .parameters import Given, Item, Mixed, as_text, index_of
from .protocol import Beyond, Yielded
from .state import DIRECTORY, Shell
from .syntax import Arithmetic, Parameter, Piece, Process, ShellWord, Subshell, Substitution, Text
from .values import MANY, SIZE, alternatives, common, first, side_by_side, size, sources

Expanding = Generator[Yielded, Any, list[Fields]]


_PLAIN = re.compile(r"[^*?\[{~=+@!]*")


_TILDE_END = re.compile("[/:]")
_ASSIGNED_TILDE = re.compile(r"([A-Za-z_]\w*=)~(/|$)")


def literal(word: ShellWord) -> Word | None:
    """Returns the only field of a word that needs no expansion, as most words do."""
    piece = word.pieces[0] if len(word.pieces) == 1 else None
    return known(piece.value) if type(piece) is Text and (piece.quoted or _PLAIN.fullmatch(piece.value)) else None


def expand(word: ShellWord, shell: Shell, walk: Walk) -> Expanding:
    """Returns the fields that an argument expands to."""
    if (plain := literal(word)) is not None:
        return [[plain]]
    if patterns.has_braces(word) and shell.frame.dialect != "dash":
        words = patterns.brace_expand(word)
        if words is None:
            return [[unknown("{...}", like="[0-9]*" if patterns.is_range_of_numbers(word) else "**", splits=True)]]
        if len(words) > 1:
            results: list[Fields] = [[]]
            for each in words:
                more = yield from _fields(each, shell, walk)
                if not each.pieces and (shell.frame.zsh or shell.frame.dialect != "bash"):
                    more = [*more, [EMPTY]]  # zsh keeps the empty words of `{,}`, and dash does not expand braces
                results = [a + b for a, b in product(results, more)]
                results = limited(results)
            if shell.frame.zsh and any(type(piece) is Substitution and not piece.quoted for piece in word.pieces):
                results = limited(results + (yield from _fields(word, shell, walk)))  # printed text is split before braces, too
            return results
    return (yield from _fields(word, shell, walk))


def expand_one(word: ShellWord, shell: Shell, walk: Walk) -> Generator[Yielded, Any, tuple[Word, ...]]:
    """Returns the possible values of text that is not split: the value of an assignment, a redirect's target, a case subject."""
    pieces = word.pieces
    if len(pieces) == 1 and type(pieces[0]) is Text and (pieces[0].quoted or "~" not in pieces[0].value):
        return (known(pieces[0].value),)
    parts = yield from _evaluate(word, shell, walk, assignment=True)
    results = []
    for choice in _choices(parts):
        value = EMPTY
        for item, _ in choice:
            value = value + as_text(item)
        if size(value) > SIZE:
            raise Beyond("a text grows beyond what the gate follows")
        results.append(value.whole())
    return alternatives(results)


def limited(results: list[Fields]) -> list[Fields]:
    """Generalizes lists of fields if there are too many of them."""
    if len(results) <= MANY:
        return results
    if len({len(fields) for fields in results}) == 1:
        return [[common(column) for column in zip(*results, strict=True)]]
    return [[unknown("one of several values", NOTHING.union(*(word.src for fields in results for word in fields)), splits=True)]]


def _evaluate(word: ShellWord, shell: Shell, walk: Walk, *, assignment: bool = False) -> Generator[Yielded, Any, Choices]:
    """Returns the alternatives of each piece."""
    pieces = word.pieces
    span = None if assignment or len(pieces) < 3 else _glob_between(pieces)
    if span is None:
        return (yield from _evaluated(pieces, shell, walk, at_start=True, assignment=assignment))
    start, opened, end, closed, like = span
    parts = yield from _evaluated(pieces[:start], shell, walk, at_start=True, assignment=False)
    literal = yield from _evaluated(pieces[start : end + 1], shell, walk, at_start=False, assignment=False)
    opening, closing = pieces[start], pieces[end]
    assert isinstance(opening, Text)
    assert isinstance(closing, Text)
    glob = opening.value[:opened] + like + closing.value[closed:]
    parts.append([(globbed(glob), True), *((Mixed(choice), False) for choice in _choices(literal))])
    return parts + (yield from _evaluate(ShellWord(pieces[end + 1 :], word.span), shell, walk))


_GROUP = re.compile(r"[*+@!?]\([^()]*$")


def _glob_between(pieces: tuple[Piece, ...]) -> tuple[int, int, int, int, str] | None:
    """Finds a glob that begins in one piece and ends in another: `[$x]`, `["a"b]`, `@("a"|b)`. Returns both pieces, the
    positions in their texts, and a matching pattern."""
    for n, piece in enumerate(pieces):
        if type(piece) is not Text or piece.quoted:
            continue
        group = _GROUP.search(piece.value)
        opened = group.start() if group is not None else piece.value.rfind("[")
        mark, like = (")", "*") if group is not None else ("]", "?")
        if opened < 0 or mark in piece.value[opened:]:
            continue
        for end in range(n + 1, len(pieces)):
            last = pieces[end]
            if type(last) is Text and not last.quoted and mark in last.value:
                return n, opened, end, last.value.index(mark) + 1, like
        return None
    return None


def _evaluated(
    pieces: tuple[Piece, ...], shell: Shell, walk: Walk, *, at_start: bool, assignment: bool
) -> Generator[Yielded, Any, Choices]:
    parts: Choices = []
    for n, piece in enumerate(pieces):
        if type(piece) is not Text:
            found = yield from _value(piece, shell, walk, protected=assignment)
            parts.append(found + (zsh.element(pieces, n, shell) or zsh.modified(pieces, n, found, shell)))
        elif n and (after := zsh.left_over(pieces, n, shell)) is not None:
            literal = known if piece.quoted else globbed
            parts.append([(literal(piece.value), True), (literal(after), True)])
        elif piece.quoted:
            parts.append([(known(piece.value), True)])
        else:
            if code := qualifying(piece.value):
                yield Interpret("shell", known(code), shell.origin(), via="a glob's qualifier")
            parts += _unquoted(piece.value, shell, at_start=at_start and n == 0, alone=len(pieces) == 1, assignment=assignment)
    return parts


def _unquoted(text: str, shell: Shell, *, at_start: bool, alone: bool, assignment: bool) -> Choices:
    parts: Choices = []
    if at_start and text.startswith("~"):
        end = _TILDE_END.search(text)  # bash ends it at a colon too: `-v ~:/work`
        user, slash, rest = (text[1 : end.start()], end[0], text[end.end() :]) if end else (text[1:], "", "")
        if slash or alone:
            parts.append([(value, True) for value in _tilde(user, shell)])
            text = slash + rest
    elif at_start and not assignment and text.startswith("=") and text[1:].isidentifier():
        # zsh: `=name` is the path of that program
        return [[(known(text[1:]), True), (known(text), True)]]
    elif at_start and not assignment and (match := _ASSIGNED_TILDE.match(text)) and (match[2] or alone):
        # bash expands it in a word that looks like an assignment, `dd of=~/x`; dash does not
        homes = [(known(match[1]) + home + globbed(text[match.end() - len(match[2]) :]), True) for home in _tilde("", shell)]
        return [[*homes, (globbed(text), True)]]
    if assignment:
        if ":~" in text:
            text = text.replace(":~/", f":{shell.frame.home[0].shown}/")
        parts.append([(known(text), True)])
    elif text:
        parts.append([(globbed(text), True)])
    return parts


_ON_THE_STACK = re.compile("[+-]?[0-9]+").fullmatch


def _tilde(user: str, shell: Shell) -> tuple[Word, ...]:
    if user == "":
        homes = tuple(first(value) for value in shell.values("HOME"))
        if EMPTY not in homes:
            return homes
        return (*homes, *shell.frame.home, *((known("~"),) if shell.frame.dialect != "bash" else ()))  # it may be unset
    if user == "+":
        return (*shell.cwd, *(first(value) for value in shell.variables.get("PWD", ())))
    if user == "-":
        return tuple(first(value) for value in shell.values("OLDPWD"))
    if _ON_THE_STACK(user):
        return (unknown(f"~{user}"),)
    if user == "root":
        return (known("/root"),)
    named = _named_directories(user, shell)
    if named and shell.frame.zsh:
        return named
    homes = tuple(home for home in shell.frame.home if home.text is not None and home.text.rpartition("/")[2] == user)
    if homes:
        return homes
    return (
        (Word((Hole(f"/home/{user}", f"~{user}"),)),)
        if user.replace("_", "").replace("-", "").isalnum()
        else (known("~" + user),)
    )


def _named_directories(name: str, shell: Shell) -> tuple[Word, ...]:
    """Returns the directories that zsh expands `~name` to: named by `hash -d`, or the value of a variable."""
    values = shell.variables.get(DIRECTORY + name) or shell.variables.get(name, ())
    return tuple(word for word in map(first, values) if word.head.startswith("/"))


def _value(piece: Piece, shell: Shell, walk: Walk, *, protected: bool) -> Generator[Yielded, Any, list[Part]]:
    match piece:
        case Parameter():
            is_whole = piece.quoted or protected
            values = yield from _parameter(piece, shell, walk, split=not is_whole)
            values += zsh.all_of(piece, shell)
            if is_whole and parameters.joins(piece):
                gaps = parameters.separators(shell)
                joined_up = [side_by_side(value, gap) if isinstance(value, tuple) else value for value in values for gap in gaps]
                return [(value, True) for value in dict.fromkeys(joined_up)]
            return [(value, is_whole) for value in values]
        case Substitution(body=body, quoted=quoted):
            sub = shell.subshell()
            sub.strict = False  # bash continues after a failure in it, even under `set -e`
            yield from walk(Subshell(body, body.span), sub)
            return [(value, quoted or protected) for value in dict.fromkeys(map(_without_line_ends, sub.printed))]
        case Process(direction=direction, body=body):
            sub = shell.subshell()
            sub.always = False
            if direction == ">":
                sub.stdin = unknown(">(...)", frozenset({shell.number}))  # output of the command, not known yet
            yield from walk(Subshell(body, body.span), sub)
            printed = joined((text for text in sub.printed if text.parts), "\n")
            if direction == ">" and printed.parts:  # before or after the command's own output
                shell.say(EMPTY, *sub.printed, unknown(">(...)", printed.src))
            return [(named_pipe(printed), True)]
        case Arithmetic(pieces=inner, quoted=quoted):
            yield from _arithmetic(inner, shell, walk)
            return [(unknown_named(piece.raw, like="?**" if protected or quoted else "*"), True)]
        case _:
            raise AssertionError(piece)


def _without_line_ends(printed: Word) -> Word:
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


def _arithmetic(pieces: tuple[Piece, ...], shell: Shell, walk: Walk) -> Generator[Yielded, Any, None]:
    """Evaluates an expression: substitutions in it run, and variables in it are expressions themselves, subscripts included."""
    expression = ""
    for piece in pieces:
        if type(piece) is Text:
            expression += piece.value
        else:
            for value, _ in (yield from _value(piece, shell, walk, protected=True)):
                expression += as_text(value).text or " "
    if len(expression) < SIZE:
        calculate(expression, shell)
    else:
        raise Beyond("an expression grows beyond what the gate follows")


def _parameter(piece: Parameter, shell: Shell, walk: Walk, *, split: bool) -> Generator[Yielded, Any, list[Item]]:
    """Expands a parameter. The words within its braces are expanded first, whether they are used or not."""
    if shell.frame.dialect == "dash" and not differences.expands(piece):
        shell.leave("exit")
    if piece.subscript is not None:
        yield from subscripted(piece.subscript, shell, walk)
    given = _PLAIN_GIVEN
    if piece.argument is not None or piece.replacement is not None:
        argument = piece.argument or ShellWord((), (0, 0))
        words = yield from expand_one(argument, shell, walk)
        items: tuple[Item, ...] = words
        wanted: tuple[str | None, ...] = ("",) * len(words)
        if piece.operator in _DEFAULTS:
            if split:
                items = tuple(Mixed(choice) for choice in _choices((yield from _split_later(argument, shell, walk))))
        elif piece.operator[:1] in "#%/^,":
            wanted = yield from _patterns(argument, shell, walk)
            words = words if len(words) == len(wanted) else (words[0],) * len(wanted)
        replacement = (yield from expand_one(piece.replacement, shell, walk)) if piece.replacement is not None else (EMPTY,)
        given = Given(words, items, wanted, replacement)
    return (yield from parameters.parameter(piece, shell, given))


def _split_later(word: ShellWord, shell: Shell, walk: Walk) -> Generator[Yielded, Any, Choices]:
    """Expands the word after `:-`, of which even literal text is split at blanks unless quoted."""
    parts: Choices = []
    for n, piece in enumerate(word.pieces):
        if type(piece) is not Text or piece.quoted or (n == 0 and piece.value.startswith("~")):
            parts += yield from _evaluated((piece,), shell, walk, at_start=n == 0, assignment=False)
        else:
            parts.append([(known(piece.value), False)])
    return parts


_DEFAULTS = frozenset((":-", "-", ":=", "=", ":+", "+"))


_PLAIN_GIVEN = Given()


def _patterns(word: ShellWord, shell: Shell, walk: Walk) -> Generator[Yielded, Any, tuple[str | None, ...]]:
    """Expands a word to a pattern; quoted text in it is literal."""
    results: list[str | None] = [""]
    for piece in word.pieces:
        more: list[str | None]
        if type(piece) is Text:
            more = [literal_pattern(piece.value) if piece.quoted else piece.value]
        else:
            more = []
            for value, _ in (yield from _value(piece, shell, walk, protected=True)):
                text = as_text(value).text
                quoted = getattr(piece, "quoted", False)
                more.append(None if text is None else literal_pattern(text) if quoted else text)
        results = [None if a is None or b is None else a + b for a, b in product(results, more)]
    return tuple(dict.fromkeys(results)) if len(results) <= MANY else (None,)


def subscripted(subscript: ShellWord, shell: Shell, walk: Walk) -> Generator[Yielded, Any, None]:
    """Evaluates `a[...]`: substitutions in it run, and so do those in the values of its variables."""
    if index_of(subscript) is None:
        yield from _arithmetic(subscript.pieces, shell, walk)


def _choices(parts: Choices) -> list[tuple[Part, ...]]:
    total = 1
    for part in parts:
        total *= len(part)
    if total <= MANY:
        return list(product(*parts))
    return [tuple(part[0] if len(part) == 1 else (_in_common(part), part[0][1]) for part in parts)]


def _in_common(part: list[Part]) -> Item:
    if all(isinstance(value, Word) for value, _ in part):
        return common([as_text(value) for value, _ in part])
    return (unknown("one of several values", NOTHING.union(*(as_text(value).src for value, _ in part)), splits=True),)


def _fields(word: ShellWord, shell: Shell, walk: Walk) -> Expanding:
    parts = yield from _evaluate(word, shell, walk)
    results: list[Fields] = []
    for choice, separators in product(_choices(parts), separators_of(shell)):
        for empties in (False, True) if keeps_empties(choice, separators, shell.frame.dialect) else (False,):
            builder = Builder(separators, alone=len(choice) == 1, empties=empties)
            for value, protected in choice:
                builder.put(value, protected=protected)
            fields = builder.done()
            if fields not in results:
                results.append(fields)
        if separators != BLANKS and loses_empties(choice, separators, shell.frame.dialect):
            results.append([unknown("arguments that dash cuts", sources(as_text(value) for value, _ in choice), splits=True)])
    if [] in results and _is_a_word_to_others(word.pieces, shell):
        results.append([EMPTY])
    return results


def _is_a_word_to_others(pieces: tuple[Piece, ...], shell: Shell) -> bool:
    """Returns whether another shell makes an empty word of it: `"$@$@"` without arguments is no word in bash and an empty one
    in dash; `"$@$*"` is an empty one in zsh, too."""
    quoted = sum(type(piece) is Parameter and piece.quoted for piece in pieces)
    return quoted > 1 and (shell.frame.zsh or shell.frame.dialect != "bash")
