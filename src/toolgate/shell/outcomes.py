"""Commands whose outcome is certain from the text: those that succeed, and those that leave it."""

import re
from collections.abc import Callable
from collections.abc import Sequence as Several

from .state import Shell
from .syntax import Assignment, Background, Function, Group, Node, Redirect, Sequence, ShellWord, Simple, Text

Words = Several[ShellWord | Assignment]


def literal_name(node: Node) -> str | None:
    """Returns the command's name if it is literal."""
    return word_text(node.words[0]) if isinstance(node, Simple) and node.words else None


def word_text(word: object) -> str | None:
    """Returns the text of a literal word."""
    if isinstance(word, ShellWord) and len(word.pieces) == 1 and isinstance(piece := word.pieces[0], Text):
        return piece.value
    return None


def surely_succeeds(node: Node, shell: Shell) -> bool:
    """Returns whether this succeeds in every shell."""
    if isinstance(node, Function | Background):
        return True
    if not isinstance(node, Simple) or not opens_surely(node):
        return False
    if not node.words:
        return not node.redirects and all(
            assignment.value is None or all(isinstance(piece, Text) for piece in assignment.value.pieces)
            for assignment in node.assignments
        )
    name = literal_name(node)
    rule = _SUCCEEDS.get(name or "")
    return rule is not None and name not in shell.functions and rule(node.words[1:], shell)


def opens_surely(node: Node) -> bool:
    """Returns whether all its redirects are sure to open."""
    return not isinstance(node, Simple) or all(map(_opens, node.redirects))


def _opens(redirect: Redirect) -> bool:
    target = word_text(redirect.target)
    if target == "-":  # printing to a closed descriptor is an error
        return redirect.operator == "<&" or redirect.descriptor not in ("", "1")
    return redirect.operator.startswith("<<") or target in ("/dev/null", "1", "2")


def _always(_words: Words, _shell: Shell) -> bool:
    return True


def _declares(words: Words, shell: Shell) -> bool:
    """Returns whether all words are names, some with values, of variables that may be changed."""
    for word in words:
        if isinstance(word, Assignment):
            name = word.name
        else:
            text = _start(word)
            if len(word.pieces) == 1 and _HARMLESS(text):
                continue
            match = _NAMED(text)
            if match is None or (not match[2] and len(word.pieces) > 1):
                return False
            name = match[1]
        if "r" in shell.attributes.get(name, ""):
            return False
    return True


_HARMLESS = re.compile(r"-[aAgrx]+").fullmatch
_NAMED = re.compile(r"([A-Za-z_]\w*)(?:(=).*)?", re.DOTALL).fullmatch


def _start(word: ShellWord) -> str:
    return piece.value if word.pieces and isinstance(piece := word.pieces[0], Text) else ""


def _exports(words: Words, shell: Shell) -> bool:
    return _declares(words, shell) and not any(isinstance(word, ShellWord) and _start(word)[:1] == "-" for word in words)


def _is_local(words: Words, shell: Shell) -> bool:
    return shell.locals is not None and _declares(words, shell)


def _aliases(words: Words, _shell: Shell) -> bool:
    return all(isinstance(word, Assignment) or "=" in _start(word) for word in words)


def _says_where(words: Words, _shell: Shell) -> bool:
    return all(word_text(word) in ("-P", "-L") for word in words)


def _prints(words: Words, _shell: Shell) -> bool:
    """Returns whether it prints text only; an argument for a number format may be invalid."""
    texts = [word_text(word) for word in words[:2]]
    formats = texts[1:] if texts[:1] == ["--"] else texts[:1]
    return bool(formats) and formats[0] is not None and formats[0][:1] != "-" and _OF_TEXTS(formats[0]) is not None


_OF_TEXTS = re.compile(r"(?:[^%]|%%|%-?[0-9]*(?:\.[0-9]+)?[sbc])*", re.DOTALL).fullmatch
_SUCCEEDS: dict[str, Callable[[Words, Shell], bool]] = {
    **dict.fromkeys(("true", ":", "echo"), _always),
    **dict.fromkeys(("export", "readonly"), _exports),
    **dict.fromkeys(("declare", "typeset"), _declares),
    "local": _is_local,
    "alias": _aliases,
    "pwd": _says_where,
    "printf": _prints,
}


_TOO_MANY = 3  # words: `exit 1 2` is an error
OF_FUNCTIONS = frozenset(("return",))
OF_LOOPS = frozenset(("break", "continue"))


def leaves(node: Node, shell: Shell) -> bool:
    """Returns whether the text certainly does not continue after this."""
    match node:
        case Sequence(items=items):
            return bool(items) and leaves(items[-1], shell)
        case Group(body=body):
            return leaves(body, shell)
        case Simple(words=words):
            name = literal_name(node)
            if name == "exec":
                return len(words) > 1 and name not in shell.functions
            leaves_here = name == "exit" or name in shell.ways_out
            return leaves_here and name not in shell.functions and len(words) < _TOO_MANY and opens_surely(node)
        case _:
            return False
