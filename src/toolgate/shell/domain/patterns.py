"""Patterns of the shell on known text: globs in `${name%pattern}`, brace lists and ranges."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from toolgate.shell.syntax.tree import Parameter, Piece, ShellWord, Text

MAX_BRACE_WORDS = 64  # words of one brace expansion; more count as unknown
_NAME_CHARACTERS = re.compile(r"\w*", re.ASCII).match


@lru_cache(256)
def compile_pattern(pattern: str) -> re.Pattern[str]:
    """Returns a glob as a regular expression for a whole text. `*` also matches a slash, as in `case` and `${x#*}`.

    A star backtracks, so callers reject patterns with many stars.
    """
    result, i, pattern = "", 0, spell_out_classes(pattern)
    while i < len(pattern):
        char = pattern[i]
        i += 1
        if char == "*":
            while pattern[i : i + 1] == "*":
                i += 1
            result += ".*"
        elif char == "?":
            result += "."
        elif char == "[" and (end := pattern.find("]", i + 1 + (pattern[i : i + 1] in "!^"))) > 0:
            body = pattern[i:end].replace("\\", "\\\\").replace("[", "\\[")
            result += f"[{'^' + body[1:] if body[:1] in '!^' else body}]"
            i = end + 1
        else:
            result += re.escape(char)
    try:
        return re.compile(result, re.DOTALL)
    except re.error:
        return re.compile(re.escape(pattern), re.DOTALL)


_CLASSES = {
    "[:space:]": " \t\n\r\f\v",
    "[:blank:]": " \t",
    "[:digit:]": "0-9",
    "[:lower:]": "a-z",
    "[:upper:]": "A-Z",
    "[:alpha:]": "a-zA-Z",
    "[:alnum:]": "a-zA-Z0-9",
}


def spell_out_classes(pattern: str) -> str:
    """Returns a pattern with the characters of a class of POSIX in place of its name: `[![:space:]]`."""
    for name, characters in _CLASSES.items() if "[:" in pattern else ():
        pattern = pattern.replace(name, characters)
    return pattern


def strip_prefix(text: str, pattern: str, *, longest: bool) -> str:
    lengths = range(len(text), -1, -1) if longest else range(len(text) + 1)
    expression = compile_pattern(pattern)
    return next((text[n:] for n in lengths if expression.fullmatch(text, 0, n)), text)


def strip_suffix(text: str, pattern: str, *, longest: bool) -> str:
    starts = range(len(text) + 1) if longest else range(len(text), -1, -1)
    expression = compile_pattern(pattern)
    return next((text[:n] for n in starts if expression.fullmatch(text, n)), text)


def has_braces(word: ShellWord) -> bool:
    return any(type(piece) is Text and not piece.quoted and "{" in piece.value for piece in word.pieces)


Atom = str | Piece  # one unquoted character, or a piece that braces cannot divide


def is_number_range(word: ShellWord) -> bool:
    """Returns whether this is `{1..32768}` and nothing else."""
    text = "".join(piece.value for piece in word.pieces if isinstance(piece, Text))
    return re.fullmatch(r"\{\d+\.\.\d+(?:\.\.\d+)?\}", text) is not None


def expand_braces(word: ShellWord) -> list[ShellWord] | None:
    """Returns the words of a brace expansion; None if there are too many."""
    atoms: list[Atom] = []
    for piece in word.pieces:
        if type(piece) is Text and not piece.quoted:
            atoms += piece.value
        else:
            atoms.append(piece)
    results: list[list[Atom]] = []
    try:
        for result in _expand_atoms(atoms, 0):
            results.append(result)
            if len(results) > MAX_BRACE_WORDS:
                return None
    except _TooDeep:
        return None
    return [ShellWord(_extend_names(_merge_atoms(result)), word.span) for result in results]


def _extend_names(pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
    """Returns the pieces with the names of variables as they are once braces are expanded: `$x{a,b}` is `$xa $xb`."""
    found: list[Piece] = []
    for piece in pieces:
        last = found[-1] if found else None
        if (
            type(piece) is Text
            and not piece.quoted
            and type(last) is Parameter
            and last.raw == f"${last.name}"
            and not last.quoted
        ):
            match = _NAME_CHARACTERS(piece.value) if last.name.isidentifier() else None
            more = match[0] if match is not None else ""
            found[-1] = last._replace(name=last.name + more, raw=last.raw + more)
            found.append(Text(piece.value[len(more) :], False))
        else:
            found.append(piece)
    return tuple(found)


class _TooDeep(Exception):
    """More brace lists, nested or in sequence, than the limit."""


def _expand_atoms(atoms: list[Atom], depth: int) -> Iterator[list[Atom]]:
    """Yields every word that the first brace list in `atoms`, and those after and within it, expand to."""
    found = _find_first_list(atoms)
    if found is None:
        yield atoms
        return
    if depth >= _MAX_BRACE_LISTS:
        raise _TooDeep
    start, end, members = found
    for member in members:
        for middle in _expand_atoms(member, depth + 1):
            for rest in _expand_atoms(atoms[end + 1 :], depth + 1):
                yield atoms[:start] + middle + rest


_MAX_BRACE_LISTS = 16


def _find_first_list(atoms: list[Atom]) -> tuple[int, int, list[list[Atom]]] | None:
    """Finds the first valid brace list and its members, in one pass that pairs each brace."""
    opened: list[tuple[int, list[int]]] = []
    best: tuple[int, int, list[list[Atom]]] | None = None
    for n, atom in enumerate(atoms):
        if atom == "{":
            opened.append((n, []))
        elif atom == "," and opened:
            opened[-1][1].append(n)
        elif atom == "}" and opened:
            start, commas = opened.pop()
            members = _split_members(atoms, start, n, commas)
            if members is not None and (best is None or start < best[0]):
                best = start, n, members
            if best is not None and not any(outer < best[0] for outer, _ in opened):
                break
    return best


def _split_members(atoms: list[Atom], start: int, end: int, commas: list[int]) -> list[list[Atom]] | None:
    if commas:
        edges = [start, *commas, end]
        return [atoms[a + 1 : b] for a, b in pairwise(edges)]
    body = atoms[start + 1 : end]
    if all(isinstance(atom, str) for atom in body):
        return _expand_range("".join(atom for atom in body if isinstance(atom, str)))
    return None


def _expand_range(text: str) -> list[list[Atom]] | None:
    """Expands `1..5`, `a..e`, `1..9..2`. Beyond the limit it returns one word too many, which the caller counts."""
    parts = text.split("..")
    if len(parts) not in (2, 3):
        return None
    first, last = parts[0], parts[1]
    try:
        step = abs(int(parts[2])) or 1 if len(parts) == 3 else 1
    except ValueError:
        return None
    if len(first) == 1 and len(last) == 1 and first.isalpha() and last.isalpha():
        a, b = ord(first), ord(last)
        return [[chr(n)] for n in _iter_range(a, b, step)]
    try:
        a, b = int(first), int(last)
    except ValueError:
        return None
    width = max(len(first), len(last)) if first.lstrip("-").startswith("0") or last.lstrip("-").startswith("0") else 0
    return [list(str(n).zfill(width)) for n in _iter_range(a, b, step)]


def _iter_range(a: int, b: int, step: int) -> Iterator[int]:
    count = min(abs(b - a) // step + 1, MAX_BRACE_WORDS + 1)
    direction = step if b >= a else -step
    return iter(range(a, a + direction * count, direction))


def _merge_atoms(atoms: list[Atom]) -> tuple[Piece, ...]:
    pieces: list[Piece] = []
    plain = ""
    for atom in atoms:
        if isinstance(atom, str):
            plain += atom
            continue
        if plain:
            pieces.append(Text(plain, quoted=False))
            plain = ""
        pieces.append(atom)
    if plain:
        pieces.append(Text(plain, quoted=False))
    return tuple(pieces)
