"""Expansion of make's references and functions: `$(NAME)`, `$(call F,x)`, `$(shell command)`.

The result is text for the shell that runs the recipe. References that the shell expands equally are left to it: a variable of
the environment becomes `${NAME-}`, `$(shell command)` becomes `$(command)`. What is not expanded is unknown, never empty.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from toolgate.model.word import EMPTY, Hole, Unread, Word, join_words, known_word, unread_word

UNKNOWN_TEXT = Word((Hole("?*", "a variable"),))
_MAX_DEPTH = 12
_TOO_DEEP = unread_word("a variable", Unread(f"its value is nested deeper than {_MAX_DEPTH} levels"))
_BUILT_IN_VARIABLES = {
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
LOGIN_VARIABLES = frozenset(("HOME", "USER", "LOGNAME"))
"""Variables that every environment sets, and that files of a project hardly ever set."""
_AUTOMATIC_VARIABLES = "@<^?*+|%"


@dataclass(frozen=True, slots=True)
class Rule:
    """The rule that automatic variables refer to. `stem`: what `%` matched in a pattern rule, None in other rules."""

    target: str = ""
    needs: tuple[str, ...] = ()
    stem: str | None = None


@dataclass(frozen=True, slots=True)
class Expansion:
    """`settings`: the variables of the makefiles; `overrides`: those of the command line, or of a call, which override them.
    `evaluate`: adds the text of `$(eval)` to the makefile. `incomplete`: a missing variable may be set by text that is not read
    here. `commands`: those that `$(shell)` ran."""

    settings: Mapping[str, str]
    overrides: Mapping[str, Word]
    evaluate: Callable[[Word], None]
    rule: Rule = Rule()
    incomplete: bool = False
    commands: list[Word] = field(default_factory=list)
    depth: int = 0

    def expand(self, text: str) -> Word:
        result, at = EMPTY, 0
        while (start := text.find("$", at)) >= 0 and start + 1 < len(text):
            result = result + known_word(text[at:start])
            following = text[start + 1]
            if following in "({":
                at = end_of_call(text, start)
                value = self._expand_reference(text[start + 2 : at - 1])
            else:
                at = start + 2
                value = known_word("$") if following == "$" else self._value_of_variable(following)
            result = result + escape_in_quotes(value, result)
        return result + known_word(text[at:])

    def _expand_reference(self, inner: str) -> Word:
        call = _match_call(inner)
        if call is not None and call[1] in _FUNCTIONS:
            return _FUNCTIONS[call[1]](self, call[2]) if self.depth < _MAX_DEPTH else _TOO_DEEP
        if "$" in inner:
            name = self.expand(inner).text or ""
            return self._value_of_variable(name) if name else UNKNOWN_TEXT
        name, colon, change = inner.partition(":")
        if not colon or "=" not in change:
            return self._value_of_variable(inner)
        before, _, after = change.partition("=")
        pattern = (before, after) if "%" in before else (f"%{before}", f"%{after}")
        return _map_words(self._value_of_variable(name), lambda word: _substitute_pattern(*pattern, word))

    def _value_of_variable(self, name: str) -> Word:
        if name in self.overrides:
            return self.overrides[name]
        if name[:1] in _AUTOMATIC_VARIABLES and len(name) <= len("@D"):
            return self._automatic_variable(name)
        if name in self.settings:
            return self.nested_expansion().expand(self.settings[name]) if self.depth < _MAX_DEPTH else _TOO_DEEP
        if name in _BUILT_IN_VARIABLES:
            return known_word(_BUILT_IN_VARIABLES[name])
        if not name or (self.incomplete and name not in LOGIN_VARIABLES):
            return UNKNOWN_TEXT
        return known_word(f"${{{name}-}}") if name.isidentifier() else EMPTY

    def _automatic_variable(self, name: str) -> Word:
        rule, letter = self.rule, name[0]
        needs = [need for need in rule.needs if "$" not in need]
        word = {
            "@": known_word(rule.target) if rule.target else UNKNOWN_TEXT,
            "*": known_word(rule.stem) if rule.stem is not None else UNKNOWN_TEXT,
            "<": known_word(needs[0]) if needs and len(needs) == len(rule.needs) else UNKNOWN_TEXT,
            "^": known_word(" ".join(needs)) if needs and len(needs) == len(rule.needs) else UNKNOWN_TEXT,
        }.get(letter, UNKNOWN_TEXT)
        if name[1:] == "D":
            return _map_words(word, lambda text: text.rpartition("/")[0] or ".")
        return _map_words(word, lambda text: text.rpartition("/")[2]) if name[1:] == "F" else word

    def nested_expansion(self) -> "Expansion":
        return replace(self, depth=self.depth + 1)

    def split_arguments(self, text: str) -> list[str]:
        """Splits a text at the commas outside parentheses."""
        found, level = [""], 0
        for char in text:
            level += (char in "({") - (char in ")}")
            if char == "," and level == 0:
                found.append("")
            else:
                found[-1] += char
        return found

    def expand_arguments(self, text: str) -> list[Word]:
        return [self.nested_expansion().expand(each) for each in self.split_arguments(text)]


_match_call = re.compile(r"([a-z-]+)[ \t]+(.*)", re.DOTALL).match


def end_of_call(text: str, start: int) -> int:
    """Returns the index after the parenthesis that closes the one after the dollar sign at `start`."""
    depth = 0
    for n in range(start + 1, len(text)):
        if text[n] in "({":
            depth += 1
        elif text[n] in ")}":
            depth -= 1
            if depth == 0:
                return n + 1
    return len(text)


def escape_in_quotes(value: Word, before: Word) -> Word:
    """Returns the value for a place within single quotes, where the shell expands nothing."""
    if value.text is None or "$" not in value.text or value.text == "$":
        return value
    text = "".join(part if isinstance(part, str) else "x" for part in before.parts)
    return known_word(f"'\"{value.text}\"'") if _is_in_single_quotes(text) else value


def _is_in_single_quotes(text: str) -> bool:
    return any(match[0] == "'" for match in _find_quoted(text))


_find_quoted = re.compile(r"""\\.|'[^']*'|"(?:[^"\\]|\\.)*"|'""", re.DOTALL).findall


def _map_words(words: Word, change: Callable[[str], str]) -> Word:
    """Applies a change to each word of a text; unknown if the shell has to expand parts of it."""
    if words.text is None or _needs_shell_expansion(words.text):
        return UNKNOWN_TEXT
    return known_word(" ".join(map(change, words.text.split())))


def _needs_shell_expansion(text: str) -> bool:
    """Returns whether the shell has to expand more of this than environment variables, which are single words."""
    return "$" in _replace_variables("", text)


_replace_variables = re.compile(r"\$\{(\w+)-\}").sub


def _substitute_pattern(pattern: str, replacement: str, word: str) -> str:
    """`$(patsubst %.c,%.o,x.c)`: replace a word that matches the pattern, its `%` inserted into the replacement."""
    before, percent, after = pattern.partition("%")
    if not percent:
        return replacement if word == pattern else word
    if len(word) < len(before) + len(after) or not (word.startswith(before) and word.endswith(after)):
        return word
    return replacement.replace("%", word[len(before) : len(word) - len(after)], 1)


# ---- functions


def _expand_shell(expansion: Expansion, text: str) -> Word:
    command = expansion.nested_expansion().expand(text)
    expansion.commands.append(command)
    return known_word("$(") + command + known_word(")")


def _expand_file(expansion: Expansion, text: str) -> Word:
    """`$(file >PATH,TEXT)` writes a text, `$(file <PATH)` reads one."""
    name, _, content = text.strip().partition(",")
    mode = ">>" if name.startswith(">>") else name[:1]
    path = expansion.nested_expansion().expand(name[len(mode) :].strip())
    command = known_word("cat <") + path
    if mode != "<":
        quoted = "'" + content.replace("'", "'\\''") + "'"
        command = known_word("printf '%s\\n' ") + expansion.nested_expansion().expand(quoted) + known_word(f" {mode}") + path
    expansion.commands.append(command)
    return known_word("$(") + command + known_word(")")


def _expand_guile(expansion: Expansion, text: str) -> Word:
    """`$(guile CODE)`: the code runs within make."""
    quoted = "'" + text.replace("'", "'\\''") + "'"
    return _expand_shell(expansion, f"guile -c {quoted}")


def _expand_call(expansion: Expansion, text: str) -> Word:
    """`$(call NAME,a,b)`: the variable's value, with `$(1)` and `$(2)` set to the arguments."""
    name, *values = expansion.expand_arguments(text)
    body = expansion.settings.get((name.text or "").strip())
    if body is None:
        return UNKNOWN_TEXT
    numbered = {str(n): value for n, value in enumerate(values, 1)}
    own = {**expansion.overrides, **{str(n): EMPTY for n in range(10)}, **numbered, "0": name}
    return replace(expansion.nested_expansion(), overrides=own).expand(body)


def _expand_if(expansion: Expansion, text: str) -> Word:
    condition, *branches = expansion.expand_arguments(text)
    if condition.text is None or "$" in condition.text:
        return UNKNOWN_TEXT
    chosen = branches[:1] if condition.text.strip() else branches[1:2]
    return chosen[0] if chosen else EMPTY


def _expand_or(expansion: Expansion, text: str) -> Word:
    first, *rest = expansion.expand_arguments(text)
    variable = _match_single_variable(first.text or "")
    if variable is not None and rest:
        return known_word(f"${{{variable[1]}:-") + rest[0] + known_word("}")
    return next((value for value in (first, *rest) if value.parts), EMPTY)


_match_single_variable = re.compile(r"\$\{(\w+)-\}").fullmatch


def _expand_and(expansion: Expansion, text: str) -> Word:
    values = expansion.expand_arguments(text)
    return values[-1] if all(value.parts for value in values) else EMPTY


def _expand_foreach(expansion: Expansion, text: str) -> Word:
    name, words, *body = expansion.split_arguments(text)
    items = expansion.nested_expansion().expand(words).text
    variable = expansion.expand(name).text
    if items is None or not variable or "$" in items:
        return UNKNOWN_TEXT
    inner = [
        replace(expansion.nested_expansion(), overrides={**expansion.overrides, variable.strip(): known_word(item)}).expand(
            ",".join(body)
        )
        for item in items.split()[:_MAX_WORDS]
    ]
    return join_words(inner if len(items.split()) <= _MAX_WORDS else [*inner, _TOO_MANY_WORDS], " ")


_MAX_WORDS = 256
_TOO_MANY_WORDS = unread_word("foreach", Unread(f"it goes over more than {_MAX_WORDS} words"))


def _expand_paths(expansion: Expansion, text: str) -> Word:
    """Functions of paths whose result names the same files: `abspath`, `wildcard`, `strip`, `sort`."""
    value = expansion.nested_expansion().expand(text)
    return known_word(value.text.strip(), value.src) if value.text is not None else value


def _expand_to_nothing(expansion: Expansion, text: str) -> Word:
    expansion.nested_expansion().expand(text)
    return EMPTY


def _expand_eval(expansion: Expansion, text: str) -> Word:
    """`$(eval TEXT)`: the text becomes a part of the makefile. What the shell would have to expand in it is unknown."""
    ran_before = len(expansion.commands)
    value = expansion.nested_expansion().expand(text)
    known = value.text is not None and len(expansion.commands) == ran_before
    expansion.evaluate(known_word(_replace_variables(r"$(\1)", value.text or "")) if known else UNKNOWN_TEXT)
    return EMPTY


def _expand_to_unknown(expansion: Expansion, text: str) -> Word:
    expansion.nested_expansion().expand(text)
    return UNKNOWN_TEXT


def _word_function(change: Callable[[str], str]) -> "MakeFunction":
    return lambda expansion, text: _map_words(expansion.nested_expansion().expand(text), change)


def _selection_function(choose: Callable[[list[str]], list[str]]) -> "MakeFunction":
    def expand_selection(expansion: Expansion, text: str) -> Word:
        words = expansion.nested_expansion().expand(text).text
        return UNKNOWN_TEXT if words is None or _needs_shell_expansion(words) else known_word(" ".join(choose(words.split())))

    return expand_selection


def _function_with_argument(change: Callable[[str, str], str]) -> "MakeFunction":
    """Returns a function whose first argument controls the change of each word of the last."""

    def expand_with_argument(expansion: Expansion, text: str) -> Word:
        first, *rest = expansion.expand_arguments(text)
        if first.text is None or _needs_shell_expansion(first.text) or not rest:
            return UNKNOWN_TEXT
        known_first = first.text
        return _map_words(rest[-1], lambda word: change(known_first, word))

    return expand_with_argument


def _expand_patsubst(expansion: Expansion, text: str) -> Word:
    values = expansion.expand_arguments(text)
    texts = [value.text for value in values]
    if len(texts) != len(("pattern", "replacement", "words")) or texts[0] is None or texts[1] is None:
        return UNKNOWN_TEXT
    pattern, replacement = texts[0].strip(), texts[1].strip()
    return _map_words(values[2], lambda word: _substitute_pattern(pattern, replacement, word))


def _expand_subst(expansion: Expansion, text: str) -> Word:
    texts = [value.text for value in expansion.expand_arguments(text)]
    if len(texts) != len(("from", "to", "text")) or any(each is None or "$" in each for each in texts):
        return UNKNOWN_TEXT
    before, after, whole = (each or "" for each in texts)
    return known_word(whole.replace(before, after) if before else whole)


def _expand_value(expansion: Expansion, text: str) -> Word:
    name = expansion.nested_expansion().expand(text).text or ""
    return known_word(expansion.settings[name]) if name in expansion.settings else UNKNOWN_TEXT


MakeFunction = Callable[[Expansion, str], Word]
_FUNCTIONS: dict[str, MakeFunction] = {
    "shell": _expand_shell,
    "file": _expand_file,
    "guile": _expand_guile,
    "call": _expand_call,
    "if": _expand_if,
    "or": _expand_or,
    "and": _expand_and,
    "foreach": _expand_foreach,
    "value": _expand_value,
    "eval": _expand_eval,
    **dict.fromkeys(("abspath", "realpath", "wildcard", "strip", "sort"), _expand_paths),
    **dict.fromkeys(("info", "warning", "error"), _expand_to_nothing),
    "dir": _word_function(lambda word: word[: word.rindex("/") + 1] if "/" in word else "./"),
    "notdir": _word_function(lambda word: word.rpartition("/")[2]),
    "firstword": _selection_function(lambda words: words[:1]),
    "lastword": _selection_function(lambda words: words[-1:]),
    "basename": _word_function(lambda word: word.rpartition(".")[0] or word),
    "addprefix": _function_with_argument(lambda first, word: first.strip() + word),
    "addsuffix": _function_with_argument(lambda first, word: word + first.strip()),
    "patsubst": _expand_patsubst,
    "subst": _expand_subst,
    **dict.fromkeys(
        (
            *("word", "words", "wordlist", "findstring", "filter", "filter-out", "suffix", "join"),
            *("origin", "flavor", "intcmp", "let"),
        ),
        _expand_to_unknown,
    ),
}
