"""Words of shell text -> the words a program would see, in bash's order: braces, tilde, parameters and substitutions,
splitting, globs, quote removal.

The result is a list of alternatives, each a list of fields: what depends on the path taken is there once a path.
"""

import re
from collections.abc import Callable, Generator
from itertools import product
from typing import Any

from toolgate.model.effect import Opaque
from toolgate.model.word import EMPTY, NOTHING, Hole, Maybe, Word, joined, known, unknown

from . import patterns
from .protocol import TICK, Array, Beyond, Reading, Values, Yielded
from .state import MANY, SIZE, Shell, alternatives, common, first, size, unset
from .syntax import Arithmetic, Assignment, Node, Parameter, Piece, Process, Sequence, ShellWord, Substitution, Text

Fields = list[Word]
Expanding = Generator[Yielded, Any, list[Fields]]
Walk = Callable[[Node, Shell], Reading]

_PLAIN = re.compile(r"[^*?\[{~=+@!]*")
_BLANKS = re.compile(r"[ \t\n]+")
_GLOBS = re.compile(r"\*+|\?|\[[^\]/]+\]|[*+@!?]\([^()]*\)")
_PATTERN_TEXT = 2_000
_STARS = 3


def expand(word: ShellWord, shell: Shell, walk: Walk) -> Expanding:
    """The fields an argument becomes."""
    pieces = word.pieces
    if len(pieces) == 1:
        piece = pieces[0]
        if type(piece) is Text and (piece.quoted or _PLAIN.fullmatch(piece.value)):
            return [[known(piece.value)]]
    if patterns.has_braces(word):
        words = patterns.brace_expand(word)
        if words is None:
            return [[unknown("{...}", splits=True)]]
        if len(words) > 1:
            results: list[Fields] = [[]]
            for each in words:
                more = yield from _fields(each, shell, walk)
                results = [a + b for a, b in product(results, more)]
                results = _limited(results)
            return results
    return (yield from _fields(word, shell, walk))


def expand_one(word: ShellWord, shell: Shell, walk: Walk) -> Generator[Yielded, Any, tuple[Word, ...]]:
    """The possible values of a text that is not split: the right side of an assignment, a redirect's target, a case subject."""
    pieces = word.pieces
    if len(pieces) == 1 and type(pieces[0]) is Text and (pieces[0].quoted or "~" not in pieces[0].value):
        return (known(pieces[0].value),)
    parts = yield from _evaluate(word, shell, walk, assignment=True)
    results = []
    for choice in _choices(parts):
        value = EMPTY
        for item, _ in choice:
            value = value + (joined(item) if isinstance(item, tuple) else item)
        if size(value) > SIZE:
            raise Beyond("a text grows beyond what the gate follows")
        results.append(value.whole())
    return alternatives(results)


def elements(assignment: Assignment, shell: Shell, walk: Walk) -> Generator[Yielded, Any, Values]:
    """The alternatives of an array literal, keys left out: order is what matters to `"${a[@]}"`."""
    results: list[Fields] = [[]]
    for element in assignment.elements or ():
        if element.key is not None:
            yield from expand_one(element.key, shell, walk)
            more = [[value] for value in (yield from expand_one(element.value, shell, walk))]
        else:
            more = yield from expand(element.value, shell, walk)
        results = _limited([a + b for a, b in product(results, more)])
    return tuple(tuple(fields) for fields in results)


def _limited(results: list[Fields]) -> list[Fields]:
    """Too many alternatives: where they differ, what they have in common."""
    if len(results) <= MANY:
        return results
    if len({len(fields) for fields in results}) == 1:
        return [[common(column) for column in zip(*results, strict=True)]]
    return [[unknown("one of several values", NOTHING.union(*(word.src for fields in results for word in fields)), splits=True)]]


# ---- pieces

Item = Word | Array
Part = tuple[Item, bool]  # the value, and whether it is protected from splitting and globbing
Choices = list[list[Part]]


def _evaluate(word: ShellWord, shell: Shell, walk: Walk, *, assignment: bool = False) -> Generator[Yielded, Any, Choices]:
    """For each piece its alternatives."""
    parts: Choices = []
    for n, piece in enumerate(word.pieces):
        if type(piece) is Text:
            if piece.quoted:
                parts.append([(known(piece.value), True)])
            else:
                parts += _unquoted(piece.value, shell, at_start=n == 0, alone=len(word.pieces) == n + 1, assignment=assignment)
        else:
            parts.append((yield from _value(piece, shell, walk, protected=assignment)))
    return parts


def _unquoted(text: str, shell: Shell, *, at_start: bool, alone: bool, assignment: bool) -> Choices:
    parts: Choices = []
    if at_start and text.startswith("~"):
        user, slash, rest = text[1:].partition("/")
        if slash or alone:
            parts.append([(value, True) for value in _tilde(user, shell)])
            text = slash + rest
    elif at_start and not assignment and text.startswith("=") and text[1:].isidentifier():
        # zsh: `=name` is the path of that program
        return [[(known(text[1:]), True), (known(text), True)]]
    if assignment:
        if ":~" in text:
            text = text.replace(":~/", f":{shell.frame.home[0].shown}/")
        parts.append([(known(text), True)])
    elif text:
        parts.append([(_globbed(text), True)])
    return parts


def _tilde(user: str, shell: Shell) -> tuple[Word, ...]:
    if user == "":
        return tuple(first(value) for value in shell.values("HOME"))
    if user == "+":
        return shell.cwd
    if user == "-":
        return tuple(first(value) for value in shell.values("OLDPWD"))
    if user == "root":
        return (known("/root"),)
    homes = tuple(home for home in shell.frame.home if home.text is not None and home.text.rpartition("/")[2] == user)
    if homes:
        return homes
    return (
        (Word((Hole(f"/home/{user}", f"~{user}"),)),)
        if user.replace("_", "").replace("-", "").isalnum()
        else (known("~" + user),)
    )


def _globbed(text: str) -> Word:
    """Unquoted glob characters become holes that match what the shell would."""
    if not any(char in text for char in "*?["):
        return known(text)
    parts: list[str | Hole] = []
    at = 0
    for match in _GLOBS.finditer(text):
        if match.start() > at:
            parts.append(text[at : match.start()])
        glob = match[0]
        like = (
            "?**"
            if glob.endswith(")")
            else "**"
            if glob.startswith("**") and text[match.end() : match.end() + 1] in ("", "/")
            else glob
        )
        parts.append(Hole("*" if like.startswith("*") and like != "**" else _with_caret(like), glob))
        at = match.end()
    if at < len(text):
        parts.append(text[at:])
    return Word(tuple(parts))


def _with_caret(glob: str) -> str:
    """`[^a]` and `[!a]` are the same to a shell; fnmatch knows only the second."""
    return "[!" + glob[2:] if glob.startswith("[^") else glob


def _value(piece: Piece, shell: Shell, walk: Walk, *, protected: bool) -> Generator[Yielded, Any, list[Part]]:
    match piece:
        case Parameter():
            values = yield from parameter(piece, shell, walk)
            whole = piece.quoted or protected
            return [(joined(value) if whole and isinstance(value, tuple) and _joins(piece) else value, whole) for value in values]
        case Substitution(body=body, quoted=quoted):
            printed = yield from _substituted(body, shell, walk)
            return [(printed, quoted or protected)]
        case Process(direction=direction, body=body):
            sub = shell.maybe()
            if direction == ">":
                sub.stdin = unknown(">(...)", frozenset({shell.number}))  # what the command will write
            printed = yield from walk(body, sub)
            # the name stands for the output: whoever reads this path reads that text
            why = printed.text if printed.text is not None else ""
            return [(Word((Hole("/dev/fd/63", why),), False, printed.src), True)]
        case Arithmetic(pieces=inner, quoted=quoted):
            yield from _arithmetic(inner, shell, walk)
            return [(unknown(piece.raw, like="?**" if protected or quoted else "*"), True)]
        case _:
            raise AssertionError(piece)


def _substituted(body: Sequence, shell: Shell, walk: Walk) -> Reading:
    sub = shell.copy()
    printed: Word = yield from walk(body, sub)
    if printed.parts and isinstance(printed.parts[-1], str):
        last = printed.parts[-1].rstrip("\n")
        return Word((*printed.parts[:-1], last) if last else printed.parts[:-1], False, printed.src)
    return printed


def _arithmetic(pieces: tuple[Piece, ...], shell: Shell, walk: Walk) -> Generator[Yielded, Any, None]:
    """Substitutions in an expression run. A variable in it is evaluated as an expression of its own, subscripts and all."""
    for piece in pieces:
        if type(piece) is Text:
            for name in re.findall(r"[A-Za-z_]\w*", piece.value):
                yield from evaluated(name, shell)
        else:
            yield from _value(piece, shell, walk, protected=True)


def evaluated(name: str, shell: Shell) -> Generator[Yielded, Any, None]:
    """A variable used as a number: `a[$(cmd)]` in its value runs cmd."""
    for value in shell.variables.get(name, ()):
        text = first(value)
        if text.contains("$(") is True or text.contains("`") is True:
            yield Opaque(f"the value of {name} runs a command when it is used as a number", shell.origin())


# ---- parameters


def parameter(piece: Parameter, shell: Shell, walk: Walk) -> Generator[Yielded, Any, list[Item]]:
    """The alternatives of `$name` and `${...}`. An array stays one when it is used as one (`"$@"`, `${a[@]}`)."""
    yield TICK
    if piece.subscript is not None and piece.subscript.pieces and type(piece.subscript.pieces[0]) is not Text:
        yield from expand_one(piece.subscript, shell, walk)
    values, is_set = _looked_up(piece, shell)
    if piece.prefix == "!":
        values, is_set = _indirect(values, shell)
    elif piece.prefix == "#":
        return [unknown(piece.raw, like="[0-9]*")]
    if not piece.operator:
        return values
    return (yield from _operated(piece, values, is_set, shell, walk))


def _looked_up(piece: Parameter, shell: Shell) -> tuple[list[Item], Maybe]:
    """The values, and whether the parameter is set and not empty as far as known."""
    name = piece.name
    if name in ("@", "*"):
        if shell.arguments is None:
            return [unknown('"$@"', splits=True)], None
        values: list[Item] = [shell.arguments[1:]]
        return values, bool(shell.arguments[1:])
    if name.isdigit():
        if shell.arguments is None:
            return [unset(name)], None
        index = int(name)
        return [shell.arguments[index] if index < len(shell.arguments) else (EMPTY if index else known("sh"))], None
    if name == "PWD":
        return list(shell.cwd), True
    if not (name[:1].isalpha() or name[:1] == "_"):
        return [unknown(f"${name}", like="?*")], True  # $?, $$, $!, $-, $#: never a path
    found = shell.values(name)
    whole = _is_whole(piece)
    items: list[Item] = [value if whole else first(value) for value in found]
    return items, True if shell.is_set(name) and all(first(value).text for value in found) else None


def _is_whole(piece: Parameter) -> bool:
    """`${a[@]}`, `${a[*]}`, `${a[i]}`: any of the elements may be meant."""
    return piece.subscript is not None


def _indirect(values: list[Item], shell: Shell) -> tuple[list[Item], Maybe]:
    results: list[Item] = []
    for value in values:
        name = first(value).text
        if name and shell.is_set(name):
            results += [first(v) for v in shell.values(name)]
        else:
            results.append(unknown("${!...}", first(value).src))
    return results, None


def _operated(
    piece: Parameter, values: list[Item], is_set: Maybe, shell: Shell, walk: Walk
) -> Generator[Yielded, Any, list[Item]]:
    operator = piece.operator
    argument: tuple[Word, ...] = (EMPTY,)
    if piece.argument is not None:
        argument = yield from expand_one(piece.argument, shell, walk)
    if piece.replacement is not None:
        replacement = yield from expand_one(piece.replacement, shell, walk)
    else:
        replacement = (EMPTY,)
    match operator:
        case ":-" | "-" | ":=" | "=":
            if is_set is True:
                return values
            missing = () if piece.name in shell.variables else (unset(piece.name),)
            kept: list[Item] = [value for value in values if first(value).text != "" and first(value) not in missing]
            maybe_set: list[Item] = [_not_empty(unset(piece.name), piece)] if missing and not _script_local(piece.name) else []
            results = list(alternatives([*kept, *maybe_set, *argument]))
            if operator in (":=", "="):
                shell.assign(piece.name, tuple(results))
            return results
        case ":+" | "+":
            return [*argument] if is_set is True else [EMPTY, *argument]
        case ":?" | "?":
            return [_not_empty(value, piece) if isinstance(value, Word) else value for value in values if value != EMPTY] or [
                _not_empty(unset(piece.name), piece)
            ]
        case "@P":
            for value in values:
                if first(value).text is None or "$(" in first(value).shown or "`" in first(value).shown:
                    yield Opaque(f"{piece.raw} runs what its value holds", shell.origin())
            return [unknown(piece.raw, first(value).src) for value in values]
        case _:
            return _transformed_all(piece, values, argument, replacement)


def _transformed_all(
    piece: Parameter, values: list[Item], argument: tuple[Word, ...], replacement: tuple[Word, ...]
) -> list[Item]:
    """Element by element for an array."""
    results: list[Item] = []
    for value in values:
        if isinstance(value, tuple):
            results.append(tuple(_transformed(element, argument[0], replacement[0], piece) for element in value))
        else:
            results.append(_transformed(value, argument[0], replacement[0], piece))
    return results


def _script_local(name: str) -> bool:
    """Positional parameters are known here; a name may come from the environment."""
    return name.isdigit()


def _not_empty(value: Word, piece: Parameter) -> Word:
    """`${x:?}` and `${x:-...}` never give nothing."""
    if value.text is None and len(value.parts) == 1 and isinstance(hole := value.parts[0], Hole) and hole.like == "**":
        return Word((Hole("?**", hole.why or piece.raw),), value.splits, value.src)
    return value


def _transformed(value: Word, argument: Word, replacement: Word, piece: Parameter) -> Word:
    """`#`, `%`, `/`, `^`, `,`, substrings and `@`: computed on known text."""
    operator, text, pattern = piece.operator, value.text, argument.pattern
    src = value.src | argument.src | replacement.src
    literal = argument.text
    if text is None or (literal is None and "**" in pattern) or len(text) > _PATTERN_TEXT or pattern.count("*") > _STARS:
        return unknown(piece.raw, src)
    match operator:
        case "#" | "##":
            return known(patterns.strip_prefix(text, pattern, longest=operator == "##"), src)
        case "%" | "%%":
            return known(patterns.strip_suffix(text, pattern, longest=operator == "%%"), src)
        case "/" | "//" | "/#" | "/%" if replacement.text is not None and pattern:
            expression = patterns.compiled(pattern).pattern
            expression = (
                f"\\A(?:{expression})" if operator == "/#" else f"(?:{expression})\\Z" if operator == "/%" else expression
            )
            return known(
                re.sub(f"(?s:{expression})", lambda _: replacement.text or "", text, count=0 if operator == "//" else 1), src
            )
        case "^^":
            return known(text.upper(), src)
        case ",,":
            return known(text.lower(), src)
        case "^":
            return known(text[:1].upper() + text[1:], src)
        case ",":
            return known(text[:1].lower() + text[1:], src)
        case ":" if literal is not None and replacement.text is not None:
            return _substring(text, literal.strip(), replacement.text.strip(), piece, src)
        case _:
            return unknown(piece.raw, src)


def _substring(text: str, offset: str, length: str, piece: Parameter, src: frozenset[int]) -> Word:
    try:
        start = int(offset)
        start = max(len(text) + start, 0) if start < 0 else start
        if piece.replacement is None:
            return known(text[start:], src)
        count = int(length)
        return known(text[start : start + count] if count >= 0 else text[start:count], src)
    except ValueError:
        return unknown(piece.raw, src)


# ---- fields


def _choices(parts: Choices) -> list[tuple[Part, ...]]:
    total = 1
    for part in parts:
        total *= len(part)
    if total <= MANY:
        return list(product(*parts))
    return [tuple((common([first(value) for value, _ in part]), part[0][1]) if len(part) > 1 else part[0] for part in parts)]


def _fields(word: ShellWord, shell: Shell, walk: Walk) -> Expanding:
    parts = yield from _evaluate(word, shell, walk)
    separators = _separators(shell)
    results: list[Fields] = []
    for choice in _choices(parts):
        builder = _Builder(separators)
        for value, protected in choice:
            builder.put(value, protected=protected)
        fields = builder.done()
        if fields not in results:
            results.append(fields)
    return results


def _joins(piece: Parameter) -> bool:
    """`"$*"` and `"${a[*]}"` are one word; `"$@"` and `"${a[@]}"` stay several."""
    subscript = piece.subscript
    return piece.name == "*" or (subscript is not None and subscript.pieces == (Text("*", quoted=False),))


def _separators(shell: Shell) -> re.Pattern[str] | None:
    """How unquoted values are split; None when that is not known."""
    if "IFS" not in shell.variables:
        return _BLANKS
    values = shell.variables["IFS"]
    text = first(values[0]).text if len(values) == 1 else None
    if text is None:
        return None
    if text == "":
        return re.compile(r"(?!)")
    return re.compile(f"[{re.escape(text)}]" + ("+" if not text.strip(" \t\n") else ""))


class _Builder:
    """Puts the parts of one word together and cuts it where the shell would."""

    def __init__(self, separators: re.Pattern[str] | None) -> None:
        self._separators = separators
        self._fields: Fields = []
        self._current: Word | None = None

    def put(self, value: Item, *, protected: bool) -> None:
        values = value if isinstance(value, tuple) else (value,)
        for n, word in enumerate(values):
            if n:
                self._end()
            if protected:
                self._add(word)
            else:
                self._split(word)

    def done(self) -> Fields:
        self._end()
        if sum(size(word) for word in self._fields) > SIZE:
            raise Beyond("a text grows beyond what the gate follows")
        return self._fields

    def _add(self, value: Word) -> None:
        self._current = value if self._current is None else self._current + value

    def _end(self) -> None:
        if self._current is not None:
            self._fields.append(self._current)
        self._current = None

    def _split(self, value: Word) -> None:
        for part in value.parts:
            if isinstance(part, Hole):
                self._add(Word((part,), splits=True, src=value.src))
            elif self._separators is None:
                self._add(Word((Hole("**", "a text cut in an unknown way"),), splits=True, src=value.src))
            else:
                for n, bit in enumerate(self._separators.split(part)):
                    if n:
                        self._end()
                    if bit:
                        self._add(Word(_globbed(bit).parts, src=value.src))
