"""Expansion of make's references and functions: `$(NAME)`, `$(call F,x)`, `$(shell command)`.

The result is text for the shell that runs the recipe. References that the shell expands equally are left to it: a variable of
the environment becomes `${NAME-}`, `$(shell command)` becomes `$(command)`. What is not expanded is unknown, never empty.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from toolgate.model.word import EMPTY, Hole, Word, joined, known

SOMETHING = Word((Hole("?*", "a variable"),))
_DEEPEST = 12
_OWN = {
    "MAKE": "make",
    "CC": "cc",
    "CXX": "c++",
    "AR": "ar",
    "LD": "ld",
    "RM": "rm -f",
    "SHELL": "/bin/sh",
    "CURDIR": ".",
    "PWD": ".",
    ".SHELLFLAGS": "-c",
}
"""Variables that make sets itself."""
_AUTOMATIC = "@<^?*+|%"


@dataclass(frozen=True, slots=True)
class Rule:
    """The rule that automatic variables refer to. `stem`: what `%` matched in a pattern rule, None in other rules."""

    target: str = ""
    needs: tuple[str, ...] = ()
    stem: str | None = None


@dataclass(frozen=True, slots=True)
class Expansion:
    """`settings`: the variables of the makefiles; `given`: those of the command line, or of a call, which override them.
    `included`: other files were read, so a missing variable may be set there. `commands`: those that `$(shell)` ran."""

    settings: Mapping[str, str]
    given: Mapping[str, Word]
    rule: Rule = Rule()
    included: bool = False
    commands: list[Word] = field(default_factory=list)
    depth: int = 0

    def expand(self, text: str) -> Word:
        result, at = EMPTY, 0
        while (start := text.find("$", at)) >= 0 and start + 1 < len(text):
            result = result + known(text[at:start])
            following = text[start + 1]
            if following in "({":
                at = end_of_call(text, start)
                value = self._reference(text[start + 2 : at - 1])
            else:
                at = start + 2
                value = known("$") if following == "$" else self._value(following)
            result = result + _within_quotes(value, result)
        return result + known(text[at:])

    def _reference(self, inner: str) -> Word:
        call = _CALL(inner)
        if call is not None and call[1] in _FUNCTIONS:
            return _FUNCTIONS[call[1]](self, call[2]) if self.depth < _DEEPEST else SOMETHING
        if "$" in inner:
            name = self.expand(inner).text or ""
            return self._value(name) if name else SOMETHING
        name, colon, change = inner.partition(":")
        if not colon or "=" not in change:
            return self._value(inner)
        before, _, after = change.partition("=")
        pattern = (before, after) if "%" in before else (f"%{before}", f"%{after}")
        return _each_word(self._value(name), lambda word: _patsubst(*pattern, word))

    def _value(self, name: str) -> Word:
        if name in self.given:
            return self.given[name]
        if name[:1] in _AUTOMATIC and len(name) <= len("@D"):
            return self._automatic(name)
        if name in self.settings:
            return self.deeper().expand(self.settings[name]) if self.depth < _DEEPEST else SOMETHING
        if name in _OWN:
            return known(_OWN[name])
        if self.included or not name:
            return SOMETHING
        return known(f"${{{name}-}}") if name.isidentifier() else EMPTY

    def _automatic(self, name: str) -> Word:
        rule, letter = self.rule, name[0]
        needs = [need for need in rule.needs if "$" not in need]
        word = {
            "@": known(rule.target) if rule.target else SOMETHING,
            "*": known(rule.stem) if rule.stem is not None else SOMETHING,
            "<": known(needs[0]) if needs and len(needs) == len(rule.needs) else SOMETHING,
            "^": known(" ".join(needs)) if needs and len(needs) == len(rule.needs) else SOMETHING,
        }.get(letter, SOMETHING)
        if name[1:] == "D":
            return _each_word(word, lambda text: text.rpartition("/")[0] or ".")
        return _each_word(word, lambda text: text.rpartition("/")[2]) if name[1:] == "F" else word

    def deeper(self) -> "Expansion":
        return replace(self, depth=self.depth + 1)

    def arguments(self, text: str) -> list[str]:
        """Split a text at the commas outside parentheses."""
        found, level = [""], 0
        for char in text:
            level += (char in "({") - (char in ")}")
            if char == "," and level == 0:
                found.append("")
            else:
                found[-1] += char
        return found

    def values(self, text: str) -> list[Word]:
        return [self.deeper().expand(each) for each in self.arguments(text)]


_CALL = re.compile(r"([a-z-]+)[ \t]+(.*)", re.DOTALL).match


def end_of_call(text: str, start: int) -> int:
    """Return the index after the parenthesis that closes the one after the dollar sign at `start`."""
    depth = 0
    for n in range(start + 1, len(text)):
        if text[n] in "({":
            depth += 1
        elif text[n] in ")}":
            depth -= 1
            if depth == 0:
                return n + 1
    return len(text)


def _within_quotes(value: Word, before: Word) -> Word:
    """Return the value for a place within single quotes, where the shell expands nothing."""
    if value.text is None or "$" not in value.text or value.text == "$":
        return value
    text = "".join(part if isinstance(part, str) else "x" for part in before.parts)
    return known(f"'\"{value.text}\"'") if _is_in_single_quotes(text) else value


def _is_in_single_quotes(text: str) -> bool:
    return any(match[0] == "'" for match in _QUOTED(text))


_QUOTED = re.compile(r"""\\.|'[^']*'|"(?:[^"\\]|\\.)*"|'""", re.DOTALL).findall


def _each_word(words: Word, change: Callable[[str], str]) -> Word:
    """Apply a change to each word of a text; unknown if the shell has to expand parts of it."""
    if words.text is None or _runs_in_the_shell(words.text):
        return SOMETHING
    return known(" ".join(map(change, words.text.split())))


def _runs_in_the_shell(text: str) -> bool:
    """Tell whether the shell has to expand more of this than environment variables, which are single words."""
    return "$" in _VARIABLE("", text)


_VARIABLE = re.compile(r"\$\{\w+-\}").sub


def _patsubst(pattern: str, replacement: str, word: str) -> str:
    """`$(patsubst %.c,%.o,x.c)`: replace a word that matches the pattern, its `%` inserted into the replacement."""
    before, percent, after = pattern.partition("%")
    if not percent:
        return replacement if word == pattern else word
    if len(word) < len(before) + len(after) or not (word.startswith(before) and word.endswith(after)):
        return word
    return replacement.replace("%", word[len(before) : len(word) - len(after)], 1)


# ---- functions


def _shell(expansion: Expansion, text: str) -> Word:
    command = expansion.deeper().expand(text)
    expansion.commands.append(command)
    return known("$(") + command + known(")")


def _call(expansion: Expansion, text: str) -> Word:
    """`$(call NAME,a,b)`: the variable's value, with `$(1)` and `$(2)` set to the arguments."""
    name, *values = expansion.values(text)
    body = expansion.settings.get((name.text or "").strip())
    if body is None:
        return SOMETHING
    numbered = {str(n): value for n, value in enumerate(values, 1)}
    own = {**expansion.given, **{str(n): EMPTY for n in range(10)}, **numbered, "0": name}
    return replace(expansion.deeper(), given=own).expand(body)


def _if(expansion: Expansion, text: str) -> Word:
    condition, *branches = expansion.values(text)
    if condition.text is None or "$" in condition.text:
        return SOMETHING
    chosen = branches[:1] if condition.text.strip() else branches[1:2]
    return chosen[0] if chosen else EMPTY


def _or(expansion: Expansion, text: str) -> Word:
    first, *rest = expansion.values(text)
    variable = _ONE_VARIABLE(first.text or "")
    if variable is not None and rest:
        return known(f"${{{variable[1]}:-") + rest[0] + known("}")
    return next((value for value in (first, *rest) if value.parts), EMPTY)


_ONE_VARIABLE = re.compile(r"\$\{(\w+)-\}").fullmatch


def _and(expansion: Expansion, text: str) -> Word:
    values = expansion.values(text)
    return values[-1] if all(value.parts for value in values) else EMPTY


def _foreach(expansion: Expansion, text: str) -> Word:
    name, words, *body = expansion.arguments(text)
    items = expansion.deeper().expand(words).text
    variable = expansion.expand(name).text
    if items is None or not variable or "$" in items:
        return SOMETHING
    inner = [
        replace(expansion.deeper(), given={**expansion.given, variable.strip(): known(item)}).expand(",".join(body))
        for item in items.split()[:_MOST_WORDS]
    ]
    return joined(inner, " ")


_MOST_WORDS = 64


def _same(expansion: Expansion, text: str) -> Word:
    """Functions of paths whose result names the same files: `abspath`, `wildcard`, `strip`, `sort`."""
    value = expansion.deeper().expand(text)
    return known(value.text.strip(), value.src) if value.text is not None else value


def _nothing(expansion: Expansion, text: str) -> Word:
    expansion.deeper().expand(text)
    return EMPTY


def _something(expansion: Expansion, text: str) -> Word:
    expansion.deeper().expand(text)
    return SOMETHING


def _of_words(change: Callable[[str], str]) -> "Function":
    return lambda expansion, text: _each_word(expansion.deeper().expand(text), change)


def _chosen(choose: Callable[[list[str]], list[str]]) -> "Function":
    def function(expansion: Expansion, text: str) -> Word:
        words = expansion.deeper().expand(text).text
        return SOMETHING if words is None or _runs_in_the_shell(words) else known(" ".join(choose(words.split())))

    return function


def _with_first(change: Callable[[str, str], str]) -> "Function":
    """Return a function whose first argument controls the change of each word of the last."""

    def function(expansion: Expansion, text: str) -> Word:
        first, *rest = expansion.values(text)
        if first.text is None or _runs_in_the_shell(first.text) or not rest:
            return SOMETHING
        known_first = first.text
        return _each_word(rest[-1], lambda word: change(known_first, word))

    return function


def _patsubst_of(expansion: Expansion, text: str) -> Word:
    values = expansion.values(text)
    texts = [value.text for value in values]
    if len(texts) != len(("pattern", "replacement", "words")) or texts[0] is None or texts[1] is None:
        return SOMETHING
    pattern, replacement = texts[0].strip(), texts[1].strip()
    return _each_word(values[2], lambda word: _patsubst(pattern, replacement, word))


def _subst(expansion: Expansion, text: str) -> Word:
    texts = [value.text for value in expansion.values(text)]
    if len(texts) != len(("from", "to", "text")) or any(each is None or "$" in each for each in texts):
        return SOMETHING
    before, after, whole = (each or "" for each in texts)
    return known(whole.replace(before, after) if before else whole)


def _value_of(expansion: Expansion, text: str) -> Word:
    name = expansion.deeper().expand(text).text or ""
    return known(expansion.settings[name]) if name in expansion.settings else SOMETHING


Function = Callable[[Expansion, str], Word]
_FUNCTIONS: dict[str, Function] = {
    "shell": _shell,
    "call": _call,
    "if": _if,
    "or": _or,
    "and": _and,
    "foreach": _foreach,
    "value": _value_of,
    **dict.fromkeys(("abspath", "realpath", "wildcard", "strip", "sort"), _same),
    **dict.fromkeys(("info", "warning", "error"), _nothing),
    "dir": _of_words(lambda word: word[: word.rindex("/") + 1] if "/" in word else "./"),
    "notdir": _of_words(lambda word: word.rpartition("/")[2]),
    "firstword": _chosen(lambda words: words[:1]),
    "lastword": _chosen(lambda words: words[-1:]),
    "basename": _of_words(lambda word: word.rpartition(".")[0] or word),
    "addprefix": _with_first(lambda first, word: first.strip() + word),
    "addsuffix": _with_first(lambda first, word: word + first.strip()),
    "patsubst": _patsubst_of,
    "subst": _subst,
    **dict.fromkeys(
        (
            *("word", "words", "wordlist", "findstring", "filter", "filter-out", "suffix", "join"),
            *("origin", "flavor", "eval", "file", "guile", "intcmp", "let"),
        ),
        _something,
    ),
}
