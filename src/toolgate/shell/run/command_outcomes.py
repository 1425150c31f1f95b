"""Commands whose outcome is certain from the text: those that succeed, and those that leave it."""

import re
from collections.abc import Callable
from collections.abc import Sequence as Several

from toolgate.model.word import Word
from toolgate.shell.domain.state import Shell
from toolgate.shell.syntax import dash_builtins
from toolgate.shell.syntax.tree import (
    AndOr,
    Assignment,
    Background,
    Case,
    Function,
    Group,
    If,
    Node,
    Redirect,
    Sequence,
    ShellWord,
    Simple,
    Text,
)

Words = Several[ShellWord | Assignment]


def literal_name(node: Node) -> str | None:
    """Returns the command's name if it is literal."""
    return word_text(node.words[0]) if isinstance(node, Simple) and node.words else None


def word_text(word: object) -> str | None:
    """Returns the text of a literal word."""
    if isinstance(word, ShellWord) and len(word.pieces) == 1 and isinstance(piece := word.pieces[0], Text):
        return piece.value
    return None


def is_sure_to_succeed(node: Node, shell: Shell) -> bool:
    """Returns whether this succeeds in every shell."""
    if isinstance(node, Function | Background):
        return True
    if not isinstance(node, Simple) or not has_only_sure_redirects(node):
        return False
    if not node.words:
        return not node.redirects and all(
            assignment.value is None or all(isinstance(piece, Text) for piece in assignment.value.pieces)
            for assignment in node.assignments
        )
    name = literal_name(node)
    rule = _SUCCESS_RULES.get(name or "")
    return rule is not None and name not in shell.functions and rule(node.words[1:], shell)


def is_sure_to_fail(node: Node, shell: Shell) -> bool:
    """Returns whether this fails: a command that dash does not have."""
    return shell.frame.dialect.is_dash and literal_name(node) in dash_builtins.MISSING_IN_DASH


def has_only_sure_redirects(node: Node) -> bool:
    """Returns whether all its redirects are sure to open."""
    return not isinstance(node, Simple) or all(map(_is_sure_to_open, node.redirects))


def _is_sure_to_open(redirect: Redirect) -> bool:
    target = word_text(redirect.target)
    if target == "-":  # printing to a closed descriptor is an error
        return redirect.operator == "<&" or redirect.descriptor not in ("", "1")
    return redirect.operator.startswith("<<") or target in ("/dev/null", "1", "2")


def _succeeds_always(_words: Words, _shell: Shell) -> bool:
    return True


def _declares_writable_names(words: Words, shell: Shell) -> bool:
    """Returns whether all words are names, some with values, of variables that may be changed."""
    for word in words:
        if isinstance(word, Assignment):
            name = word.name
        else:
            text = _leading_text(word)
            if len(word.pieces) == 1 and _IS_HARMLESS_OPTION(text):
                continue
            match = _MATCH_NAME(text)
            if match is None or (not match[2] and len(word.pieces) > 1):
                return False
            name = match[1]
        if "r" in shell.attributes.get(name, ""):
            return False
    return True


_IS_HARMLESS_OPTION = re.compile(r"-[aAgrx]+").fullmatch
_MATCH_NAME = re.compile(r"([A-Za-z_]\w*)(?:(=).*)?", re.DOTALL).fullmatch


def _leading_text(word: ShellWord) -> str:
    return piece.value if word.pieces and isinstance(piece := word.pieces[0], Text) else ""


def _exports_names(words: Words, shell: Shell) -> bool:
    return _declares_writable_names(words, shell) and not any(
        isinstance(word, ShellWord) and _leading_text(word)[:1] == "-" for word in words
    )


def _is_local(words: Words, shell: Shell) -> bool:
    return shell.locals is not None and _declares_writable_names(words, shell)


def _defines_aliases(words: Words, _shell: Shell) -> bool:
    return all(isinstance(word, Assignment) or "=" in _leading_text(word) for word in words)


def _prints_directory(words: Words, _shell: Shell) -> bool:
    return all(word_text(word) in ("-P", "-L") for word in words)


def _prints_texts(words: Words, _shell: Shell) -> bool:
    """Returns whether it prints text only; an argument for a number format may be invalid."""
    texts = [word_text(word) for word in words[:2]]
    formats = texts[1:] if texts[:1] == ["--"] else texts[:1]
    return bool(formats) and formats[0] is not None and formats[0][:1] != "-" and _IS_TEXT_FORMAT(formats[0]) is not None


_IS_TEXT_FORMAT = re.compile(r"(?:[^%]|%%|%-?[0-9]*(?:\.[0-9]+)?[sbc])*", re.DOTALL).fullmatch
_SUCCESS_RULES: dict[str, Callable[[Words, Shell], bool]] = {
    **dict.fromkeys(("true", ":", "echo"), _succeeds_always),
    **dict.fromkeys(("export", "readonly"), _exports_names),
    **dict.fromkeys(("declare", "typeset"), _declares_writable_names),
    "local": _is_local,
    "alias": _defines_aliases,
    "pwd": _prints_directory,
    "printf": _prints_texts,
}


_TOO_MANY_WORDS = 3  # words: `exit 1 2` is an error
FUNCTION_EXITS = frozenset(("return",))
LOOP_EXITS = frozenset(("break", "continue"))


def is_sure_to_leave(node: Node, shell: Shell) -> bool:
    """Returns whether the text certainly does not continue after this."""
    match node:
        case Sequence(items=items):
            return bool(items) and is_sure_to_leave(items[-1], shell)
        case Group(body=body):
            return is_sure_to_leave(body, shell)
        case Simple(words=words):
            name = literal_name(node)
            if name == "exec":
                return len(words) > 1 and name not in shell.functions
            leaves_here = name == "exit" or name in shell.ways_out
            return leaves_here and name not in shell.functions and len(words) < _TOO_MANY_WORDS and has_only_sure_redirects(node)
        case _:
            return False


def leaves_for_sure(argv: tuple[Word, ...], shell: Shell) -> bool:
    """Returns whether this `exit`, `return`, `break` or `continue` leaves what it is in."""
    is_possible = argv[0].text == "exit" or argv[0].text in shell.ways_out
    return is_possible and len(argv) < _TOO_MANY_WORDS and not is_interrupted(shell)


def is_interrupted(shell: Shell) -> bool:
    """Returns whether a handler may run at any time: before each command, it may keep that from being run (bash's extdebug)."""
    return any(any_time for _, any_time in shell.past.handlers)


def may_reach_end(body: Sequence, text: str, shell: Shell) -> bool:
    """Returns whether a shell that reads `text` line by line may get behind its parsed part, `body`. Archives that unpack
    themselves, and scripts that start another interpreter with `exec`, leave their own text before."""
    of_process = shell.depth == shell.frame.depth and "execfail" not in text
    return not of_process or not any(is_sure_to_leave(item, shell) for item in body.items)


def join_optional(first: Shell | None, second: Shell) -> Shell:
    """Joins a path that may not exist into another one."""
    if first is not None:
        second.join(first)
    return second


def has_left(node: Node, shell: Shell) -> bool:
    """Returns whether a command that has run has left for sure: `exit`, a function, or a construct of these. A loop may have no
    round, and what runs in another process leaves only that."""
    if shell.ended and isinstance(node, Simple):
        name = literal_name(node)
        shell.ended = name == "exit" or name in shell.ways_out or name in shell.functions
    elif shell.ended:
        shell.ended = isinstance(node, Sequence | If | Case | AndOr | Group)
    return shell.ended
