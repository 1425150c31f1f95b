"""Associative arrays whose keys are known: `declare -A HOST=([test]=localhost [live]=db.acme.io)`.

The state has the elements of an array in order. The keys are beside it, each with its element, and count only as long as the
elements are still the same.
"""

from toolgate.model.word import EMPTY, Word, known_word
from toolgate.shell.domain.protocol import Array, Values
from toolgate.shell.domain.state import Shell
from toolgate.shell.syntax.tree import Assignment, Parameter, ShellWord, Text

KEYS_PREFIX = "]"
"""Before the name of an array: the variable of the state with its keys and elements."""


def note_keys(assignment: Assignment, name: str, arrays: Values, shell: Shell) -> None:
    """Records the keys of an array literal, or that they are not known."""
    keys = [None if each.key is None else find_key(each.key, shell) for each in assignment.elements or ()]
    known = [key for key in keys if key is not None and not key.lstrip("-").isdigit()]
    array = arrays[0] if len(arrays) == 1 else ()
    shell.variables.pop(KEYS_PREFIX + name, None)
    if known and isinstance(array, tuple) and len(known) == len(keys) == len(set(known)) == len(array) and not assignment.append:
        _store(dict(zip(known, array, strict=True)), name, shell)


def assign_key(assignment: Assignment, name: str, values: Values, shell: Shell) -> Values | None:
    """Returns the array after `a[key]=value`; None if its keys are not known."""
    elements = find_elements(name, shell)
    key = None if assignment.subscript is None else find_key(assignment.subscript, shell)
    if elements is None or key is None or len(values) != 1 or not isinstance(values[0], Word) or assignment.append:
        shell.variables.pop(KEYS_PREFIX + name, None)
        return None
    return _store({**elements, key: values[0]}, name, shell)


def find_element(name: str, subscript: ShellWord, shell: Shell) -> Word | None:
    """Returns the element of a key; None if the key, or those of the array, are not known."""
    elements = find_elements(name, shell)
    key = None if elements is None else find_key(subscript, shell)
    return None if elements is None or key is None else elements.get(key, EMPTY)


def find_elements(name: str, shell: Shell) -> dict[str, Word] | None:
    """Returns the elements of an associative array by their keys, if all of them are known."""
    if "A" not in shell.attributes.get(name, ""):
        return None
    if shell.variables.get(name, (EMPTY,)) == (EMPTY,) and not shell.is_set(KEYS_PREFIX + name):
        return {}  # declared, and nothing more
    kept, current = shell.variables.get(KEYS_PREFIX + name, ()), shell.variables.get(name, ())
    pairs = kept[0] if len(kept) == len(current) == 1 else None
    if not isinstance(pairs, tuple) or pairs[1::2] != current[0]:
        return None
    return {key.text or "": element for key, element in zip(pairs[::2], pairs[1::2], strict=True)}


def find_key(subscript: ShellWord, shell: Shell) -> str | None:
    """Returns the text of a key, made of literal text and variables with a known value."""
    texts = [_find_text(piece, shell) for piece in subscript.pieces]
    known = [text for text in texts if text is not None]
    return "".join(known) if len(known) == len(texts) and "".join(known) not in ("@", "*") else None


def _find_text(piece: object, shell: Shell) -> str | None:
    if isinstance(piece, Text):
        return piece.value
    if not isinstance(piece, Parameter) or piece.prefix or piece.operator or piece.subscript is not None:
        return None
    values = shell.variables.get(shell.resolve_name(piece.name), ())
    return values[0].text if len(values) == 1 and isinstance(values[0], Word) else None


def _store(elements: dict[str, Word], name: str, shell: Shell) -> Values:
    pairs: Array = tuple(word for key, element in elements.items() for word in (known_word(key), element))
    shell.variables[KEYS_PREFIX + name] = (pairs,)
    return (tuple(elements.values()),)
